package capacity

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

func (c *cluster) claim(queue, wants string, short ...resource.Dim) policy.Preemptor {
	return policy.Preemptor{Queue: c.id(queue), Job: ledger.NoJob, Want: c.vec(wants), ShortOnAll: short}
}

// Seed 001, §5.2, §8 and decision 15.
func TestPreemptive(t *testing.T) {
	teams := []string{"team root deserved:cpu=50 capability:cpu=70", "q team deserved:cpu=10,gpu=4",
		"r team deserved:cpu=20"}
	tests := map[string]struct {
		level  string
		queues []string
		held   [2]string // by q and by r
		wants  string
		short  string
		why    string
	}{
		"within what it deserves": {"", teams, [2]string{"cpu=4", ""}, "cpu=6", "", ""},
		"above it": {"", teams,
			[2]string{"cpu=5", ""}, "cpu=6", "", "QueueDeserved q cpu 11/10"},
		"one dimension within it is enough": {"", teams, [2]string{"cpu=10 gpu=1", ""}, "cpu=1 gpu=3", "", ""},
		"but one that is short, where one is": {"", teams,
			[2]string{"cpu=10 gpu=1", ""}, "cpu=1 gpu=3", "cpu", "QueueDeserved q cpu 11/10"},
		"a short dimension it does not ask for": {"", teams, [2]string{"", ""}, "cpu=1", "gpu", "QueueDeserved q"},
		"a queue that deserves nothing": {"", []string{"q root", "r root"},
			[2]string{"", ""}, "cpu=1", "", "QueueDeserved q cpu 1/0"},
		"its guarantee is deserved": {"", []string{"q root guarantee:cpu=5", "r root"},
			[2]string{"cpu=4", ""}, "cpu=1", "", ""},
		"above realCapability in any": {"", []string{"q root deserved:cpu=10 capability:gpu=2", "r root"},
			[2]string{"gpu=2", ""}, "cpu=1 gpu=1", "", "QueueCapability q nvidia.com/gpu 3/2"},
		"above a parent's realCapability": {"", teams,
			[2]string{"cpu=1", "cpu=68"}, "cpu=2", "", "QueueCapability team cpu 71/70"},
		"level 1: the team's part is the team's": {"1", teams, [2]string{"cpu=10", "cpu=20"}, "cpu=20", "", ""},
		"level 1: above the team's part too": {"1", teams,
			[2]string{"cpu=10", "cpu=21"}, "cpu=20", "", "QueueDeserved q cpu 30/10"},
		"level 9: root's part is nobody's": {"9", []string{"q root deserved:cpu=10", "r root"},
			[2]string{"cpu=10", ""}, "cpu=20", "", "QueueDeserved q cpu 30/10"},
		"nothing that is shared is asked for: it may not": {"", teams, [2]string{"", ""}, "", "", "QueueDeserved q"},
		"a closed queue": {"", []string{"q root deserved:cpu=10 closed", "r root"},
			[2]string{"", ""}, "cpu=1", "", "QueueNotOpen q"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := leveled(t, tc.level, "cpu=100 gpu=8")
			c.queues(tc.queues...)
			for i, q := range []string{"q", "r"} {
				if tc.held[i] != "" {
					c.hold(q, tc.held[i])
				}
			}
			claim := c.claim("q", tc.wants)
			if tc.short != "" {
				d, _ := c.Dims.Lookup(list(tc.short + "=0")[0].Name)
				claim.ShortOnAll = []resource.Dim{d}
			}
			why, ok := c.Preemptive(claim)
			equal(t, "why not", brief(why), tc.why)
			equal(t, "may reclaim", ok, tc.why == "")
		})
	}
}

func leveled(t *testing.T, level, offers string) *cluster {
	t.Helper()
	choice := policy.Choice{Hierarchy: true}
	if level != "" {
		choice.Arguments = policy.Arguments{"ancestorReclaimLevel": level}
	}
	return open(t, choice, offers)
}

