package explain

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Style is how text is laid out.
type Style struct {
	Width int  // columns to fill, from 60 on; 100 when 0
	Color bool // with the terminal's colours
}

// Text writes the report for people: which jobs run where, which wait and why, how the
// queues share, what is wrong, and a summary.
func (r *Report) Text(w io.Writer, s Style) error {
	if s.Width == 0 {
		s.Width = 100
	}
	p := &page{style: s, width: max(s.Width, 60), plain: r.oneNamespace()}
	p.running(r)
	p.waiting(r)
	p.evicted(r)
	p.booked(r)
	p.sharing(r)
	p.devices(r)
	p.problems(r)
	p.summary(r)
	_, err := io.WriteString(w, Printable(p.out.String()))
	return err
}

// page is a text under way.
type page struct {
	out   strings.Builder
	style Style
	width int
	plain bool // everything is in one namespace, which is left out
}

// ink is what a piece of text says by its colour.
type ink string

const (
	bold   ink = "1"
	faint  ink = "2"
	red    ink = "31"
	green  ink = "32"
	yellow ink = "33"
	none   ink = ""
)

func (p *page) paint(i ink, text string) string {
	if !p.style.Color || i == none || text == "" {
		return text
	}
	return "\x1b[" + string(i) + "m" + text + "\x1b[0m"
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

// title begins a section.
func (p *page) title(text string) {
	if p.out.Len() > 0 {
		p.line("")
	}
	p.line("%s", p.paint(bold, text))
}

// cell is a table's entry.
type cell struct {
	text  string
	ink   ink
	right bool // flush right
}

func left(text string) cell  { return cell{text: text} }
func right(text string) cell { return cell{text: text, right: true} }
func (c cell) in(i ink) cell { c.ink = i; return c }

// table writes rows indented by two, columns two apart, as wide as their widest cell;
// the first row is the head. The last column is not padded and is wrapped at the
// page's width.
func (p *page) table(rows [][]cell) {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	for i, row := range rows {
		p.out.WriteString(p.row(row, widths, i == 0))
	}
}

func (p *page) row(row []cell, widths []int, head bool) string {
	var b strings.Builder
	at := 0
	for i, c := range row {
		at += 2
		text := c.text
		if i == len(row)-1 && !c.right {
			text = strings.Join(wrap(c.text, max(p.width-at, 20)), "\n"+strings.Repeat(" ", at))
		}
		gap := strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(c.text)))
		color := c.ink
		if head {
			color = faint
		}
		b.WriteString("  ")
		if c.right {
			b.WriteString(gap + p.paint(color, text))
		} else {
			b.WriteString(p.paint(color, text) + gap)
		}
		at += widths[i]
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// wrap breaks a text that is too long at its spaces into lines of at most width columns;
// longer words stay whole.
func wrap(text string, width int) []string {
	if utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			out = append(out, line)
			line = word
		}
	}
	return append(out, line)
}

// paragraph writes a text at an indent, wrapped.
func (p *page) paragraph(indent int, text string) {
	for _, line := range wrap(text, p.width-indent) {
		p.line("%s%s", strings.Repeat(" ", indent), line)
	}
}

// name is an object's name, with its namespace where that says something.
func (p *page) name(namespace, name string) string {
	if p.plain || namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// oneNamespace says that all jobs and pods are in one namespace.
func (r *Report) oneNamespace() bool {
	seen := ""
	for _, p := range r.Pods {
		if seen != "" && p.Namespace != seen {
			return false
		}
		seen = p.Namespace
	}
	for _, j := range r.Jobs {
		if seen != "" && j.Namespace != seen {
			return false
		}
		seen = j.Namespace
	}
	return true
}
