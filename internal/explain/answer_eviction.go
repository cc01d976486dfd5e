package explain

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// EvictionWhy is what is known of the eviction of one pod, and of what came after it.
type EvictionWhy struct {
	Namespace, Name string // the pod
	// When is the moment for people: a time of the clock, or virtual time; "" where it is not known.
	When  string
	Cycle int // in which it was decided; 0: not known

	// Record is the decision; nil: only Message is known. Of one that was read from a message, what the message does
	// not say is not known: Record.Task is "" then.
	Record  *trace.Eviction
	Message string
	// Beside are all evictions of the same cycle, this one among them.
	Beside []*trace.Eviction
	// Queues are that of the pod and that which was to have the room, as the cycle left them; none: not known.
	Queues []sched.QueueReport

	Since []string // what became of the pod and of the one that has its room
	Notes []string
}

// searched says that the whole record of the decision is there.
func (w *EvictionWhy) searched() bool { return w.Record != nil && w.Record.Task != "" }

// EvictionAnswer says why a pod was evicted: for which pod, by which rule, why this one and no other as far as the
// record says so, and what came of it.
func (a *Asking) EvictionAnswer(w *EvictionWhy) *Answer {
	out := a.answer(Subject{Kind: "eviction", Namespace: w.Namespace, Name: w.Name})
	out.State, out.Summary = WasEvicted, w.summary()
	out.Eviction = w.document()
	if r := w.Record; r != nil {
		out.Path = append(out.Path, w.asked(), w.rule())
		if w.searched() {
			out.Path = append(out.Path, w.victim(), w.others())
		}
	}
	since := Step{Name: "since", Verdict: Told, Text: "what came of it is not known"}
	if len(w.Since) > 0 {
		since.Text, since.Details = w.Since[0], w.Since[1:]
	}
	out.Path = append(out.Path, since)
	out.Notes = append(out.Notes, w.Notes...)
	return out
}

func (w *EvictionWhy) summary() string {
	when := ""
	if w.When != "" {
		when = " at " + w.When
	}
	r := w.Record
	switch {
	case r == nil:
		return "it was evicted" + when + ": " + w.Message
	case r.Preemptor == "":
		return fmt.Sprintf("%s evicted it%s from node %s: %s", r.Action, when, r.Node, r.Purpose)
	}
	return fmt.Sprintf("%s evicted it%s, to make room on node %s for %s", r.Action, when, r.Node, r.Preemptor)
}

// document is the eviction for scripts; without a record where that is not known.
func (w *EvictionWhy) document() *Eviction {
	e := Eviction{Namespace: w.Namespace, Name: w.Name, Reason: w.Message}
	switch {
	case w.searched():
		for i, r := range w.Beside {
			if r == w.Record {
				e = NewEvictions(w.Beside)[i]
			}
		}
	case w.Record != nil:
		e.Action, e.Queue, e.PreemptorJob = w.Record.Action, w.Record.Queue, w.Record.PreemptorJob
	}
	e.Cycle = w.Cycle
	return &e
}

// asked says which pod was to have the room.
func (w *EvictionWhy) asked() Step {
	r := w.Record
	if r.Preemptor == "" {
		return Step{Name: "asked", Verdict: Told, Text: "no pod: it was to leave its node"}
	}
	of := "job " + r.PreemptorJob
	if r.PreemptorJob == "" || r.PreemptorJob == r.Job {
		of = "its own job"
	}
	text := fmt.Sprintf("%s of %s (queue %s) asked for room", r.Preemptor, of, r.PreemptorQueue)
	if w.searched() {
		text = fmt.Sprintf("%s of %s (queue %s, priority %d) asked for room", r.Preemptor, of, r.PreemptorQueue,
			r.PreemptorPriority)
	}
	return Step{Name: "asked", Verdict: Told, Text: text}
}

