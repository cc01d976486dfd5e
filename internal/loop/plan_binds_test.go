package loop

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// What of a gang below its minimum, which was refused before, is bound in order, and what waits for what.
func TestWhatWaitsForWhatIsBoundInOrder(t *testing.T) {
	const id, least, earlier = ledger.JobID(1), 3, uint64(7) // the last statement of an earlier plan
	for name, c := range map[string]struct {
		bound, underWay int32   // by earlier plans
		statements      []int32 // how many pods each of the plan binds, the first of them number 10
		after           []uint64
		inOrder         []bool
	}{
		"its minimum and two above it": {0, 0, []int32{3, 1, 1}, []uint64{0, 10, 10},
			[]bool{true, false, false}},
		"the rest of its minimum":                          {1, 1, []int32{1, 1}, []uint64{earlier, 10}, []bool{true, false}},
		"one that completes it, and another":               {2, 0, []int32{1, 1}, []uint64{0, 0}, []bool{true, true}},
		"one that completes it while another is under way": {2, 1, []int32{1}, []uint64{0}, []bool{true}},
		"above a minimum that is under way": {0, 3, []int32{1, 1}, []uint64{earlier, earlier},
			[]bool{false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			job := &ledger.Job{MinMember: least}
			plan := planBinds{map[uint64]int32{}, map[ledger.JobID]int32{}, map[ledger.JobID]uint64{}}
			for n, pods := range c.statements {
				plan.of[uint64(10+n)] = pods
				plan.ofJob[id] += pods
			}
			job.By[model.Running], job.By[model.Binding] = c.bound, c.underWay+plan.ofJob[id]
			for n := range c.statements {
				after, inOrder := plan.after(job, id, uint64(10+n), earlier)
				if after != c.after[n] || inOrder != c.inOrder[n] {
					t.Errorf("statement %d waits for %d, in order %t, want %d and %t", 10+n, after, inOrder, c.after[n], c.inOrder[n])
				}
			}
		})
	}
}
