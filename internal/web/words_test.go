package web

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each word of the page is there in Chinese, too: those that stand in its sources as t("...").
func TestEveryWordIsInChinese(t *testing.T) {
	words, err := os.ReadFile("page/src/words.ts")
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`\bt\("([^"]+)"\)`)
	seen := 0
	err = filepath.WalkDir("page/src", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".tsx") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range word.FindAllStringSubmatch(string(text), -1) {
			seen++
			key := regexp.MustCompile(`[{,\s](?:"` + regexp.QuoteMeta(m[1]) + `"|` + regexp.QuoteMeta(m[1]) + `): "`)
			if !key.Match(words) {
				t.Errorf("%s says %q, which has no Chinese word in words.ts", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Errorf("%d words were looked at", seen)
	}
}
