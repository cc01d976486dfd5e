package execute

import (
	"slices"
	"time"

	"ashlar.sh/sched"
)

// BindInOrder binds the pods of one statement one after the other, in the given order. Once a bind fails, the pods
// after it are not bound and are answered Failed, and so are those of statements that come after it (sched.Item.After).
// So a gang with a member that is always refused, and which comes first, is not bound in part again and again. If first
// is not nil, another goroutine calls it before all binds; false counts as a first bind that failed. Where evictions
// for one of the pods wait for others, the binds wait with them.
func (c *Executor) BindInOrder(items []sched.Item, first func() bool) {
	items = slices.Clone(items)
	n := items[0].Statement
	own := c.preparing.begin(map[uint64][]sched.Item{n: items})[n]
	patience := volumePatience(c)
	begin := func() {
		c.options.Panicked.Go("binding pods one after the other", func() {
			bound := false
			defer func() { c.preparing.end(own, bound) }()
			if failed, rest := own.await(c.ctx); !rest {
				c.failWith(failed, items)
				return
			}
			bound = c.bindInOrder(items, first, patience)
		})
	}
	if !c.leaving.hold(heldBinds{items, own, begin}) {
		begin()
	}
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
	var made map[string]*reservation
	if slices.ContainsFunc(items, c.needs) {
		ready := false
		if made, ready = c.prepared(items, patience); !ready {
			return false
		}
	}
	release := c.fast.hold() // between two binds
	defer release()
	for n, item := range items {
		became := make(chan result, 1)
		c.bring(item, made[item.UID], repeats{}, func(r result) { became <- r })
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

// failWith answers items that fail with an earlier statement of their gang, together with that; nil: at once.
func (c *Executor) failWith(earlier *preparation, items []sched.Item) {
	answers := failures(items)
	for _, i := range items {
		c.withoutPanic("counting an answer", func() { c.options.Answered(i, sched.Failed, 0) })
	}
	if !c.preparing.follow(earlier, answers) {
		c.deliver(answers)
	}
}

// leave answers items of which no request was sent, since an item before them failed: at once where that was refused
// for good.
func (c *Executor) leave(items []sched.Item, because result) {
	if because.refused != "" {
		c.failWith(nil, items)
		return
	}
	c.answerAll(failures(items), 0)
}

func failures(items []sched.Item) (out []sched.Receipt) {
	for _, i := range items {
		out = append(out, receipt(i, sched.Failed, "")...)
	}
	return out
}
