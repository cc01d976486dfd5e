package ledger

import "ashlar.sh/sched/model"

// arrive notes a pod that may be placed from now on. was is the same pod of the same job before, nil for a new
// one.
func (ch *Changes) arrive(j JobID, was, p *model.Pod) {
	if j != NoJob && p.Node == "" && !p.Gated && (was == nil || was.Gated) {
		ch.arrivals++
		if job := &ch.jobs.rows[j]; !job.Arrived {
			job.Arrived = true
			ch.arrived = append(ch.arrived, j)
		}
	}
}

// TakeArrivals calls f for every job to which pods that are to be placed came since the last call. came says
// that there was such a pod, maybe of a job that is gone by now, or a new PodGroup.
func (ch *Changes) TakeArrivals(f func(JobID)) (came bool) {
	for _, j := range ch.arrived {
		job := &ch.jobs.rows[j]
		if job.Arrived && job.By[model.Pending] > job.Gated {
			f(j)
		}
		job.Arrived = false // also if the pods are gone: it makes no difference whether the job outlived them
	}
	came = ch.arrivals > 0
	ch.arrived, ch.arrivals = ch.arrived[:0], 0
	return came
}

// Arrivals returns the jobs that TakeArrivals would find, and maybe jobs that are gone or have no arrivals any
// more.
func (ch *Changes) Arrivals() []JobID { return ch.arrived }

// Arrived says that TakeArrivals would return true.
func (ch *Changes) Arrived() bool { return ch.arrivals > 0 }

// RestoreArrivals makes TakeArrivals return what an earlier ledger would have returned.
func (ch *Changes) RestoreArrivals(came bool, jobs []JobID) {
	ch.TakeArrivals(func(JobID) {})
	for _, j := range jobs {
		ch.jobs.rows[j].Arrived = true
		ch.arrived = append(ch.arrived, j)
	}
	if came {
		ch.arrivals = 1
	}
}
