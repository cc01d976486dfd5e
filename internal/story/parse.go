package story

import (
	"fmt"
	"strings"
)

// Story is a parsed file.
type Story struct {
	Name  string // of the file, for messages
	Why   string // the paragraph at the top, without its #
	parts []part
}

// part is either text that is given back as it stands (comments, blank lines) or a
// line with a verb, with its continuations and its answer.
type part struct {
	line int      // number of the first line, from 1
	raw  []string // as written, without the answer
	verb string   // "" for text
	args []string // the words after the verb, those of indented lines included
}

// bar stands between a question and its answer.
const bar = "----"

// Parse reads a story. What is wrong is said with file and line.
func Parse(name string, text string) (*Story, error) {
	s := &Story{Name: name}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	n := s.why(lines)
	if s.Why == "" {
		return nil, fmt.Errorf("%s:1: a story begins with a paragraph of # lines that says why it is told", name)
	}
	for n < len(lines) {
		p, next, err := s.part(lines, n)
		if err != nil {
			return nil, err
		}
		s.parts = append(s.parts, p)
		n = next
	}
	return s, nil
}

// why reads the paragraph at the top and returns how many lines it has.
func (s *Story) why(lines []string) int {
	n := 0
	var words []string
	for n < len(lines) && strings.HasPrefix(lines[n], "#") {
		words = append(words, strings.Fields(strings.TrimPrefix(lines[n], "#"))...)
		n++
	}
	s.Why = strings.Join(words, " ")
	if n > 0 {
		s.parts = append(s.parts, part{line: 1, raw: lines[:n]})
	}
	return n
}

func (s *Story) part(lines []string, n int) (part, int, error) {
	first := lines[n]
	p := part{line: n + 1, raw: []string{first}}
	words := strings.Fields(uncommented(first))
	switch {
	case len(words) == 0:
		return p, n + 1, nil
	case first == bar:
		return p, n, fmt.Errorf("%s:%d: %s without a question above it", s.Name, n+1, bar)
	case indented(first):
		return p, n, fmt.Errorf("%s:%d: an indented line goes on with the line above, and there is none", s.Name, n+1)
	}
	n++
	for n < len(lines) && indented(lines[n]) {
		p.raw = append(p.raw, lines[n])
		words = append(words, strings.Fields(uncommented(lines[n]))...)
		n++
	}
	p.verb, p.args = words[0], words[1:]
	v, known := verbs()[p.verb]
	if !known {
		return p, n, fmt.Errorf("%s:%d: %q is no verb; there are %s", s.Name, p.line, p.verb, strings.Join(verbNames(), ", "))
	}
	if n < len(lines) && lines[n] == bar {
		if v.ask == nil {
			return p, n, fmt.Errorf("%s:%d: %s asks nothing: remove the %s and what follows it", s.Name, n+1, p.verb, bar)
		}
		for n++; n < len(lines) && lines[n] != ""; n++ {
			if lines[n] == bar { // else lines that are a question would be taken for an answer, and be written over
				return p, n, fmt.Errorf("%s:%d: %s within an answer: an empty line ends the answer before it", s.Name, n+1, bar)
			}
		}
	}
	return p, n, nil
}

// indented says that a line goes on with the line above.
func indented(line string) bool {
	return strings.TrimSpace(line) != "" && (line[0] == ' ' || line[0] == '\t')
}

// uncommented is a line up to a # that begins a word.
func uncommented(line string) string {
	for i, c := range line {
		if c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

// printed is a story with its answers.
type printed struct {
	strings.Builder
	open bool // an answer was printed and wants a blank line after it
}

func (o *printed) part(p part) {
	if o.open && p.raw[0] != "" {
		o.WriteString("\n")
	}
	o.open = false
	for _, l := range p.raw {
		o.WriteString(l + "\n")
	}
}

func (o *printed) answer(lines []string) {
	o.WriteString(bar + "\n")
	for _, l := range lines {
		o.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	o.open = true
}
