//go:build !simulator

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// lineOnPage is a command line of ashlar on a page: in a block, after a prompt or variables, by any of its names.
var lineOnPage = regexp.MustCompile(
	`(?m)^(?:    |\$ )?(?:[A-Z_]+=\S+ )*(?:bin/ashlar|kubectl ashlar|kubectl-ashlar|ashlar) ([^\n]*)$`)

// quoted is a word of a shell's line.
var quoted = regexp.MustCompile(`'[^']*'|"[^"]*"|\$\([^)]*\)|\S+`)

// endOfCommand begins what is the shell's.
var endOfCommand = regexp.MustCompile(`^([|>&#]|2>)`)

// Each command of the documents names a verb, arguments and flags that there are: somebody tries it at night.
func TestTheCommandsOfThePagesExist(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range blocks(string(text)) {
			for _, m := range lineOnPage.FindAllStringSubmatch(block, -1) {
				if strings.Contains(m[1], " [") {
					continue // how a command may be written, not one
				}
				commands++
				if err := known(m[1]); err != nil {
					t.Errorf("%s: ashlar %s: %v", filepath.Base(page), m[1], err)
				}
			}
		}
	}
	if commands < 40 {
		t.Errorf("%d commands are on the pages, which cannot be all", commands)
	}
}

// blocks are the parts of a page that are shown as code, with lines that a backslash continues joined.
func blocks(page string) (out []string) {
	page = strings.ReplaceAll(page, "\\\n", " ")
	var now []string
	fenced := false
	end := func() {
		out, now = append(out, strings.Join(now, "\n")), nil
	}
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			end()
			fenced = !fenced
		case fenced, strings.HasPrefix(line, "    "):
			now = append(now, line)
		default:
			end()
		}
	}
	end()
	return out
}

// known says what is wrong with a command line: its verb, its flags or the number of its arguments.
func known(line string) error {
	var words []string
	for _, w := range quoted.FindAllString(line, -1) {
		if endOfCommand.MatchString(w) {
			break
		}
		words = append(words, strings.Trim(w, `'"`))
	}
	root := Process{Args: []string{"ashlar"}}.root()
	c, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if c == root {
		return nil // --help, --version and the like
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
}
