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

// repeats is how many times an item may still be tried after a refusal.
type repeats struct {
	left    int
	refused string // what the server said at the last refusal; "": there was none
}

// repeatsOf are those of an item of a statement that binds so many pods.
func repeatsOf(item sched.Item, binds int) repeats {
	if item.Kind != sched.BindPod || binds < leastBindsOfAGang {
		return repeats{}
	}
	return repeats{left: mostTriesAfterRefusal}
}

// pause is how long to wait before the next try.
func (t repeats) pause() time.Duration {
	return firstPauseAfterRefusal << (mostTriesAfterRefusal - t.left)
}

// next are the tries that are left with the next one, after a refusal.
func (t repeats) next(refused string) repeats { return repeats{t.left - 1, refused} }

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

// receipt is that of an item. refused is what the server said where it refused the item.
func receipt(item sched.Item, outcome sched.Outcome, refused string) []sched.Receipt {
	r := sched.Receipt{Item: item, Outcome: outcome}
	if item.Kind == sched.BindPod && outcome == sched.Failed {
		r.Refused = refused
	}
	return []sched.Receipt{r}
}
