package chart

import (
	"fmt"
	"html"
	"html/template"
	"strings"
)

// drawing is one SVG under way. Lengths are in units of its view box; the page scales it
// to its width.
type drawing struct {
	b             strings.Builder
	width, height float64
}

// The view box, and what of it is left free around the plot.
const (
	wide   = 960.0
	left   = 64.0
	right  = 16.0
	top    = 10.0
	bottom = 26.0
)

// newDrawing begins a drawing that is called what its label says.
func newDrawing(height float64, label string) *drawing {
	d := &drawing{width: wide, height: height}
	d.put(`<svg viewBox="0 0 %s %s" role="img" aria-label="%s">`, n(wide), n(height), html.EscapeString(label))
	return d
}

func (d *drawing) end() template.HTML {
	d.put("</svg>")
	return template.HTML(d.b.String()) // all text in it was escaped by text and newDrawing
}

func (d *drawing) put(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	d.put(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, n(x1), n(y1), n(x2), n(y2))
}

// text puts text at a place; the class says how it is aligned.
func (d *drawing) text(class string, x, y float64, text string) {
	d.put(`<text class="%s" x="%s" y="%s">%s</text>`, class, n(x), n(y), html.EscapeString(text))
}

// hit is a field that says something when the pointer is on it.
func (d *drawing) hit(x, y, width, height float64, says string) {
	d.put(`<rect class="hit" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`, n(x), n(y), n(width),
		n(height), html.EscapeString(says))
}

// n is a length with one decimal at most.
func n(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}
