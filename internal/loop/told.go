package loop

import (
	"ashlar.sh/internal/readapi"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched/ledger"
)

// mostTold bounds how many reasons are remembered, and longestTold how long each may be: at most 8 MiB.
const (
	mostTold    = 8192
	longestTold = 1 << 10
)

// told remembers which reasons jobs were told lately, the oldest is forgotten first: a recording has what was decided,
// and why a job waits is found anew from it only by deciding again.
type told struct {
	list []toldReason // a ring
	next int
}

type toldReason struct {
	job ledger.JobKey
	readapi.Told
}

// reason notes that a job was told why it waits; at is in nanoseconds since the epoch.
func (t *told) reason(job ledger.JobKey, at int64, cycle uint64, why string) {
	if len(why) > longestTold {
		why = why[:longestTold] + "…"
	}
	r := toldReason{job, readapi.Told{At: at, Cycle: cycle, Why: why}}
	if len(t.list) < mostTold {
		t.list = append(t.list, r)
		return
	}
	t.list[t.next] = r
	t.next = (t.next + 1) % mostTold
}

// of are those of one job, the oldest first.
func (t *told) of(namespace, name string) (out []readapi.Told) {
	for i := range t.list {
		if r := &t.list[(t.next+i)%len(t.list)]; r.job.Namespace == namespace && r.job.Name == name {
			out = append(out, r.Told)
		}
	}
	return out
}

// Lately implements readapi.Recorder.
func (rc *recorder) Lately() (recording.Lately, bool) { return rc.ring.Lately() }

// Told implements readapi.Recorder.
func (rc *recorder) Told(namespace, name string) []readapi.Told { return rc.told.of(namespace, name) }
