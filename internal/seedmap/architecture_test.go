package seedmap

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// architecture is the page that names files and functions in a row, the later ones beside the first.
const architecture = "ARCHITECTURE.md"

// code is a code span that may be a folder, or a file and perhaps a name declared in it.
var code = regexp.MustCompile("`([a-z][\\w./-]*?)(?::(\\w+))?`")

// Every file that ARCHITECTURE.md names is there, and declares what the page says.
func TestArchitectureNamesWhatIsThere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, architecture))
	if err != nil {
		t.Fatal(err)
	}
	known, checked := declarations{}, 0
	for i, line := range strings.Split(string(text), "\n") {
		var folders []string // of the row, the last first
		for _, m := range code.FindAllStringSubmatch(line, -1) {
			is, err := os.Stat(filepath.Join(root, m[1]))
			if err == nil && is.IsDir() {
				folders = append([]string{m[1]}, folders...)
			}
			if path.Ext(m[1]) != ".go" {
				continue
			}
			checked++
			err = known.find(reference{m[1], m[2]})
			for _, folder := range append(folders, "sched", "internal") {
				if err == nil {
					break
				}
				ref := reference{path.Join(folder, m[1]), m[2]}
				if err = known.find(ref); err == nil {
					folders = append([]string{path.Dir(ref.path)}, folders...)
				}
			}
			if err != nil {
				t.Errorf("%s:%d: %s: %v", architecture, i+1, m[0], err)
			}
		}
	}
	if checked < 60 {
		t.Errorf("%d references were checked: the form of the page is another", checked)
	}
}
