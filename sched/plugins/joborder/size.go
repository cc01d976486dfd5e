package joborder

import (
	"math/bits"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// size is what an order compares: nanoseconds, or nanoseconds times units of a resource,
// in 128 bits.
type size struct {
	changed   uint64 // the job's Changed when it was found; 0: it was not
	unknown   bool   // a member does not say how long it takes, or there is none
	high, low uint64
}

// size is found again when a member or the group has changed, and not before.
func (p *byFacts) size(j ledger.JobID) size {
	for int(j) >= len(p.known) {
		p.known = append(p.known, size{})
	}
	changed := p.l.Job(j).Changed
	if s := p.known[j]; s.changed == changed {
		return s
	}
	s := p.measure(j, 0)
	s.changed = changed
	p.known[j] = s
	return s
}

// measure goes over a job's members, in whichever order: a maximum or a sum. What they
// have run by a time counts as done; at 0 they have run nothing.
func (p *byFacts) measure(j ledger.JobID, now int64) size {
	s := size{unknown: true}
	all := true
	for status := range model.NumStatus {
		finished := status == model.Succeeded || status == model.Failed
		if finished && p.by != sjf {
			continue
		}
		p.l.Jobs.Tasks(j, status, func(t ledger.TaskID) bool {
			s.unknown = false
			all = all && p.add(&s, t, now)
			return all
		})
	}
	if !all {
		return size{unknown: true}
	}
	return s
}

// add takes a member in; false when it does not say how long it takes.
func (p *byFacts) add(s *size, t ledger.TaskID, now int64) bool {
	task := p.l.Task(t)
	lasts := task.Pod.Rare().Lasts
	if lasts == 0 {
		return false
	}
	if began := task.Pod.Started; began > 0 && now > began {
		lasts = max(0, lasts-model.Between(began, now))
	}
	if p.by != srsf {
		s.low = max(s.low, uint64(lasts))
		return true
	}
	high, low := bits.Mul64(uint64(lasts), uint64(p.asks(task)))
	var carry uint64
	s.low, carry = bits.Add64(s.low, low, 0)
	s.high, _ = bits.Add64(s.high, high, carry)
	return true
}

// asks is how much of the resource that is counted a member asks for.
func (p *byFacts) asks(task *ledger.Task) int64 {
	x, _ := task.Pod.Spec.Requests.Get(p.resource)
	return max(0, x)
}
