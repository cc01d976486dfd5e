package loop

import (
	"ashlar.sh/internal/readapi"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched/ledger"
)

// mostReasons bounds how many reasons are remembered, and longestReason how long each may be, and how long what names
// the job: at most 16 MiB.
const (
	mostReasons   = 8192
	longestReason = 1 << 10
)

// reasonHistory remembers which reasons jobs were told lately, the oldest is forgotten first: a recording has what was
// decided, and why a job waits is found anew from it only by deciding again.
type reasonHistory struct {
	list []jobReason // a ring
	next int
}

type jobReason struct {
	job ledger.JobKey
	readapi.ReportedReason
}

// reason notes that a job was told why it waits; at is in nanoseconds since the epoch.
func (t *reasonHistory) reason(job ledger.JobKey, at int64, cycle uint64, why string) {
	if len(job.Namespace)+len(job.Name)+len(job.Owner) > longestReason {
		return // nothing is called so: a pod names a PodGroup that cannot be
	}
	if len(why) > longestReason {
		why = why[:longestReason] + "…"
	}
	r := jobReason{job, readapi.ReportedReason{At: at, Cycle: cycle, Why: why}}
	if len(t.list) < mostReasons {
		t.list = append(t.list, r)
		return
	}
	t.list[t.next] = r
	t.next = (t.next + 1) % mostReasons
}

// of are those of one job, the oldest first.
func (t *reasonHistory) of(namespace, name string) (out []readapi.ReportedReason) {
	for i := range t.list {
		if r := &t.list[(t.next+i)%len(t.list)]; r.job.Namespace == namespace && r.job.Name == name {
			out = append(out, r.ReportedReason)
		}
	}
	return out
}

// Lately implements readapi.Recorder.
func (rc *recorder) Lately() (recording.Lately, bool) { return rc.ring.Lately() }

// Reasons implements readapi.Recorder.
func (rc *recorder) Reasons(namespace, name string) []readapi.ReportedReason {
	return rc.reasons.of(namespace, name)
}
