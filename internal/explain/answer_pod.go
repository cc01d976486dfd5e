package explain

import (
	"fmt"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// PodAnswer is why a pod waits, or where it runs: its own story, then that of its gang. job is nil for a pod of another
// scheduler.
func (a *Asking) PodAnswer(w *sched.PodWhy, job *sched.JobWhy) *Answer {
	p := &w.Pod
	out := a.answer(Subject{Kind: "pod", Namespace: p.Namespace, Name: p.Name})
	if p.Node != "" {
		out.Places = append(out.Places, Place{p.Node, 1})
	}
	out.wrong(w.Problems)
	if job == nil {
		out.State = Foreign
		out.Summary = fmt.Sprintf("it belongs to scheduler %s, which decides about it", p.Scheduler)
		return out
	}
	out.State, out.Summary = a.podStands(w, job)
	if out.State == Finished {
		return out
	}
	own := Step{Name: "itself", Verdict: Passed}
	switch {
	case p.Node != "":
		own.Text = fmt.Sprintf("it has room on node %s", p.Node)
	case w.Tried != "":
		own.Text = fmt.Sprintf("there is room for it on node %s; it waits for the others of its gang", w.Tried)
	case w.Gated:
		own.Verdict, own.Text = Refused, "its scheduling gates hold it back"
	case w.Own.Is():
		own.Verdict, own.Text = Refused, total(w.Own)
		for _, c := range w.Own.Nodes {
			own.Details = append(own.Details, counted(c, w.Own))
		}
	default:
		own.Text = "alone it would have room on a node"
	}
	own.Details = append([]string{"it asks for " + amountsOf(w.Asks)}, own.Details...)
	whole := a.JobAnswer(job)
	out.Reason = whole.Reason
	gang := fmt.Sprintf("of job %s, which %s", job.Job.Shown, whole.State.words())
	if m := job.Job.MinMember; m > 1 {
		gang += fmt.Sprintf("; %d of its pods start together or not at all", m)
	}
	out.Path = append([]Step{own, {Name: "job", Verdict: Told, Text: gang}}, whole.Path...)
	if out.State == Runs {
		out.Path, out.Reason = out.Path[:2], nil
	}
	return out
}

// podStands is a pod's state, and the sentence that says it.
func (a *Asking) podStands(w *sched.PodWhy, job *sched.JobWhy) (State, string) {
	p, r := &w.Pod, job.Job.Reason
	switch p.Status {
	case model.Running:
		return Runs, fmt.Sprintf("it runs on node %s%s", p.Node, a.since(p.Started))
	case model.Bound:
		return Runs, fmt.Sprintf("it is bound to node %s, whose kubelet has not started it yet%s", p.Node, a.since(p.Started))
	case model.Unknown:
		return Unclear, fmt.Sprintf("node %s has not been heard of: whether it runs is not known", p.Node)
	case model.Binding, model.Allocated:
		return Starts, fmt.Sprintf("nothing is in its way: the next cycle binds it to node %s", p.Node)
	case model.Succeeded, model.Failed:
		return Finished, "it has ended: " + p.Status.String()
	case model.Releasing:
		return Finished, fmt.Sprintf("it is terminating on node %s", p.Node) + a.lingers(w.GoneBy)
	case model.Pipelined:
		if r.Is() {
			return WaitsForRoom, Sentence(r)
		}
		return WaitsForRoom, fmt.Sprintf("it waits for room that is being freed on node %s", p.Node)
	}
	switch {
	case w.Gated:
		return WaitsForObjects, "it is held back by scheduling gates"
	case !r.Is():
		return Unclear, "nothing is known to be in its way"
	case w.Tried != "":
		return stopOf(r).state, fmt.Sprintf("there is room for it on node %s, but its gang cannot start: %s", w.Tried,
			Sentence(r))
	case w.Own.Is() && r.Never == nil && r.Root().Code.OfNodes() && r.Root().Task != w.Own.Task &&
		w.Own.Code != trace.NoNodes:
		return stopOf(r).state, Sentence(w.Own) + "; its job: " + Sentence(r)
	}
	return stopOf(r).state, Sentence(r)
}

// lingers says of a terminating pod that it cannot be counted on to leave soon, "" where it can.
func (a *Asking) lingers(goneBy int64) string {
	if goneBy == 0 || a.Now == 0 { // virtual time begins with no date
		return ""
	}
	by := time.Unix(0, goneBy).UTC().Format(time.RFC3339)
	if goneBy > a.Now {
		return fmt.Sprintf(" and has until %s to leave: no job waits for its room before the last hour", by)
	}
	return fmt.Sprintf(" and should have gone by %s: no job waits for its room", by)
}
