package search

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// A gang gives its nominations up for free room, and gets some places and loses them again. Its queue may hold one more
// task beside the nominations exactly if it may once all of them that are left are made anew, one by one.
func TestNominationsThatWereTakenBackCountInTheQueueAsIfMadeAnew(t *testing.T) {
	yes, no, beside := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := func(most int) int { return rapid.IntRange(0, most).Draw(t, "n") }
		s, j := nominatedGang(t, n)
		a := newAttempt(s, PendingTasksOf(s, j), session.CodeOnly)
		a.together.idle = true
		at, _ := s.L.Nodes.Find("n")
		check := func(tx *ledger.Tx) {
			c := s.L.Task(a.w.Tasks[n(len(a.w.Tasks)-1)]).Class
			alone := s.Policy.Allocatable(a.job.Queue, c, 1) >= 1
			got := a.allocatable(tx, c)
			counted := a.withheld.undone == s.L.Statements.Undone()
			want := madeAnew(a, tx, c)
			if got != want {
				t.Fatalf("the queue may hold one more: %v, want %v", got, want)
			}
			if counted { // the comparison is no reason to count anew
				a.withheld.undone = s.L.Statements.Undone()
			}
			if want {
				yes++
			} else if no++; alone {
				beside++
			}
		}
		var steps func(tx *ledger.Tx, depth int) bool
		steps = func(tx *ledger.Tx, depth int) bool {
			for range 1 + n(5) {
				task := a.w.Tasks[n(len(a.w.Tasks)-1)]
				switch again := withdrawn(s, task); {
				case depth < 2 && n(3) == 0:
					tx.Try(func(tx *ledger.Tx) bool { return steps(tx, depth+1) })
				case s.L.Task(task).Status == model.Pending:
					if tx.Allocate(task, at); again { // as placeTask does
						a.withheld.found(s.L.Request(task))
					}
				}
				check(tx)
			}
			return n(1) == 0
		}
		s.L.Try(func(tx *ledger.Tx) bool {
			for _, task := range a.w.Tasks {
				if nominated(s, task) && n(4) > 0 {
					tx.Unpipeline(task)
				}
			}
			check(tx)
			steps(tx, 0)
			return false
		})
		if faults := s.L.Audit(); len(faults) > 0 {
			t.Fatal(faults)
		}
	})
	if yes == 0 || no == 0 || beside == 0 {
		t.Errorf("the answer was yes %d times, no %d times, for the nominations %d times", yes, no, beside)
	}
}

// madeAnew says whether the queue may hold one more task once all nominations that were taken back are made anew.
func madeAnew(a *attempt, tx *ledger.Tx, c ledger.ClassID) (ok bool) {
	tx.Try(func(tx *ledger.Tx) bool {
		for _, task := range a.w.Tasks {
			if withdrawn(a.s, task) {
				tx.ResumeNomination(task)
			}
		}
		ok = a.s.Policy.Allocatable(a.job.Queue, c, 1) >= 1
		return false
	})
	return ok
}

// nominatedGang draws a gang of two classes in a queue with a limit, of which some members are nominated to a node.
func nominatedGang(t *rapid.T, n func(int) int) (*session.Session, ledger.JobID) {
	l, version := ledger.New(), uint64(0)
	tell := func(kind model.Kind, namespace, name string, o model.Object) {
		version++
		l.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: name, Version: version,
			Object: o})
	}
	p := policy.Profile{Actions: []string{"allocate"}, Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}},
		{{Plugin: "predicates"}, {Plugin: []string{"capacity", "proportion"}[n(1)]}}}}
	set, err := policy.Build(p, plugins.All(), l)
	if err != nil {
		t.Fatal(err)
	}
	amounts := func(cpu, gpu int) resource.List {
		return resource.List{{Name: resource.CPUName, Value: int64(cpu)}, {Name: "gpu", Value: int64(gpu)},
			{Name: resource.PodsName, Value: 1}}
	}
	tell(model.KindNode, "", "n", &model.Node{Meta: model.Meta{Name: "n", UID: "n"}, Allocatable: resource.List{
		{Name: resource.CPUName, Value: int64(10 + n(30))}, {Name: "gpu", Value: int64(5 + n(20))},
		{Name: resource.PodsName, Value: 99}}})
	tell(model.KindQueue, "", "q", &model.Queue{Meta: model.Meta{Name: "q", UID: "q"}, Weight: 1,
		Capability: amounts(5+n(20), 3+n(9))})
	tell(model.KindQueue, "", "owed", &model.Queue{Meta: model.Meta{Name: "owed", UID: "owed"}, Weight: 1,
		Guarantee: amounts(n(9), n(3))})
	tell(model.KindPodGroup, "ns", "gang", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
		Queue: "q", MinMember: 1, Phase: model.GroupInqueue})
	kinds := []*model.Spec{{Requests: amounts(1+n(2), n(1))}, {Requests: amounts(1+n(2), n(2))}}
	for i := range 2 + n(8) {
		name := fmt.Sprintf("gang-%d", i)
		tell(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true,
			Group: "gang", Index: int64(i), Spec: kinds[n(1)]})
		if task, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name}); n(1) == 0 {
			at, _ := l.Nodes.Find("n")
			l.ExtendDims()
			l.SetCommitment(task, ledger.Commitment{Kind: ledger.CommitNominate, Node: at, Until: 1000})
		}
	}
	l.ExtendDims()
	nodes := class.New(l, set)
	s := &session.Session{L: l, NodeIndex: nodes, Policy: set, Profile: &p, Trace: &trace.Recorder{}, Now: 100,
		Pending: pending.New(l, nodes, set), Admit: func(ledger.JobID) {}}
	s.Open(100)
	set.At(100)
	set.Open(&trace.Recorder{}, policy.NoStopwatch{})
	j, _ := l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "gang"})
	return s, j
}
