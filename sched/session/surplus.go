package session

import "ashlar.sh/sched/ledger"

// Surplus is when members above their gangs' minimums are placed. When pods came to a job within the
// last period, its surplus is placed after all minimums: otherwise the first of several jobs that are
// submitted together takes what the rest need to start. When the period is over, the job is served in
// the profile's order like any other.
//
// A period of 0 means one cycle: its minimums first, then its surplus. Otherwise the surplus waits
// until the end of the period, or until nothing came for some time (Quiet) and no gang lacks its
// minimum.
type Surplus struct {
	Period, Quiet int64 // nanoseconds
	LastArrival   int64 // when pods last came, nanoseconds since the epoch
	Until         int64 // when surplus that is held back is due, unless more pods come; 0: none is held back

	recent []ledger.JobID // may contain jobs that are gone
}

// arrive takes in the pods that came since the last cycle.
func (s *Session) arrive() {
	u := &s.Surplus
	kept := u.recent[:0]
	for _, j := range u.recent {
		switch job := s.L.Job(j); {
		case !job.Recent:
		case s.Now < job.LastArrival+max(1, u.Period):
			kept = append(kept, j)
		default:
			// Pods that come now are placed together with the held-back ones.
			job.Recent, job.Arrived = false, job.Arrived && !job.HeldBack
		}
	}
	u.recent, u.Until = kept, 0
	came := s.L.Changes.TakeArrivals(func(j ledger.JobID) {
		if job := s.L.Job(j); !job.Recent {
			job.Recent, job.HeldBack, job.LastArrival = true, false, s.Now
			u.recent = append(u.recent, j)
		}
	})
	if came {
		u.LastArrival = s.Now
	}
}

// RecentArrivals are the jobs that pods came to within the period; some may be over.
func (s *Session) RecentArrivals() []ledger.JobID { return s.Surplus.recent }

// RestoreArrival notes, after a restart, that pods came to a job at a time within the period.
func (s *Session) RestoreArrival(j ledger.JobID, at int64, heldBack bool) {
	job := s.L.Job(j)
	job.Recent, job.HeldBack, job.LastArrival = true, heldBack, at
	s.Surplus.recent = append(s.Surplus.recent, j)
}

// ForgetArrivals forgets that pods came to jobs: RestoreArrival may follow.
func (s *Session) ForgetArrivals() {
	for _, j := range s.Surplus.recent {
		job := s.L.Job(j)
		job.Recent, job.HeldBack = false, false
	}
	s.Surplus.recent, s.Surplus.Until = s.Surplus.recent[:0], 0
}

// MayPlaceSurplus says that the surplus of these jobs, which pods came to within the period, may be
// placed now; otherwise it is held back.
func (s *Session) MayPlaceSurplus(jobs []ledger.JobID) bool {
	u := &s.Surplus
	calm := u.LastArrival + u.Quiet
	now := u.Period == 0 || s.Now >= calm && !s.lacking()
	u.Until = s.L.Job(jobs[0]).LastArrival + u.Period
	for _, j := range jobs {
		job := s.L.Job(j)
		job.Recent, job.HeldBack, u.Until = !now, !now, min(u.Until, job.LastArrival+u.Period)
	}
	switch {
	case now:
		u.Until = 0
	case s.Now < calm:
		u.Until = min(u.Until, calm)
	}
	return now
}

// lacking says that a gang that may be served, or admitted, lacks its minimum, whether or not its pods
// have come.
func (s *Session) lacking() (found bool) {
	s.L.Jobs.Each(func(j ledger.JobID) bool {
		job := s.L.Job(j)
		mayCome := job.Exists() && (job.Admitted() || job.AwaitsAdmission())
		found = mayCome && !job.Met((*ledger.Count).PlacedOrPipelined) && !s.Blocked(j).Is()
		return !found
	})
	return found
}
