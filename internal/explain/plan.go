package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

// Plan is what would happen if some jobs were submitted now: the document of `ashlar plan -o json`. Fields may be added
// to it, none changed; no list is null. Jobs are sorted by namespace and name, evictions by time.
type Plan struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Jobs       []PlannedJob `json:"jobs"`
	Evictions  []Eviction   `json:"evictions"` // for those jobs
	Notes      []string     `json:"notes"`
	Basis      Basis        `json:"basis"`
}

// PlannedJob is what would become of one job. State, Summary and Places are those of the first cycle. StartsAfter is
// the time from now until its minimum is bound; nil: it does not start as far as is known. Where Start is told and
// holds a range, StartsAfter is its later end, or the earlier one where no later is known.
type PlannedJob struct {
	JobRow
	StartsAfter *Duration `json:"startsAfter,omitempty"`
	StartsOn    []Place   `json:"startsOn"`
	Follow      []Place   `json:"follow,omitempty"` // where further pods go later
	Changes     []Change  `json:"wouldRunIf"`       // of a job that does not start, as far as they were looked for
	Exists      *Existing `json:"exists,omitempty"`
}

// NewPlan begins a plan with what the first cycle made of the jobs that are wanted.
func (a *Asking) NewPlan(state *sched.Report, wanted func(namespace, name string) bool) *Plan {
	out := &Plan{APIVersion: "ashlar.sh/v1alpha1", Kind: "Plan", Jobs: []PlannedJob{}, Evictions: []Eviction{},
		Notes: []string{}, Basis: a.basis()}
	for _, row := range a.JobList(state, wanted).Items {
		out.Jobs = append(out.Jobs, PlannedJob{JobRow: row, StartsOn: []Place{}, Changes: []Change{}})
	}
	return out
}

// Bound notes that a pod of a job is bound to a node at a time after the first cycle.
func (p *Plan) Bound(namespace, job, node string, after time.Duration) {
	i, known := p.find(namespace, job)
	if !known {
		return
	}
	j := &p.Jobs[i]
	if j.StartsAfter == nil {
		at := Duration(after)
		j.StartsAfter = &at
	}
	if *j.StartsAfter == Duration(after) {
		j.StartsOn = onePod(j.StartsOn, node)
	} else {
		j.Follow = onePod(j.Follow, node)
	}
}

// Evicted adds the evictions of one cycle that are for jobs of the plan.
func (p *Plan) Evicted(list []*trace.Eviction, after time.Duration) {
	for _, e := range NewEvictions(list) {
		if slices.ContainsFunc(p.Jobs, func(j PlannedJob) bool { return j.Namespace+"/"+j.Name == e.PreemptorJob }) {
			e.Time = Duration(after)
			p.Evictions = append(p.Evictions, e)
		}
	}
}

// Decided says that each job starts, runs or can never run.
func (p *Plan) Decided() bool {
	return !slices.ContainsFunc(p.Jobs, func(j PlannedJob) bool { return j.outcome() == "waits" })
}

// outcome is what becomes of a job, in one word for people.
func (j *PlannedJob) outcome() string {
	switch {
	case j.State == Finished, j.Exists != nil && j.Exists.Over:
		return hasRun
	case j.Exists != nil && j.Exists.Running > 0 && j.Exists.Running >= int(j.MinMember):
		return "runs already"
	case j.State == Starts, j.StartsAfter != nil && *j.StartsAfter == 0:
		return "starts now"
	case j.State == Runs:
		return "runs already"
	case j.StartsAfter != nil:
		return "starts later"
	case j.State == Never:
		return "can never run"
	}
	return "waits"
}

// hasRun is what becomes of a job that has ended.
const hasRun = "has run already"

// The outcomes in the order in which they are told.
var outcomes = []string{"starts now", "starts later", "waits", "can never run", "runs already", hasRun}

// mostPlanned is how many jobs of one outcome are told at length.
const mostPlanned = 20

