package overcommit

import (
	"cmp"
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// A job that asks for more than its queue's part of the budget waits while other queues keep the rest:
// for ever, behind a tenant that makes its PodGroups anew each minute, or one pod of each. So queues
// with such a job that has waited for a minute have time slices, of a minute each and one at a time, the one with
// the longest time since its last slice first. What other queues keep does not refuse such jobs of the
// queue that has the slice. So each waits for as many minutes as there are such queues, at most.

const (
	patience  = int64(60_000_000_000) // how long a job waits before its queue has time slices, nanoseconds
	timeSlice = int64(60_000_000_000)
	aSecond   = int64(1_000_000_000)

	// sliceOf, with a queue's name, names the ledger's rounds that remember when its last slice began.
	sliceOf = "overcommit/"
)

// timeSlices are what a cycle knows of them.
type timeSlices struct {
	now    int64
	queue  ledger.QueueID   // that has the slice; NoQueue: none has
	until  int64            // when it ends
	asking []ledger.QueueID // queues that would let a job in if it were their time slice
	wakes  int64            // when the first job will have waited long enough; 0: none will
}

// At finds the queue that has the time slice. What may change that is known only when the cycle ends: see Later.
func (p *plugin) At(now int64) (next int64) {
	p.slices = timeSlices{now: now, queue: ledger.NoQueue, asking: p.slices.asking[:0]}
	for _, r := range p.l.Rounds.All() {
		if name, mine := strings.CutPrefix(r.Name, sliceOf); mine && r.At+timeSlice > max(now, p.slices.until) {
			p.slices.until = r.At + timeSlice
			p.slices.queue, _ = p.l.Queues.Find(name)
		}
	}
	return 0
}

// Later gives a queue its time slice if no queue has one. It returns when the next job may be let in for that.
func (p *plugin) Later() (next int64) {
	t := &p.slices
	switch {
	case len(t.asking) == 0:
		return t.wakes
	case t.until > t.now:
		next = t.until
	default:
		last := func(q ledger.QueueID) int64 { return p.l.Rounds.Get(sliceOf + p.l.Queue(q).Name) }
		first := slices.MinFunc(t.asking, func(a, b ledger.QueueID) int {
			return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(p.l.Queue(a).Name, p.l.Queue(b).Name))
		})
		p.l.Rounds.Set(sliceOf+p.l.Queue(first).Name, t.now)
		next = t.now + aSecond
	}
	if t.wakes != 0 {
		next = min(next, t.wakes)
	}
	return next
}

// inTimeSlice says that a job which the budget refuses in these dimensions is let in all the same: it asks
// for more than its queue's part, with what is in use and what its own queue keeps it is within the
// budget, it has waited, and it is its queue's time slice.
func (p *plugin) inTimeSlice(job *ledger.Job, over []resource.Dim) bool {
	larger := slices.ContainsFunc(over, func(d resource.Dim) bool { return job.Asks(d) > p.part(job.Queue, d, p.left(d)) })
	fits := !slices.ContainsFunc(over, func(d resource.Dim) bool { return p.queueWith(job, d, false) > p.left(d) })
	if !larger || !fits {
		return false
	}
	t := &p.slices
	if job.Created > model.After(t.now, patience) {
		return false // its age cannot be told: its clock and ours differ by decades
	}
	if ready := model.After(job.Created, patience); ready > t.now {
		if t.wakes == 0 || ready < t.wakes {
			t.wakes = ready
		}
		return false
	}
	if t.queue == job.Queue {
		return true
	}
	if !slices.Contains(t.asking, job.Queue) {
		t.asking = append(t.asking, job.Queue)
	}
	return false
}
