package ledger

import "ashlar.sh/sched/model"

// news is a short log of the queues that something happened to, for readers that keep
// what they derived and want to put right only what changed. It has no order that may
// be decided by, and may name a queue more than once.
type news struct {
	queues []QueueID
	first  uint64 // the number of the first entry
	read   bool   // since the last entry
}

// mostNews bounds what the log always holds: a reader that is further behind looks at all
// queues.
const mostNews = 1024

func (n *news) add(q QueueID) {
	if last := len(n.queues) - 1; q == NoQueue || last >= 0 && n.queues[last] == q && !n.read {
		return
	}
	if len(n.queues) == 2*mostNews { // the older half goes: who reads often is not left behind
		n.queues = n.queues[:copy(n.queues, n.queues[mostNews:])]
		n.first += mostNews
	}
	n.queues, n.read = append(n.queues, q), false
}

// forget leaves every reader behind.
func (n *news) forget() {
	n.first += uint64(len(n.queues)) + 1
	n.queues = n.queues[:0]
}

// end is the mark of one who has read all of it.
func (n *news) end() uint64 { return n.first + uint64(len(n.queues)) }

func (n *news) since(mark uint64) (queues []QueueID, now uint64, ok bool) {
	now, n.read = n.end(), true
	if mark < n.first {
		return nil, now, false
	}
	return n.queues[mark-n.first:], now, true
}

// Served returns the queues whose Allocated or Request moved since mark by their own
// jobs; those above them moved too. now is the mark for the next time. False: it is not
// known, or the tree changed, and any queue may have. The mark of one who never looked
// is 0. The slice is good until the next change.
func (l *Ledger) Served(mark uint64) (queues []QueueID, now uint64, ok bool) {
	return l.served.since(mark)
}

// Granted returns the queues whose facts changed since mark; false and now as Served has
// them. What nodes offer is no queue's: see Total.
func (l *Ledger) Granted(mark uint64) (queues []QueueID, now uint64, ok bool) {
	return l.granted.since(mark)
}

// Hung returns the queues that came, went or changed their place in the tree since mark,
// those that became leaves or ceased to be, and those that another's state or groups reach
// otherwise than before; false and now as Served has them. A row may have gone to another
// queue meanwhile.
func (l *Ledger) Hung(mark uint64) (queues []QueueID, now uint64, ok bool) {
	return l.hung.since(mark)
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
