package ledger

import "ashlar.sh/sched/model"

// arrivals is a short log of the queues that something happened to, for readers that keep
// what they derived and want to put right only what changed. It has no order that may
// be decided by, and may name a queue more than once.
type changeFeed struct {
	queues []QueueID
	first  uint64 // the number of the first entry
	read   bool   // since the last entry
}

// mostChanges bounds what the log always holds: a reader that is further behind looks at all
// queues.
const mostChanges = 1024

func (n *changeFeed) add(q QueueID) {
	if last := len(n.queues) - 1; q == NoQueue || last >= 0 && n.queues[last] == q && !n.read {
		return
	}
	if len(n.queues) == 2*mostChanges { // the older half goes: who reads often is not left behind
		n.queues = n.queues[:copy(n.queues, n.queues[mostChanges:])]
		n.first += mostChanges
	}
	n.queues, n.read = append(n.queues, q), false
}

// forget leaves every reader behind.
func (n *changeFeed) forget() {
	n.first += uint64(len(n.queues)) + 1
	n.queues = n.queues[:0]
}

// end is the mark of one who has read all of it.
func (n *changeFeed) end() uint64 { return n.first + uint64(len(n.queues)) }

func (n *changeFeed) since(mark uint64) (queues []QueueID, now uint64, ok bool) {
	now, n.read = n.end(), true
	if mark < n.first {
		return nil, now, false
	}
	return n.queues[mark-n.first:], now, true
}

// UsageChanged returns the queues whose Allocated or Request moved since mark by their own
// jobs; those above them moved too. now is the mark for the next time. False: it is not
// known, or the tree changed, and any queue may have. The mark of one who never looked
// is 0. The slice is good until the next change.
func (l *Ledger) UsageChanged(mark uint64) (queues []QueueID, now uint64, ok bool) {
	return l.usageChanges.since(mark)
}

// SpecChanged returns the queues whose facts changed since mark; false and now as UsageChanged has
// them. What nodes offer is no queue's: see Total.
func (l *Ledger) SpecChanged(mark uint64) (queues []QueueID, now uint64, ok bool) {
	return l.specChanges.since(mark)
}

// TreeChanged returns the queues that came, went or changed their place in the tree since mark,
// those that became leaves or ceased to be, and those that another's state or groups reach
// otherwise than before; false and now as UsageChanged has them. A row may have gone to another
// queue meanwhile.
func (l *Ledger) TreeChanged(mark uint64) (queues []QueueID, now uint64, ok bool) {
	return l.treeChanges.since(mark)
}

// stays says that a queue's new fact leaves the tree as it is: its place, what follows
// from its state for those below, their groups of nodes and the limits of these.
func stays(old, now *model.Queue) bool {
	if old == nil || now == nil || parentName(old) != parentName(now) || old.State != now.State {
		return false
	}
	_, was := old.SetAside()
	_, is := now.SetAside()
	return !was && !is && old.Groups.Equal(now.Groups) && old.Limits.Equal(now.Limits)
}
