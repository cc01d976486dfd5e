package sched

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"pgregory.net/rapid"
)

// invariants sees to what must never happen, whatever the history.
type invariants struct {
	bound map[string]Item // binds under way, by the pod's UID
}

func newInvariants() *invariants { return &invariants{bound: map[string]Item{}} }

// receive forgets the binds that were denied.
func (w *invariants) receive(receipts []Receipt) {
	for _, r := range receipts {
		if r.Outcome != Done && r.Item.Kind == BindPod && w.bound[r.Item.UID].ID == r.Item.ID {
			delete(w.bound, r.Item.UID)
		}
	}
}

func (w *invariants) check(t rapid.TB, e *Engine, p Plan) {
	t.Helper()
	for _, finding := range e.Audit() {
		t.Fatalf("audit: %s", finding)
	}
	checkWholeGangs(t, e.l, p)
	checkNoneMissed(t, e)
	checkColocated(t, e)
	for _, i := range p.Items {
		if i.Kind != BindPod {
			continue
		}
		if was, twice := w.bound[i.UID]; twice {
			t.Fatalf("pod %v is bound to %s, and its bind to %s is under way", i.Pod, i.Node, was.Node)
		}
		w.bound[i.UID] = i
		checkRoom(t, e.l, i)
		checkTogether(t, e, p, i)
	}
}

// checkWholeGangs fails the test when a statement of a plan leaves a job with fewer members
// placed than its minimum.
func checkWholeGangs(t rapid.TB, l *ledger.Ledger, p Plan) {
	t.Helper()
	jobOf := func(i Item) ledger.JobID {
		id, _ := l.Tasks.Find(i.Pod)
		return l.Task(id).Job
	}
	placed := map[ledger.JobID]int32{} // before the plan, then statement by statement
	for _, i := range p.Items {
		switch i.Kind {
		case BindPod:
			placed[jobOf(i)]--
		case EvictPod:
			placed[jobOf(i)]++
		}
	}
	for j := range placed {
		placed[j] += l.Job(j).Placed()
	}
	for n, i := range p.Items {
		if i.Kind != BindPod {
			continue
		}
		j := jobOf(i)
		placed[j]++
		last := true
		for _, later := range p.Items[n+1:] {
			last = last && (later.Kind != BindPod || later.Statement != i.Statement || jobOf(later) != j)
		}
		if job := l.Job(j); last && placed[j] < job.MinMember {
			t.Fatalf("statement %d starts job %v with %d of %d members", i.Statement, job.Key, placed[j], job.MinMember)
		}
	}
}

// checkRoom fails the test when a node to which a pod was just bound holds or has
// promised more than it has in a dimension that the pod asks for. Room that is kept for a job that
// waits is not counted: a job that goes before it may take a part, and the rest stays kept until the
// next backfill.KeepRoom (docs/design/0026-rounds-of-allocate.md, rule 1).
func checkRoom(t rapid.TB, l *ledger.Ledger, i Item) {
	t.Helper()
	id, _ := l.Tasks.Find(i.Pod)
	task := l.Task(id)
	if task.Status != model.Binding || l.Node(task.Node).Name != i.Node {
		t.Fatalf("pod %v is %v, planned is a bind to %s", i.Pod, task.Status, i.Node)
	}
	kept := l.KeptRoom.On()[task.Node]
	for _, need := range l.Class(task.Class).Need {
		idle, future := l.Nodes.Idle(need.Dim)[task.Node], l.Nodes.FutureIdle(need.Dim, task.Node)+kept.Get(need.Dim)
		if idle < 0 || future < 0 {
			t.Fatalf("pod %v overfills node %s: idle %d, future idle %d of %s", i.Pod, i.Node, idle, future,
				l.Dims.Name(need.Dim))
		}
	}
}
