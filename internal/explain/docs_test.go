package explain

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// An operator looks codes up in docs/reasons.md: each must be there.
func TestEveryCodeIsInTheDocs(t *testing.T) {
	docs, err := os.ReadFile("../../docs/reasons.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../sched/trace/reason.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`Code = "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) < 30 {
		t.Fatalf("found %d codes in reason.go, which cannot be all", len(codes))
	}
	for _, c := range codes {
		if !strings.Contains(string(docs), c[1]) {
			t.Errorf("docs/reasons.md says nothing about %s", c[1])
		}
	}
}
