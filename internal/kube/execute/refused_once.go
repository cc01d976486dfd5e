package execute

import (
	"time"

	"ashlar.sh/sched"
)

// A policy that is not up to date, or that allows so much at a time, refuses a binding at one moment and permits it at
// the next. If that member of a gang were decided anew at once, others could take its room before it is tried again,
// and the gang would stay in part. So its room stays taken while it is tried a few times more. That is done for a gang
// that was not refused before: what is refused each time costs these tries once, and is then tried less and less often.
const (
	mostTriesAfterRefusal  = 3
	firstPauseAfterRefusal = 200 * time.Millisecond // doubled for each further try: 1.4 s for all three
	leastBindsOfAGang      = 2
)

// triesAfterRefusal is how many times an item is tried again where the server refuses it, by how many pods its
// statement binds.
func triesAfterRefusal(item sched.Item, binds int) int {
	if item.Kind != sched.BindPod || binds < leastBindsOfAGang {
		return 0
	}
	return mostTriesAfterRefusal
}

// bindsByStatement counts the pods that each statement binds.
func bindsByStatement(items []sched.Item) map[uint64]int {
	n := map[uint64]int{}
	for _, i := range items {
		if i.Kind == sched.BindPod {
			n[i.Statement]++
		}
	}
	return n
}

// afterRefusal does something after a pause. again is how many tries are left, and that pause before the first of them
// is the shortest. Meanwhile no place in the request queue is taken: many that are refused hold up no others.
func (re *requests) afterRefusal(again int, do func()) {
	re.open.Add(1)
	time.AfterFunc(firstPauseAfterRefusal<<(mostTriesAfterRefusal-again), func() {
		defer re.open.Add(-1)
		do()
	})
}
