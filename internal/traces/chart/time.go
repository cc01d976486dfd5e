package chart

import (
	"fmt"
	"strings"
	"time"

	"ashlar.sh/internal/traces/summary"
)

// timeline is a drawing of what changes over time, one value an interval.
type timeline struct {
	*drawing
	begin, step, length time.Duration
	n                   int
	scale               float64 // the value at the top
}

func newTimeline(f *summary.Figures, height float64, label string, scale float64) *timeline {
	s := f.Series
	t := &timeline{drawing: newDrawing(height, label), begin: time.Duration(s.Begin), step: time.Duration(s.Step),
		length: time.Duration(f.Makespan), n: len(s.Waiting), scale: scale}
	for _, at := range times(t.length) {
		x := t.x(at)
		t.line("grid", x, top, x, height-bottom)
		t.text("tick mid", x, height-bottom+17, span(at))
	}
	return t
}

// x is where a time since the begin is.
func (t *timeline) x(at time.Duration) float64 {
	return left + (t.width-left-right)*float64(min(at, t.length))/float64(t.length)
}

// y is where a value is; what is above the top is at the top.
func (t *timeline) y(value float64) float64 {
	return t.height - bottom - (t.height-top-bottom)*min(value, t.scale)/t.scale
}

// level draws the axis of values at one of them.
func (t *timeline) level(value float64, name string) {
	t.line("grid", left, t.y(value), t.width-right, t.y(value))
	t.text("tick end", left-8, t.y(value)+4, name)
}

// steps is the way along values, one interval after the other.
func (t *timeline) steps(values []float64, back bool) string {
	var b strings.Builder
	for k := range values {
		i := k
		from, to := time.Duration(i)*t.step, time.Duration(i+1)*t.step
		if back {
			i = len(values) - 1 - k
			from, to = time.Duration(i+1)*t.step, time.Duration(i)*t.step
		}
		word := "L"
		if k == 0 && !back {
			word = "M"
		}
		fmt.Fprintf(&b, "%s%s %sH%s", word, n(t.x(from)), n(t.y(values[i])), n(t.x(to)))
	}
	return b.String()
}

// curve draws values as a line.
func (t *timeline) curve(class string, values []float64) {
	t.put(`<path class="%s" d="%s"/>`, class, t.steps(values, false))
}

// area fills what is between two curves.
func (t *timeline) area(class string, low, high []float64) {
	t.put(`<path class="%s" d="%s%sZ"/>`, class, t.steps(high, false), t.steps(low, true))
}

// says puts what there is to say of each interval under the pointer.
func (t *timeline) says(text func(i int) string) {
	for i := range t.n {
		from := time.Duration(i) * t.step
		x := t.x(from)
		t.hit(x, top, t.x(from+t.step)-x, t.height-top-bottom, "at "+span(t.begin+from)+"\n"+text(i))
	}
}

func floats[T ~int64](values []T) []float64 {
	out := make([]float64, len(values))
	for i, x := range values {
		out[i] = float64(x)
	}
	return out
}

// overTime draws utilisation, the queues' shares and the jobs that wait; nothing when no time
// passed.
func overTime(f *summary.Figures) []figure {
	if f.Series == nil {
		return nil
	}
	var out []figure
	for i := range f.Series.Resources {
		out = append(out, utilisation(f, &f.Series.Resources[i]))
	}
	if len(f.Series.Queues) > 1 {
		out = append(out, shares(f))
	}
	return append(out, waiting(f))
}

const whole = 1_000_000 // a Share of all

func utilisation(f *summary.Figures, r *summary.ResourceSeries) figure {
	title := "Utilisation: " + r.Name
	t := newTimeline(f, 220, title, whole)
	for i := range 5 {
		t.level(float64(i)*whole/4, fmt.Sprintf("%d %%", 25*i))
	}
	zero := make([]float64, t.n)
	t.area("fill c0", zero, floats(r.Allocated))
	t.curve("stroke c1 dashed", floats(r.Requested))
	t.curve("stroke c0 faint", floats(r.Peak))
	t.curve("stroke c2", floats(r.Fragmented))
	t.says(func(i int) string {
		return fmt.Sprintf("allocated %s (peak %s)\nrequested %s\nfragmented %s", percent(r.Allocated[i]), percent(r.Peak[i]),
			percent(r.Requested[i]), percent(r.Fragmented[i]))
	})
	return figure{Title: title, Drawing: t.end(),
		Note: "In % of capacity, mean of each interval. Requested is what unfinished jobs ask for, running or not; what " +
			"is above 100 % is drawn at 100 %.",
		Legend: []key{{"c0", "allocated"}, {"c0 faint", "its peak"}, {"c1", "requested"}, {"c2", "fragmented"}}}
}

func shares(f *summary.Figures) figure {
	s := f.Series
	title := "Queue shares: " + s.Main
	t := newTimeline(f, 240, title, whole)
	for i := range 5 {
		t.level(float64(i)*whole/4, fmt.Sprintf("%d %%", 25*i))
	}
	low := make([]float64, t.n)
	var legend []key
	for q, queue := range s.Queues {
		high := make([]float64, t.n)
		for i := range high {
			high[i] = low[i] + float64(queue.Allocated[i])
		}
		class := fmt.Sprintf("c%d", q)
		t.area("fill "+class, low, high)
		legend = append(legend, key{class, nameOf(queue.Name)})
		low = high
	}
	t.says(func(i int) string {
		var lines []string
		for _, queue := range s.Queues {
			if queue.Allocated[i] > 0 {
				lines = append(lines, nameOf(queue.Name)+" "+percent(queue.Allocated[i]))
			}
		}
		return strings.Join(lines, "\n")
	})
	return figure{Title: title, Legend: legend, Drawing: t.end(),
		Note: "What the pods of each queue hold, in % of capacity, one above the other."}
}

func nameOf(queue string) string {
	if queue == "" {
		return "all others"
	}
	return queue
}

func waiting(f *summary.Figures) figure {
	values := f.Series.Waiting
	most := int64(1)
	for _, x := range values {
		most = max(most, x)
	}
	ticks := counts(most)
	t := newTimeline(f, 180, "Jobs that wait", float64(ticks[len(ticks)-1]))
	for _, x := range ticks {
		t.level(float64(x), count(x))
	}
	t.area("fill c3", make([]float64, t.n), floats(values))
	t.says(func(i int) string { return count(values[i]) + " jobs wait at most" })
	return figure{Title: "Jobs that wait", Drawing: t.end(), Note: "Submitted and not started, at most in each interval."}
}
