package execute

import (
	"math"
	"sync"
	"time"

	"ashlar.sh/sched"
)

const (
	mostGivenBack  = 16          // at once
	giveBackAgain  = time.Minute // after a claim that this process made could not be given back
	mostTriedAgain = 10_000      // such claims; beyond that none is noted
)

// claimsGivenBack are the claims that are being given back, each once. They have a queue of their own: where they
// cannot be written, each takes its place for as long as Options.Patience, and no binding may wait for that.
type claimsGivenBack struct {
	queue    *requestQueue
	underWay claimSet // or waiting in the queue
	again    claimSet // that are to be tried again
}

// claimSet is a set of claims, by UID.
type claimSet struct {
	mu  sync.Mutex
	has map[string]bool
}

// add adds a claim to a set that may have so many; false: it was there, or there are too many.
func (s *claimSet) add(uid string, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has[uid] || len(s.has) >= most {
		return false
	}
	if s.has == nil {
		s.has = map[string]bool{}
	}
	s.has[uid] = true
	return true
}

func (s *claimSet) remove(uid string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.has, uid)
}

// started has a request carried out that gives a claim back, without waiting; then then is called with the outcome.
// False: that is under way for the claim already, and nothing is begun.
func (dc *deviceClaims) started(g givenBack, e request, then func(sched.Outcome)) bool {
	uid := g.claim.UID
	if !dc.back.underWay.add(uid, math.MaxInt) {
		return false
	}
	dc.back.queue.do(func() (time.Duration, bool) {
		outcome, overloaded := sched.Failed, false
		defer func() { // after a panic, too
			dc.back.underWay.remove(uid)
			then(outcome)
		}()
		// It is several requests, one after the other: how long they took says nothing of each.
		outcome, _, overloaded = dc.x.requests.run(e)
		return 0, overloaded
	})
	return true
}

// discard gives back the claim that was made for a pod which is not bound after all.
func (dc *deviceClaims) discard(r *reservation) {
	if r == nil || r.uid == "" {
		return
	}
	g := madeNow(r)
	begun := dc.started(g, dc.giving(g, new(error)), func(outcome sched.Outcome) {
		dc.discardUnless(outcome, r)
	})
	if !begun {
		dc.discardLater(r) // what is under way may leave it alone where it is not marked
	}
}

// discardUnless gives the claim that was made for a pod back later, unless that is what became of it.
func (dc *deviceClaims) discardUnless(outcome sched.Outcome, r *reservation) {
	if outcome != sched.Done && outcome != sched.Missing {
		dc.discardLater(r)
	}
}

// discardLater gives a claim that was made for a pod back in a while, and again until that is done: where its mark was
// taken off, nothing but this process knows it. It ends with the executor.
func (dc *deviceClaims) discardLater(r *reservation) {
	if !dc.back.again.add(r.uid, mostTriedAgain) {
		return
	}
	time.AfterFunc(giveBackAgain, func() {
		dc.back.again.remove(r.uid)
		if dc.x.ctx.Err() == nil {
			dc.x.withoutPanic("giving a claim back once more", func() { dc.discard(r) })
		}
	})
}
