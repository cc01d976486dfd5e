package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// The tree of queues follows every fact as it comes. A queue that gets another parent takes what it and all
// queues below it hold away from its old ancestors and adds it to its new ones. A queue below looks at its own
// place again only if something changed for it. Audit finds all places anew.

// place finds the place of a queue from its fact, and then the places of the queues below it.
func (qs *Queues) place(q QueueID) {
	qs.l.Changes.usageEpoch++
	qs.l.Changes.QueueUsage.forget()
	was, is := qs.rows[q].above, NoQueue
	if fact := qs.rows[q].Fact; fact != nil && qs.rows[q].Name != model.RootQueue {
		is = qs.row(parentName(fact))
	}
	if was != is {
		qs.unlink(q)
		qs.link(q, is)
	}
	regroup := false
	qs.walk(q, func(at QueueID) bool {
		moved, regrouped := qs.takePlace(at, at == q && qs.inCycle(q))
		regroup = regroup || regrouped
		if moved || at == q {
			addQueue(&qs.l.Changes.QueueTree, at)
		}
		return moved || at == q
	})
	if regroup {
		qs.regroupJobs()
	}
	if was != is && was != NoQueue {
		qs.drop(was)
	}
}

// link adds a queue to those that name a parent.
func (qs *Queues) link(q, above QueueID) {
	row := &qs.rows[q]
	row.above, row.previousSibling, row.nextSibling = above, NoQueue, NoQueue
	if above == NoQueue {
		return
	}
	up := &qs.rows[above]
	if row.nextSibling = up.firstChild; row.nextSibling != NoQueue {
		qs.rows[row.nextSibling].previousSibling = q
	}
	up.firstChild = q
	if up.Children++; up.Children == 1 {
		addQueue(&qs.l.Changes.QueueTree, above)
	}
}

func (qs *Queues) unlink(q QueueID) {
	row := &qs.rows[q]
	if row.above == NoQueue {
		return
	}
	up := &qs.rows[row.above]
	if row.previousSibling != NoQueue {
		qs.rows[row.previousSibling].nextSibling = row.nextSibling
	} else {
		up.firstChild = row.nextSibling
	}
	if row.nextSibling != NoQueue {
		qs.rows[row.nextSibling].previousSibling = row.previousSibling
	}
	if up.Children--; up.Children == 0 {
		addQueue(&qs.l.Changes.QueueTree, row.above)
	}
}

// walk calls f for a queue and for the queues below it, each after the one above it. Below a queue for which f
// returned false it does not go. It visits every queue of a cycle once.
func (qs *Queues) walk(top QueueID, f func(QueueID) bool) {
	for at := top; at != NoQueue; {
		if deeper := f(at); deeper && qs.rows[at].firstChild != NoQueue {
			at = qs.rows[at].firstChild
		} else if at == top {
			return
		} else {
			at = qs.later(at, top)
		}
		if at == top {
			at = qs.later(at, top)
		}
	}
}

// later is the next queue of a walk from top after a queue and all queues below it.
func (qs *Queues) later(at, top QueueID) QueueID {
	for qs.rows[at].nextSibling == NoQueue {
		if at = qs.rows[at].above; at == top {
			return NoQueue
		}
	}
	return qs.rows[at].nextSibling
}

// inCycle says that a queue is below itself: its ancestors lead back to it before they reach a queue that has
// no parent or is set aside.
func (qs *Queues) inCycle(q QueueID) bool {
	at := q
	for range qs.rows { // more steps mean a cycle above that q is no part of
		row := &qs.rows[at]
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
func (qs *Queues) takePlace(q QueueID, ring bool) (moved, regrouped bool) {
	row := &qs.rows[q]
	place, broken, depth, above, shut, groups := row.Place, row.Broken, row.Depth, row.up, row.shut, row.groups
	row.Place, row.Broken = qs.placeOf(row, ring)
	up := NoQueue
	row.Depth, row.shut = 0, model.QueueOpen
	if row.Place == Sound && row.above != NoQueue {
		up = row.above
		row.Depth, row.shut = qs.rows[up].Depth+1, qs.shutBelow(up)
	}
	row.state = row.stands()
	if row.up != up {
		qs.addToAncestors(q, -1)
		row.up = up
		qs.addToAncestors(q, 1)
	}
	if qs.heeds {
		row.groups = qs.groupsBelow(up, row.Fact)
		regrouped = !row.groups.Equal(groups)
	}
	moved = row.Place != place || row.Broken != broken || row.Depth != depth || row.up != above ||
		row.shut != shut || regrouped
	return moved, regrouped
}

// placeOf returns a queue's place, given the place of the queue above it.
func (qs *Queues) placeOf(row *Queue, ring bool) (place Place, broken string) {
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
	above := &qs.rows[row.above]
	if above.Place == Missing || above.Place == SetAside {
		return Orphaned, above.Name
	}
	return above.Place, above.Broken
}

// shutBelow returns the state of the nearest queue that is not open, among a queue and its ancestors. Root is
// left out: it stands for the cluster and is always open.
func (qs *Queues) shutBelow(q QueueID) model.QueueState {
	row := &qs.rows[q]
	if row.Name != model.RootQueue && row.Fact.State != model.QueueOpen {
		return row.Fact.State
	}
	return row.shut
}

// groupsBelow returns the groups of a queue below another one, with its own limits.
func (qs *Queues) groupsBelow(up QueueID, fact *model.Queue) *model.NodeGroups {
	var named *model.NodeGroups
	switch {
	case fact != nil && fact.Groups != nil:
		named = fact.Groups
	case up != NoQueue && qs.inherits:
		named = qs.rows[up].groups
	}
	return named.Within(ownLimits(fact))
}

// addToAncestors adds what a queue and all queues below it hold to its ancestors (sign 1), or takes it away
// (-1).
func (qs *Queues) addToAncestors(q QueueID, sign int64) {
	own := &qs.rows[q]
	own.Moved = qs.l.Changes.usageEpoch
	if own.up == NoQueue || own.Jobs == 0 && own.Children == 0 {
		return // it has no ancestor, or holds nothing and asks for nothing
	}
	for at := own.up; at != NoQueue; at = qs.rows[at].up {
		qs.rows[at].Moved = qs.l.Changes.usageEpoch
	}
	none := resource.Sum{}
	for i, sums := range own.all() {
		for d, x := range *sums {
			if x == none {
				continue // as for most queues in most dimensions
			}
			for at := own.up; at != NoQueue; at = qs.rows[at].up {
				above := *qs.rows[at].all()[i]
				above[d] = above[d].PlusSum(x, sign)
			}
		}
	}
}

// stays says that a queue's new fact leaves the tree as it is: the queue's place, what its state means for the
// queues below it, and its node groups and their limits.
func stays(old, now *model.Queue) bool {
	if old == nil || now == nil || parentName(old) != parentName(now) || old.State != now.State {
		return false
	}
	_, was := old.SetAside()
	_, is := now.SetAside()
	return !was && !is && old.Groups.Equal(now.Groups) && old.Limits.Equal(now.Limits)
}
