package loop

import (
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/passed"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// passedJobs sets the metric of how long jobs wait behind others of their queue that came later, and names in the log
// those that do for long.
type passedJobs struct {
	l      *loop
	jobs   passed.Jobs
	logged map[ledger.JobKey]int64 // those that the log named, with when they were made
	seeded bool                    // pods that ran before this scheduler acted were looked at
}

// longPassed is after which time the log names a job that is passed. The alert AshlarJobIsPassed has the same time.
const longPassed = 6 * time.Hour

// started notes the jobs of pods that a plan binds.
func (p *passedJobs) started(items []sched.Item) {
	p.jobs.Started(p.l.engine.Ledger(), items, p.l.now())
}

// figures finds which jobs were passed meanwhile, and sets how long those wait that were passed first, by queue.
func (p *passedJobs) figures() {
	l, now := p.l.engine.Ledger(), p.l.now()
	if !p.seeded {
		p.seeded = true
		p.jobs.Ran(l, now)
	}
	logged, longest := map[ledger.JobKey]int64{}, map[string]int64{}
	p.jobs.Look(l, p.l.engine.Refusal, func(id ledger.JobID, since int64) {
		job, queue, wait := l.Job(id), l.Jobs.QueueName(id), int64(0)
		if since != 0 {
			wait = now - since
		}
		longest[queue] = max(longest[queue], wait)
		if wait < int64(longPassed) {
			return
		}
		if logged[job.Key] = job.Created; p.logged[job.Key] != job.Created {
			klog.InfoS("A job has long waited behind jobs of its queue that came later", "job", l.Jobs.Called(id), "queue",
				queue, "for", time.Duration(wait).Round(time.Minute))
		}
	})
	p.logged = logged
	most := p.l.metrics.ofJobs.passed
	most.Reset()
	for queue, wait := range longest { // any number of names, as a job may name a queue that does not exist
		if id, known := l.Queues.Find(queue); known && l.Queue(id).Fact != nil {
			most.WithLabelValues(queue).Set(float64(wait) / 1e9)
		}
	}
}
