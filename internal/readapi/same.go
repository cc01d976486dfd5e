package readapi

import (
	"fmt"
	"hash/fnv"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Identity is which job a name stands for, and what its owners wrote of it: another one after it was edited, lost or
// got a pod, or was made again under its name. What the scheduler decides about it does not count. 0: there is no such
// job.
func Identity(e *sched.Engine, key ledger.JobKey) uint64 {
	led := e.Ledger()
	id, there := led.Jobs.Find(key)
	if !there {
		return 0
	}
	job := led.Job(id)
	h := fnv.New64a()
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(h, format, args...) } // it returns no error
	say("%s %d %v", led.Jobs.QueueName(id), job.MinMember, job.Roles)
	if g := job.Group; g != nil {
		say("%s %v %q", g.UID, g.MinResources, g.PriorityClass)
	}
	pods := uint64(0) // a sum, whatever their order: there may be many, and the loop waits
	for s := range model.NumStatus {
		led.Jobs.Tasks(id, s, func(t ledger.TaskID) bool {
			p := led.Task(t).Pod
			one := ledger.Hash(p.UID)
			if p.Gated {
				one *= 3
			}
			pods += one
			return true
		})
	}
	say(" %d", pods)
	return max(1, h.Sum64())
}
