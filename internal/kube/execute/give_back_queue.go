package execute

import (
	"sync"
	"time"
)

// mostGivenBack is how many claims are given back at once.
const mostGivenBack = 16

// claimsGivenBack are the claims that are being given back, each once. They have a queue of their own: where they
// cannot be written, each takes its place for as long as Options.Patience, and no binding may wait for that.
type claimsGivenBack struct {
	queue *requestQueue

	mu       sync.Mutex
	underWay map[string]bool // or waiting in the queue, by UID
}

// enter notes that a claim is being given back; false: it was already.
func (b *claimsGivenBack) enter(uid string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.underWay[uid] {
		return false
	}
	if b.underWay == nil {
		b.underWay = map[string]bool{}
	}
	b.underWay[uid] = true
	return true
}

func (b *claimsGivenBack) leave(uid string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.underWay, uid)
}

// started has a request carried out that gives a claim back, without waiting. False: that is under way for the claim
// already, and nothing is begun.
func (dc *deviceClaims) started(g givenBack, e request) bool {
	if !dc.back.enter(g.claim.UID) {
		return false
	}
	dc.back.queue.do(func() (time.Duration, bool) {
		defer dc.back.leave(g.claim.UID)
		// It is several requests, one after the other: how long they took says nothing of each.
		_, _, overloaded := dc.x.requests.run(e)
		return 0, overloaded
	})
	return true
}
