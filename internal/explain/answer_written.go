package explain

import (
	"cmp"
	"fmt"
	"strings"
)

// Written is what objects say of themselves: the scheduler's own words in their conditions. It is what people can be
// told that may not read enough for a decision to be made anew.
type Written struct {
	Jobs []WrittenJob
	Pods []WrittenPod
}

// WrittenJob is what a PodGroup says. Codes and Message are those of its condition that it could not be scheduled,
// empty without one that holds; Since is when that was written, in nanoseconds since the epoch.
type WrittenJob struct {
	Namespace, Name, Queue, Phase string
	MinMember, Running            int32
	Codes, Message                string
	Since                         int64
}

// WrittenPod is what a pod says, likewise. Scheduler is "" for one of ours.
type WrittenPod struct {
	Namespace, Name, Job, Node, Phase, Scheduler string
	Reason, Message                              string
	Started, Since                               int64
}

// WrittenJob answers for a job by what its PodGroup and its pods say.
func (a *Asking) WrittenJob(j *WrittenJob, all []WrittenPod) *Answer {
	out := a.answer(Subject{Kind: "job", Namespace: j.Namespace, Name: j.Name})
	var started int64
	running, total := 0, 0
	for i := range all {
		p := &all[i]
		if p.Namespace != j.Namespace || p.Job != j.Name {
			continue
		}
		total++
		if p.Node != "" && (p.Phase == "Running" || p.Phase == "Pending") {
			running++
			out.Places = onePod(out.Places, p.Node)
			if p.Started > 0 && (started == 0 || p.Started < started) {
				started = p.Started
			}
		}
	}
	switch {
	case j.Phase == "Completed":
		out.State, out.Summary = Finished, "it is over"
	case running > 0 && running >= int(j.MinMember):
		out.State = Runs
		out.Summary = fmt.Sprintf("it runs: %s%s%s", ofAll(running, total), on(out.Places), a.since(started))
	case j.Message != "":
		out.State = StateOf(strings.Split(j.Codes, "."))
		out.Summary = j.Message
		out.Reason = &Reason{Code: strings.Split(j.Codes, ".")[0], Message: j.Message}
		out.Notes = append(out.Notes, "the scheduler wrote this on its PodGroup"+a.ago(j.Since))
	default:
		out.State = Unclear
		out.Summary = fmt.Sprintf("its PodGroup is in phase %s and says nothing of why it waits", cmp.Or(j.Phase, "Pending"))
	}
	out.Notes = append(out.Notes, partly)
	return out
}

// partly says why the answer is what objects say.
const partly = "you may not read enough of the cluster for the decision to be made anew: this is what its objects say"

// WrittenPod answers for a pod by what it says. job is that of its PodGroup; nil: there is none, or it may not be read.
func (a *Asking) WrittenPod(p *WrittenPod, job *Answer) *Answer {
	out := a.answer(Subject{Kind: "pod", Namespace: p.Namespace, Name: p.Name})
	out.Notes = append(out.Notes, partly)
	switch {
	case p.Phase == "Succeeded" || p.Phase == "Failed":
		out.State, out.Summary = Finished, "it has ended: "+p.Phase
	case p.Node != "":
		out.Places = []Place{{p.Node, 1}}
		out.State, out.Summary = Runs, fmt.Sprintf("it runs on node %s%s", p.Node, a.since(p.Started))
	case p.Scheduler != "":
		out.State = Foreign
		out.Summary = fmt.Sprintf("it belongs to scheduler %s, which decides about it", p.Scheduler)
	case p.Message != "":
		out.State, out.Summary = StateOf([]string{p.Reason}), p.Message
		out.Reason = &Reason{Code: p.Reason, Message: p.Message}
		out.Notes = append(out.Notes, "the scheduler wrote this on it"+a.ago(p.Since))
		if job != nil && job.Reason != nil {
			out.State = job.State
		}
	default:
		out.State, out.Summary = Unclear, "it has no node, and says nothing of why it waits"
		if job != nil && job.Reason != nil {
			out.State, out.Summary, out.Reason = job.State, job.Summary, job.Reason
		}
	}
	return out
}

// ago is " 12s ago"; "" where the moment is not known.
func (a *Asking) ago(then int64) string {
	if then <= 0 || a.Now <= then {
		return ""
	}
	return " " + age(a.Now-then) + " ago"
}
