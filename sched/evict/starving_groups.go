package evict

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
)

// Jobs that starve with equal signatures share one search: when no victims are found
// for one of them, there are none for any. They are kept in StarvingGroups from cycle to cycle. A job
// is looked at again only after it changed, or the facts of a queue changed. That
// is right where plugins judge a job by itself (policy.OfJobAlone).

// StarvingGroup is at least one job: jobs that starve and whose signatures are equal, in no order that
// may decide anything.
type StarvingGroup struct {
	Signature Signature
	Jobs      []ledger.JobID
}

// StarvingJob is what look found for a job that may starve.
type StarvingJob struct {
	Starves   bool
	Signature Signature
	Alike     bool // all jobs that starve with this signature get the same answer
}

// starvingJobs are the StarvingGroups, and the starving jobs that share no answer.
type starvingJobs struct {
	specSeen ledger.Cursor // of the specs of queues
	slots    []groupSlot   // by job
	groups   []*StarvingGroup
	of       map[Signature]*StarvingGroup
	alone    []ledger.JobID
}

// groupSlot is the position of a job.
type groupSlot struct {
	group *StarvingGroup
	at    int32 // index in the group, or in alone
	alone bool
}

// jobs are the jobs that starve: in StarvingGroups where answers can be shared, and those that
// are alone. look is called for jobs that changed. The slices are valid until the next call.
func (v *starvingJobs) jobs(s *session.Session, look func(ledger.JobID) StarvingJob) ([]*StarvingGroup, []ledger.JobID) {
	again := func(j ledger.JobID) {
		for int(j) >= len(v.slots) {
			v.slots = append(v.slots, groupSlot{})
		}
		v.remove(j)
		if !s.L.Jobs.Wants(j) {
			return
		}
		if x := look(j); x.Starves {
			v.add(j, x)
		}
	}
	s.Pending.TakeChanged(again)
	if changed, known := s.L.Changes.QueueSpecs.Follow(&v.specSeen); !known || len(changed) > 0 {
		for _, j := range s.L.Jobs.Active() {
			again(j)
		}
	}
	return v.groups, v.alone
}

// add adds a job that starves to its group, or to those that are alone.
func (v *starvingJobs) add(j ledger.JobID, x StarvingJob) {
	if !x.Alike {
		v.slots[j].alone, v.slots[j].at = true, int32(len(v.alone))
		v.alone = append(v.alone, j)
		return
	}
	p := v.of[x.Signature]
	if p == nil {
		if v.of == nil {
			v.of = map[Signature]*StarvingGroup{}
		}
		p = &StarvingGroup{Signature: x.Signature}
		v.of[x.Signature] = p
		v.groups = append(v.groups, p)
	}
	v.slots[j].group, v.slots[j].at = p, int32(len(p.Jobs))
	p.Jobs = append(p.Jobs, j)
}

// remove takes a job out of its group, or of those that are alone.
func (v *starvingJobs) remove(j ledger.JobID) {
	seat := &v.slots[j]
	from := &v.alone
	switch {
	case seat.group != nil:
		from = &seat.group.Jobs
	case !seat.alone:
		return
	}
	last := (*from)[len(*from)-1]
	(*from)[seat.at], v.slots[last].at = last, seat.at
	*from = (*from)[:len(*from)-1]
	if p := seat.group; p != nil && len(p.Jobs) == 0 {
		delete(v.of, p.Signature)
		v.groups = slices.DeleteFunc(v.groups, func(o *StarvingGroup) bool { return o == p })
	}
	seat.group, seat.alone = nil, false
}
