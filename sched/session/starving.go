package session

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/victims"
)

// Jobs that starve and ask for the same are asked for together: who finds nobody to leave
// for one of them finds nobody for any. They are kept in groups of starving jobs from cycle to cycle; a job
// is looked at again only after something touched it, or the facts of a queue changed. That
// holds where plugins judge a job by itself (policy.OfJobAlone).

// StarvingGroup is jobs that starve and whose signatures are equal, in no order that may be decided by;
// there is at least one.
type StarvingGroup struct {
	Signature victims.Signature
	Jobs      []ledger.JobID
}

// StarvingJob is what is found out of a job that may starve.
type StarvingJob struct {
	Starves   bool
	Signature victims.Signature
	Alike     bool // all jobs that starve with this signature get the same answer
}

// starvingJobs are the groups of starving jobs, and the jobs that starve and are like no other.
type starvingJobs struct {
	on       bool   // somebody asked for them
	specSeen uint64 // mark of ledger.SpecChanged
	treeSeen []ledger.JobID
	slots    []groupSlot // by job
	groups   []*StarvingGroup
	of       map[victims.Signature]*StarvingGroup
	alone    []ledger.JobID
}

// groupSlot is where a job is kept.
type groupSlot struct {
	group *StarvingGroup
	at    int32 // in the group of starving jobs, or in alone
	alone bool
	fresh bool // it is among the news
}

// StarvingJobs are the jobs that starve: groups of starving jobs of those that are alike, and those that are
// like no other. look is asked about jobs that were touched. The slices are good until the
// next question.
func (s *Session) StarvingJobs(look func(ledger.JobID) StarvingJob) ([]*StarvingGroup, []ledger.JobID) {
	s.stir()
	v := &s.starving
	changed, mark, known := s.L.SpecChanged(v.specSeen)
	v.specSeen = mark
	if !v.on || !known || len(changed) > 0 {
		v.on = true
		for _, j := range s.L.Active() {
			v.touch(j)
		}
	}
	for _, j := range v.treeSeen {
		v.remove(j)
		v.slots[j].fresh = false
		if !s.L.Wants(j) {
			continue
		}
		if x := look(j); x.Starves {
			v.add(j, x)
		}
	}
	v.treeSeen = v.treeSeen[:0]
	return v.groups, v.alone
}

// touch notes that a job is to be looked at.
func (v *starvingJobs) touch(j ledger.JobID) {
	if !v.on {
		return
	}
	for int(j) >= len(v.slots) {
		v.slots = append(v.slots, groupSlot{})
	}
	if !v.slots[j].fresh {
		v.slots[j].fresh = true
		v.treeSeen = append(v.treeSeen, j)
	}
}

// place puts a job that starves where it belongs.
func (v *starvingJobs) add(j ledger.JobID, x StarvingJob) {
	if !x.Alike {
		v.slots[j].alone, v.slots[j].at = true, int32(len(v.alone))
		v.alone = append(v.alone, j)
		return
	}
	p := v.of[x.Signature]
	if p == nil {
		if v.of == nil {
			v.of = map[victims.Signature]*StarvingGroup{}
		}
		p = &StarvingGroup{Signature: x.Signature}
		v.of[x.Signature] = p
		v.groups = append(v.groups, p)
	}
	v.slots[j].group, v.slots[j].at = p, int32(len(p.Jobs))
	p.Jobs = append(p.Jobs, j)
}

// siftUp takes a job away from where it is.
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
