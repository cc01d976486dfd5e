package whatif

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Cluster is what there is before jobs are applied.
type Cluster interface {
	Fact(model.Ref) (model.Fact, bool)
	Pods(yield func(*model.Pod) bool)
	Groups(yield func(*model.PodGroup) bool)
}

// ofLedger is the cluster that a ledger knows.
type ofLedger struct{ *ledger.Ledger }

// ClusterOf is the cluster that a ledger knows.
func ClusterOf(l *ledger.Ledger) Cluster { return ofLedger{l} }

// Pods implements Cluster.
func (l ofLedger) Pods(yield func(*model.Pod) bool) {
	for t := range l.Tasks.Each {
		if !yield(l.Task(t).Pod) {
			return
		}
	}
}

// Groups implements Cluster.
func (l ofLedger) Groups(yield func(*model.PodGroup) bool) {
	for j := range l.Jobs.Each {
		if g := l.Job(j).Group; g != nil && !yield(g) {
			return
		}
	}
}

// listed is a cluster by its facts.
type listed map[model.Ref]model.Fact

// ClusterOfFacts is the cluster that facts describe.
func ClusterOfFacts(facts []model.Fact) Cluster {
	out := listed{}
	for _, f := range facts {
		out[f.Ref] = f
	}
	return out
}

// Fact implements Cluster.
func (l listed) Fact(r model.Ref) (model.Fact, bool) { f, is := l[r]; return f, is }

// Pods implements Cluster.
func (l listed) Pods(yield func(*model.Pod) bool) {
	for _, f := range l { // order-free: Apply sorts them
		if p, is := f.Object.(*model.Pod); is && !yield(p) {
			return
		}
	}
}

// Groups implements Cluster.
func (l listed) Groups(yield func(*model.PodGroup) bool) {
	for _, f := range l { // order-free: Apply takes the first by name
		if g, is := f.Object.(*model.PodGroup); is && !yield(g) {
			return
		}
	}
}
