//go:build !simulator

package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"ashlar.sh/internal/explain"
)

// compared is a job in two runs; A or B is nil where the input of that run does not have it.
type compared struct {
	Job   string `json:"job"`
	Queue string `json:"queue"`
	A     *fate  `json:"a"`
	B     *fate  `json:"b"`
	Same  bool   `json:"same"`
}

// comparison is what compare prints.
type comparison struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`

	A      string                           `json:"a"` // configurations
	B      string                           `json:"b"`
	Jobs   []compared                       `json:"jobs"`
	Queues map[string][2]explain.Quantities `json:"queues"` // what they hold in the end, by A and by B
	Same   int                              `json:"same"`   // jobs that fare the same
	Starts starts                           `json:"starts"`
	Evicts [2]int                           `json:"evictions"` // pods, by A and by B
	Notes  []string                         `json:"notes,omitempty"`
}

// starts sums up what B changes.
type starts struct {
	Earlier   int              `json:"earlier"` // jobs
	EarlierBy explain.Duration `json:"earlierBy"`
	Later     int              `json:"later"`
	LaterBy   explain.Duration `json:"laterBy"` // the median, as EarlierBy
	OnlyA     int              `json:"onlyA"`   // jobs that start by A alone
	OnlyB     int              `json:"onlyB"`
}

// compareRuns pairs the jobs of two runs, in order of their names.
func compareRuns(a, b *ran) *comparison {
	out := &comparison{APIVersion: apiVersion, Kind: comparisonKind, A: a.Configuration, B: b.Configuration,
		Jobs: []compared{}, Queues: map[string][2]explain.Quantities{}}
	jobs := maps.Clone(a.Jobs)
	maps.Copy(jobs, b.Jobs)
	var earlier, later []time.Duration
	for _, k := range slices.Sorted(maps.Keys(jobs)) {
		c := compared{Job: k, Queue: jobs[k].Queue, A: a.Jobs[k], B: b.Jobs[k]}
		c.Same = c.A != nil && c.B != nil && c.A.equal(c.B)
		if c.Same {
			out.Same++
		}
		switch by, how := c.shift(); {
		case how == onlyA:
			out.Starts.OnlyA++
		case how == onlyB:
			out.Starts.OnlyB++
		case by < 0:
			earlier = append(earlier, -by)
		case by > 0:
			later = append(later, by)
		}
		for i, f := range []*fate{c.A, c.B} {
			if f != nil {
				out.Evicts[i] += f.Evicted
			}
		}
		out.Jobs = append(out.Jobs, c)
	}
	out.Starts.Earlier, out.Starts.EarlierBy = len(earlier), median(earlier)
	out.Starts.Later, out.Starts.LaterBy = len(later), median(later)
	for i, r := range []*ran{a, b} {
		for name, held := range r.Queues { // order-free: each has a place of its own
			both := out.Queues[name]
			both[i] = held
			out.Queues[name] = both
		}
		for _, note := range r.Notes {
			if !slices.Contains(out.Notes, note) {
				out.Notes = append(out.Notes, note)
			}
		}
	}
	return out
}

func median(of []time.Duration) explain.Duration {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return explain.Duration(of[len(of)/2])
}

// inRuns is in which runs a job starts.
type inRuns uint8

const (
	both inRuns = iota
	neither
	onlyA
	onlyB
)

// shift is by how much a job starts later with B, where it starts in both runs.
func (c *compared) shift() (by time.Duration, how inRuns) {
	at := func(f *fate) (time.Duration, bool) {
		switch {
		case f == nil:
			return 0, false
		case f.Running:
			return 0, true
		case f.Started == nil:
			return 0, false
		}
		return time.Duration(*f.Started), true
	}
	a, inA := at(c.A)
	b, inB := at(c.B)
	switch {
	case inA && inB:
		return b - a, both
	case inA:
		return 0, onlyA
	case inB:
		return 0, onlyB
	}
	return 0, neither
}

// weight is how much B changes for a job: that it starts at all is most.
func (c *compared) weight() time.Duration {
	by, how := c.shift()
	if how == onlyA || how == onlyB {
		return time.Duration(1<<63 - 1)
	}
	return max(by, -by)
}

// json prints all of it.
func (c *comparison) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(c)
}

// text prints the jobs that fare otherwise, those first for which most changes, and what it comes to.
func (c *comparison) text(w io.Writer, most int) error {
	var differ []*compared
	for i := range c.Jobs {
		if !c.Jobs[i].Same {
			differ = append(differ, &c.Jobs[i])
		}
	}
	slices.SortStableFunc(differ, func(a, b *compared) int {
		return cmp.Or(cmp.Compare(b.weight(), a.weight()), cmp.Compare(b.evictions(), a.evictions()))
	})
	left := 0
	if most > 0 && len(differ) > most {
		left, differ = len(differ)-most, differ[:most]
	}
	var out strings.Builder
	fmt.Fprintf(&out, "A is %s.\nB is %s.\n", c.A, c.B)
	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, j := range differ {
		fmt.Fprintf(t, "%s\tqueue %s\tA: %s\tB: %s\t%s\n", j.Job, orNoQueue(j.Queue), j.A, j.B, j.verdict())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(&out, "... and %d more jobs (--most 0, or -o json)\n", left)
	}
	for _, line := range c.sums() {
		fmt.Fprintln(&out, line)
	}
	_, err := io.WriteString(w, explain.Printable(out.String()))
	return err
}

func orNoQueue(name string) string {
	if name == "" {
		return "(none)"
	}
	return name
}

// sums says what all of it comes to.
func (c *comparison) sums() (out []string) {
	var starts []string
	add := func(n int, text string) {
		if n > 0 {
			starts = append(starts, fmt.Sprintf("%d %s", n, text))
		}
	}
	s := c.Starts
	add(s.Earlier, fmt.Sprintf("earlier (median %s)", s.EarlierBy))
	add(s.Later, fmt.Sprintf("later (median %s)", s.LaterBy))
	add(s.OnlyB, "that never start with A")
	add(s.OnlyA, "that start with A alone")
	if len(starts) > 0 {
		out = append(out, "With B jobs start: "+strings.Join(starts, ", ")+".")
	}
	if c.Evicts != [2]int{} {
		more, less := 0, 0
		for i := range c.Jobs {
			switch n := c.Jobs[i].evictions(); {
			case n > 0:
				more++
			case n < 0:
				less++
			}
		}
		out = append(out, fmt.Sprintf("Pods are evicted: %d with A, %d with B (more of %s, fewer of %d).", c.Evicts[0],
			c.Evicts[1], explain.Count(more, "job"), less))
	}
	if len(c.Jobs) == 1 {
		return append(out, [...]string{"The only job does not fare the same.", "The only job fares the same."}[c.Same])
	}
	return append(out, fmt.Sprintf("%d of %d jobs fare the same.", c.Same, len(c.Jobs)))
}

// evictions is how many more pods of a job B evicts.
func (c *compared) evictions() (n int) {
	if c.A != nil {
		n -= c.A.Evicted
	}
	if c.B != nil {
		n += c.B.Evicted
	}
	return n
}

// String is a fate in a few words.
func (f *fate) String() string {
	if f == nil {
		return "is not there"
	}
	text := "never starts"
	switch {
	case f.Running:
		text = "runs already"
	case f.Started != nil:
		text = "starts at " + f.Started.String()
	}
	if f.Evicted > 0 {
		text += fmt.Sprintf(", %d evicted", f.Evicted)
	}
	if f.Waits != "" {
		text += ", waits in the end: " + f.Waits
	}
	return text
}

// verdict says what B changes.
func (c *compared) verdict() string {
	by, how := c.shift()
	more := c.evictions()
	switch {
	case c.A == nil || c.B == nil:
		return "another input"
	case how == onlyB:
		return "starts only with B"
	case how == onlyA:
		return "starts only with A"
	case how == both && by < 0:
		return (-by).String() + " earlier"
	case how == both && by > 0:
		return by.String() + " later"
	case more != 0:
		return fmt.Sprintf("%+d evicted", more)
	case c.A.Waits != c.B.Waits:
		return "waits otherwise"
	}
	return fmt.Sprintf("%+d pods bound", c.B.Bound-c.A.Bound)
}
