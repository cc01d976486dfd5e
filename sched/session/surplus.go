package session

import "ashlar.sh/sched/ledger"

// Surplus is when members above their gangs' minimums are placed. Those of a job that pods
// came to within a period go after all minimums: otherwise the first of several jobs that are
// submitted together takes what the others need to begin. When the period is over they are
// served in the profile's order like anything else.
//
// With a period of 0 a cycle stands for one: its minimums first, then its surplus. Otherwise
// the surplus waits till the end of the period, or until nothing came for a moment (Quiet)
// and no gang lacks its minimum.
type Surplus struct {
	Period, Quiet int64 // nanoseconds
	Came          int64 // when something came to be placed last
	Until         int64 // when surplus that is held back is due, unless more comes; 0: none is

	recent []ledger.JobID // with jobs that are gone, perhaps
}

// arrive takes in what came to be placed since the last cycle.
func (s *Session) arrive() {
	u := &s.Surplus
	kept := u.recent[:0]
	for _, j := range u.recent {
		switch job := s.L.Job(j); {
		case !job.Recent:
		case s.Now < job.Came+max(1, u.Period):
			kept = append(kept, j)
		default:
			// What comes now has its turn with those that waited.
			job.Recent, job.Arrived = false, job.Arrived && !job.HeldBack
		}
	}
	u.recent, u.Until = kept, 0
	came := s.L.TakeArrivals(func(j ledger.JobID) {
		if job := s.L.Job(j); !job.Recent {
			job.Recent, job.HeldBack, job.Came = true, false, s.Now
			u.recent = append(u.recent, j)
		}
	})
	if came {
		u.Came = s.Now
	}
}

// RecentArrivals are the jobs that pods came to within the period, with others.
func (s *Session) RecentArrivals() []ledger.JobID { return s.Surplus.recent }

// RestoreArrival says that pods came to a job at a time, within the period.
func (s *Session) RestoreArrival(j ledger.JobID, at int64, heldBack bool) {
	job := s.L.Job(j)
	job.Recent, job.HeldBack, job.Came = true, heldBack, at
	s.Surplus.recent = append(s.Surplus.recent, j)
}

// MayPlaceSurplus says that the surplus of jobs that pods came to within the period may be placed
// now; otherwise they are held back.
func (s *Session) MayPlaceSurplus(jobs []ledger.JobID) bool {
	u := &s.Surplus
	calm := u.Came + u.Quiet
	now := u.Period == 0 || s.Now >= calm && !s.lacking()
	u.Until = s.L.Job(jobs[0]).Came + u.Period
	for _, j := range jobs {
		job := s.L.Job(j)
		job.Recent, job.HeldBack, u.Until = !now, !now, min(u.Until, job.Came+u.Period)
	}
	switch {
	case now:
		u.Until = 0
	case s.Now < calm:
		u.Until = min(u.Until, calm)
	}
	return now
}

// lacking says that some gang that may be served, or let in, has not its minimum, whether or
// not its pods have come.
func (s *Session) lacking() (found bool) {
	s.L.Jobs(func(j ledger.JobID) bool {
		job := s.L.Job(j)
		mayCome := job.Exists() && (job.Admitted() || job.AwaitsAdmission())
		found = mayCome && !job.Met((*ledger.Count).Promised) && !s.Gate(j).Is()
		return !found
	})
	return found
}
