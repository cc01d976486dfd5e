package explain

import (
	"cmp"
	"fmt"
	"slices"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// QueueAnswer is a queue's figures, what bounds it, and what the jobs that wait in it wait for.
type QueueAnswer struct {
	QueueStand
	Bounds  []Bound   `json:"bounds"` // of it and of the queues above it
	Waits   []Waiters `json:"waits"`  // its jobs that wait, by code, the most frequent first
	Running int       `json:"running"`
	Why     *Why      `json:"why,omitempty"` // the arithmetic
}

// Bound is a capability of a queue, or of one above it.
type Bound struct {
	Queue    string `json:"queue"`
	Resource string `json:"resource"`
	Held     string `json:"held"`
	Most     string `json:"most"`
	Reached  bool   `json:"reached"`
}

// Waiters counts the jobs that wait for one reason, with the first of them.
type Waiters struct {
	Code    string `json:"code"`
	Jobs    int    `json:"jobs"`
	Example string `json:"example"`
	Message string `json:"message"`
}

// QueueAnswer is why a queue gets what it gets. why is its arithmetic.
func (a *Asking) QueueAnswer(state *sched.Report, why sched.QueueWhy) *Answer {
	out := a.answer(Subject{Kind: "queue", Name: why.Queue})
	i := slices.IndexFunc(state.Queues, func(q sched.QueueReport) bool { return q.Name == why.Queue })
	if i < 0 { // jobs name it, and it does not exist
		out.State, out.Summary = Closed, Sentence(why.Gate)
		var jobs []string
		for j := range state.Jobs {
			if job := &state.Jobs[j]; job.Queue == why.Queue {
				jobs = append(jobs, job.Namespace+"/"+cmp.Or(job.Shown, job.Name))
			}
		}
		if len(jobs) == 1 {
			out.Summary += "; 1 job names it: " + jobs[0]
		} else if len(jobs) > 1 {
			out.Summary += fmt.Sprintf("; %d jobs name it: %s", len(jobs), firstFew(jobs))
		}
		return out
	}
	q := &state.Queues[i]
	all := QueueAnswer{QueueStand: QueueStand{Queue: queue(q), ClosedBy: q.ClosedBy, Turn: q.Turn, Waiting: q.Waiting},
		Bounds: bounds(state.Queues, q), Waits: []Waiters{}}
	if len(why.Sums) > 0 {
		d := &Queues{}
		d.AddWhy(why)
		all.Why = &d.Why[0]
	}
	children, jobs := below(state.Queues, q.Name), 0
	for j := range state.Jobs {
		if job := &state.Jobs[j]; job.Queue == q.Name {
			jobs++
			all.add(job)
		}
	}
	slices.SortStableFunc(all.Waits, func(x, y Waiters) int { return cmp.Compare(y.Jobs, x.Jobs) })
	out.Queue = &all
	out.State = Open
	leaf := len(children) == 0
	if why.Gate.Is() && (why.Gate.Code != trace.QueueNotLeaf || q.State != model.QueueOpen) {
		out.State = Closed
	}
	out.Summary = all.summary(out.State, Sentence(why.Gate), leaf, jobs)
	out.Path = all.path(out.State, Sentence(why.Gate), leaf, children, state, guaranteeStep(why.Sums))
	out.wrong(why.Problems)
	return out
}

func (q *QueueAnswer) add(job *sched.JobReport) {
	if t := tallyOf(job); t.placed+t.deciding > 0 {
		q.Running++
	}
	if !job.Reason.Waits() {
		return
	}
	code := string(job.Reason.Root().Code)
	if job.Reason.Never != nil {
		code = string(job.Reason.Never.Code)
	}
	i := slices.IndexFunc(q.Waits, func(w Waiters) bool { return w.Code == code })
	if i < 0 {
		i = len(q.Waits)
		q.Waits = append(q.Waits, Waiters{Code: code, Example: job.Namespace + "/" + cmp.Or(job.Shown, job.Name),
			Message: Sentence(job.Reason)})
	}
	q.Waits[i].Jobs++
}

func below(queues []sched.QueueReport, name string) (out []string) {
	for i := range queues {
		if queues[i].Parent == name {
			out = append(out, queues[i].Name)
		}
	}
	return out
}

// bounds lists the capabilities of a queue and of those above it.
func bounds(queues []sched.QueueReport, q *sched.QueueReport) []Bound {
	out := []Bound{}
	seen := map[string]bool{} // queues may name each other as parents
	for !seen[q.Name] {
		seen[q.Name] = true
		held := amounts(q.Allocated)
		for _, most := range q.Capability {
			have := resource.Amount{}
			for _, x := range q.Allocated {
				if x.Name == most.Name {
					have = x
				}
			}
			out = append(out, Bound{Queue: q.Name, Resource: most.Name, Held: cmp.Or(held[most.Name], "0"),
				Most: Quantity(most.Name, most.Value), Reached: have.Value >= most.Value})
		}
		i := slices.IndexFunc(queues, func(x sched.QueueReport) bool { return x.Name == q.Parent })
		if i < 0 {
			break
		}
		q = &queues[i]
	}
	return out
}

// summary is the sentence that says why a queue gets nothing, or what it has.
func (q *QueueAnswer) summary(state State, gate string, leaf bool, jobs int) string {
	waiting := 0
	for _, w := range q.Waits {
		waiting += w.Jobs
	}
	switch {
	case state == Closed:
		return fmt.Sprintf("it starts no job: %s; %s", gate, waitIn(waiting))
	case !leaf && jobs == 0:
		return "it takes no jobs itself; the queues below it do"
	case jobs == 0:
		return "it asks for nothing: no job is in it"
	case waiting == 0:
		return fmt.Sprintf("no job in it waits; %s", runIn(q.Running))
	}
	w := q.Waits[0]
	text := fmt.Sprintf("%s, %s: %s", waitIn(waiting), runIn(q.Running), w.Message)
	if len(q.Waits) == 1 && w.Jobs == 1 {
		return text + " (" + w.Example + ")"
	}
	return fmt.Sprintf("%s (%s, the first of %s)", text, w.Example, Count(w.Jobs, "such job"))
}

func waitIn(n int) string {
	if n == 1 {
		return "1 job in it waits"
	}
	return fmt.Sprintf("%d jobs in it wait", n)
}

func runIn(n int) string {
	if n == 1 {
		return "1 has pods that run"
	}
	return fmt.Sprintf("%d have pods that run", n)
}

func (q *QueueAnswer) path(state State, gate string, leaf bool, children []string, all *sched.Report,
	guarantees Step) []Step {
	open := Step{Name: stepQueue, Verdict: Passed, Text: "it is open"}
	switch {
	case state == Closed:
		open.Verdict, open.Text = Refused, gate
	case !leaf:
		open.Verdict, open.Text = Told, fmt.Sprintf("it takes no jobs itself; below it: %s", firstFew(children))
	}
	out := []Step{open, q.shareStep(), q.boundStep()}
	if guarantees.Text != "" {
		out = append(out, guarantees)
	}
	out = append(out, q.turnStep(all))
	for _, w := range q.Waits {
		out = append(out, Step{Name: "jobs", Verdict: Refused, Text: fmt.Sprintf("%s (%s); the first is %s",
			waitIn(w.Jobs), w.Code, w.Example), Details: []string{w.Message}})
	}
	return out
}

func (q *QueueAnswer) shareStep() Step {
	s := Step{Name: stepShare, Verdict: Told, Text: "it holds nothing, deserves nothing and asks for nothing"}
	names := slices.DeleteFunc(dims(q.Allocated, q.Deserved, q.Request), func(d string) bool {
		return d == resource.PodsName
	})
	for _, d := range names {
		s.Details = append(s.Details, fmt.Sprintf("%s: holds %s, deserves %s, asks for %s", d,
			cmp.Or(short(d, q.Allocated[d]), "0"), cmp.Or(short(d, q.Deserved[d]), "0"), cmp.Or(short(d, q.Request[d]), "0")))
	}
	switch {
	case q.Overused:
		s.Verdict, s.Text = Refused, "it holds all that it deserves: it is served again when it holds less, or others ask "+
			"for less"
	case len(s.Details) > 0 && len(dims(q.Deserved)) == 0:
		s.Text = "it deserves nothing: it gets what queues leave that hold less than they deserve"
	case len(s.Details) > 0:
		s.Text = fmt.Sprintf("its share is %s of what it deserves, with weight %d%s", q.Share, q.Weight, q.ofWeights())
	}
	return s
}

// ofWeights is " of 100", the weights among which its weight counts; "" where it is alone, or weights do not count.
func (q *QueueAnswer) ofWeights() string {
	total := int64(0)
	if q.Why != nil {
		for _, r := range q.Why.Resources {
			if len(r.Rounds) > 0 {
				total = max(total, r.Rounds[0].TotalWeight)
			}
		}
	}
	if total <= q.Weight {
		return ""
	}
	return fmt.Sprintf(" of %d, those of the queues that ask for something", total)
}

func (q *QueueAnswer) boundStep() Step {
	s := Step{Name: "capability", Verdict: Passed, Text: "neither it nor a queue above it has a capability"}
	if len(q.Bounds) > 0 {
		s.Text = "no capability of it or of a queue above it is reached"
	}
	for _, b := range q.Bounds {
		whose := "its own"
		if b.Queue != q.Name {
			whose = "that of queue " + b.Queue + ", above it"
		}
		s.Details = append(s.Details, fmt.Sprintf("%s: %s holds %s of at most %s (%s)", b.Resource, b.Queue, b.Held, b.Most,
			whose))
	}
	if slices.ContainsFunc(q.Bounds, func(b Bound) bool { return b.Reached }) {
		s.Verdict, s.Text = Refused, "a capability is reached"
	}
	return s
}

// guaranteeStep says what other queues are guaranteed, beside this one and beside those above it; no text without any.
func guaranteeStep(sums []trace.Arithmetic) Step {
	s := Step{Name: "guarantee", Verdict: Told}
	var parts []string
	for i := range sums {
		others := int64(0)
		for _, l := range sums[i].Levels {
			others += max(0, l.ChildGuarantees-l.Guarantee)
		}
		if others > 0 {
			parts = append(parts, sums[i].Dim+" "+Quantity(sums[i].Dim, others))
		}
	}
	if len(parts) > 0 {
		s.Text = "other queues are guaranteed " + commas(parts) + ", which this one may not have"
	}
	return s
}

func (q *QueueAnswer) turnStep(all *sched.Report) Step {
	queues := 0
	for i := range all.Queues {
		if all.Queues[i].Turn > 0 {
			queues++
		}
	}
	s := Step{Name: stepOrder, Verdict: Told, Text: "no job in it waits for a turn"}
	if q.Turn > 0 {
		s.Text = fmt.Sprintf("it is served number %d of the %s in which jobs wait, with %s that may have a turn", q.Turn,
			Count(queues, "queue"), Count(q.Waiting, "job"))
	}
	return s
}

func firstFew(names []string) string {
	const most = 6
	if len(names) <= most {
		return commas(names)
	}
	return commas(names[:most]) + fmt.Sprintf(" and %d more", len(names)-most)
}
