package class

import (
	"fmt"
	"maps"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

func TestTheIndexAnswersAsAScanOfAllNodesDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			w.step(w.ask)
		}
		for _, task := range w.tasks() {
			w.compare(task)
		}
		w.budget()
	})
}

// budget recounts the bytes of all rows: the bound is held but for the row in use.
func (w *world) budget() {
	w.t.Helper()
	sum, rows := 0, 0
	for _, r := range w.x.rows.all {
		if r != nil && r.bytes > 0 {
			sum += r.size()
			rows++
		}
	}
	if sum != w.x.rows.bytes || sum > w.x.Budget && rows > 1 {
		w.t.Fatalf("%d heaps take %d bytes, counted are %d, the budget is %d", rows, sum, w.x.rows.bytes, w.x.Budget)
	}
	sum = 0
	for _, f := range w.x.caches.all {
		sum += f.size()
	}
	if sum != w.x.caches.bytes || sum > w.x.Budget || len(w.x.caches.all) != len(w.x.caches.age) {
		w.t.Fatalf("%d facets take %d bytes, counted are %d, the budget is %d", len(w.x.caches.all), sum, w.x.caches.bytes, w.x.Budget)
	}
}

// ask compares the answers about one task: few questions leave rows stale for long.
func (w *world) ask() {
	if tasks := w.tasks(); len(tasks) > 0 && w.yes() {
		w.compare(tasks[w.n(len(tasks)-1)])
	}
}

func (w *world) compare(t ledger.TaskID) {
	w.t.Helper()
	task := w.l.Task(t)
	if task.Pod.Node != "" {
		return // who has a place is not placed, and nobody keeps up in which relations it stands
	}
	c := w.l.Class(task.Class)
	check := func(what string, n, m ledger.NodeID, got, want int64) {
		if n != m || got != want {
			w.t.Fatalf("%s of %v is %s with %d, the scan finds %s with %d", what, task.Key, w.name(n), got, w.name(m), want)
		}
	}
	w.x.Begin()
	n, got := w.x.Best(t)
	if got, want := w.x.Refused(t).Code, w.twin.everywhere(t); got != want {
		w.t.Fatalf("%v is refused everywhere by %q, the scan says %q", task.Key, got, want)
	}
	m, want := w.twin.best(t, w.nodes(), false)
	check("Best", n, m, got, want)
	n, got = w.x.BestFuture(t)
	m, want = w.twin.best(t, w.nodes(), true)
	check("BestFuture", n, m, got, want)
	var domain []ledger.NodeID
	for i, n := range w.nodes() {
		if i%2 == 1 {
			domain = append(domain, n)
		}
	}
	n, got = w.x.BestWithin(t, domain)
	m, want = w.twin.best(t, domain, false)
	check("BestWithin every other node", n, m, got, want)
	n, got = w.x.BestFutureWithin(t, domain)
	m, want = w.twin.best(t, domain, true)
	check("BestFutureWithin every other node", n, m, got, want)
	w.shards(t, check)
	for _, n := range w.nodes() {
		for _, future := range []bool{false, true} {
			if got, want := w.x.Takes(t, n, future), w.twin.takes(t, n, future); got != want {
				w.t.Fatalf("Takes of %v on %s (future %t) is %t, the scan says %t", task.Key, w.name(n), future, got, want)
			}
		}
	}
	w.counts(t, c)
}

// shards compares the answers among the nodes of this scheduler's shard and elsewhere, where
// there are both.
func (w *world) shards(t ledger.TaskID, check func(what string, n, m ledger.NodeID, got, want int64)) {
	w.t.Helper()
	for _, elsewhere := range []bool{false, true} {
		var side []ledger.NodeID
		for _, n := range w.nodes() {
			if w.l.Node(n).Fact.Elsewhere == elsewhere {
				side = append(side, n)
			}
		}
		if len(side) == len(w.nodes()) {
			continue
		}
		for _, future := range []bool{false, true} {
			n, got := w.x.BestIn(t, elsewhere, future)
			m, want := w.twin.best(t, side, future)
			check(fmt.Sprintf("BestIn (elsewhere %t, future %t)", elsewhere, future), n, m, got, want)
		}
	}
}

func (w *world) counts(t ledger.TaskID, c *ledger.Class) {
	w.t.Helper()
	key, feasible := w.l.Task(t).Key, 0
	for _, n := range w.nodes() {
		if w.twin.suits(c, n, false) && w.twin.company(t, n, false) {
			feasible++
		}
	}
	if got := w.x.Feasible(w.l.Task(t).Class); got != feasible {
		w.t.Fatalf("Feasible of %v is %d, the scan counts %d", key, got, feasible)
	}
	for _, want := range []int64{1, 3, 100} {
		if got, scan := w.x.Capacity(w.l.Task(t).Class, want), w.twin.capacity(c, want, false); got != scan {
			w.t.Fatalf("Capacity of %v for %d is %d, the scan counts %d", key, want, got, scan)
		}
	}
	for _, want := range []int64{1, 3, 100} {
		if got, scan := w.x.Prospect(w.l.Task(t).Class, want), w.twin.capacity(c, want, true); got != scan {
			w.t.Fatalf("Prospect of %v for %d is %d, the scan counts %d", key, want, got, scan)
		}
	}
	for _, want := range []int64{1, 3, 100} {
		if got, scan := w.x.Whole(w.l.Task(t).Class, want), w.twin.whole(c, want); got != scan {
			w.t.Fatalf("Whole of %v for %d is %d, the scan counts %d", key, want, got, scan)
		}
	}
	r := w.x.Why(t)
	got, want := map[refusal]int{}, w.twin.why(t)
	for _, n := range r.Nodes {
		if n.Domain != (trace.Domain{}) || n.Code == trace.TopologyKeyMissing {
			got[refusal{byCompany, ""}] += n.Count
			continue
		}
		got[refusal{n.Code, n.Text}] = n.Count
	}
	if !maps.Equal(got, want) {
		w.t.Fatalf("Why of %v counts %v, the scan %v", key, got, want)
	}
	if (r.Code == trace.NoNodes) != (len(w.nodes()) == 0) || r.Need != len(w.nodes()) {
		w.t.Fatalf("Why of %v is %s of %d nodes, there are %d", key, r.Code, r.Need, len(w.nodes()))
	}
}

func (w *world) name(n ledger.NodeID) string {
	if n == ledger.NoNode {
		return "none"
	}
	return w.l.Node(n).Name
}
