package whatif

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Cluster is what there is before jobs are applied.
type Cluster interface {
	Fact(model.Ref) (model.Fact, bool)
	// Jobs yields each job, and one of its pods; nil where it has none.
	Jobs(yield func(ledger.JobKey, *model.Pod) bool)
	Members(job ledger.JobKey) []*model.Pod
}

// ofLedger is the cluster that a ledger knows.
type ofLedger struct{ l *ledger.Ledger }

// ClusterOf is the cluster that a ledger knows.
func ClusterOf(l *ledger.Ledger) Cluster { return ofLedger{l} }

// Fact implements Cluster.
func (c ofLedger) Fact(r model.Ref) (model.Fact, bool) { return c.l.Fact(r) }

// Jobs implements Cluster.
func (c ofLedger) Jobs(yield func(ledger.JobKey, *model.Pod) bool) {
	for j := range c.l.Jobs.Each {
		var one *model.Pod
		for t := range c.l.Jobs.Members(j) {
			one = c.l.Task(t).Pod
			break
		}
		if !yield(c.l.Job(j).Key, one) {
			return
		}
	}
}

// Members implements Cluster.
func (c ofLedger) Members(job ledger.JobKey) (out []*model.Pod) {
	if j, there := c.l.Jobs.Find(job); there {
		for t := range c.l.Jobs.Members(j) {
			out = append(out, c.l.Task(t).Pod)
		}
	}
	return out
}

// listed is a cluster by its facts.
type listed struct {
	facts map[model.Ref]model.Fact
	jobs  map[ledger.JobKey][]*model.Pod
}

// ClusterOfFacts is the cluster that facts describe.
func ClusterOfFacts(facts []model.Fact) Cluster {
	out := listed{map[model.Ref]model.Fact{}, map[ledger.JobKey][]*model.Pod{}}
	for _, f := range facts {
		out.facts[f.Ref] = f
		switch o := f.Object.(type) {
		case *model.Pod:
			if k := ledger.KeyOf(o); o.Ours {
				out.jobs[k] = append(out.jobs[k], o)
			}
		case *model.PodGroup:
			k := ledger.JobKey{Namespace: o.Namespace, Name: o.Name}
			out.jobs[k] = slices.Grow(out.jobs[k], 0)
		}
	}
	return out
}

// Fact implements Cluster.
func (c listed) Fact(r model.Ref) (model.Fact, bool) { f, is := c.facts[r]; return f, is }

// Jobs implements Cluster.
func (c listed) Jobs(yield func(ledger.JobKey, *model.Pod) bool) {
	for k, pods := range c.jobs { // order-free: Apply sorts what it takes of them
		var one *model.Pod
		if len(pods) > 0 {
			one = pods[0]
		}
		if !yield(k, one) {
			return
		}
	}
}

// Members implements Cluster.
func (c listed) Members(job ledger.JobKey) []*model.Pod { return c.jobs[job] }