// reclaims are claims of queue q on pods of queue v.
var reclaims = map[string]struct {
	level  string
	queues []string
	held   []string // by pods of v
	whole  bool
	wants  string
	why    string
}{
	"above what it deserves": {"", []string{"q root deserved:cpu=9", "v root deserved:cpu=10"},
		[]string{"cpu=8", "cpu=3"}, false, "cpu=1", ""},
	"not above it": {"", []string{"q root deserved:cpu=9", "v root deserved:cpu=11"},
		[]string{"cpu=8", "cpu=3"}, false, "cpu=1", "VictimDeserved v cpu 11/11"},
	"above it in another dimension it gives": {"", []string{"q root deserved:cpu=9", "v root deserved:cpu=11,gpu=1"},
		[]string{"cpu=8 gpu=1", "cpu=3 gpu=1"}, false, "cpu=1", "VictimDeserved v cpu 11/11"},
	"above it in one that it does not give": {"", []string{"q root deserved:cpu=9", "v root deserved:cpu=11,gpu=1"},
		[]string{"cpu=8 gpu=2", "cpu=3"}, false, "cpu=1", "VictimDeserved v cpu 11/11"},
	"it gives nothing that is wanted": {"", []string{"q root deserved:cpu=9", "v root"},
		[]string{"gpu=1"}, false, "cpu=1", "VictimOfNoUse v"},
	"best effort is taken at once": {"", []string{"q root deserved:cpu=9", "v root"},
		[]string{"cpu=1"}, false, "cpu=1", ""},
	"so is what deserved does not speak of": {"", []string{"q root deserved:cpu=9", "v root deserved:gpu=4"},
		[]string{"cpu=1"}, false, "cpu=1", ""},
	"a zero that is meant": {"", []string{"q root deserved:gpu=1", "v root deserved:cpu=4,gpu=0"},
		[]string{"cpu=1 gpu=1"}, false, "gpu=1", ""},
	"the guarantee stays": {"", []string{"q root deserved:cpu=9", "v root guarantee:cpu=10"},
		[]string{"cpu=9", "cpu=2"}, false, "cpu=1", "VictimGuaranteed v cpu 10/9"},
	"to the last unit above it": {"", []string{"q root deserved:cpu=9", "v root guarantee:cpu=10"},
		[]string{"cpu=10", "cpu=2"}, false, "cpu=1", ""},
	"a guarantee of what it does not give": {"", []string{"q root deserved:cpu=9", "v root guarantee:gpu=4"},
		[]string{"cpu=2"}, false, "cpu=1", ""},
	"the guarantee of the queue above stays": {
		"", []string{"q root deserved:cpu=9", "team root guarantee:cpu=10", "v team"},
		[]string{"cpu=9", "cpu=2"}, false, "cpu=1", "VictimGuaranteed team cpu 10/9",
	},
	"but that of a shared one is no hindrance": {
		"", []string{"team root guarantee:cpu=10", "q team deserved:cpu=9", "v team"},
		[]string{"cpu=9", "cpu=2"}, false, "cpu=1", "",
	},
	"a whole gang, as a pod of its size": {"", []string{"q root deserved:cpu=9", "v root deserved:cpu=4"},
		[]string{"cpu=3", "cpu=2"}, true, "cpu=1", ""},
	"a whole gang of a queue that is not above": {"", []string{"q root deserved:cpu=9", "v root deserved:cpu=8"},
		[]string{"cpu=4", "cpu=4"}, true, "cpu=1", "VictimDeserved v cpu 8/8"},
	"a whole gang never below the guarantee": {"", []string{"q root deserved:cpu=9", "v root guarantee:cpu=1"},
		[]string{"cpu=4"}, true, "cpu=1", "VictimGuaranteed v cpu 1/0"},
	"level 0: the team above need not be": {
		"0", []string{"q root deserved:cpu=50", "team root deserved:cpu=50", "v team deserved:cpu=5"},
		[]string{"cpu=6"}, false, "cpu=1", "",
	},
	"level 1: the team must be above its too": {
		"1", []string{"q root deserved:cpu=9", "team root deserved:cpu=50", "v team deserved:cpu=5"},
		[]string{"cpu=6"}, false, "cpu=1", "VictimDeserved team cpu 50/6",
	},
	"level 1: unless it is both's": {
		"1", []string{"team root deserved:cpu=50", "q team deserved:cpu=9", "v team deserved:cpu=5"},
		[]string{"cpu=6"}, false, "cpu=1", "",
	},
	"level 1: and not what is above that": {
		"1", []string{"q root deserved:cpu=50", "org root deserved:cpu=50", "team org", "v team deserved:cpu=5"},
		[]string{"cpu=6"}, false, "cpu=1", "",
	},
	"level 2: also that": {
		"2", []string{"q root deserved:cpu=9", "org root deserved:cpu=50", "team org", "v team deserved:cpu=5"},
		[]string{"cpu=6"}, false, "cpu=1", "VictimDeserved org cpu 50/6",
	},
	"a claim above its own part": {"", []string{"q root deserved:cpu=4", "v root deserved:cpu=2"},
		[]string{"cpu=4"}, false, "cpu=5", "VictimNotOwed q cpu 4/5"},
	"… of that, within its part of another": {"", []string{"q root deserved:cpu=4,gpu=1", "v root deserved:cpu=2"},
		[]string{"cpu=4"}, false, "cpu=5 gpu=1", "VictimNotOwed q cpu 4/5"},
	"… of another": {"", []string{"q root deserved:cpu=4", "v root deserved:cpu=2"},
		[]string{"cpu=4"}, false, "cpu=4 gpu=1", ""},
	"… of another that could be claimed back": {"", []string{"q root deserved:cpu=4", "v root deserved:cpu=2,gpu=8"},
		[]string{"cpu=4 gpu=1"}, false, "cpu=4 gpu=1", "VictimReturns v nvidia.com/gpu 8/0"},
	"… that is more than its part": {"", []string{"q root deserved:cpu=4", "v root deserved:cpu=2,gpu=1"},
		[]string{"cpu=4 gpu=2"}, false, "cpu=4 gpu=1", ""},
	"what its queue holds too little of": {"", []string{"q root deserved:cpu=4", "v root deserved:cpu=2,gpu=8"},
		[]string{"cpu=4 gpu=1"}, false, "cpu=4", ""},
	"level 0: of teams above nothing is asked": {
		"", []string{"q root deserved:cpu=50", "team root deserved:cpu=50", "v team deserved:cpu=2"},
		[]string{"cpu=4"}, false, "cpu=4", "",
	},
	"level 1: by its team, from another": {
		"1", []string{"org root deserved:cpu=8", "q org", "team root", "v team deserved:cpu=2"},
		[]string{"cpu=4"}, false, "cpu=8", "",
	},
	"level 1: by a team of both, the larger part": {
		"1", []string{"team root deserved:cpu=50", "q team deserved:cpu=4", "v team deserved:cpu=5"},
		[]string{"cpu=6"}, false, "cpu=5", "VictimNotOwed q cpu 4/5",
	},
	"level 1: … the smaller part": {
		"1", []string{"team root deserved:cpu=50", "q team deserved:cpu=4", "v team deserved:cpu=4"},
		[]string{"cpu=6"}, false, "cpu=5", "",
	},
	"a queue out of place": {"", []string{"q root deserved:cpu=9", "v nowhere"},
		[]string{"cpu=6"}, false, "cpu=1", "VictimOutside v"},
}

