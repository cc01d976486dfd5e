// Package chart draws what the replay of a trace came to as one page of HTML that needs
// nothing else: no network, no script, no font. Figures are inline SVG, colours follow the
// reader's light or dark preference, and what a figure shows under the pointer is said by
// its titles, which screen readers read too.
//
// It draws and measures nothing: every number on the page is in summary.Figures, and what
// is not there (a resource, users, a second queue) has no figure.
//
// Invariants: the page refers to nothing outside itself; every SVG is well-formed XML,
// whatever queues and users are called; its size is bounded, since curves come in
// intervals and lists are cut; equal figures give equal pages to the byte.
package chart

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"time"

	"ashlar.sh/internal/traces/summary"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// most is how many groups a figure of delays shows.
const most = 16

// contents is what the page is filled with.
type contents struct {
	Title    string
	Facts    []fact
	Figures  []figure
	Tables   []table
	Loads    []load
	Waiting  []summary.Waiting
	Problems []summary.Problem
}

// fact is a number that stands at the top.
type fact struct{ Name, Value string }

// figure is a drawing with what there is to say of it.
type figure struct {
	Title, Note string
	Legend      []key
	Drawing     template.HTML
}

// key is what a colour means.
type key struct{ Class, Name string }

// table is the numbers of groups.
type table struct {
	Title string
	Rows  []row
	More  int
}

type row struct {
	Name, Jobs, Started, Finished string
	Cells                         []string
}

type load struct{ Requested, Allocated, Fragmented string }

// Write writes the page of a run. The title says which; it may be any text.
func Write(w io.Writer, title string, f *summary.Figures) error {
	c := contents{Title: title, Facts: facts(f), Waiting: f.Waiting, Problems: f.Problems}
	c.Figures = append(overTime(f), delays(f)...)
	c.Tables = append(c.Tables, tableOf("All jobs", []summary.Group{f.All}))
	for _, t := range []struct {
		title  string
		groups []summary.Group
	}{{"By queue", f.Queues}, {"By user", f.Users}, {"By gang size (members)", f.GangSizes}} {
		if len(t.groups) > 1 { // one alone is all jobs
			c.Tables = append(c.Tables, tableOf(t.title, t.groups))
		}
	}
	for _, l := range f.Loads {
		c.Loads = append(c.Loads, load{percent(l.Requested), percent(l.Allocated), percent(l.Fragmented)})
	}
	var b bytes.Buffer
	if err := page.Execute(&b, c); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

func facts(f *summary.Figures) []fact {
	out := []fact{
		{"jobs", count(int64(f.All.Jobs))}, {"started", count(int64(f.All.Started))},
		{"finished", count(int64(f.All.Finished))},
		{"makespan", span(time.Duration(f.Makespan))},
		{"mean delay", span(time.Duration(f.All.Delay.Mean))}, {"p99 delay", span(time.Duration(f.All.Delay.P99))},
		{"mean completion", span(time.Duration(f.All.Completion.Mean))},
	}
	for _, r := range f.Resources {
		out = append(out, fact{r.Name + " allocated", percent(r.Allocated.Mean)})
	}
	if p := f.Fragmentation; p != nil {
		out = append(out, fact{p.Resource + " fragmented", percent(p.Mean)})
	}
	out = append(out, fact{"evictions", count(int64(f.Evictions))})
	if f.Wall != nil {
		out = append(out, fact{"decisions a second", count(f.PerSecond)})
	}
	return out
}

// mostRows is how many groups a table lists.
const mostRows = 100

func tableOf(title string, groups []summary.Group) table {
	t := table{Title: title}
	if len(groups) > mostRows {
		t.More, groups = len(groups)-mostRows, groups[:mostRows]
	}
	for _, g := range groups {
		r := row{Name: g.Name, Jobs: count(int64(g.Jobs)), Started: count(int64(g.Started)),
			Finished: count(int64(g.Finished))}
		for _, x := range []summary.Seconds{g.Delay.Mean, g.Delay.P50, g.Delay.P90, g.Delay.P99,
			g.Completion.Mean, g.Completion.P50, g.Completion.P90, g.Completion.P99} {
			r.Cells = append(r.Cells, count(int64(time.Duration(x).Round(time.Second)/time.Second)))
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// count is a whole number with a thin space between thousands.
func count(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "\u2009" + text[i:]
	}
	return text
}

// percent is a share with one decimal, rounded half up.
func percent(s summary.Share) string {
	tenths := (int64(s) + 500) / 1000
	return fmt.Sprintf("%d.%d\u2009%%", tenths/10, tenths%10)
}
