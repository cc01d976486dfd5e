package summary

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"sigs.k8s.io/yaml"

	"ashlar.sh/internal/explain"
)

// JSON writes the figures as one document.
func (f *Figures) JSON(w io.Writer) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// YAML writes the same document as YAML.
func (f *Figures) YAML(w io.Writer) error {
	text, err := yaml.Marshal(f)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// CSV writes one figure a line: scope,name,figure,value. Times are in seconds, shares are
// numbers from 0 to 1.
func (f *Figures) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	put := func(scope, name, figure, value string) {
		_ = c.Write([]string{scope, name, figure, value}) // it keeps the error, for Error
	}
	put("scope", "name", "figure", "value")
	put("run", "", "cycles", strconv.Itoa(f.Cycles))
	put("run", "", "makespan_s", f.Makespan.String())
	put("run", "", "decisions", strconv.Itoa(f.Decisions))
	if f.Wall != nil {
		put("run", "", "wall_s", f.Wall.String())
		put("run", "", "decisions_per_s", strconv.FormatInt(f.PerSecond, 10))
	}
	put("run", "", "evictions", strconv.Itoa(f.Evictions))
	f.order(put)
	for _, part := range f.parts() {
		for _, g := range part.groups {
			name := g.Name
			if part.scope == "all" {
				name = ""
			}
			put(part.scope, name, "jobs", strconv.Itoa(g.Jobs))
			put(part.scope, name, "started", strconv.Itoa(g.Started))
			put(part.scope, name, "finished", strconv.Itoa(g.Finished))
			for _, s := range []struct {
				name string
				Spread
			}{{"delay", g.Delay}, {"completion", g.Completion}} {
				put(part.scope, name, s.name+"_mean_s", s.Mean.String())
				put(part.scope, name, s.name+"_p50_s", s.P50.String())
				put(part.scope, name, s.name+"_p90_s", s.P90.String())
				put(part.scope, name, s.name+"_p99_s", s.P99.String())
				put(part.scope, name, s.name+"_max_s", s.Max.String())
			}
		}
	}
	for _, r := range f.Resources {
		put("resource", r.Name, "capacity", r.Capacity)
		put("resource", r.Name, "allocated_mean", r.Allocated.Mean.String())
		put("resource", r.Name, "allocated_peak", r.Allocated.Peak.String())
		put("resource", r.Name, "requested_mean", r.Requested.Mean.String())
		put("resource", r.Name, "requested_peak", r.Requested.Peak.String())
		put("resource", r.Name, "fragmented_mean", r.Fragmented.Mean.String())
		put("resource", r.Name, "fragmented_peak", r.Fragmented.Peak.String())
	}
	for _, l := range f.Loads {
		put("load", mark(l.Requested), "allocated", l.Allocated.String())
		put("load", mark(l.Requested), "fragmented", l.Fragmented.String())
	}
	f.Series.rows(put)
	for _, x := range f.Waiting {
		put("waiting", x.Code, "jobs", strconv.Itoa(x.Jobs))
	}
	c.Flush()
	return c.Error()
}

// order puts how long jobs were passed, and how estimates fared.
func (f *Figures) order(put func(scope, name, figure, value string)) {
	if p := f.Passed; p != nil {
		put("passed", "", "jobs", strconv.Itoa(p.Jobs))
		put("passed", "", "wait_p50_s", p.Wait.P50.String())
		put("passed", "", "wait_p99_s", p.Wait.P99.String())
		put("passed", p.Job, "longest_s", p.Longest.String())
	}
	if e := f.Estimates; e != nil {
		put("estimates", "", "jobs", strconv.Itoa(e.Jobs))
		put("estimates", "", "inside", e.Inside.String())
		put("estimates", "", "slip_p50_s", e.Slip.P50.String())
		put("estimates", "", "slip_p90_s", e.Slip.P90.String())
		put("estimates", "", "slip_p99_s", e.Slip.P99.String())
		put("estimates", "", "slip_most_s", e.Most.String())
	}
}

// part is one of the ways in which jobs are grouped.
type part struct {
	scope, title string
	groups       []Group
}

func (f *Figures) parts() []part {
	return []part{{"all", "", []Group{f.All}}, {"queue", "queue", f.Queues}, {"user", "user", f.Users},
		{"gang", "members", f.GangSizes}}
}

// mostUsers is how many users are listed for people.
const mostUsers = 10