// Seed 001, §5.1. q claims; v's last pod is the unit, or all its pods are.
func TestReclaimable(t *testing.T) {
	for name, tc := range reclaims {
		t.Run(name, func(t *testing.T) {
			c := leveled(t, tc.level, "cpu=100 gpu=8")
			c.queues(tc.queues...)
			unit := policy.Unit{Queue: c.id("v")}
			for i, asks := range tc.held {
				unit.Tasks = append(unit.Tasks, c.member("v", "victim", fmt.Sprintf("victim-%d", i), asks, true))
			}
			if !tc.whole {
				unit.Tasks = unit.Tasks[len(unit.Tasks)-1:]
			}
			o := c.Reclaimable(c.claim("q", tc.wants), unit)
			equal(t, "why not", brief(o.Reason), tc.why)
			equal(t, "permitted", o.Vote == policy.Permit, tc.why == "")
			equal(t, "a guard", o.Guard, true)
		})
	}
}

// Seed 001, §5.1, "allocations": what was taken in the same try no longer counts.
func TestReclaimableJudgesThePresentState(t *testing.T) {
	c := nested(t, "cpu=100")
	c.queues("q root deserved:cpu=1", "v root deserved:cpu=10")
	var pods []ledger.TaskID
	for i := range 6 {
		pods = append(pods, c.member("v", "victim", fmt.Sprintf("victim-%d", i), "cpu=3", true))
	}
	taken := 0
	c.Try(func(tx *ledger.Tx) bool {
		for _, p := range pods {
			unit := policy.Unit{Queue: c.id("v"), Tasks: []ledger.TaskID{p}}
			if c.Reclaimable(c.claim("q", "cpu=1"), unit).Vote == policy.Permit {
				tx.Evict(p, "reclaim", ledger.NoTask)
				taken++
			}
		}
		return false
	})
	equal(t, "pods taken of 18 cpu held and 10 deserved", taken, 3)
}

