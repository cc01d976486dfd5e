package drf_test

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Volcano's hierarchical reclaim, in its order of queues: strictly less of its due.
func TestVictimsOfReclaimWithHierarchy(t *testing.T) {
	eng, sci := level("eng", 1), level("sci", 1)
	for name, c := range map[string]struct {
		a, b  []model.Level
		holds [3]int64 // thousandths of cpu held by a, b, and c below eng; b gives 1000 of its own
		want  bool
	}{
		"from the richer":              {nil, nil, [3]int64{1000, 3001, 0}, true},
		"not when both come out level": {nil, nil, [3]int64{1000, 3000, 0}, false},
		"not from the poorer":          {nil, nil, [3]int64{3000, 2000, 0}, false},
		"by weight": {[]model.Level{level("eng", 3)}, []model.Level{sci}, [3]int64{4000, 3001, 0},
			true},
		"a relative's holdings count": {[]model.Level{eng}, []model.Level{sci}, [3]int64{1000, 3001, 1000}, false},
		"but not where the ways part later": {[]model.Level{eng, level("a", 1)}, []model.Level{eng, level("b", 1)},
			[3]int64{1000, 3001, 9000}, true},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := world(t, true, node, queue("a", c.a...), queue("b", c.b...), queue("c", level("eng", 1), level("c", 1)),
				in("a", "has-a", c.holds[0], true), in("b", "has-b", c.holds[1]-1000, true), in("c", "has-c", c.holds[2], true),
				in("a", "asks", 1000, false), in("b", "gives", 1000, true))
			claim, unit := about(l, "asks", "gives")
			o := p.(hierarchical).Reclaimable(claim, unit)
			if got := o.Vote == policy.Permit; got != c.want {
				t.Errorf("permitted: %v, want %v", got, c.want)
			}
			if !c.want && (o.Reason.Code != trace.VictimShare || !o.Guard) {
				t.Errorf("%+v, want a rejection that binds every tier", o)
			}
			if o.Vote == policy.Permit && !p.(hierarchical).MayBeVictimQueue(unit.Queue, claim.Queue) {
				t.Error("a queue may give nothing of which a unit is permitted")
			}
		})
	}
}

func in(q, name string, cpu int64, runs bool) model.Fact {
	f := member(name, name, amounts(cpu, 0, 0), runs)
	f.Object.(*model.Pod).Adopt.Queue = q
	return f
}

func TestReclaimingHasNoOpinionOfQueuesOutOfPlace(t *testing.T) {
	l, p := world(t, true, node, queue("a"), in("a", "asks", 1000, false), in("lost", "gives", 1000, true))
	claim, unit := about(l, "asks", "gives")
	if unit.Queue == ledger.NoQueue {
		t.Fatal("the victim has no queue")
	}
	if o := p.(hierarchical).Reclaimable(claim, unit); o.Vote != policy.Abstain {
		t.Errorf("%+v, want no opinion", o)
	}
}
