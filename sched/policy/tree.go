package policy

import (
	"cmp"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
)

// TreeOrder is a QueueOrder that stands queues in a tree and compares two of them where
// their ways part: nothing below that decides. Flat queues are a tree of one level. Whoever
// turns among many queues keeps every node's children sorted by numbers, and has to look
// only at the way of the queue that moved. CompareQueues says the same of any two queues.
type TreeOrder interface {
	QueueOrder
	// Way is a queue's band and the nodes from below the top of the tree to the queue's
	// own, appended to buf. Queues of a lower band come before all others, whatever the
	// tree says. False: the queue has no place in the tree. Ways and bands stand still while
	// the ledger's Shape does.
	Way(q ledger.QueueID, buf []int32) (band int64, way []int32, ok bool)
	// Standing is what a node is ordered by among those below the same one. It moves for the
	// nodes on the way of a queue whose figures moved, and for no others.
	Standing(node int32) Standing
}

// Standing orders nodes below the same one: by what they have had of their due, then by
// rank.
type Standing struct {
	Share  fair.Ratio
	Weight int64 // what the share is weighed by; below 1 counts as 1
	Rank   int32 // another for each of them, lower first
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
	n := 0
	for _, tier := range s.queueOrder {
		for _, p := range tier {
			n++
			order, ok = p.(TreeOrder)
		}
	}
	return order, ok && n == 1
}
