package sched

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Standing is where a job that waits stands in the order of service. Queues have their turns one job at a time, and
// what a queue holds then decides its next turn: so the jobs ahead are those of the job's own queue, and of the other
// queues only their number is told. A job that is ahead is asked first; it need not start first.
type Standing struct {
	Turn   int // the place of its queue among those with jobs that may have a turn, from 1; 0: the job has none
	Queues int // how many queues have such jobs
	Ahead  Ahead
}

// Ahead is the jobs of a queue that are served before another, by the profile's order of jobs.
type Ahead struct {
	Jobs, Pods int           // Pods: those that wait for a place
	Asks       resource.List // what those pods ask for together, their places among it
	First      string        // namespace/name of the job that is served first; "" when there is none
	FirstPods  int
	FirstAsks  resource.List
}

// Standing returns where a job stands in the order of service now. Its cost grows with the number of jobs that wait.
func (q Questions) Standing(id ledger.JobID) (out Standing) {
	e := q.e
	e.l.ExtendDims()
	turn, _ := e.reports.served()
	queue := e.l.Job(id).Queue
	out.Queues, out.Turn = len(turn), turn[queue]
	if out.Turn == 0 || !needsPlaces(e.l.Job(id)) {
		out.Turn = 0
		return out
	}
	first, asks := ledger.NoJob, resource.Vec{}
	for _, j := range e.l.Jobs.Active() {
		job := e.l.Job(j)
		if j == id || job.Queue != queue || !needsPlaces(job) || e.session.Blocked(j).Is() ||
			e.policy.CompareJobs(j, id) > 0 {
			continue
		}
		out.Ahead.Jobs++
		pods, asked := e.reports.asks(j)
		out.Ahead.Pods, asks = out.Ahead.Pods+pods, asks.Add(asked)
		if first == ledger.NoJob || e.policy.CompareJobs(j, first) < 0 {
			first, out.Ahead.FirstPods, out.Ahead.FirstAsks = j, pods, e.reports.list(asked)
		}
	}
	if first != ledger.NoJob {
		out.Ahead.First, out.Ahead.Asks = e.l.Jobs.Called(first), e.reports.list(asks)
	}
	return out
}

// asks is how many pods of a job wait for a place, and what they ask for together.
func (rp *reports) asks(id ledger.JobID) (pods int, sum resource.Vec) {
	for _, s := range []model.Status{model.Pending, model.Pipelined} {
		rp.e.l.Jobs.Tasks(id, s, func(t ledger.TaskID) bool {
			pods++
			sum = sum.Add(rp.classOf(t).Request)
			return true
		})
	}
	return pods, sum
}
