package explain

import (
	"fmt"
	"io"
	"strings"
)

// Text writes the answer for people: the sentence, then the path of decisions, then what would change it.
func (a *Answer) Text(w io.Writer, s Style) error {
	if s.Width == 0 {
		s.Width = 100
	}
	p := &page{style: s, width: max(s.Width, 60)}
	name := a.Subject.Name
	if a.Subject.Namespace != "" {
		name = a.Subject.Namespace + "/" + name
	}
	kind := a.Subject.Kind
	if kind == "eviction" {
		kind = "pod"
	}
	p.line("%s %s  %s", kind, p.paint(bold, name), p.paint(a.State.ink(), a.State.words()))
	p.paragraph(2, begin(a.Summary)+".")
	if a.Start.known() {
		p.paragraph(2, begin(a.Start.Message)+".")
	}
	if len(a.Path) > 0 {
		p.line("")
		p.line("%s", p.paint(bold, "HOW IT CAME TO THIS"))
		p.steps(a.Path)
	}
	if len(a.Changes) > 0 {
		p.line("")
		p.line("%s", p.paint(bold, "WOULD RUN IF"))
		for _, c := range a.Changes {
			p.hanging("  - ", c.Text)
		}
	}
	for _, n := range a.Notes {
		p.line("")
		p.paragraph(2, begin(n)+".")
	}
	_, err := io.WriteString(w, Printable(p.out.String()))
	return err
}

// words is a state for people.
func (s State) words() string {
	switch s {
	case Runs:
		return "runs"
	case Starts:
		return "starts now"
	case Finished:
		return "has ended"
	case WaitsForRoom:
		return "waits for room"
	case WaitsForQueue:
		return "waits for its queue"
	case WaitsForObjects:
		return "waits for its own objects"
	case Never:
		return "can never run as it is written"
	case Foreign:
		return "is another scheduler's"
	case Unclear:
		return "is not clear"
	case WasEvicted:
		return "was evicted"
	}
	return strings.ToLower(string(s))
}

func (s State) ink() ink {
	switch s {
	case Runs, Starts, Open, Present:
		return green
	case Never, Closed, Cordoned, WasEvicted:
		return red
	case Finished, Foreign:
		return faint
	}
	return yellow
}

// mark is a verdict in one column.
func (v Verdict) mark() (string, ink) {
	switch v {
	case Passed:
		return "ok", green
	case Refused:
		return "NO", red
	case NotReached:
		return "-", faint
	}
	return "", none
}

// steps writes a path, the names in one column.
func (p *page) steps(path []Step) {
	wide := 0
	for _, s := range path {
		wide = max(wide, len(s.Name))
	}
	for _, s := range path {
		mark, color := s.Verdict.mark()
		first := fmt.Sprintf("  %s  %-*s  ", p.paint(color, fmt.Sprintf("%-2s", mark)), wide, s.Name)
		p.hangingAt(first, wide+8, s.Text)
		for _, d := range s.Details {
			p.hangingAt(strings.Repeat(" ", wide+8)+"- ", wide+10, d)
		}
	}
}

// hanging writes a text after a mark, its further lines below its first word.
func (p *page) hanging(mark, text string) { p.hangingAt(mark, len(mark), text) }

func (p *page) hangingAt(mark string, indent int, text string) {
	lines := wrap(text, max(p.width-indent, 30))
	p.line("%s%s", mark, strings.Join(lines, "\n"+strings.Repeat(" ", indent)))
}

// begin writes a sentence's first word with a capital letter, unless it is a name.
func begin(text string) string {
	word, _, _ := strings.Cut(text, " ")
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return text
		}
	}
	return capital(text)
}
