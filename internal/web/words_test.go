package web

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each word of the page is there in Chinese, too: all texts that stand in its sources within t(...), and those of the
// tables of words from which it takes what it gives to t.
func TestEveryWordIsInChinese(t *testing.T) {
	words, err := os.ReadFile("page/src/words.ts")
	if err != nil {
		t.Fatal(err)
	}
	within := regexp.MustCompile(`\bt\(([^()]*(?:\([^()]*\))?[^()]*)\)`)
	tables := regexp.MustCompile(`(?:Record<(?:string|View|Stand), string> = \{|const verdicts = \{|` +
		`const kinds = \[\[)([^;]*);`)
	labels := regexp.MustCompile(`\blabel: "([^"]+)"`)
	text := regexp.MustCompile(`"([^"]*)"`)
	seen := 0
	err = filepath.WalkDir("page/src", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".tsx") && filepath.Base(path) != "derive.ts" {
			return err
		}
		source, err := os.ReadFile(path)
		said := map[string]bool{}
		for _, m := range within.FindAllStringSubmatch(string(source), -1) {
			for _, w := range text.FindAllStringSubmatch(m[1], -1) {
				said[w[1]] = true
			}
		}
		for _, m := range tables.FindAllStringSubmatch(string(source), -1) {
			if strings.Contains(m[1], " 2h") || strings.Contains(m[1], "M1 9") { // the paths of icons
				continue
			}
			for _, w := range regexp.MustCompile(`(?:: |, )"([^"]+)"`).FindAllStringSubmatch(m[1], -1) {
				said[w[1]] = true
			}
		}
		for _, m := range labels.FindAllStringSubmatch(string(source), -1) {
			said[m[1]] = true
		}
		for w := range said {
			if seen++; w == "" || w == "cluster" { // it is compared with
				continue
			}
			key := regexp.MustCompile(`[{,\s](?:"` + regexp.QuoteMeta(w) + `"|` + regexp.QuoteMeta(w) + `): "`)
			if !key.Match(words) {
				t.Errorf("%s says %q, which has no Chinese word in words.ts", path, w)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 200 {
		t.Errorf("%d words were looked at", seen)
	}
}
