package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in the input. Line counts from 1; 0 means the file as a whole.
type Position struct {
	File string // as the user named it, "-" for standard input
	Line int
}

// String is file:line, as compilers write it.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Error is something that makes the input bad.
type Error struct {
	Where   Position
	Message string // one sentence in lower case without a full stop
}

// Error is "file:line: message".
func (e Error) Error() string { return e.Where.String() + ": " + e.Message }

// OfFile says that a file, or a document in it, could not be read, so that there is no object to blame.
func (e Error) OfFile() bool { return e.Where.Line == 0 || strings.HasPrefix(e.Message, "malformed ") }

// Problem is something the author should know about an object that is used all the same.
type Problem struct {
	Object  string // Kind/namespace/name, or Kind/name
	Message string
	Where   Position // of the object, or of what made it; without a file: it is of none
}

// shown is a text from the input, cut when it is too long to read and kept
// from breaking the message.
func shown(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// oneLine keeps a library's words from breaking a message.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}

// didYouMean is ` (did you mean x?)` for the candidate nearest to name, the first of
// equally near ones; nothing when none is near.
func didYouMean(name string, candidates []string) string {
	best, distance := "", 3
	for _, c := range candidates {
		if d := edits(strings.ToLower(name), strings.ToLower(c)); d < distance && d*2 <= len(c) {
			best, distance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

// edits counts the insertions, deletions and substitutions that turn a into b; names
// that differ by more than two in length are just far.
func edits(a, b string) int {
	const far = 3
	if len(a)-len(b) >= far || len(b)-len(a) >= far {
		return far
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, change)
		}
	}
	return row[len(b)]
}

// inOrder sorts errors of one file by line and keeps the files in the order they were
// read.
func inOrder(errs []Error) []Error {
	order := map[string]int{}
	for _, e := range errs {
		if _, ok := order[e.Where.File]; !ok {
			order[e.Where.File] = len(order)
		}
	}
	slices.SortStableFunc(errs, func(a, b Error) int {
		return cmp.Or(order[a.Where.File]-order[b.Where.File], a.Where.Line-b.Where.Line)
	})
	return errs
}
