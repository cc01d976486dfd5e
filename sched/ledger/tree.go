package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// The tree of queues follows every fact as it comes: a queue that is hung elsewhere takes
// what it and all below it hold from the queues above it there, and brings it to those
// above it here. Whoever is below looks at its own place again only as far as something
// changed for it. Audit has the slow twin.

// place puts a queue in the place that its fact gives it, and those below it in theirs.
func (l *Ledger) place(q QueueID) {
	l.usageEpoch++
	l.usageChanges.forget()
	was, is := l.queues[q].above, NoQueue
	if fact := l.queues[q].Fact; fact != nil && l.queues[q].Name != model.RootQueue {
		is = l.queue(parentName(fact))
	}
	if was != is {
		l.unlink(q)
		l.link(q, is)
	}
	regroup := false
	l.walk(q, func(at QueueID) bool {
		moved, regrouped := l.takePlace(at, at == q && l.inCycle(q))
		regroup = regroup || regrouped
		if moved || at == q {
			l.treeChanges.add(at)
		}
		return moved || at == q
	})
	if regroup {
		l.regroupJobs()
	}
	if was != is && was != NoQueue {
		l.dropQueue(was)
	}
}

// link puts a queue among those that name a parent.
func (l *Ledger) link(q, above QueueID) {
	row := &l.queues[q]
	row.above, row.prev, row.next = above, NoQueue, NoQueue
	if above == NoQueue {
		return
	}
	up := &l.queues[above]
	if row.next = up.kid; row.next != NoQueue {
		l.queues[row.next].prev = q
	}
	up.kid = q
	if up.Kids++; up.Kids == 1 {
		l.treeChanges.add(above)
	}
}

func (l *Ledger) unlink(q QueueID) {
	row := &l.queues[q]
	if row.above == NoQueue {
		return
	}
	up := &l.queues[row.above]
	if row.prev != NoQueue {
		l.queues[row.prev].next = row.next
	} else {
		up.kid = row.next
	}
	if row.next != NoQueue {
		l.queues[row.next].prev = row.prev
	}
	if up.Kids--; up.Kids == 0 {
		l.treeChanges.add(row.above)
	}
}

// walk calls f for a queue and for those below it, each after the one above it, but not
// for those below one for which f said no. It comes to every queue of a ring once.
func (l *Ledger) walk(top QueueID, f func(QueueID) bool) {
	for at := top; at != NoQueue; {
		if deeper := f(at); deeper && l.queues[at].kid != NoQueue {
			at = l.queues[at].kid
		} else if at == top {
			return
		} else {
			at = l.later(at, top)
		}
		if at == top {
			at = l.later(at, top)
		}
	}
}

// later is what a walk from top comes to when it is done with a queue and all below it.
func (l *Ledger) later(at, top QueueID) QueueID {
	for l.queues[at].next == NoQueue {
		if at = l.queues[at].above; at == top {
			return NoQueue
		}
	}
	return l.queues[at].next
}

// inCycle says that a queue is below itself: that those above it come back to it before one
// that has a place of its own, whatever it names.
func (l *Ledger) inCycle(q QueueID) bool {
	at := q
	for range l.queues { // more steps are a ring above that q is no part of
		row := &l.queues[at]
		if row.above == NoQueue || row.setAside() {
			return false
		}
		if at = row.above; at == q {
			return true
		}
	}
	return false
}

func (q *Queue) setAside() bool {
	if q.Fact == nil || q.Name == model.RootQueue { // whatever a user wrote into it: root is always there
		return false
	}
	_, bad := q.Fact.SetAside()
	return bad
}

// takePlace finds a queue's place, and what follows from it, from those of the queue above it.
// moved: those below may have to be looked at, too. regrouped: its jobs use other nodes.
func (l *Ledger) takePlace(q QueueID, ring bool) (moved, regrouped bool) {
	row := &l.queues[q]
	place, broken, depth, above, shut, groups := row.Place, row.Broken, row.Depth, row.up, row.shut, row.groups
	row.Place, row.Broken = l.placeOf(row, ring)
	up := NoQueue
	row.Depth, row.shut = 0, model.QueueOpen
	if row.Place == Sound && row.above != NoQueue {
		up = row.above
		row.Depth, row.shut = l.queues[up].Depth+1, l.shutBelow(up)
	}
	row.state = row.stands()
	if row.up != up {
		l.addToAncestors(q, -1)
		row.up = up
		l.addToAncestors(q, 1)
	}
	if l.heeds {
		row.groups = l.groupsBelow(up, row.Fact)
		regrouped = !row.groups.Equal(groups)
	}
	moved = row.Place != place || row.Broken != broken || row.Depth != depth || row.up != above ||
		row.shut != shut || regrouped
	return moved, regrouped
}

// placeOf is a queue's place, when that of the queue above it is known.
func (l *Ledger) placeOf(row *Queue, ring bool) (place Place, broken string) {
	switch {
	case row.Name == model.RootQueue:
		return Sound, ""
	case row.Fact == nil:
		return Missing, ""
	case row.setAside():
		return SetAside, ""
	case ring:
		return Cyclic, ""
	}
	above := &l.queues[row.above]
	if above.Place == Missing || above.Place == SetAside {
		return Orphaned, above.Name
	}
	return above.Place, above.Broken
}

// shutBelow is the state of the nearest queue that is not open, of one and those above
// it. Root is left out: it is the cluster, and always there.
func (l *Ledger) shutBelow(q QueueID) model.QueueState {
	row := &l.queues[q]
	if row.Name != model.RootQueue && row.Fact.State != model.QueueOpen {
		return row.Fact.State
	}
	return row.shut
}

// groupsBelow are the groups of a queue that is hung below another, within its own limits.
func (l *Ledger) groupsBelow(up QueueID, fact *model.Queue) *model.NodeGroups {
	var named *model.NodeGroups
	switch {
	case fact != nil && fact.Groups != nil:
		named = fact.Groups
	case up != NoQueue && l.inherits:
		named = l.queues[up].groups
	}
	return named.Within(ownLimits(fact))
}

// addToAncestors adds what a queue and all below it hold to those above it, or takes it away.
func (l *Ledger) addToAncestors(q QueueID, sign int64) {
	own := &l.queues[q]
	own.Moved = l.usageEpoch
	if own.up == NoQueue || own.Jobs == 0 && own.Kids == 0 {
		return // nobody is above it, or it holds nothing and asks for nothing
	}
	for at := own.up; at != NoQueue; at = l.queues[at].up {
		l.queues[at].Moved = l.usageEpoch
	}
	none := resource.Sum{}
	for d := range own.Allocated {
		held, asks, inqueue, elastic := own.Allocated[d], own.Request[d], own.Inqueue[d], own.Elastic[d]
		lent, claimed := own.Lent[d], own.Claimed[d]
		if held == none && asks == none && inqueue == none && elastic == none && claimed == none {
			continue // as of most queues in most dimensions
		}
		for at := own.up; at != NoQueue; at = l.queues[at].up {
			row := &l.queues[at]
			row.Allocated[d] = row.Allocated[d].PlusSum(held, sign)
			row.Request[d] = row.Request[d].PlusSum(asks, sign)
			row.Inqueue[d] = row.Inqueue[d].PlusSum(inqueue, sign)
			row.Elastic[d] = row.Elastic[d].PlusSum(elastic, sign)
			row.Lent[d] = row.Lent[d].PlusSum(lent, sign)
			row.Claimed[d] = row.Claimed[d].PlusSum(claimed, sign)
		}
	}
}
