package evict

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/session"
)

// StarvingGroup is at least one job: jobs that starve with equal signatures. They share one search: when no
// victims are found for one of them, there are none for any.
type StarvingGroup = pending.Group[Signature]

// starvingGroups are the StarvingGroups, which are kept from cycle to cycle. A job is looked at again only after
// it changed, or the facts of a queue changed. That is right where plugins judge a job by itself
// (policy.OfJobAlone).
type starvingGroups struct {
	groups pending.Groups[Signature]
	specs  ledger.Cursor // of queues
}

// follow returns the groups. signatureOf, which says whether a job starves, is called for jobs that changed. The
// slice is valid until the next call.
func (sg *starvingGroups) follow(s *session.Session,
	signatureOf func(ledger.JobID) (Signature, bool)) []*StarvingGroup {
	again := func(j ledger.JobID) {
		sg.groups.Remove(j)
		if !s.L.Jobs.Wants(j) {
			return
		}
		if g, starves := signatureOf(j); starves {
			sg.groups.Add(j, g)
		}
	}
	s.Pending.TakeChanged(again)
	if changed, known := s.L.Changes.QueueSpecs.Follow(&sg.specs); !known || len(changed) > 0 {
		for _, j := range s.L.Jobs.Active() {
			again(j)
		}
	}
	return sg.groups.All
}
