package class

import (
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

// budget recounts the bytes of all rows: they keep the bound, except for the row in use.
func (w *world) budget() {
	w.t.Helper()
	sum, rows := 0, 0
	for _, r := range w.x.rows {
		if r != nil && r.bytes > 0 {
			sum += r.size()
			rows++
		}
	}
	if sum != w.x.bytes || sum > w.x.Budget && rows > 1 {
		w.t.Fatalf("%d rows take %d bytes, counted are %d, the budget is %d", rows, sum, w.x.bytes, w.x.Budget)
	}
	sum = 0
	for _, f := range w.x.caches.all {
		sum += f.size()
	}
	if sum != w.x.caches.bytes || sum > w.x.Budget || len(w.x.caches.all) != len(w.x.caches.age) {
		w.t.Fatalf("%d result caches take %d bytes, counted are %d, the budget is %d", len(w.x.caches.all), sum,
			w.x.caches.bytes, w.x.Budget)
	}
}

// ask sometimes compares the answers about one task. Since it asks rarely, rows stay out of date for long.
func (w *world) ask() {
	if tasks := w.tasks(); len(tasks) > 0 && w.yes() {
		w.compare(tasks[w.n(len(tasks)-1)])
	}
}

func (w *world) compare(t ledger.TaskID) {
	w.t.Helper()
	task := w.l.Task(t)
	if task.Pod.Node != "" {
		return // a pod with a node is not placed again, and its matched terms are not kept up to date
	}
	c := w.l.Class(task.Class)
	var every []ledger.NodeID
	for i, n := range w.nodes() {
		if i%2 == 1 {
			every = append(every, n)
		}
	}
	for _, future := range []bool{false, true} {
		w.compareBest(t, "all nodes", Query{Scope: AllNodes, Future: future}, w.nodes())
		w.compareBest(t, "every other node", Query{Scope: Among(every), Future: future}, every)
		w.compareBest(t, "an empty list", Query{Scope: Among(w.nodes()[:0]), Future: future}, nil)
		w.compareBest(t, "no list", Query{Scope: Among(nil), Future: future}, nil)
		w.compareBest(t, "the own shard", Query{Scope: OwnShard, Future: future}, w.shard(false))
		w.compareBest(t, "other shards", Query{Scope: OtherShards, Future: future}, w.shard(true))
		for _, n := range w.nodes() {
			if got, want := w.x.Takes(t, n, When(future)), w.oracle.takes(t, n, future); got != want {
				w.t.Fatalf("Takes of %v on %s (future %t) is %t, the scan says %t", task.Key, w.name(n), future, got, want)
			}
		}
	}
	w.counts(t, c)
}

// compareBest compares the answer to a query about a task with that of a scan of the nodes of its scope.
func (w *world) compareBest(t ledger.TaskID, scope string, q Query, among []ledger.NodeID) Choice {
	w.t.Helper()
	q.Task = t
	got := w.x.Best(q)
	want, score := w.oracle.best(t, q.Scope, among, q.Future)
	if got.Node != want || got.Score != score {
		w.t.Fatalf("the best of %s for %v (future %t) is %s with %d, the scan finds %s with %d", scope, w.l.Task(t).Key,
			q.Future, w.name(got.Node), got.Score, w.name(want), score)
	}
	code := trace.Code("")
	if got.Refused != nil {
		code = got.Refused.Code
	}
	if want := w.oracle.everywhere(t, among, q.Future); code != want {
		w.t.Fatalf("%v is refused everywhere on %s (future %t) by %q, the scan says %q", w.l.Task(t).Key, scope,
			q.Future, code, want)
	}
	return got
}

// shard lists the nodes of this scheduler's shard, or with others those of the other shards.
func (w *world) shard(others bool) (out []ledger.NodeID) {
	for _, n := range w.nodes() {
		if w.l.Node(n).Fact.Elsewhere == others {
			out = append(out, n)
		}
	}
	return out
}

func (w *world) counts(t ledger.TaskID, c *ledger.Class) {
	w.t.Helper()
	key, feasible := w.l.Task(t).Key, 0
	for _, n := range w.nodes() {
		if w.oracle.takesClass(c, n, false) && w.oracle.domainsAdmit(t, n, false) {
			feasible++
		}
	}
	if got := w.x.Feasible(w.l.Task(t).Class); got != feasible {
		w.t.Fatalf("Feasible of %v is %d, the scan counts %d", key, got, feasible)
	}
	for _, want := range []int64{1, 3, 100} {
		if got, scan := w.x.Capacity(w.l.Task(t).Class, want, Now), w.oracle.capacity(c, want, false); got != scan {
			w.t.Fatalf("Capacity of %v for %d is %d, the scan counts %d", key, want, got, scan)
		}
	}
	for _, want := range []int64{1, 3, 100} {
		if got, scan := w.x.Capacity(w.l.Task(t).Class, want, InFuture), w.oracle.capacity(c, want, true); got != scan {
			w.t.Fatalf("Capacity in future of %v for %d is %d, the scan counts %d", key, want, got, scan)
		}
	}
	for _, want := range []int64{1, 3, 100} {
		if got, scan := w.x.Whole(w.l.Task(t).Class, want), w.oracle.whole(c, want); got != scan {
			w.t.Fatalf("Whole of %v for %d is %d, the scan counts %d", key, want, got, scan)
		}
	}
	r := w.x.Why(t)
	got, want := map[refusal]int{}, w.oracle.why(t)
	for _, n := range r.Nodes {
		if n.Domain != (trace.Domain{}) || n.Code == trace.TopologyKeyMissing {
			got[refusal{byAffinity, ""}] += n.Count
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
