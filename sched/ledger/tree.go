package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// The tree of queues follows every fact as it comes. A queue that gets another parent takes what it and all
// queues below it hold away from its old ancestors and adds it to its new ones. A queue below looks at its own
// place again only if something changed for it. Audit finds all places anew.

// place finds the place of a queue from its fact, and then the places of the queues below it.
func (l *Ledger) place(q QueueID) {
	l.usageEpoch++
	l.Changes.QueueUsage.forget()
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
			addQueue(&l.Changes.QueueTree, at)
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

// link adds a queue to those that name a parent.
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
		addQueue(&l.Changes.QueueTree, above)
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
		addQueue(&l.Changes.QueueTree, row.above)
	}
}

// walk calls f for a queue and for the queues below it, each after the one above it. Below a queue for which f
// returned false it does not go. It visits every queue of a cycle once.
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

// later is the next queue of a walk from top after a queue and all queues below it.
func (l *Ledger) later(at, top QueueID) QueueID {
	for l.queues[at].next == NoQueue {
		if at = l.queues[at].above; at == top {
			return NoQueue
		}
	}
	return l.queues[at].next
}

// inCycle says that a queue is below itself: its ancestors lead back to it before they reach a queue that has
// no parent or is set aside.
func (l *Ledger) inCycle(q QueueID) bool {
	at := q
	for range l.queues { // more steps mean a cycle above that q is no part of
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
	if q.Fact == nil || q.Name == model.RootQueue { // root is always sound, whatever a user wrote into it
		return false
	}
	_, bad := q.Fact.SetAside()
	return bad
}

// takePlace finds a queue's place, and what follows from it, from the place of the queue above it. moved: the
// queues below it may have to be looked at, too. regrouped: its jobs may use other nodes.
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

// placeOf returns a queue's place, given the place of the queue above it.
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

// shutBelow returns the state of the nearest queue that is not open, among a queue and its ancestors. Root is
// left out: it stands for the cluster and is always open.
func (l *Ledger) shutBelow(q QueueID) model.QueueState {
	row := &l.queues[q]
	if row.Name != model.RootQueue && row.Fact.State != model.QueueOpen {
		return row.Fact.State
	}
	return row.shut
}

// groupsBelow returns the groups of a queue below another one, with its own limits.
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

// addToAncestors adds what a queue and all queues below it hold to its ancestors (sign 1), or takes it away
// (-1).
func (l *Ledger) addToAncestors(q QueueID, sign int64) {
	own := &l.queues[q]
	own.Moved = l.usageEpoch
	if own.up == NoQueue || own.Jobs == 0 && own.Kids == 0 {
		return // it has no ancestor, or holds nothing and asks for nothing
	}
	for at := own.up; at != NoQueue; at = l.queues[at].up {
		l.queues[at].Moved = l.usageEpoch
	}
	none := resource.Sum{}
	for d := range own.Allocated {
		held, asks, inqueue, elastic := own.Allocated[d], own.Request[d], own.Inqueue[d], own.Elastic[d]
		lent, claimed := own.Lent[d], own.Claimed[d]
		if held == none && asks == none && inqueue == none && elastic == none && claimed == none {
			continue // as for most queues in most dimensions
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
