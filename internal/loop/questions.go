package loop

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"ashlar.sh/internal/readapi"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
)

// questions are what other goroutines want to know of the engine. The loop's goroutine answers them between two cycles.
// Each size of question has a share of its time: after an answer that took t there is none of that size for
// t/share. So however many clients ask, the loop spends at most that share on them.
type questions struct {
	l      *loop
	asked  chan *question
	slots  [3]chan time.Time               // by size: has a place for the one that is asked; the value: no sooner than
	cycle  atomic.Uint64                   // cycles that ran
	ended  atomic.Int64                    // when the last one did, in nanoseconds since the epoch
	failed atomic.Int64                    // when a question made the engine panic last
	ending atomic.Pointer[readapi.Unready] // why nothing is answered any more; nil: the loop goes on
	over   chan struct{}                   // closed then: what waits for an answer need not
}

// shares are one part of so many of the loop's time, by size.
var shares = [3]time.Duration{readapi.Brief: 20, readapi.Whole: 40, readapi.Reasons: 40}

// burst is for how long brief questions may use in advance what they have not used: a page of a dashboard asks several
// at once.
const burst = 4 * time.Second

// afterFailure is for how long no question is answered after one that made the engine panic: a client that repeats it
// must not keep the scheduler from its work.
const afterFailure = time.Minute

// question is one, until it was answered.
type question struct {
	ctx    context.Context
	read   func(*sched.Engine, readapi.Moment)
	answer chan error
	took   time.Duration
}

func newQuestions(l *loop) *questions {
	q := &questions{l: l, asked: make(chan *question), over: make(chan struct{})}
	for size := range q.slots {
		q.slots[size] = make(chan time.Time, 1)
		q.slots[size] <- time.Time{}
	}
	return q
}

// Ask implements readapi.Scheduler.
func (q *questions) Ask(ctx context.Context, size readapi.Size, read func(*sched.Engine, readapi.Moment)) error {
	if unready := q.Ready(); unready != nil {
		return unready
	}
	var from time.Time
	select {
	case from = <-q.slots[size]:
	case <-q.over:
		return q.Ready()
	case <-ctx.Done():
		return noTime
	}
	defer func() { q.slots[size] <- from }()
	if err := q.wait(ctx, from); err != nil {
		return err
	}
	took, err := q.ask(ctx, read)
	earliest := time.Now()
	if size == readapi.Brief {
		earliest = earliest.Add(-burst)
	}
	if from.Before(earliest) {
		from = earliest
	}
	from = from.Add(shares[size] * took)
	return err
}

