package devicequota

import (
	"slices"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// limit is the most that a queue may hold of a dimension.
type limit func(at ledger.QueueID, d resource.Dim) (most int64, limited bool)

// short is the first name, of the nearest queue, in which a queue would hold more with some claims than it may;
// claims that count there already ask for nothing. future: what leaving pods hold is gone. ok: there is none.
func (q *Quota) short(queue ledger.QueueID, keys []string, future bool, may limit) (at ledger.QueueID, s trace.Short,
	ok bool) {
	q.follow()
	held := q.held
	if future {
		held = q.firm
	}
	for at = queue; at != ledger.NoQueue; at = q.l.Queues.Parent(at) {
		for _, a := range q.more(at, keys, future) {
			d, known := q.dim(a.name)
			if !known {
				continue
			}
			most, limited := may(at, d)
			if with := held[at][a.name].Plus(a.value).Int64(); limited && with > most {
				return at, trace.Short{Dim: a.name, Need: with, Have: most}, false
			}
		}
		if !q.tree {
			break
		}
	}
	return ledger.NoQueue, trace.Short{}, true
}

// more is what a queue would hold more with some claims.
func (q *Quota) more(at ledger.QueueID, keys []string, future bool) []ask {
	sums := map[string]int64{}
	for _, key := range keys {
		c := q.claims[key]
		if c == nil || c.stays[at] > 0 || !future && c.users[at] > 0 {
			continue
		}
		for _, a := range c.asks {
			sums[a.name] = bounded(sums[a.name], a.value)
		}
	}
	return listed(sums)
}

// dim is the dimension of a name that some queue's spec has and that counts.
func (q *Quota) dim(name string) (resource.Dim, bool) {
	d, known := q.l.Dims.Lookup(name)
	return d, known && q.Counts(d)
}

// capability is the limit that a queue's spec names.
func (q *Quota) capability(at ledger.QueueID, d resource.Dim) (int64, bool) {
	return q.l.Queue(at).Capability.Bound(d)
}

// Concerns says that pods of a class have resource claims.
func (q *Quota) Concerns(s *model.Spec) bool { return len(s.Devices) > 0 }

// FilterTask refuses a task on every node if its queue has no room for its claims, or if it would take what other
// queues are guaranteed. With future, what leaving pods hold is gone.
func (q *Quota) FilterTask(t ledger.TaskID, _ ledger.NodeID, future bool) policy.Verdict {
	task := q.l.Task(t)
	if task.Job == ledger.NoJob {
		return policy.Verdict{}
	}
	queue := q.l.Job(task.Job).Queue
	if at, s, ok := q.short(queue, devices.ClaimsOf(task), future, q.capability); !ok {
		return refuse(q.l.Queue(at).Name, s)
	}
	if q.queues == nil {
		return policy.Verdict{}
	}
	if r := q.queues.BeyondGuarantees(queue, q.Wants(t)); r.Is() {
		return refuse(r.Queue+" "+trace.CountsGuarantees, r.Shorts[0])
	}
	return policy.Verdict{}
}

// OfQueue implements policy.QueueFilter.
func (q *Quota) OfQueue() {}

func refuse(text string, s trace.Short) policy.Verdict {
	return policy.Verdict{Code: trace.QueueDevices, Text: text, Everywhere: true,
		Domain: trace.Domain{Key: s.Dim, Least: s.Need, Most: s.Have}}
}

// VoteEnqueue rejects a job if the minimum of its members requests more than its queue may still hold.
// Members that have not come yet ask for nothing, and of more members than the minimum those with the
// fewest devices count.
func (q *Quota) VoteEnqueue(j ledger.JobID) (policy.Vote, trace.Reason) {
	job := q.l.Job(j)
	if job.Queue == ledger.NoQueue {
		return policy.Abstain, trace.Reason{}
	}
	keys := q.fewest(j, max(0, int(job.MinMember-job.Placed())), 1)
	may := q.capability
	if q.queues != nil {
		may = q.queues.Admits
	}
	at, s, ok := q.short(job.Queue, keys, false, may)
	if ok {
		return policy.Abstain, trace.Reason{}
	}
	return policy.Reject, trace.Reason{Code: trace.QueueDevices, Queue: q.l.Queue(at).Name, Shorts: []trace.Short{s}}
}

// fewest are the claims of so many of a job's waiting members as ask for the fewest devices (order 1) of all
// classes together, or for the most (-1).
func (q *Quota) fewest(j ledger.JobID, n, order int) []string {
	var members [][]string
	q.l.Jobs.Tasks(j, model.Pending, func(t ledger.TaskID) bool {
		members = append(members, devices.ClaimsOf(q.l.Task(t)))
		return true
	})
	if len(members) > n {
		slices.SortStableFunc(members, func(a, b []string) int {
			switch x, y := q.number(a), q.number(b); {
			case x < y:
				return -order
			case x > y:
				return order
			}
			return slices.Compare(a, b)
		})
		members = members[:n]
	}
	return slices.Concat(members...)
}

func (q *Quota) number(keys []string) (sum int64) {
	for _, key := range keys {
		if c := q.claims[key]; c != nil {
			for _, a := range c.asks {
				if _, capacity := OfDevices(a.name); !capacity {
					sum = bounded(sum, a.value)
				}
			}
		}
	}
	return sum
}
