package drf_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

func TestTheSmallerDominantShareGoesFirst(t *testing.T) {
	for name, c := range map[string]struct {
		a, b resource.List
		want int
	}{
		"less of one resource goes first":              {amounts(1000, 0, 0), amounts(2000, 0, 0), -1},
		"more of it goes later":                        {amounts(3000, 0, 0), amounts(2000, 0, 0), 1},
		"a fifth of the cpu is before half the memory": {amounts(2000, 1, 0), amounts(100, 50, 0), -1},
		"a device of four is more than a fifth of cpu": {amounts(0, 0, 1000), amounts(2000, 0, 0), 1},
		"only the largest part counts":                 {amounts(5000, 0, 0), amounts(5000, 49, 1000), 0},
		"equal parts of different resources are equal": {amounts(5000, 0, 0), amounts(0, 50, 0), 0},
		"nothing held goes before anything":            {amounts(0, 0, 0), amounts(1, 0, 0), -1},
		"a unit more is enough to tell":                {amounts(5001, 0, 0), amounts(0, 50, 0), 1},
		"places for pods do not count":                 {amounts(0, 0, 0), resource.List{{Name: "pods", Value: 2}}, 0},
		"what no node offers does not count": {resource.List{{Name: "example.com/fpga", Value: 9000}},
			amounts(1, 0, 0), -1},
		"more than everything is still a larger share":   {amounts(20_000, 0, 0), amounts(10_000, 100, 4000), 1},
		"the edge of what is allowed has an order still": {amounts(1<<48, 0, 0), amounts(1<<48-1, 0, 0), 1},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := world(t, false, node, held{"a", "", c.a}.pod(), held{"b", "", c.b}.pod())
			if got := p.CompareJobs(job(t, l, "a"), job(t, l, "b")); got != c.want {
				t.Errorf("a compares to b as %d, want %d", got, c.want)
			}
		})
	}
}

func TestAShareFollowsATryAndItsUndo(t *testing.T) {
	waiting := held{"waiting", "", amounts(2000, 0, 0)}.pod()
	waiting.Object.(*model.Pod).Node, waiting.Object.(*model.Pod).Phase = "", model.PodPending
	l, p := world(t, false, node, waiting, held{"runs", "", amounts(1000, 0, 0)}.pod())
	a, b := job(t, l, "waiting"), job(t, l, "runs")
	if p.CompareJobs(a, b) >= 0 {
		t.Error("what is only asked for counts")
	}
	n, _ := l.Nodes.Find("node")
	l.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(task(l, "waiting"), n)
		if p.CompareJobs(a, b) <= 0 {
			t.Error("what is given in this try does not count")
		}
		return false
	})
	if p.CompareJobs(a, b) >= 0 {
		t.Error("what was taken back counts")
	}
}

func TestWhichJobsMayBeVictims(t *testing.T) {
	for name, c := range map[string]struct {
		claimant, victim resource.List // what the jobs hold beside these pods
		asks, gives      resource.List
		want             bool
	}{
		"a poor job from a rich one": {amounts(0, 0, 0), amounts(6000, 0, 0), amounts(1000, 0, 0),
			amounts(1000, 0, 0), true},
		"a rich job not from a poor one": {amounts(6000, 0, 0), amounts(0, 0, 0), amounts(1000, 0, 0),
			amounts(1000, 0, 0), false},
		"as long as both come out level": {amounts(2000, 0, 0), amounts(3000, 0, 0), amounts(1000, 0, 0),
			amounts(1000, 0, 0), true},
		"but no step further": {amounts(2000, 0, 0), amounts(3000, 0, 0), amounts(1001, 0, 0),
			amounts(1000, 0, 0), false},
		"shares of different resources are compared": {amounts(1000, 0, 0), amounts(0, 30, 0), amounts(1000, 0, 0),
			amounts(0, 10, 0), true},
		"a job with nothing else has nothing to give": {amounts(0, 0, 0), amounts(0, 0, 0), amounts(1000, 0, 0),
			amounts(1000, 0, 0), false},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := world(t, false, node, member("claimant", "a", c.claimant, true), member("claimant", "asks", c.asks, false),
				member("victim", "b", c.victim, true), member("victim", "gives", c.gives, true))
			if got := permits(l, p, "asks", "gives"); got != c.want {
				t.Errorf("permitted: %v, want %v", got, c.want)
			}
		})
	}
}

func TestSharesAMillionthApartAreEqual(t *testing.T) {
	wide := fact(model.KindNode, &model.Node{Meta: model.Meta{Name: "node"},
		Allocatable: resource.List{{Name: "memory", Value: 10_000_000}}})
	for asks, want := range map[int64]bool{1000: true, 1010: true, 1011: false} {
		l, p := world(t, false, wide, member("claimant", "asks", amounts(0, asks, 0), false),
			member("victim", "rest", amounts(0, 1000, 0), true), member("victim", "gives", amounts(0, 20, 0), true))
		if got := permits(l, p, "asks", "gives"); got != want {
			t.Errorf("%d of 10000000 against 1000: permitted: %v, want %v", asks, got, want)
		}
	}
}

