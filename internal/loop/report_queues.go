package loop

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/ledger"
)

// underWay is how long a queue's figures may take to be shown. Before newer ones are
// written, those that were are seen, or given up: of two on their way the wrong one might
// come last.
const underWay = 30 * time.Second

// queue writes what a queue holds, if it shows something else. Of several schedulers that
// share the jobs none knows that, and each would write its own part over the others'.
func (rp *reports) queue(q *ledger.Queue, now time.Time) {
	if q.Fact == nil || rp.l.o.Ring.Shared() {
		return
	}
	shown := rp.l.observer.Queue(q.Name)
	if shown == nil || string(shown.UID) != q.Fact.UID {
		return
	}
	want := map[string]string{}
	for _, a := range rp.l.engine.Ledger().Dims.List(q.Allocated.Vec(nil)) {
		if a.Value != 0 {
			amount := resource.MustParse(explain.Quantity(a.Name, a.Value))
			want[a.Name] = amount.String() // as the API server shows it
		}
	}
	patch, shows := map[string]*string{}, map[string]string{}
	for name, amount := range shown.Status.Allocated {
		if !amount.IsZero() {
			shows[string(name)] = amount.String()
		}
		patch[string(name)] = nil
	}
	for name, amount := range want {
		patch[name] = &amount
	}
	is, was := fmt.Sprint(shows), rp.l.reported.queues[q.Name] // maps print in the order of their keys
	amounts := fmt.Sprint(want)
	if amounts == is || was.uid == q.Fact.UID && was.amounts != is && now.Sub(was.at) < underWay {
		return
	}
	if rp.l.executor.QueueAllocated(q.Name, q.Fact.UID, patch) {
		rp.l.reported.queues[q.Name] = reportedQueue{q.Fact.UID, amounts, now}
	}
}
