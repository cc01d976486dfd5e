package loop

import (
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// reportedEvictions says on each PodGroup how many of its pods were evicted, by which action, and which queue takes the
// room: an event of Volcano's type and reason (Normal, Evict). Why each of them goes is said on the pod. What one queue
// takes from another is counted, to be told on both. An eviction counts once it was carried out: one that a plan asks
// for may be withdrawn, or the pod may end by itself before.
type reportedEvictions struct {
	unanswered map[uint64]loss // by item: not answered yet
	pods       map[loss]int    // carried out since the last round
	order      []loss          // in which they were
}

// loss is what a PodGroup loses pods to.
type loss struct {
	group ledger.Key
	uid   string // of the PodGroup; "": an adopted pod, which says it itself
	taking
}

// ask notes the evictions that a plan asks for: once they are carried out, their pods may be gone.
func (re *reportedEvictions) ask(led *ledger.Ledger, items []sched.Item) {
	for _, i := range items {
		if i.Kind != sched.EvictPod {
			continue
		}
		t, ok := led.Tasks.Find(i.Pod)
		if !ok || led.Task(t).Job == ledger.NoJob {
			continue
		}
		by := loss{taking: taking{action: i.Action}}
		if job := led.Job(led.Task(t).Job); job.Group != nil {
			by.group, by.uid = groupOf(job), job.Group.UID
		}
		if i.Record != nil && i.Record.Preemptor != "" {
			by.from, by.to = i.Record.Queue, i.Record.PreemptorQueue
		}
		if re.unanswered == nil {
			re.unanswered = map[uint64]loss{}
		}
		re.unanswered[i.ID] = by
	}
}

// follow counts the evictions that were carried out.
func (re *reportedEvictions) follow(receipts []sched.Receipt, queues *queueEvents) {
	for _, r := range receipts {
		by, ok := re.unanswered[r.Item.ID]
		if !ok || r.Item.Kind != sched.EvictPod {
			continue
		}
		delete(re.unanswered, r.Item.ID)
		if r.Outcome != sched.Done {
			continue
		}
		queues.takes(by.taking)
		if by.uid == "" {
			continue
		}
		if re.pods == nil {
			re.pods = map[loss]int{}
		}
		if re.pods[by]++; re.pods[by] == 1 {
			re.order = append(re.order, by)
		}
	}
}

// tell makes the events of what was carried out since the last round.
func (re *reportedEvictions) tell(x *execute.Executor) {
	for _, by := range re.order {
		x.Event(execute.Event{Kind: "PodGroup", Object: by.group, UID: by.uid, Reason: "Evict",
			Message: explain.EvictedOf(by.action, re.pods[by], by.from, by.to)})
	}
	re.pods, re.order = nil, nil
}