// rule says by which rule the pod might be taken, and what the queues held after it.
func (w *EvictionWhy) rule() Step {
	r := w.Record
	out := Step{Name: "rule", Verdict: Told}
	switch {
	case r.Preemptor == "":
		out.Text = r.Action + ": " + r.Purpose
		return out
	case r.PreemptorQueue != r.Queue:
		out.Text = fmt.Sprintf("%s: queue %s takes back its due from queue %s", r.Action, r.PreemptorQueue, r.Queue)
	default:
		out.Text = fmt.Sprintf("%s: priority %d against %d, both in queue %s", r.Action, r.PreemptorPriority, r.Priority,
			r.Queue)
	}
	for i, p := range r.Permissions() {
		of := " of the configuration"
		if i > 0 {
			of = ""
		}
		out.Details = append(out.Details, fmt.Sprintf("tier %d%s permitted it: %s", p.Tier, of,
			strings.Join(p.Plugins, ", ")))
	}
	if len(r.QueueHeld) > 0 {
		out.Details = append(out.Details, "before it "+heldBefore(r.Queue, r.QueueHeld))
	}
	if len(r.PreemptorQueueHeld) > 0 {
		out.Details = append(out.Details, "before it "+heldBefore(r.PreemptorQueue, r.PreemptorQueueHeld))
	}
	for i := range w.Queues {
		if text := w.share(&w.Queues[i]); text != "" {
			out.Details = append(out.Details, text)
		}
	}
	return out
}

// share is what a queue holds and deserves of what the pod held, after the cycle.
func (w *EvictionWhy) share(q *sched.QueueReport) string {
	var parts []string
	for _, lost := range w.Record.Lost {
		if lost.Name == resource.PodsName || lost.Value == 0 {
			continue
		}
		held, deserved := "0", "0"
		if x, ok := amounts(q.Allocated)[lost.Name]; ok {
			held = x
		}
		if x, ok := amounts(q.Deserved)[lost.Name]; ok {
			deserved = x
		}
		parts = append(parts, fmt.Sprintf("%s %s of %s deserved", lost.Name, held, deserved))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("after that cycle queue %s holds %s", q.Name, strings.Join(parts, ", "))
}

// victim says what the pod was to its job, and what was lost.
func (w *EvictionWhy) victim() Step {
	r := w.Record
	out := Step{Name: "this pod", Verdict: Told,
		Text: "its job has more pods than its minimum: it was one of those that it can do without"}
	switch {
	case r.Whole && r.Preemptor == "":
		out.Text = "its job went as a whole: all of its pods were picked"
	case r.Whole:
		out.Text = "its job went as a whole: the pods above the minimum of gangs were not enough"
	}
	text := "it held " + holding(amounts(r.Lost))
	if r.Ran > 0 {
		text += fmt.Sprintf(" for %s: %s are lost", Duration(r.Ran), worktime(quantities(seconds(r))))
	}
	out.Details = append(out.Details, text)
	var with []string
	for _, o := range w.Beside {
		if o != r && o.Preemptor == r.Preemptor && r.Preemptor != "" {
			with = append(with, o.Task)
		}
	}
	if slices.Sort(with); len(with) > 0 {
		out.Details = append(out.Details, "for the same pod went "+firstFew(with))
	}
	return out
}

// others says what else was looked at.
func (w *EvictionWhy) others() Step {
	r := w.Record
	out := Step{Name: "others", Verdict: Told}
	if r.Preemptor == "" {
		out.Text = "none were compared: what leaves a node is chosen pod by pod"
		return out
	}
	out.Text = fmt.Sprintf("%s tried; on %d no eviction could have helped", Count(r.NodesTried, "node"), r.NodesRuledOut)
	if r.Exhausted {
		out.Details = append(out.Details, fmt.Sprintf("the search was given up after %s: something cheaper may exist",
			Count(r.Steps, "step")))
	}
	for _, lost := range w.document().Record.Alternatives {
		out.Details = append(out.Details, "not "+lost.Node+": "+lost.Why)
	}
	out.Details = append(out.Details, "on one node the least important job gives first, of equals the last in order, and "+
		"of a job its last pod; the pods that were spared there are not recorded")
	return out
}

// Became says what became of a pod by its state now: as PodAnswer tells it.
func Became(now *Answer) string {
	name := now.Subject.Namespace + "/" + now.Subject.Name + ": "
	return name + strings.TrimPrefix(now.Summary, name)
}
