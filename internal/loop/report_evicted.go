package loop

import (
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// evicted says on each PodGroup of which pods are evicted how many, by which action, and which queue takes the room: an
// event of Volcano's type and reason (Normal, Evict). Why each of them goes is said on the pod. What one queue takes
// from another is counted, to be told on both.
func (rp *reports) evicted(items []sched.Item) {
	type eviction struct {
		job ledger.JobID
		taking
	}
	led, pods := rp.l.engine.Ledger(), map[eviction]int{}
	var order []eviction
	for _, i := range items {
		if i.Kind != sched.EvictPod {
			continue
		}
		t, ok := led.Tasks.Find(i.Pod)
		if !ok || led.Task(t).Job == ledger.NoJob {
			continue
		}
		e := eviction{led.Task(t).Job, taking{action: i.Action}}
		if i.Why != nil && i.Why.For != "" {
			e.from, e.to = i.Why.Queue, i.Why.ForQueue
		}
		rp.queues.takes(e.taking)
		if pods[e]++; pods[e] == 1 {
			order = append(order, e)
		}
	}
	for _, e := range order {
		job := led.Job(e.job)
		if job.Group == nil {
			continue // adopted: its pods say it
		}
		rp.l.executor.Event(execute.Event{Kind: "PodGroup", Object: groupOf(job), UID: job.Group.UID, Reason: "Evict",
			Message: explain.EvictedOf(e.action, pods[e], e.from, e.to)})
	}
}
