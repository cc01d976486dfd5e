package execute

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/crash"
	"ashlar.sh/sched"
)

// requests sends requests, again where that may help, and finds out what became of those without an answer.
type requests struct {
	x *Executor

	doubts atomic.Int64 // items that were given up and that the server may still carry out
}

// apiRequest bounds a single request. A server that has not answered by then may still carry the
// request out.
const apiRequest = 10 * time.Second

// For how long a server may still carry a request out: without an answer, until an API server gives
// the request up; after an answer that it failed, until its write to its store has succeeded or
// failed.
const (
	unansweredLasts = time.Minute
	failedLasts     = 10 * time.Second
)

// lasts is for how long a request that had this error may still be carried out.
func lasts(err error) time.Duration {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) && !apierrors.IsTimeout(err) {
		return failedLasts
	}
	return unansweredLasts
}

// request is a write, and how to find out whether it happened.
type request struct {
	what string
	// grave: it does harm to count the write as not done when it was done. Then Failed is not
	// answered before that is certain.
	grave bool
	again bool // it is sent again after a refusal
	send  func(ctx context.Context) error
	// shown reads the object; settled says that what it shows answers the request.
	shown func(ctx context.Context) (settled bool, outcome sched.Outcome, err error)
}

// doubt is about a request that was given up, had no answer, and may still be carried out.
type doubt struct {
	request request
	until   time.Time // what the object shows from then on is final; zero: there is no doubt
}

func (d doubt) is() bool { return !d.until.IsZero() }

// result is the outcome of a request.
type result struct {
	outcome    sched.Outcome
	latency    time.Duration // of the last request
	overloaded bool          // the server was overloaded
	left       doubt
	refused    string // the server's message, where it refuses the request because of the object
}

// run is try for requests that are not grave: a doubt has no consequence.
func (re *requests) run(e request) (outcome sched.Outcome, latency time.Duration, overloaded bool) {
	r := re.try(e)
	return r.outcome, r.latency, r.overloaded
}

// try sends until the server has given a final answer or patience is over. What was sent and not
// answered may have been done, or may be done soon: if a grave request is given up then, it leaves a
// doubt.
func (re *requests) try(e request) (r result) {
	began, unread := time.Now(), false // unread: the object was not read since a request went unanswered
	var until time.Time
	became := func(o sched.Outcome) result {
		if r.outcome = o; o == sched.Failed && e.grave {
			r.left = doubt{e, until}
		}
		return r
	}
	for n := 0; ; n++ {
		if re.x.ctx.Err() != nil || !re.leading() {
			return became(sched.Failed)
		}
		err := re.timed(&r.latency, e.send)
		answer := kindOf(err)
		switch answer {
		case done:
			return became(sched.Done)
		case missing:
			return became(sched.Missing)
		case withdrawn:
			return became(sched.Withdrawn)
		case unknown:
			unread = true
			if next := time.Now().Add(lasts(err)); next.After(until) {
				until = next
			}
		}
		if unread || answer == clash {
			settled, outcome, failed := re.look(e)
			if failed == nil && settled {
				until = time.Time{}
				return became(outcome)
			}
			unread = unread && failed != nil
		}
		if answer == refused && !unread {
			if e.again {
				klog.V(2).InfoS("The API server refused: it is tried again", "what", e.what, "err", err)
			} else {
				klog.ErrorS(err, "The API server refused for good", "what", e.what)
			}
			if !withoutRights(err) {
				r.refused = Clip(err.Error())
			}
			return became(sched.Failed)
		}
		r.overloaded = r.overloaded || answer == later || answer == unknown
		if time.Since(began) > re.x.options.Patience || panicked(err) {
			klog.ErrorS(err, "Gave up", "what", e.what, "after", time.Since(began))
			return became(sched.Failed)
		}
		if !sleep(re.x.ctx, pause(err, n)) {
			return became(sched.Failed)
		}
	}
}

func (re *requests) leading() (yes bool) {
	re.x.withoutPanic("asking whether this scheduler acts", func() { yes = re.x.options.Leading() })
	return yes
}

// resolve answers an item with a doubt, once what the object shows is final. Until then the room
// stays taken: if another pod got it and the first one were bound after all, the room would be
// taken twice. It occupies no place in the request queue meanwhile. then is called after the
// answer. refused is what the receipt says if the item failed.
func (re *requests) resolve(item sched.Item, d doubt, latency time.Duration, refused string, then func(sched.Outcome)) {
	re.doubts.Add(1)
	klog.V(2).InfoS("What was sent may still be done: it is looked at again before it counts as failed", "what",
		d.request.what, "until", d.until)
	re.x.options.Panicked.Go("awaiting what becomes of an item", func() {
		outcome := sched.Failed
		re.x.withoutPanic("looking what became of an item", func() { outcome = re.verdict(d, forEver) })
		re.doubts.Add(-1)
		re.x.answerAll(re.x.leaving.answers(item, outcome, refused), latency)
		then(outcome)
	})
}

// For how long it is read at most what became of a request. Of a claim no more than that is waited for, since other
// pods wait for its devices meanwhile: by then the request cannot be carried out any more, and the claim is read again
// before it is used.
const (
	forEver     = time.Duration(math.MaxInt64)
	ofPreparing = 5 * time.Minute
)

// verdict reads until it is certain whether a request was done, or cannot be read for long. When ctx ends, the result
// is of no use any more.
func (re *requests) verdict(d doubt, atMost time.Duration) sched.Outcome {
	final := d.until
	for n := 0; sleep(re.x.ctx, time.Until(d.until)); n++ {
		settled, outcome, err := re.look(d.request)
		switch {
		case err == nil && settled:
			return outcome
		case err == nil || panicked(err):
			return sched.Failed
		case time.Since(final) > atMost:
			klog.ErrorS(err, "Gave up reading what became of a request", "what", d.request.what)
			return sched.Failed
		}
		d.until = time.Now().Add(pause(err, n))
	}
	return sched.Failed
}

func panicked(err error) bool {
	var p *crash.Panicked
	return errors.As(err, &p)
}

// look reads the outcome of a request.
func (re *requests) look(e request) (settled bool, outcome sched.Outcome, err error) {
	err = re.timed(new(time.Duration), func(ctx context.Context) (err error) {
		settled, outcome, err = e.shown(ctx)
		return err
	})
	return settled, outcome, err
}

func (re *requests) timed(latency *time.Duration, f func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(re.x.ctx, apiRequest)
	defer cancel()
	start := time.Now()
	if p := re.x.options.Panicked.Recover("asking the API server", func() { err = f(ctx) }); p != nil {
		err = p // the request may have been carried out
	}
	*latency = time.Since(start)
	return err
}
