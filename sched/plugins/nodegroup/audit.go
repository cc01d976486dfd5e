package nodegroup

import (
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
)

// Audit counts again from nothing and compares. A PluginState that is to count anew before its next
// answer has nothing to answer for.
func (b *groupUsage) Audit(sits func(yield func(ledger.TaskID, *ledger.Task, ledger.NodeID,
	ledger.Hold) bool)) []string {
	if !b.live || b.requeued != b.l.Queues.Requeued() || !b.sameGroups() {
		return nil
	}
	again := &groupUsage{l: b.l, live: true, groups: b.groups, held: map[queueInGroup]*tally{}}
	sits(func(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) bool {
		again.Take(t, task, n, how)
		return true
	})
	var out []string
	compare := func(at queueInGroup, is, want *tally) {
		for how := range ledger.NumHolds {
			for d := range b.l.Dims.Len() {
				if got, counted := value(is, how, d), value(want, how, d); got != counted {
					out = append(out, fmt.Sprintf("queue %s in group %s: %s held in way %d is %v, recounted %v", at.queue, at.group,
						b.l.Dims.Name(resource.Dim(d)), how, got, counted))
				}
			}
		}
	}
	for p, t := range b.held { // order-free: findings are sorted
		compare(p, t, again.held[p])
	}
	for p, t := range again.held { // order-free: findings are sorted
		if b.held[p] == nil {
			compare(p, nil, t)
		}
	}
	slices.Sort(out)
	return out
}

func value(t *tally, how ledger.Hold, d int) resource.Sum {
	if t == nil {
		return resource.Sum{}
	}
	return at(t[how], resource.Dim(d))
}
