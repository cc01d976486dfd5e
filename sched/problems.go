package sched

import (
	"cmp"
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Problems lists what is wrong with the known objects, by object and message: the faults found when they were
// translated, references to objects that do not exist, and what plugins find. A Report also has the pods on
// nodes that do not exist.
func (e *Engine) Problems() []Problem {
	e.l.Settle()
	return e.problems()
}

func (e *Engine) problems() []Problem {
	var out []Problem
	say := func(object, format string, args ...any) {
		out = append(out, Problem{Object: object, Message: fmt.Sprintf(format, args...)})
	}
	// by returns how many objects name something; if one more does, it is still the same problem.
	by := func(object, format string, n int32, what string) {
		p := Problem{Object: object, Message: fmt.Sprintf(format, name(n, what), wait(n))}
		p.Gist = fmt.Sprintf(format, what, "")
		out = append(out, p)
	}
	e.l.Faulty(func(r model.Ref, faults []model.Fault) {
		for _, fault := range faults {
			say(r.String(), "%s: %s", fault.Field, fault.Message)
		}
	})
	e.l.Queues(func(id ledger.QueueID) bool {
		q := e.l.Queue(id)
		object := "Queue/" + q.Name
		switch q.Place {
		case ledger.Missing:
			if q.Jobs > 0 {
				by(object, "spec.queue: %s it, and it does not exist: %s", q.Jobs, "job")
			}
		case ledger.Cyclic:
			say(object, "spec.parent: its parents form a ring (parent %q): its jobs wait", q.Fact.Parent)
		case ledger.Orphaned:
			why := "does not exist"
			if _, there := e.l.Life(model.Ref{Kind: model.KindQueue, Name: q.Broken}); there {
				why = "is not taken, see Queue/" + q.Broken
			}
			say(object, "spec.parent: its ancestor %q %s: its jobs wait", q.Broken, why)
		case ledger.Sound:
			if q.Jobs > 0 && !q.Leaf() {
				by(object, "spec.queue: %s it, and it has child queues: %s, only leaves take jobs", q.Jobs, "job")
			}
		}
		return true
	})
	e.l.Jobs(func(id ledger.JobID) bool {
		if j := e.l.Job(id); !j.Exists() && j.By[model.Pending] > 0 {
			by("PodGroup/"+j.Key.String(), "%s it, and it does not exist: %s", j.By[model.Pending], "pod")
		}
		if named, other := e.l.Moving(id); other && e.l.Job(id).Group != nil {
			say("PodGroup/"+e.l.Job(id).Key.String(), "spec.queue: it names %q; what runs of it was let run in %q and counts there until it ends",
				named, e.l.QueueName(id))
		}
		if field := e.unheeded(id); field != "" {
			say("PodGroup/"+e.l.Job(id).Key.String(), "%s: plugin network-topology-aware is not configured: it is not heeded", field)
		}
		return true
	})
	e.l.Strayed(func(t ledger.TaskID) {
		say("Pod/"+e.l.Task(t).Key.String(), "metadata.annotations: it names another PodGroup, or none, than when it was let run: it stays in %s until it ends",
			e.l.Job(e.l.Task(t).Job).Key.Name)
	})
	for _, p := range e.policy.Problems() {
		out = append(out, Problem{Object: p.Object, Message: p.Message})
	}
	return sortProblems(out)
}

// lost lists the pods on nodes that do not exist. In a file this may be a mistake; in a cluster it happens for
// a moment when a node is deleted.
func (e *Engine) lost() (out []Problem) {
	e.l.Tasks(func(id ledger.TaskID) bool {
		t := e.l.Task(id)
		if t.Pod.Node == "" || t.Status.Finished() {
			return true
		}
		if n, ok := e.l.FindNode(t.Pod.Node); ok && e.l.Node(n).Fact == nil {
			out = append(out, Problem{Object: "Pod/" + t.Key.String(), Message: fmt.Sprintf("spec.nodeName: node %q does not exist", t.Pod.Node)})
		}
		return true
	})
	return out
}

func sortProblems(out []Problem) []Problem {
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