// Text writes the figures for people. Times are rounded to seconds, shares to a tenth of a
// percent.
func (f *Figures) Text(w io.Writer) error {
	var b strings.Builder
	f.head(&b)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\tjobs\tstarted\tfinished\tdelay: mean\tp50\tp90\tp99\tcompletion: mean\tp50\tp90\tp99\t\n")
	for _, part := range f.parts() {
		if part.scope == "queue" && len(part.groups) < 2 || part.scope == "gang" && len(part.groups) < 2 {
			continue // the same as all
		}
		for i, g := range part.groups {
			if part.scope == "user" && i == mostUsers {
				fmt.Fprintf(t, "%d more users\t\t\t\t\t\t\t\t\t\t\t\t\n", len(part.groups)-i)
				break
			}
			name := strings.TrimSpace(part.title + " " + g.Name)
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", name, g.Jobs, g.Started, g.Finished,
				whole(g.Delay.Mean), whole(g.Delay.P50), whole(g.Delay.P90), whole(g.Delay.P99),
				whole(g.Completion.Mean), whole(g.Completion.P50), whole(g.Completion.P90), whole(g.Completion.P99))
		}
	}
	t.Flush()
	f.passing(&b)
	f.resources(&b)
	f.waits(&b)
	_, err := io.WriteString(w, explain.Printable(b.String()))
	return err
}

// passing says how long jobs were passed, and how estimates fared.
func (f *Figures) passing(b *strings.Builder) {
	if p := f.Passed; p != nil && p.Jobs > 0 {
		fmt.Fprintf(b, "\n%d of the jobs waited behind jobs of their queue that came later: %s in the median, %s at "+
			"most (%s)\n", p.Jobs, span(p.Wait.P50), span(p.Longest), p.Job)
	}
	if e := f.Estimates; e != nil {
		fmt.Fprintf(b, "\nestimates of starts, every %s: %s had one, %s %% started in the range that was estimated "+
			"first; slip: median %s, p90 %s, p99 %s, most %s\n", span(e.Every), explain.Count(e.Jobs, "job"), percent(e.Inside),
			span(e.Slip.P50), span(e.Slip.P90), span(e.Slip.P99), span(e.Most))
	}
}

func (f *Figures) head(b *strings.Builder) {
	wait := "wait"
	if f.All.Jobs-f.All.Started == 1 {
		wait = "waits"
	}
	fmt.Fprintf(b, "%s: %d started, %d finished, %d %s\n", explain.Count(f.All.Jobs, "job"), f.All.Started, f.All.Finished,
		f.All.Jobs-f.All.Started, wait)
	fmt.Fprintf(b, "makespan %s of virtual time in %s, %s\n", span(f.Makespan), explain.Count(f.Cycles, "cycle"),
		explain.Count(f.Evictions, "eviction"))
	if f.Wall != nil {
		fmt.Fprintf(b, "%s in %s: %d a second\n", explain.Count(f.Decisions, "decision"),
			time.Duration(*f.Wall).Round(10*time.Millisecond),
			f.PerSecond)
	}
	for _, p := range f.Problems {
		fmt.Fprintf(b, "problem: %s: %s\n", p.Object, p.Message)
	}
	fmt.Fprint(b, "\nqueueing delay and completion time, in seconds\n")
}

func (f *Figures) resources(b *strings.Builder) {
	fmt.Fprint(b, "\nover time, in % of capacity\n")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\tcapacity\tallocated: mean\tpeak\trequested: mean\tpeak\tfragmented: mean\tpeak\t\n")
	for _, r := range f.Resources {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Name, r.Capacity, percent(r.Allocated.Mean),
			percent(r.Allocated.Peak),
			percent(r.Requested.Mean), percent(r.Requested.Peak), percent(r.Fragmented.Mean), percent(r.Fragmented.Peak))
	}
	t.Flush()
	if len(f.Loads) == 0 {
		return
	}
	fmt.Fprint(b, "\nas the cluster fills, in % of its GPUs\n")
	fmt.Fprint(t, "\trequested\tallocated\tfragmented\t\n")
	for _, l := range f.Loads {
		fmt.Fprintf(t, "\t%s\t%s\t%s\t\n", hundredths(l.Requested), hundredths(l.Allocated), hundredths(l.Fragmented))
	}
	t.Flush()
}

func (f *Figures) waits(b *strings.Builder) {
	if len(f.Waiting) == 0 {
		return
	}
	fmt.Fprint(b, "\nwho waits at the end, and why\n")
	for _, x := range f.Waiting {
		fmt.Fprintf(b, "  %s: %s\n    such as %s: %s\n", explain.Count(x.Jobs, "job"), x.Code, x.Example, x.Message)
	}
}

// whole is a time rounded to seconds.
func whole(s Seconds) string {
	return strconv.FormatInt(int64(time.Duration(s).Round(time.Second)/time.Second), 10)
}

// span is a time for people: days and hours, or as Go writes it where it is short.
func span(s Seconds) string {
	d := time.Duration(s).Round(time.Second)
	if d < 48*time.Hour {
		return d.String()
	}
	return fmt.Sprintf("%d s (%d days %d h)", int64(d/time.Second), int64(d.Hours())/24, int64(d.Hours())%24)
}

// hundredths is a share in percent with two decimals, as the published tables have it,
// rounded half up.
func hundredths(s Share) string {
	n := (int64(s) + 50) / 100
	return fmt.Sprintf("%d.%02d", n/100, n%100)
}

// percent is a share with one decimal, rounded half up.
func percent(s Share) string {
	tenths := (int64(s) + 500) / 1000
	return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
}
