package policy

import "ashlar.sh/sched/ledger"

// TreeOrder is a KinOrder that stands queues in a tree and compares two of them where
// their ways part: nothing below that decides. Whoever turns among many queues keeps
// every node's children sorted, and has to look only at the way of the queue that moved.
type TreeOrder interface {
	KinOrder
	// Way is a queue's band and the nodes from below the top of the tree to the queue's
	// own, appended to buf. Queues of a lower band come before all others, whatever the
	// tree says. False: the queue has no place in the tree.
	Way(q ledger.QueueID, buf []int32) (band int64, way []int32, ok bool)
	// CompareNodes orders two nodes below the same one: negative for a, 0 for none but
	// equal ones. It moves for the nodes on the way of a queue whose figures moved, and for
	// no others.
	CompareNodes(a, b int32) int
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
