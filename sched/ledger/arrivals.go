package ledger

import "ashlar.sh/sched/model"

// arrive notes a pod that may be given a node from now on; was is the same pod of the same job
// before, nil for a new one.
func (l *Ledger) arrive(j JobID, was, p *model.Pod) {
	if j != NoJob && p.Node == "" && !p.Gated && (was == nil || was.Gated) {
		l.arrivals++
		if job := &l.jobs[j]; !job.Arrived {
			job.Arrived = true
			l.arrived = append(l.arrived, j)
		}
	}
}

// TakeArrivals calls f for every job that pods came to, to be placed, since the last call. came
// says that they did, to a job that is gone by now perhaps, or that a PodGroup did.
func (l *Ledger) TakeArrivals(f func(JobID)) (came bool) {
	for _, j := range l.arrived {
		job := &l.jobs[j]
		if job.Arrived && job.By[model.Pending] > job.Gated {
			f(j)
		}
		job.Arrived = false // also where what came has gone: whether the job outlived it makes no difference
	}
	came = l.arrivals > 0
	l.arrived, l.arrivals = l.arrived[:0], 0
	return came
}

// Arrivals are the jobs that TakeArrivals would find, with others.
func (l *Ledger) Arrivals() []JobID { return l.arrived }

// Arrived says that TakeArrivals would find that something came.
func (l *Ledger) Arrived() bool { return l.arrivals > 0 }

// RestoreArrivals makes TakeArrivals find what an earlier ledger would have found: that
// something came, and pods to these jobs.
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
