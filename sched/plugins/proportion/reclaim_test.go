package proportion_test

import (
	"fmt"
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// claim is what queue q wants, short of the named dimensions.
func (c *cluster) claim(wants resource.List, short ...string) policy.Preemptor {
	claim := policy.Preemptor{Queue: c.id("q"), Job: ledger.NoJob, Want: c.l.Dims.Vec(wants)}
	for _, name := range short {
		d, _ := c.l.Dims.Lookup(name)
		claim.ShortOnAll = append(claim.ShortOnAll, d)
	}
	return claim
}

// brief is a reason in a few words, its amounts in the engine's units.
func brief(r trace.Reason) string {
	text := strings.TrimSpace(string(r.Code) + " " + r.Queue)
	for _, s := range r.Shorts {
		text += fmt.Sprintf(" %s %d/%d", s.Dim, s.Need, s.Have)
	}
	return text
}

// Seed 000 §13, seed 002 §3.3: the limit of Allocatable, in all that is asked for. Of
// 10 cores and 100 bytes, q and another queue that asks for everything deserve half
// each.
func TestPreemptive(t *testing.T) {
	cores := func(n int64, bytes int64) resource.List { return also(cpu(n), resource.MemoryName, bytes) }
	tests := map[string]struct {
		queue queue
		wants resource.List
		short string
		why   string
	}{
		"up to what it deserves": {queue{runs: cores(2, 10), waits: cores(8, 90)}, cores(3, 40), "", ""},
		"a unit beyond it": {queue{runs: cores(2, 10), waits: cores(8, 90)},
			also(nil, resource.CPUName, 3001), "", "QueueDeserved q cpu 5001/5000"},
		"within it in one dimension is not enough": {queue{runs: cores(2, 40), waits: cores(8, 90)}, cores(3, 11), "",
			"QueueDeserved q memory 51/50"},
		"nor in the one that is short": {queue{runs: cores(2, 40), waits: cores(8, 90)}, cores(3, 11), "cpu",
			"QueueDeserved q memory 51/50"},
		"above it in what it does not ask for": {queue{runs: cores(8, 10), waits: cores(1, 90)},
			also(nil, resource.MemoryName, 40), "", ""},
		"its guarantee is deserved": {queue{guarantee: 7, runs: cores(6, 10)}, cpu(1), "", ""},
		"a capability of zero": {queue{capabilities: also(nil, resource.CPUName, 0), pending: 9}, cpu(1),
			"", "QueueDeserved q cpu 1000/0"},
		"what no node offers is the nodes' matter": {queue{pending: 9}, also(nil, gpu, 1000), "", ""},
		"a claim for nothing that is shared":       {queue{running: 9}, also(nil, resource.PodsName, 1), "", ""},
		"a queue that is not open": {queue{state: model.QueueClosing, pending: 9}, cpu(1), "",
			"QueueNotOpen q"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.queue.name, test.queue.weight = "q", 1
			c := newCluster(t, 0, test.queue, queue{name: "r", weight: 1, waits: cores(100, 1000)})
			c.node(cores(10, 100))
			c.open()
			claim := c.claim(test.wants)
			if test.short != "" {
				claim = c.claim(test.wants, test.short)
			}
			why, may := c.p.Preemptive(claim)
			if may != (test.why == "") || brief(why) != test.why {
				t.Errorf("may reclaim: %t, %q; want %t, %q", may, brief(why), test.why == "", test.why)
			}
		})
	}
}

