package execute

import (
	"context"
	"maps"
	"sync"

	"ashlar.sh/sched"
)

// preparations are the statements of which pods are getting volumes and devices, or are bound in order. One that failed
// stays until its receipts are taken, which may be put off: a plan that was decided before may rely on it.
type preparations struct {
	mu    sync.Mutex
	known map[uint64]*preparation
}

// preparation is that of one statement.
type preparation struct {
	statement uint64
	after     []*preparation // that this one waits for
	over      chan struct{}  // closed when its pods have all or will not get it
	ready     bool           // they have it, and those in order are bound; to be read when it is over
	refused   string         // why not, where the server refused it; to be read when it is over
	open      int            // how many of its pods have no receipt yet
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

// end notes that a preparation is over, and whether the pods have all that they need. refused is what the server said
// if it refused that.
func (p *preparations) end(one *preparation, ready bool, refused string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one.ready, one.refused = ready, refused
	if ready {
		delete(p.known, one.statement)
	}
	close(one.over)
}

// answer notes which of them have receipts now.
func (p *preparations) answer(receipts []sched.Receipt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) == 0 {
		return
	}
	for _, r := range receipts {
		if one := p.known[r.Item.Statement]; one != nil && r.Item.Kind == sched.BindPod {
			one.open--
		}
	}
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
// them have what they need, and otherwise what the server refused, if it did.
func (p *preparation) await(ctx context.Context) (ready bool, refused string) {
	for _, one := range p.after {
		select {
		case <-one.over:
		case <-ctx.Done():
			return false, ""
		}
		if !one.ready {
			return false, one.refused
		}
	}
	return true, ""
}
