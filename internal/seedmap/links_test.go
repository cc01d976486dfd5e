package seedmap

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```")
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors are the headings of a page as links name them: in lower case, without punctuation, with
// hyphens for spaces.
func anchors(page string) map[string]bool {
	out := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		out[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return out
}

// A link from one page to another leads to a file of the repository, and to a heading of it where
// it names one.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	links := 0
	for _, file := range citing(t) {
		if filepath.Ext(file) != ".md" {
			continue
		}
		page, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(page), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			path, anchor, _ := strings.Cut(m[1], "#")
			to := filepath.Join(root, file)
			if path != "" {
				to = filepath.Join(root, filepath.Dir(file), path)
			}
			info, err := os.Stat(to)
			if err != nil {
				t.Errorf("%s links %s, which does not exist", file, m[1])
				continue
			}
			if anchor == "" || info.IsDir() {
				continue
			}
			target, err := os.ReadFile(to)
			if err != nil {
				t.Fatal(err)
			}
			if !anchors(string(target))[anchor] {
				t.Errorf("%s links %s: %s has no heading of that name", file, m[1], path)
			}
		}
	}
	if links == 0 {
		t.Error("no link is found: the pattern finds nothing any more")
	}
}
