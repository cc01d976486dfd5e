package ledger

import "ashlar.sh/sched/model"

// arrive notes a pod that may be placed from now on. was is the same pod of the same job before, nil for a new
// one.
func (l *Ledger) arrive(j JobID, was, p *model.Pod) {
	if j != NoJob && p.Node == "" && !p.Gated && (was == nil || was.Gated) {
		l.arrivals++
		if job := &l.jobs[j]; !job.Arrived {
			job.Arrived = true
			l.arrived = append(l.arrived, j)
		}
	}
}

// TakeArrivals calls f for every job to which pods that are to be placed came since the last call. came says
// that there was such a pod, maybe of a job that is gone by now, or a new PodGroup.
func (l *Ledger) TakeArrivals(f func(JobID)) (came bool) {
	for _, j := range l.arrived {
		job := &l.jobs[j]
		if job.Arrived && job.By[model.Pending] > job.Gated {
			f(j)
		}
		job.Arrived = false // also if the pods are gone: it makes no difference whether the job outlived them
	}
	came = l.arrivals > 0
	l.arrived, l.arrivals = l.arrived[:0], 0
	return came
}

// Arrivals returns the jobs that TakeArrivals would find, and maybe jobs that are gone or have no arrivals any
// more.
func (l *Ledger) Arrivals() []JobID { return l.arrived }

// Arrived says that TakeArrivals would return true.
func (l *Ledger) Arrived() bool { return l.arrivals > 0 }

// RestoreArrivals makes TakeArrivals return what an earlier ledger would have returned.
func (l *Ledger) RestoreArrivals(came bool, jobs []JobID) {
	l.TakeArrivals(func(JobID) {})
	for _, j := range jobs {
		l.jobs[j].Arrived = true
		l.arrived = append(l.arrived, j)
	}
	if came {
		l.arrivals = 1
	}
}