// Seed 000 §8 and §14.4. Queue v deserves 5 of 10 cores and 50 of 100 bytes unless the
// case says otherwise; the unit is its last pod, or all of them.
func TestReclaimable(t *testing.T) {
	bytes := func(n int64) resource.List { return also(nil, resource.MemoryName, n) }
	both := func(cores, n int64) resource.List { return also(cpu(cores), resource.MemoryName, n) }
	lists := func(l ...resource.List) []resource.List { return l }
	tests := map[string]struct {
		queue queue
		held  []resource.List // by pods of v
		whole bool
		wants resource.List
		short string
		why   string
	}{
		"above what its queue deserves": {queue{}, lists(cpu(4), cpu(2)), false, cpu(1), "", ""},
		"not above it": {queue{}, lists(cpu(3), cpu(2)), false, cpu(1), "",
			"VictimDeserved v cpu 5000/5000"},
		"below it": {queue{}, lists(cpu(1), cpu(2)), false, cpu(1), "",
			"VictimDeserved v cpu 5000/3000"},
		"above it in what the pod does not hold": {queue{}, lists(both(3, 60), cpu(2)), false, both(1, 1), "",
			"VictimDeserved v cpu 5000/5000"},
		"above it in what nobody asked for": {queue{}, lists(both(3, 60), both(2, 5)), false, cpu(1), "",
			"VictimDeserved v cpu 5000/5000"},
		"above it in what is wanted and not short": {queue{}, lists(both(3, 60), both(2, 5)), false, both(1, 1), "cpu",
			"VictimDeserved v cpu 5000/5000"},
		"above it in one of two that help": {queue{}, lists(both(3, 60), both(2, 5)), false, both(1, 1), "", ""},
		"a pod that holds nothing that is wanted": {queue{}, lists(cpu(6), bytes(60)), false, cpu(1), "",
			"VictimOfNoUse v"},
		"a pod that holds nothing that is short": {queue{}, lists(bytes(60), cpu(6)), false, both(1, 1), "memory",
			"VictimOfNoUse v"},
		"a queue that deserves nothing": {queue{capabilities: also(nil, resource.CPUName, 0)}, lists(cpu(1)),
			false, cpu(1), "", ""},
		"the guarantee stays": {queue{guarantee: 7}, lists(cpu(6), cpu(2)), false, cpu(1), "",
			"VictimGuaranteed v cpu 7000/6000"},
		"down to the guarantee":                     {queue{guarantee: 7}, lists(cpu(7), cpu(2)), false, cpu(1), "", ""},
		"a guarantee of what the pod does not hold": {queue{guarantee: 7}, lists(bytes(60)), false, bytes(1), "", ""},
		"a gang, as a pod of its size":              {queue{}, lists(cpu(4), cpu(2)), true, cpu(1), "", ""},
		"a gang of a queue that is not above": {queue{}, lists(cpu(2), cpu(3)), true, cpu(1), "",
			"VictimDeserved v cpu 5000/5000"},
		"a gang of one": {queue{}, lists(cpu(6)), true, cpu(1), "", ""},
		"a gang never below the guarantee": {queue{guarantee: 1}, lists(cpu(9)), true, cpu(1), "",
			"VictimGuaranteed v cpu 1000/0"},
		"a queue out of place": {queue{name: "lost"}, lists(cpu(9)), false, cpu(1), "",
			"VictimOutside v"},
		"a claim of the same queue": {queue{name: "same"}, lists(cpu(9)), false, cpu(1), "",
			"VictimOutside q"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, 0, queue{name: "q", weight: 1, waits: both(100, 1000)})
			c.node(both(10, 100))
			victims := "v"
			switch test.queue.name {
			case "same":
				victims = "q"
			case "":
				test.queue.name, test.queue.weight, test.queue.waits = "v", 1, both(100, 1000)
				c.queue(test.queue)
			}
			var unit policy.Unit
			for i, l := range test.held {
				unit.Tasks = append(unit.Tasks, c.pod(fmt.Sprintf("victim-%d", i), victims, l, "node"))
			}
			if !test.whole {
				unit.Tasks = unit.Tasks[len(unit.Tasks)-1:]
			}
			c.open()
			unit.Queue = c.id(victims)
			claim := c.claim(test.wants)
			if test.short != "" {
				claim = c.claim(test.wants, test.short)
			}
			o := c.p.Reclaimable(claim, unit)
			if brief(o.Reason) != test.why || (o.Vote == policy.Permit) != (test.why == "") {
				t.Errorf("vote %d, %q; want %q", o.Vote, brief(o.Reason), test.why)
			}
			if !o.Guard {
				t.Error("its answer is none of a guard")
			}
		})
	}
}

// Seed 000 §8.1, "allocations": allocated goes down victim by victim, until it is no
// longer above deserved, and what was taken comes back with the try.
func TestReclaimableJudgesThePresentState(t *testing.T) {
	c := newCluster(t, 10, queue{name: "q", weight: 1, pending: 100}, queue{name: "v", weight: 1, pending: 100})
	var pods []ledger.TaskID
	for i := range 4 {
		pods = append(pods, c.pod(fmt.Sprintf("victim-%d", i), "v", cpu(2), "node"))
	}
	c.open()
	permitted := func(pod ledger.TaskID) bool {
		return c.p.Reclaimable(c.claim(cpu(1)), policy.Unit{Queue: c.id("v"),
			Tasks: []ledger.TaskID{pod}}).Vote == policy.Permit
	}
	taken := 0
	c.l.Try(func(tx *ledger.Tx) bool {
		for _, pod := range pods {
			if permitted(pod) {
				tx.Evict(pod, "reclaim", ledger.NoTask)
				taken++
			}
		}
		return false
	})
	if taken != 2 {
		t.Errorf("%d pods of 2 cores are taken of 8 cores held and 5 deserved, want 2", taken)
	}
	if !permitted(pods[0]) {
		t.Error("after a try that was undone no pod may be taken")
	}
}

// Preemptive judges with what was placed in the same try.
func TestPreemptiveJudgesThePresentState(t *testing.T) {
	c := newCluster(t, 10, queue{name: "q", weight: 1, pending: 100}, queue{name: "v", weight: 1, pending: 100})
	pod := c.pod("first", "q", cpu(3), "")
	c.open()
	may := func() bool {
		_, ok := c.p.Preemptive(c.claim(cpu(3)))
		return ok
	}
	if !may() {
		t.Error("q may not take 3 of the 5 cores it deserves")
	}
	node, _ := c.l.Nodes.Find("node")
	c.l.Try(func(tx *ledger.Tx) bool {
		tx.Allocate(pod, node)
		if may() {
			t.Error("q holds 3 of the 5 cores it deserves and may take 3 more")
		}
		return false
	})
	if !may() {
		t.Error("what was undone counts")
	}
}

// Of a queue that deserves 5 cores and holds 8, a gang may go that needs all of its members; of one that can spare
// four, the other four stay, which the queue deserves.
func TestWhatCanOnlyGoTogetherIsJudgedAsOne(t *testing.T) {
	c := newCluster(t, 10, queue{name: "q", weight: 1, pending: 100}, queue{name: "v", weight: 1, pending: 100})
	unit := policy.Unit{Whole: true}
	for i := range 8 {
		unit.Tasks = append(unit.Tasks, c.pod(fmt.Sprintf("victim-%d", i), "v", cpu(1), "node"))
	}
	c.open()
	unit.Queue = c.id("v")
	for spare, why := range map[int]string{0: "", 2: "", 4: "VictimMinimum v cpu 5000/4000",
		7: "VictimDeserved v cpu 5000/1000"} {
		unit.Surplus = spare
		if o := c.p.Reclaimable(c.claim(cpu(1)), unit); brief(o.Reason) != why || !o.Guard {
			t.Errorf("%d to spare: %q (a guard: %t), want %q", spare, brief(o.Reason), o.Guard, why)
		}
	}
}