// Text writes the plan for people: the jobs by what becomes of them, then the evictions.
func (p *Plan) Text(w io.Writer, s Style) error {
	if s.Width == 0 {
		s.Width = 100
	}
	out := &page{style: s, width: max(s.Width, 60)}
	by := map[string][]*PlannedJob{}
	for i := range p.Jobs {
		j := &p.Jobs[i]
		by[j.outcome()] = append(by[j.outcome()], j)
	}
	var counts []string
	for _, o := range outcomes {
		if n := len(by[o]); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, plural(o, n)))
		}
	}
	head := "If submitted now: " + Count(len(p.Jobs), "job")
	if there := p.existing(); there != "" {
		head = "If applied now: " + Count(len(p.Jobs), "job") + there
	}
	out.line("%s", out.paint(bold, head)+": "+commas(counts))
	for _, o := range outcomes {
		if len(by[o]) == 0 {
			continue
		}
		out.title(strings.ToUpper(o))
		for _, j := range by[o][:min(len(by[o]), mostPlanned)] {
			out.line("  %s  %s", out.paint(bold, j.Namespace+"/"+j.Name), out.paint(faint, "(queue "+j.Queue+")"))
			sentence := j.sentence()
			if j.Exists != nil {
				out.paragraph(4, j.Exists.sentence()+".")
				sentence = begin(sentence)
			}
			out.paragraph(4, sentence+".")
			j.changes(out)
		}
		if more := len(by[o]) - mostPlanned; more > 0 {
			out.line("  and %d more", more)
		}
	}
	p.evictions(out)
	for _, n := range p.Notes {
		out.line("")
		out.paragraph(0, begin(n)+".")
	}
	_, err := io.WriteString(w, Printable(out.out.String()))
	return err
}

// mostChanges is how many ways to make a planned job run are told.
const mostChanges = 5

// changes lists what would make the job run.
func (j *PlannedJob) changes(out *page) {
	if len(j.Changes) == 0 {
		return
	}
	out.line("    would run if")
	for _, c := range j.Changes[:min(len(j.Changes), mostChanges)] {
		out.hanging("    - ", c.Text)
	}
	if more := len(j.Changes) - mostChanges; more > 0 {
		out.line("    and %d more (-o json)", more)
	}
}

// plural is an outcome of several jobs.
func plural(outcome string, n int) string {
	if n == 1 {
		return outcome
	}
	return strings.NewReplacer("starts", "start", "waits", "wait", "runs", "run", "has", "have").Replace(outcome)
}

// sentence is what becomes of a job: where, when, or why not.
func (j *PlannedJob) sentence() string {
	switch {
	case j.StartsAfter != nil && *j.StartsAfter > 0:
		text := fmt.Sprintf("starts after %s on %s", j.StartsAfter, listed(j.StartsOn))
		if j.Start != nil && (j.Start.Earliest != j.Start.Latest || j.Start.Deadline != "") {
			text += ": " + j.Start.Message
		}
		return text + "; until then: " + j.Summary
	case j.StartsAfter == nil && j.Start != nil:
		return j.Summary + ". " + begin(j.Start.Message)
	case j.Exists != nil && j.StartsAfter != nil:
		return j.starts(podsOn(j.StartsOn), j.StartsOn)
	case j.State == Starts:
		return j.starts(j.Placed, j.Places)
	}
	return j.Summary
}

// starts says where so many pods go that start together, and where further ones go.
func (j *PlannedJob) starts(n int, places []Place) string {
	text := Count(n, "pod") + goes(n, places)
	if len(j.Follow) > 0 {
		text += fmt.Sprintf("; %d more later%s", podsOn(j.Follow), on(j.Follow))
	}
	return text
}

// evictions lists which pods would leave, and by which rule.
func (p *Plan) evictions(out *page) {
	if len(p.Evictions) == 0 {
		return
	}
	out.title("WOULD BE EVICTED")
	for _, e := range p.Evictions[:min(len(p.Evictions), mostPlanned)] {
		out.line("  %s  %s", out.paint(red, e.Namespace+"/"+e.Name), out.paint(faint, "(queue "+e.Queue+")"))
		out.paragraph(4, e.Reason+".")
	}
	if more := len(p.Evictions) - mostPlanned; more > 0 {
		out.line("  and %d more", more)
	}
}
