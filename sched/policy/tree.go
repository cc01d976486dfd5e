package policy

import (
	"cmp"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
)

// TreeOrder is a QueueOrder that puts queues in a tree and compares two of them where their paths part:
// nothing below that decides. Flat queues are a tree of one level. So the rotation keeps every node's
// children sorted by numbers, and has to update only the path of the queue that changed. CompareQueues
// gives the same order for any two queues.
type TreeOrder interface {
	QueueOrder
	// Way is a queue's band and the path of nodes from below the root of the tree to the queue's
	// own, appended to buf. Queues of a lower band come before all others, whatever the
	// tree says. False: the queue has no place in the tree. Ways and bands are unchanged while
	// the ledger's SpecEpoch is.
	Way(q ledger.QueueID, buf []int32) (band int64, way []int32, ok bool)
	// Standing is what a node is ordered by among its siblings. It changes for the
	// nodes on the path of a queue whose figures changed, and for no others.
	Standing(node int32) Standing
}

// Standing orders siblings: by their share of what they should have, then by rank.
type Standing struct {
	Share  fair.Ratio
	Weight int64 // the share is divided by it; below 1 counts as 1
	Rank   int32 // unique among siblings, lower first
}

// Compare is negative when s comes first.
func (s *Standing) Compare(t *Standing) int {
	if c := s.Share.CompareWeighted(s.Weight, t.Share, t.Weight); c != 0 {
		return c
	}
	return cmp.Compare(s.Rank, t.Rank)
}

// TreeOrder is the order of queues, if one plugin alone decides it, by a tree.
func (s *Set) TreeOrder() (order TreeOrder, ok bool) {
	if len(s.queueOrder) == 1 {
		order, ok = s.queueOrder[0].(TreeOrder)
	}
	return order, ok
}
