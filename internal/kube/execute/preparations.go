package execute

import (
	"context"
	"maps"
	"slices"
	"sync"

	"ashlar.sh/sched"
)

// preparations are the statements of which pods are getting volumes and devices, are bound in order, or wait for
// evictions before that. One that failed stays until its receipts are taken, which may be put off: a plan that was
// decided before may rely on it.
type preparations struct {
	mu    sync.Mutex
	known map[uint64]*preparation
}

// preparation is that of one statement.
type preparation struct {
	statement uint64
	after     []*preparation  // that this one waits for
	over      chan struct{}   // closed when its pods have all or will not get it
	ready     bool            // they have it, and those in order are bound; to be read when it is over
	open      int             // how many of its pods have no receipt yet
	followers []sched.Receipt // of statements that fail with it: they are given with its last receipt
}

// begin notes that the pods of some statements, by their numbers, begin to get what they need.
func (p *preparations) begin(statements map[uint64][]sched.Item) map[uint64]*preparation {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[uint64]*preparation, len(statements))
	for n := range statements {
		out[n] = &preparation{statement: n, over: make(chan struct{}), open: len(statements[n])}
		if p.known == nil {
			p.known = map[uint64]*preparation{}
		}
		p.known[n] = out[n]
	}
	for n, items := range statements {
		for _, earlier := range items[0].After {
			if one := p.known[earlier]; one != nil && one != out[n] { // else its pods have what they need
				out[n].after = append(out[n].after, one)
			}
		}
	}
	return out
}

// end notes that a preparation is over, and whether the pods have all that they need.
func (p *preparations) end(one *preparation, ready bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one.ready = ready
	if ready {
		delete(p.known, one.statement)
	}
	close(one.over)
}

// answer notes which of them have receipts now, and returns the receipts that are to be given with these.
func (p *preparations) answer(receipts []sched.Receipt) (followers []sched.Receipt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) == 0 {
		return nil
	}
	for receipts = slices.Clone(receipts); len(receipts) > 0; receipts = receipts[1:] {
		one := p.known[receipts[0].Item.Statement]
		if one == nil || receipts[0].Item.Kind != sched.BindPod || OfTrial(receipts[0].Item) {
			continue
		}
		if one.open--; one.open == 0 {
			followers = append(followers, one.followers...)
			receipts = append(receipts, one.followers...)
			one.followers = nil
		}
	}
	return followers
}

// follow keeps the receipts of a statement that fails with an earlier one until the last receipt of that one is given.
// It returns false if that was given. If members of a gang were free again while others are not, a new statement of
// these would come after that of the others, and fail with it, and so on for ever.
func (p *preparations) follow(earlier *preparation, receipts []sched.Receipt) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if earlier == nil || earlier.open <= 0 {
		return false
	}
	earlier.followers = append(earlier.followers, receipts...)
	return true
}

// forget drops those that failed and of which all pods have receipts: these are taken now.
func (p *preparations) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.known, func(_ uint64, one *preparation) bool { return one.open <= 0 })
}

// awaits reports whether one of some statements is being prepared, has failed since the plan was decided, or is among
// those of the same plan that will be prepared.
func (p *preparations) awaits(statements []uint64, samePlan map[uint64][]sched.Item) bool {
	if len(statements) == 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range statements {
		if _, is := samePlan[n]; is || p.known[n] != nil {
			return true
		}
	}
	return false
}

// await waits until none is under way of those that a preparation comes after. It returns whether the pods of all of
// them have what they need, and otherwise one of which they do not; nil if ctx ended.
func (p *preparation) await(ctx context.Context) (failed *preparation, ready bool) {
	for _, one := range p.after {
		select {
		case <-one.over:
		case <-ctx.Done():
			return nil, false
		}
		if !one.ready {
			return one, false
		}
	}
	return nil, true
}
