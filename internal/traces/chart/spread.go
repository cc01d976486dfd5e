package chart

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ashlar.sh/internal/traces/summary"
)

// rowHeight is the room of one group.
const rowHeight = 26.0

// names is the room for what groups are called.
const names = 170.0

// delays draws how long jobs waited, by gang size, queue and user; a division into one
// group has no figure, but for gangs, since it says how large they all are.
func delays(f *summary.Figures) []figure {
	var out []figure
	for _, by := range []struct {
		title  string
		unit   string
		least  int
		groups []summary.Group
	}{{"Delay by gang size", " members", 1, f.GangSizes}, {"Delay by queue", "", 2, f.Queues},
		{"Delay by user", "", 2, f.Users}} {
		if len(by.groups) >= by.least {
			out = append(out, spread(by.title, by.unit, by.groups))
		}
	}
	return out
}

func spread(title, unit string, groups []summary.Group) figure {
	note := "From submission to the start of the minimum, of the jobs that started; the axis is logarithmic."
	if len(groups) > most {
		groups = slices.Clone(groups)
		slices.SortStableFunc(groups, func(a, b summary.Group) int { return b.Jobs - a.Jobs })
		note += fmt.Sprintf(" The %d with the most jobs of %d.", most, len(groups))
		groups = groups[:most]
	}
	end := log(10 * time.Second)
	for _, g := range groups {
		end = max(end, log(time.Duration(g.Delay.P99)), log(time.Duration(g.Delay.Mean)))
	}
	height := top + bottom + rowHeight*float64(len(groups))
	d := newDrawing(height, title)
	x := func(s summary.Seconds) float64 {
		return names + (d.width-names-right-8)*log(time.Duration(s))/end
	}
	for _, tick := range decades {
		if log(tick.at) <= end*1.0001 {
			at := x(summary.Seconds(tick.at))
			d.line("grid", at, top, at, height-bottom)
			d.text("tick mid", at, height-bottom+17, tick.name)
		}
	}
	for i, g := range groups {
		d.group(g, unit, top+rowHeight*(float64(i)+0.5), x)
	}
	return figure{Title: title, Note: note, Drawing: d.end(),
		Legend: []key{{"c0", "p50"}, {"c4", "p90"}, {"c1", "p99"}, {"c2", "mean"}}}
}

// group draws one row.
func (d *drawing) group(g summary.Group, unit string, y float64, x func(summary.Seconds) float64) {
	if g.Name == "1" {
		unit = strings.TrimSuffix(unit, "s")
	}
	d.text("name end", names-12, y+4, shortened(g.Name)+unit)
	if g.Started > 0 {
		d.line("span", x(g.Delay.P50), y, x(g.Delay.P99), y)
		for _, dot := range []struct {
			class string
			at    summary.Seconds
		}{{"c1", g.Delay.P99}, {"c4", g.Delay.P90}, {"c0", g.Delay.P50}} {
			d.put(`<circle class="dot %s" cx="%s" cy="%s" r="5"/>`, dot.class, n(x(dot.at)), n(y))
		}
		at := x(g.Delay.Mean)
		d.put(`<path class="dot c2" d="M%s %sl5 5l-5 5l-5 -5Z"/>`, n(at), n(y-5))
	}
	say := func(s summary.Seconds) string { return span(time.Duration(s)) }
	d.hit(0, y-rowHeight/2, d.width, rowHeight, fmt.Sprintf("%s%s: %s jobs, %s started\nmean %s\np50 %s, p90 %s, p99 %s",
		g.Name, unit, count(int64(g.Jobs)),
		count(int64(g.Started)), say(g.Delay.Mean), say(g.Delay.P50), say(g.Delay.P90), say(g.Delay.P99)))
}

// shortened is a name as it fits beside a row.
func shortened(name string) string {
	const fits = 22
	if text := []rune(name); len(text) > fits {
		return string(text[:fits-1]) + "…"
	}
	return name
}