// waitUntil waits for a time; false: ctx has ended before it. A time that has come is not waited for.
func waitUntil(ctx context.Context, at time.Time) bool {
	wait := time.Until(at)
	if wait <= 0 {
		return true
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// wait waits for a time, unless ctx or the loop ends before. A time that has come is not waited for.
func (q *questions) wait(ctx context.Context, until time.Time) error {
	left := time.Until(until)
	if left <= 0 {
		return nil
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-q.over:
		return q.Ready()
	case <-ctx.Done():
		return noTime
	}
}

// ask has a question answered, and says how long that took.
func (q *questions) ask(ctx context.Context, read func(*sched.Engine, readapi.Moment)) (time.Duration, error) {
	asked := &question{ctx: ctx, read: read, answer: make(chan error, 1)}
	select {
	case q.asked <- asked:
	case <-q.over:
		return 0, q.Ready()
	case <-ctx.Done():
		return 0, noTime
	}
	err := <-asked.answer // it is being answered: the reader may still write to what ctx's owner has
	return asked.took, err
}

// handOver is Ask for the scheduler's own use, of which clients do not wait for a turn; the caller paces itself.
func (q *questions) handOver(ctx context.Context, read func(*sched.Engine, readapi.Moment)) error {
	if unready := q.Ready(); unready != nil {
		return unready
	}
	_, err := q.ask(ctx, read)
	return err
}

var noTime = &readapi.Unready{Reason: readapi.Busy,
	Message: "the scheduler has no time for this question now: ask again in a moment"}

// reply answers a question that was asked, in the loop's goroutine.
func (q *questions) reply(asked *question) {
	asked.answer <- q.try(asked)
}

func (q *questions) try(asked *question) error {
	if asked.ctx.Err() != nil {
		return noTime
	}
	if unready := q.Ready(); unready != nil {
		return unready
	}
	if !q.l.acting || q.l.rebuilds.blind {
		return &readapi.Unready{Reason: readapi.Starting, Message: "this scheduler has the lease and does not decide yet"}
	}
	began := time.Now()
	fine := q.l.rebuilds.runOrRebuild("answering a question", func() {
		asked.read(q.l.engine, readapi.Moment{Cycle: q.cycle.Load(), At: time.Unix(0, q.l.now()).UTC(),
			Starts: q.l.background.estimates.latest.Load(), Recorder: &q.l.input.recorder})
	})
	asked.took = time.Since(began)
	q.l.metrics.ofCosts.answers.Add(asked.took.Seconds())
	if !fine {
		q.failed.Store(q.l.now())
		return &readapi.Unready{Reason: readapi.Failed, Message: "a bug in ashlar: its log says more"}
	}
	return nil
}

// decided notes that a cycle has run.
func (q *questions) decided() {
	q.cycle.Add(1)
	q.ended.Store(q.l.now())
	q.l.background.plans.noteState()
}

// end says to all that ask that nothing is answered any more, since the loop has ended with err.
func (q *questions) end(err error) {
	why := &readapi.Unready{Reason: readapi.Ending, Message: "this scheduler is ending: ask again, another one may act"}
	if errors.Is(err, errLost) {
		why.Message = "this scheduler has lost its Lease, and ends: ask again, another one acts now or in a moment"
	}
	if q.ending.CompareAndSwap(nil, why) {
		close(q.over)
	}
}

func (q *questions) isOver() bool { return q.ending.Load() != nil }

// Ready implements readapi.Scheduler.
func (q *questions) Ready() *readapi.Unready {
	if ending := q.ending.Load(); ending != nil {
		return ending
	}
	if !q.l.lead.leading() {
		leader := q.l.lead.leader()
		text := "this replica stands by, and no other one is known to act: ask again in a moment"
		if leader != "" && leader == q.l.lead.identity() {
			text, leader = "this replica did not renew its Lease in time: ask again in a moment, when one acts again", ""
		}
		if leader != "" {
			pod, _, _ := strings.Cut(leader, "_")
			text = "this replica stands by: ask the one that acts, pod " + pod
		}
		return &readapi.Unready{Reason: readapi.NotLeader, Message: text, Leader: leader}
	}
	if at := q.failed.Load(); at != 0 && q.l.now()-at < int64(afterFailure) {
		return &readapi.Unready{Reason: readapi.Failed,
			Message: "a question made the scheduler panic: it answers none for a minute; its log says more"}
	}
	if q.cycle.Load() == 0 {
		return &readapi.Unready{Reason: readapi.Starting, Message: "no cycle has run yet: " + q.l.health.awaits()}
	}
	return nil
}

// State implements readapi.Scheduler.
func (q *questions) State() readapi.State {
	ended := time.Unix(0, q.ended.Load()).UTC()
	age := time.Duration(q.l.now() - q.ended.Load())
	return readapi.State{Version: q.l.o.Version, Leader: q.l.lead.leader(), Cycle: q.cycle.Load(), Decided: ended,
		Age: age.Round(time.Millisecond).String(), Started: q.l.began.UTC()}
}

// Dump implements readapi.Scheduler.
func (q *questions) Dump(ctx context.Context, to io.Writer) error {
	var s recording.State
	err := q.Ask(ctx, readapi.Whole, func(*sched.Engine, readapi.Moment) { s = q.l.background.known() })
	if err != nil {
		return err
	}
	return s.Write(to)
}

// Recording implements readapi.Scheduler.
func (q *questions) Recording(ctx context.Context, to io.Writer) error {
	taken, kept := recording.Taken{}, false
	err := q.Ask(ctx, readapi.Whole, func(e *sched.Engine, _ readapi.Moment) {
		taken, kept = q.l.input.recorder.ring.Take(e)
	})
	switch {
	case err != nil:
		return err
	case !kept:
		return readapi.ErrNoRecording
	}
	return taken.Encode(to, recording.Head{Version: q.l.o.Version, Reason: "asked", Saved: time.Now().UnixNano()})
}
