package ledger

import "ashlar.sh/sched/model"

// changeFeed is a short log of changed queues, for readers that derive something from queues and want to
// update only what changed. Decisions must not depend on its order. It may name a queue more than once.
type changeFeed struct {
	queues []QueueID
	first  uint64 // the number of the first entry
	read   bool   // an entry was read since the last one was added
}

// mostChanges is how many entries the log always keeps. A reader that is further behind looks at all queues.
const mostChanges = 1024

func (n *changeFeed) add(q QueueID) {
	if last := len(n.queues) - 1; q == NoQueue || last >= 0 && n.queues[last] == q && !n.read {
		return
	}
	if len(n.queues) == 2*mostChanges { // drop the older half: a reader that reads often still finds all
		n.queues = n.queues[:copy(n.queues, n.queues[mostChanges:])]
		n.first += mostChanges
	}
	n.queues, n.read = append(n.queues, q), false
}

// forget makes every reader look at all queues.
func (n *changeFeed) forget() {
	n.first += uint64(len(n.queues)) + 1
	n.queues = n.queues[:0]
}

// end returns the mark of a reader that has read everything.
func (n *changeFeed) end() uint64 { return n.first + uint64(len(n.queues)) }

func (n *changeFeed) since(mark uint64) (queues []QueueID, now uint64, ok bool) {
	now, n.read = n.end(), true
	if mark < n.first {
		return nil, now, false
	}
	return n.queues[mark-n.first:], now, true
}

// UsageChanged returns the queues of which Allocated or Request changed since mark by moves of their own jobs;
// those of the queues above them changed too. now is the mark for the next call. False: it is not known, or
// the tree changed, and any queue may have changed. The first mark is 0. The slice is valid until the next
// change.
func (l *Ledger) UsageChanged(mark uint64) (queues []QueueID, now uint64, ok bool) {
	return l.usageChanges.since(mark)
}

// SpecChanged returns the queues with facts that changed since mark; now and false are as in UsageChanged.
// Changes of what nodes offer are not in it: see Total.
func (l *Ledger) SpecChanged(mark uint64) (queues []QueueID, now uint64, ok bool) {
	return l.specChanges.since(mark)
}

// TreeChanged returns the queues that came, went or moved in the tree since mark, those that became leaves or
// are leaves no longer, and those for which the state or node groups of another queue count now in another
// way; now and false are as in UsageChanged. A row may belong to another queue by now.
func (l *Ledger) TreeChanged(mark uint64) (queues []QueueID, now uint64, ok bool) {
	return l.treeChanges.since(mark)
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
