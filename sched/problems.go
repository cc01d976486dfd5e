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
	e.l.ExtendDims()
	return e.reports.problems()
}

func (rp *reports) problems() []Problem {
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
	rp.e.l.Faulty(func(r model.Ref, faults []model.Fault) {
		for _, fault := range faults {
			say(r.String(), "%s: %s", fault.Field, fault.Message)
		}
	})
	rp.e.l.Queues.Each(func(id ledger.QueueID) bool {
		q := rp.e.l.Queue(id)
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
			if _, there := rp.e.l.UIDOf(model.Ref{Kind: model.KindQueue, Name: q.Broken}); there {
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
	rp.e.l.Jobs.Each(func(id ledger.JobID) bool {
		if j := rp.e.l.Job(id); !j.Exists() && j.By[model.Pending] > 0 {
			by("PodGroup/"+j.Key.String(), "%s it, and it does not exist: %s", j.By[model.Pending], "pod")
		}
		if named, other := rp.e.l.Charges.Moving(id); other && rp.e.l.Job(id).Group != nil {
			say("PodGroup/"+rp.e.l.Job(id).Key.String(),
				"spec.queue: it names %q; what runs of it was let run in %q and counts there until it ends",
				named, rp.e.l.Jobs.QueueName(id))
		}
		if field := rp.unheeded(id); field != "" {
			say("PodGroup/"+rp.e.l.Job(id).Key.String(), "%s: plugin network-topology-aware is not configured: it is not heeded",
				field)
		}
		return true
	})
	rp.e.l.Charges.Strayed(func(t ledger.TaskID) {
		say("Pod/"+rp.e.l.Task(t).Key.String(), "metadata.annotations: it names another PodGroup, or none, than when it "+
			"was let run: it stays in %s until it ends",
			rp.e.l.Job(rp.e.l.Task(t).Job).Key.Name)
	})
	for _, p := range rp.e.policy.Problems() {
		out = append(out, Problem{Object: p.Object, Message: p.Message})
	}
	return sortProblems(out)
}

// lost lists the pods on nodes that do not exist. In a file this may be a mistake; in a cluster it happens for
// a moment when a node is deleted.
func (rp *reports) lost() (out []Problem) {
	rp.e.l.Tasks.Each(func(id ledger.TaskID) bool {
		t := rp.e.l.Task(id)
		if t.Pod.Node == "" || t.Status.Finished() {
			return true
		}
		if n, ok := rp.e.l.Nodes.Find(t.Pod.Node); ok && rp.e.l.Node(n).Fact == nil {
			out = append(out,
				Problem{Object: "Pod/" + t.Key.String(), Message: fmt.Sprintf("spec.nodeName: node %q does not exist", t.Pod.Node)})
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
