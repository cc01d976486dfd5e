package loop

import (
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// firstReasons looks between two rounds at jobs that wait and were told no reason yet. A round looks at every job, so
// that on a large cluster a reason may be seen a round late, and is written a round after that. To look at the few jobs
// that came since costs next to nothing.
type firstReasons struct {
	engine *sched.Engine // of which these are jobs
	seen   ledger.Cursor
	jobs   []ledger.JobKey
	listed map[ledger.JobKey]bool // has jobs
	from   time.Time              // no look before
	next   time.Time              // no reason that is seen is due before
	due    time.Time              // when there is to be a cycle for the next look; zero: for none
	looks  bool                   // a look is under way
}

const (
	firstLook = 200 * time.Millisecond // from one look to the next, at least
	longLook  = 5 * time.Millisecond   // then the other jobs are left to the next look, or a round
	lookPace  = 10                     // looks take at most this part of the time, but for one that is held up

	// firstHolds is by how much longer a reason must hold that a look sees first. A round would have seen it half a
	// round later, and looks are late by some themselves: so as many jobs as before start before anything is written.
	firstHolds = 300 * time.Millisecond
)

// look tells the first reason of jobs for which that is due.
func (rp *reports) look(now time.Time) {
	f, led := &rp.firsts, rp.l.engine.Ledger()
	if f.engine != rp.l.engine {
		return // the next round looks at all of its jobs
	}
	if now.Before(f.from) {
		f.await()
		return
	}
	changed, _ := led.Changes.Jobs.Follow(&f.seen) // where it is not known what changed, a round tells
	for _, id := range changed {
		if key := led.Job(id).Key; !f.listed[key] && rp.awaitsFirst(id) {
			f.jobs, f.listed[key] = append(f.jobs, key), true
		}
	}
	f.looks = true
	defer func() { f.looks = false }()
	rest, next := f.jobs[:0], time.Time{}
	for i, key := range f.jobs {
		if time.Since(now) > longLook {
			rest, next = append(rest, f.jobs[i:]...), now
			break
		}
		due := rp.first(key, now)
		if due.IsZero() {
			delete(f.listed, key)
			continue
		}
		if rest = append(rest, key); next.IsZero() || due.Before(next) {
			next = due
		}
	}
	f.jobs, f.from, f.next = rest, now.Add(max(firstLook, min(lookPace*time.Since(now), round))), next
	f.await()
}

// looked notes that a round has looked at all jobs of an engine.
func (f *firstReasons) looked(e *sched.Engine, now time.Time) {
	if f.engine != e {
		*f = firstReasons{engine: e, seen: e.Ledger().Changes.Jobs.Now(), listed: map[ledger.JobKey]bool{}}
	}
	f.from = now.Add(firstLook)
	f.await()
}

// await has a cycle come for the next look, if there are jobs to look at.
func (f *firstReasons) await() {
	switch {
	case f.seen != f.engine.Ledger().Changes.Jobs.Now() || len(f.jobs) > 0 && f.next.Before(f.from):
		f.due = f.from
	case len(f.jobs) > 0:
		f.due = f.next
	default:
		f.due = time.Time{}
	}
}

// first tells the first reason of a job, if it has held for long enough, or else returns when it will have. The zero
// time: nothing is to be told, or it was.
func (rp *reports) first(key ledger.JobKey, now time.Time) (due time.Time) {
	id, there := rp.l.engine.Ledger().Jobs.Find(key)
	if !there || !rp.awaitsFirst(id) {
		return due
	}
	rp.job(id, now)
	if t := rp.l.reported.jobs[key]; t.written == "" && t.code != "" {
		due = t.due
	}
	return due
}

// awaitsFirst says that a job waits and was told no reason in this wait.
func (rp *reports) awaitsFirst(id ledger.JobID) bool {
	job := rp.l.engine.Ledger().Job(id)
	if job.By[model.Pending]+job.By[model.Pipelined] == 0 || started(job) {
		return false
	}
	t := rp.l.reported.jobs[job.Key]
	return t == nil || t.written == "" && !t.writtenReady && t.changes == 0
}

// see notes why a job waits. What a look saw first a round has seen, too.
func (t *reportedJob) see(code string, now time.Time, looks bool) {
	if code == t.code {
		if !looks && t.since.After(now) {
			t.since = now
		}
		return
	}
	if t.code == t.written && now.Sub(t.since) >= reasonCalm {
		t.changes = 0
	}
	if t.code, t.since = code, now; looks {
		t.since = now.Add(firstHolds)
	}
}
