package execute

import (
	"slices"
	"time"

	"ashlar.sh/sched"
)

// BindInOrder binds pods of one gang one after the other, in the given order. Once a bind fails, the pods after it are
// not bound and are answered Failed. So a gang with a member that is always refused, and which comes first, is not
// bound in part again and again. If first is not nil, another goroutine calls it before all binds; false counts as a
// first bind that failed.
func (c *Executor) BindInOrder(items []sched.Item, first func() bool) {
	items = slices.Clone(items)
	patience := DefaultVolumeWait
	c.withoutPanic("asking how long volumes may take", func() { patience = c.options.VolumeWait() })
	own := c.preparing.together(items)
	c.options.Panicked.Go("binding pods one after the other", func() {
		ready := false
		defer func() { c.preparing.end(own, ready) }()
		if !own.await(c.ctx) {
			c.abandon(items, &obstacle{items[0], sched.Failed, "the rest of its gang", errGangUnready})
			return
		}
		ready = c.bindInOrder(items, first, patience)
	})
}

// bindInOrder returns whether all are bound.
func (c *Executor) bindInOrder(items []sched.Item, first func() bool, patience time.Duration) bool {
	if first != nil {
		may := false
		c.withoutPanic("making the first pod ready to be bound", func() { may = first() })
		if !may {
			c.leave(items, result{outcome: sched.Failed})
			return false
		}
	}
	chosen := func(i sched.Item) bool { return i.Chosen != "" && c.needs(i.Chosen) }
	var made map[string]*reservation
	if slices.ContainsFunc(items, chosen) {
		ready := false
		if made, ready = c.prepared(items, patience); !ready {
			return false
		}
	}
	for n, item := range items {
		became := make(chan result, 1)
		c.bring(item, repeats{}, func(r result) { became <- r })
		if r := <-became; r.outcome != sched.Done {
			c.leave(items[n+1:], r)
			for _, unbound := range items[n:] {
				c.devices.discard(made[unbound.UID])
			}
			return false
		}
	}
	return true
}

// leave answers items of which no request was sent, since an item before them failed: at once where that was refused
// for good.
func (c *Executor) leave(items []sched.Item, because result) {
	answers := make([]sched.Receipt, len(items))
	for n, i := range items {
		answers[n] = sched.Receipt{Item: i, Outcome: sched.Failed}
	}
	if because.refused == "" {
		c.answerAll(answers, 0)
		return
	}
	for _, i := range items {
		c.withoutPanic("counting an answer", func() { c.options.Answered(i, sched.Failed, 0) })
	}
	c.deliver(answers)
}
