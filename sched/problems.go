package sched

import (
	"cmp"
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// problems lists what is wrong with the objects that are known: the faults they
// brought along from the door, references that lead nowhere, and what plugins find.
func (e *Engine) problems() []Problem {
	var out []Problem
	say := func(object, format string, args ...any) {
		out = append(out, Problem{object, fmt.Sprintf(format, args...)})
	}
	for _, f := range e.l.Facts() {
		if f.Object != nil {
			for _, fault := range f.Object.Common().Faults {
				say(f.Ref.String(), "%s: %s", fault.Field, fault.Message)
			}
		}
	}
	e.l.Queues(func(id ledger.QueueID) bool {
		q := e.l.Queue(id)
		object := "Queue/" + q.Name
		switch q.Place {
		case ledger.Missing:
			if q.Jobs > 0 {
				say(object, "spec.queue: %s it, and it does not exist: %s", name(q.Jobs, "job"), wait(q.Jobs))
			}
		case ledger.Cyclic:
			say(object, "spec.parent: its parents form a ring (parent %q): its jobs wait", q.Fact.Parent)
		case ledger.Orphaned:
			say(object, "spec.parent: its ancestor %q is not there: its jobs wait", q.Broken)
		case ledger.Sound:
			if q.Jobs > 0 && !q.Leaf() {
				say(object, "spec.queue: %s it, and it has child queues: %s, only leaves take jobs", name(q.Jobs, "job"), wait(q.Jobs))
			}
		}
		return true
	})
	e.l.Jobs(func(id ledger.JobID) bool {
		if j := e.l.Job(id); !j.Exists() && j.By[model.Pending] > 0 {
			say("PodGroup/"+j.Key.String(), "%s it, and it does not exist: %s", name(j.By[model.Pending], "pod"), wait(j.By[model.Pending]))
		}
		if field := e.unheeded(id); field != "" {
			say("PodGroup/"+e.l.Job(id).Key.String(), "%s: plugin network-topology-aware is not configured: it is not heeded", field)
		}
		return true
	})
	e.l.Tasks(func(id ledger.TaskID) bool {
		t := e.l.Task(id)
		if t.Pod.Node == "" || t.Status.Finished() {
			return true
		}
		if n, ok := e.l.FindNode(t.Pod.Node); ok && e.l.Node(n).Fact == nil {
			say("Pod/"+t.Key.String(), "spec.nodeName: node %q does not exist", t.Pod.Node)
		}
		return true
	})
	for _, p := range e.policy.Problems() {
		out = append(out, Problem{p.Object, p.Message})
	}
	slices.SortFunc(out, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Message, b.Message))
	})
	return out
}

func name(n int32, what string) string {
	if n == 1 {
		return "1 " + what + " names"
	}
	return fmt.Sprintf("%d %ss name", n, what)
}

func wait(n int32) string {
	if n == 1 {
		return "it waits"
	}
	return "they wait"
}