func TestWithinTheToleranceNoJobTakesWhatCouldBeTakenBack(t *testing.T) {
	wide := fact(model.KindNode, &model.Node{Meta: model.Meta{Name: "node"},
		Allocatable: resource.List{{Name: "memory", Value: 10_000_000}}})
	for asks, want := range map[int64]bool{1004: true, 1005: false, 1010: false} {
		l, p := world(t, false, wide, member("claimant", "asks", amounts(0, asks, 0), false),
			member("victim", "rest", amounts(0, 1000, 0), true), member("victim", "gives", amounts(0, 5, 0), true))
		if got := permits(l, p, "asks", "gives"); got != want {
			t.Errorf("%d against 1005 held now: permitted: %v, want %v", asks, got, want)
		}
	}
}

func TestAnOpinionOfSharesSaysBoth(t *testing.T) {
	l, p := world(t, false, node, member("claimant", "a", amounts(2000, 0, 0), true),
		member("claimant", "asks", amounts(1250, 0, 0), false),
		member("victim", "b", amounts(1000, 0, 0), true), member("victim", "gives", amounts(1000, 0, 0), true))
	claim, unit := about(l, "asks", "gives")
	o := p.Preemptable(claim, unit)
	if o.Vote != policy.Reject || o.Guard || o.Reason.Code != trace.VictimShare {
		t.Errorf("%+v, want a rejection that binds its own tier only", o)
	}
	if want := "32.5%, the victim would be left with 10%"; o.Reason.Text != want {
		t.Errorf("%q, want %q", o.Reason.Text, want)
	}
}

func TestDrfPermitsEqualsAndHasNoOpinionWithinAJob(t *testing.T) {
	l, p := world(t, false, node, member("claimant", "asks", amounts(1000, 0, 0), false),
		member("claimant", "own", amounts(1000, 0, 0), true),
		member("victim", "rest", amounts(4000, 0, 0), true), member("victim", "gives", amounts(1000, 0, 0), true))
	if o := p.Preemptable(about(l, "asks", "gives")); o.Vote != policy.Permit || !o.EqualPriority {
		t.Errorf("%+v, want a permission among equals", o)
	}
	if o := p.Preemptable(about(l, "asks", "own")); o.Vote != policy.Abstain {
		t.Errorf("%+v about the claim's own job, want none", o)
	}
}

// about is a claim and a unit of one task each.
func about(l *ledger.Ledger, claimant, victim string) (policy.Preemptor, policy.Unit) {
	c, v := l.Task(task(l, claimant)), l.Task(task(l, victim))
	return policy.Preemptor{Task: task(l, claimant), Job: c.Job, Queue: l.Job(c.Job).Queue,
			Want: l.Class(c.Class).Request},
		policy.Unit{Job: v.Job, Queue: l.Job(v.Job).Queue, Tasks: []ledger.TaskID{task(l, victim)}}
}

func permits(l *ledger.Ledger, p plugin, claimant, victim string) bool {
	return p.Preemptable(about(l, claimant, victim)).Vote == policy.Permit
}

// member is a pod of a job of that owner.
func member(owner, name string, amounts resource.List, runs bool) model.Fact {
	f := held{name, "", amounts}.pod()
	p := f.Object.(*model.Pod)
	p.Owner = owner
	if !runs {
		p.Node, p.Phase = "", model.PodPending
	}
	return f
}

// The order of jobs is one: the same whatever the order of facts, never in a circle.
func TestTheOrderOfJobsIsTotalAndForgetsHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := []model.Fact{node}
		n := rapid.IntRange(3, 8).Draw(t, "jobs")
		for i := range n {
			x := rapid.SliceOfN(rapid.Int64Range(0, 12), 3, 3).Draw(t, "holds")
			facts = append(facts, held{fmt.Sprintf("job-%d", i), "", amounts(x[0]*1000, x[1]*10, x[2]*1000)}.pod())
		}
		l, p := quiet(false, facts)
		again, q := quiet(false, rapid.Permutation(facts).Draw(t, "order of facts"))
		sign := func(a, b int) int {
			x, y := fmt.Sprintf("job-%d", a), fmt.Sprintf("job-%d", b)
			r := p.CompareJobs(find(l, x), find(l, y))
			if s := q.CompareJobs(find(again, x), find(again, y)); r != s {
				t.Fatalf("%s compares to %s as %d, and as %d when facts come in another order", x, y, r, s)
			}
			return r
		}
		ordered(t, n, sign)
	})
}

// ordered checks that a comparison is a total preorder.
func ordered(t *rapid.T, n int, sign func(a, b int) int) {
	for a := range n {
		for b := range n {
			if sign(a, b) != -sign(b, a) {
				t.Fatalf("%d and %d are in two orders", a, b)
			}
			for c := range n {
				if sign(a, b) <= 0 && sign(b, c) <= 0 && sign(a, c) > 0 {
					t.Fatalf("%d, %d, %d go round in a circle", a, b, c)
				}
			}
		}
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, sign)
	if !slices.IsSortedFunc(rows, sign) {
		t.Fatal("sorting leaves them unsorted")
	}
}
