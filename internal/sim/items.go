package sim

import (
	"cmp"
	"slices"
	"time"

	"ashlar.sh/sched/model"
)

// Items are the objects as they are at a virtual time up to which all cycles have run, sorted, for another world that
// goes on from there on a copy: a pod that runs has what is left of its duration. What is to be submitted later is not
// among them. The other world's Options.Begin is begin, in nanoseconds since the epoch.
func (w *World) Items(at time.Duration) (items []Item, begin int64) {
	from := max(w.shows, (at+w.period-1)/w.period*w.period)
	out := make([]Item, 0, len(w.objects.lives))
	for ref, l := range w.objects.lives { // order-free: sorted below
		i := l.item
		i.Fact = model.Fact{Ref: ref, UID: l.uid, Object: l.object}
		i.SubmitAt = 0
		if l.ends != never {
			i.Duration = max(0, l.ends-from)
		}
		out = append(out, i)
	}
	slices.SortFunc(out, func(a, b Item) int {
		x, y := a.Fact.Ref, b.Fact.Ref
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Name, y.Name))
	})
	return out, w.clock(from)
}