// Seed 001, §9.
func TestVictimsComeFromTheNearestQueueFirst(t *testing.T) {
	queues := []string{"org root", "team org", "q team", "brother team", "cousin org", "far root", "lost nowhere"}
	c := nested(t, "cpu=100")
	c.queues(queues...)
	nearest := []string{"brother", "cousin", "far", "lost"}
	for i, a := range nearest {
		for j, b := range nearest {
			got := c.CompareVictimQueues(c.id(a), c.id(b), c.id("q"))
			if got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%s and %s compare as %d", a, b, got)
			}
		}
	}
	f := flat(t, "cpu=100")
	f.queues("q root", "a root", "b root")
	equal(t, "flat queues are all as near", f.CompareVictimQueues(f.id("a"), f.id("b"), f.id("q")), 0)
}

// Of a queue that deserves 5 cores and holds 8, a gang may go that needs all of its members; of one that can spare
// four, the other four stay, which the queue deserves.
func TestWhatCanOnlyGoTogetherIsJudgedAsOne(t *testing.T) {
	c := leveled(t, "", "cpu=100 gpu=8")
	c.queues("q root deserved:cpu=9", "v root deserved:cpu=5")
	unit := policy.Unit{Queue: c.id("v"), Whole: true}
	for i := range 8 {
		unit.Tasks = append(unit.Tasks, c.member("v", "victim", fmt.Sprintf("victim-%d", i), "cpu=1", true))
	}
	for spare, why := range map[int]string{0: "", 2: "", 4: "VictimMinimum v cpu 5/4", 7: "VictimDeserved v cpu 5/1"} {
		unit.Surplus = spare
		o := c.Reclaimable(c.claim("q", "cpu=1"), unit)
		equal(t, fmt.Sprintf("%d to spare: why not", spare), brief(o.Reason), why)
		equal(t, "a guard", o.Guard, true)
	}
}

// A refusal names a queue, and of the resources only those of which that queue holds no more than it deserves.
func TestAQueueIsNotSaidToHoldNoMoreOfWhatItHoldsMoreOf(t *testing.T) {
	c := leveled(t, "1", "cpu=100 gpu=8")
	c.queues("q root deserved:cpu=9,gpu=4", "team root deserved:cpu=50,gpu=1", "v team deserved:cpu=2,gpu=5")
	pod := c.member("v", "victim", "victim", "cpu=4 gpu=3", true)
	unit := policy.Unit{Queue: c.id("v"), Whole: true, Tasks: []ledger.TaskID{pod}}
	o := c.Reclaimable(c.claim("q", "cpu=1 gpu=1"), unit)
	equal(t, "why not", brief(o.Reason), "VictimDeserved v nvidia.com/gpu 5/3")
}

// The members of a gang may ask for different resources: what was taken for one of them frees nothing that the next one
// asks for, and has no say in what is taken for that one.
func TestAVictimForAnotherMemberDecidesNothing(t *testing.T) {
	c := leveled(t, "", "cpu=100 gpu=8")
	c.queues("q root deserved:cpu=9,gpu=4", "v root deserved:cpu=2,gpu=2")
	var cores, cards []ledger.TaskID
	for i := range 4 {
		cores = append(cores, c.member("v", "cores", fmt.Sprint("cores-", i), "cpu=1", true))
		cards = append(cards, c.member("v", "cards", fmt.Sprint("cards-", i), "gpu=1", true))
	}
	c.Try(func(tx *ledger.Tx) bool {
		tx.Evict(cores[3], "reclaim", ledger.NoTask)
		o := c.Reclaimable(c.claim("q", "gpu=1"), policy.Unit{Queue: c.id("v"), Tasks: cards[3:]})
		equal(t, "why not", brief(o.Reason), "")

		both := c.member("v", "both", "both", "cpu=1 gpu=1", true)
		tx.Evict(cores[2], "reclaim", ledger.NoTask)
		tx.Evict(cores[1], "reclaim", ledger.NoTask)
		o = c.Reclaimable(c.claim("q", "gpu=1"), policy.Unit{Queue: c.id("v"), Tasks: []ledger.TaskID{both}})
		equal(t, "why not, of one that frees what the victims free", brief(o.Reason), "VictimDeserved v cpu 2/2")
		return false
	})
}
