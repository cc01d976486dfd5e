package cli_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var updateWhy = flag.Bool("update-why", false, "write the output in docs/why.md, lint.md and time.md anew")

// shown is a block of the page: a command, and what it prints.
var shown = regexp.MustCompile("(?s)```\n\\$ ashlar ([^\n]*)\n(.*?)```\n")

// What these pages show with a command is what the commands print, from the root of the source tree.
func TestWhatThePageShowsIsPrinted(t *testing.T) {
	t.Chdir("../..")
	for page, least := range map[string]int{"docs/why.md": 6, "docs/lint.md": 1, "docs/time.md": 1} {
		showsWhatIsPrinted(t, page, least)
	}
}

func showsWhatIsPrinted(t *testing.T, page string, least int) {
	t.Helper()
	before, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	after := shown.ReplaceAllStringFunc(string(before), func(block string) string {
		commands++
		parts := shown.FindStringSubmatch(block)
		got := run("", append([]string{"ashlar"}, strings.Fields(parts[1])...)...)
		if got.code != 0 {
			t.Errorf("ashlar %s: exit %d\n%s", parts[1], got.code, got.err)
		}
		if got.out != parts[2] && !*updateWhy {
			t.Errorf("ashlar %s prints\n%s\nand the page has\n%s\n(-update-why writes it)", parts[1], got.out, parts[2])
		}
		return "```\n$ ashlar " + parts[1] + "\n" + got.out + "```\n"
	})
	if commands < least {
		t.Errorf("%s: %d commands are on the page, which cannot be all", page, commands)
	}
	if *updateWhy {
		if err := os.WriteFile(page, []byte(after), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
