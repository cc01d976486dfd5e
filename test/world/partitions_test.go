package world

import "time"

// cut is a network that stands still, in one direction or in both.
type cut struct {
	until                      time.Time
	keepsRequests, keepAnswers bool
}

// requests is for how long no request gets through; 0: they do.
func (c cut) requests() time.Duration { return c.left(c.keepsRequests) }

// answers is for how long no answer gets through, and no event of a watch.
func (c cut) answers() time.Duration { return c.left(c.keepAnswers) }

func (c cut) left(kept bool) time.Duration {
	if !kept {
		return 0
	}
	return max(0, time.Until(c.until))
}

// partitions cut schedulers off, one way or both ways, some times for longer than their lease.
func (n *network) partitions() {
	w := n.w
	begin := func(what string, c cut) {
		p := w.procs[w.random.IntN(len(w.procs))]
		c.until = time.Now().Add(w.between(time.Second, 40*time.Second))
		n.cuts[p.name] = c
		w.did(what)
		w.log("%s: %s until %s", what, p.name, c.until.Sub(w.began))
	}
	w.every(w.Trouble.Cut, func() { begin("a scheduler cut off", cut{keepsRequests: true, keepAnswers: true}) })
	w.every(w.Trouble.OneWay, func() {
		if w.chance(0.5) {
			begin("a scheduler that is not heard", cut{keepsRequests: true})
			return
		}
		begin("a scheduler that hears nothing", cut{keepAnswers: true})
	})
}

// skip loses what a watch was to send, and the history of that: the client lists anew and finds only how things are by
// then.
func (n *network) skip(d *delivery) {
	for d.watch.Pending() > 0 {
		d.watch.Next()
	}
	n.end(d)
	n.w.api.Compact(n.w.api.Version())
}
