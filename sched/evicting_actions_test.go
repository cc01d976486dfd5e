package sched

import (
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
)

// evictAny is an action that evicts: once a cycle it takes a running pod of lower priority
// away and nominates a pending one for its room, in one Statement. Like every action it is a
// function of the ledger, and keeps a job within its hard topology.
type evictAny struct{}

func (evictAny) Name() string { return "evictAny" }

func (evictAny) Execute(s *session.Session) {
	admitted := func(j ledger.JobID) bool { return s.L.Job(j).Admitted() && !s.Blocked(j).Is() }
	for _, j := range s.Pending.InOrder(slices.Clone(s.L.Jobs.Active()), admitted) {
		for _, t := range search.PendingTasksOf(s, j).Tasks {
			if s.L.Task(t).Placeable() && evictFor(s, t) {
				return
			}
		}
	}
}

func evictFor(s *session.Session, t ledger.TaskID) bool {
	var victims []ledger.TaskID
	s.L.Tasks.Each(func(v ledger.TaskID) bool {
		row := s.L.Task(v)
		if (row.Status == model.Running || row.Status == model.Bound) && row.Job != ledger.NoJob &&
			row.Commitment.Kind == ledger.NoCommit && row.Job != s.L.Task(t).Job && row.Priority < s.L.Task(t).Priority {
			victims = append(victims, v)
		}
		return true
	})
	slices.SortFunc(victims, func(a, b ledger.TaskID) int {
		if s.L.Task(a).Key.Compare(s.L.Task(b).Key) < 0 {
			return -1
		}
		return 1
	})
	for _, v := range victims {
		n := s.L.Task(v).Node
		if s.L.Try(func(tx *ledger.Tx) bool {
			tx.Evict(v, "evictAny", t)
			if s.NodeIndex.Takes(t, n, class.Now) || !s.NodeIndex.Takes(t, n, class.InFuture) {
				return false
			}
			tx.Nominate(t, n)
			return apart(s.Policy.HyperNodes(), s.L, t) == ""
		}) {
			return true
		}
	}
	return false
}

// placeAndFail is an action that places whatever it can, evicts and promises besides, and then
// fails: nothing of it may be seen.
type placeAndFail struct{}

func (placeAndFail) Name() string { return "placeAndFail" }

func (placeAndFail) Execute(s *session.Session) {
	s.L.Try(func(tx *ledger.Tx) bool {
		for _, j := range slices.Clone(s.L.Jobs.Active()) {
			for _, t := range append(search.PendingTasksOf(s, j).Tasks, search.BestEffort(s, j)...) {
				tx.Try(func(tx *ledger.Tx) bool { return placeAnywhere(s, tx, t) })
			}
		}
		s.L.Tasks.Each(func(t ledger.TaskID) bool {
			if row := s.L.Task(t); row.Status == model.Running && row.Job != ledger.NoJob {
				tx.Evict(t, "placeAndFail", ledger.NoTask)
			}
			return true
		})
		tx.Provisional()
		return false
	})
}

// placeAnywhere gives a task any place there is; a try inside the try, which holds or fails.
func placeAnywhere(s *session.Session, tx *ledger.Tx, t ledger.TaskID) bool {
	if s.L.Task(t).Status == model.Pipelined {
		tx.Unpipeline(t)
	}
	if n := s.NodeIndex.Best(class.Query{Task: t}).Node; n != ledger.NoNode {
		tx.Allocate(t, n)
		return s.L.Node(n).Tasks%3 != 0
	}
	if n := s.NodeIndex.Best(class.Query{Task: t, Future: true}).Node; n != ledger.NoNode {
		tx.Pipeline(t, n)
		return true
	}
	return false
}

// withEvictingActions adds actions that evict.
func (w *world) withEvictingActions(actions ...string) []string {
	switch w.n(4) {
	case 0:
		return append(actions, "evictAny")
	case 1:
		return append(actions, "preempt")
	case 2:
		return append(actions, "reclaim", "preempt")
	case 3:
		return append(actions, "gangpreempt", "gangreclaim", "shuffle")
	default:
		return append(actions, "preempt", "reclaim", "evictAny")
	}
}

// remember has queues and tenants ordered by what they used lately, too.
func (w *world) remember(p *policy.Profile) {
	weight := []string{"0.001", "0.5", "0.999"}[w.n(2)]
	for _, tier := range p.Tiers {
		for i := range tier {
			c := &tier[i]
			if c.Plugin == "proportion" || c.Plugin == "capacity" || c.Plugin == "drf" {
				if c.Plugin == "drf" {
					c.Hierarchy = true
				}
				c.Arguments = policy.Arguments{"usage.weight": weight, "usage.halfLife": "2m"}
			}
		}
	}
	p.Tiers[1] = append([]policy.Choice{{Plugin: "fairshare", Arguments: policy.Arguments{"fairshare.weight": weight,
		"fairshare.halfLifeMinutes": "1", "fairshare.by": []string{"namespace", "label:app"}[w.n(1)]}}}, p.Tiers[1]...)
}

// profile is a configuration with the given actions; what differs between
// configurations is drawn.
func (w *world) profile(actions ...string) policy.Profile {
	p := policy.Profile{Actions: actions, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
		{{Plugin: "predicates"}, {Plugin: "nodeorder"}},
	}}
	switch w.n(3) {
	case 1:
		p.Tiers[1] = append(p.Tiers[1], policy.Choice{Plugin: "proportion"})
	case 2:
		p.Tiers[1] = append(p.Tiers[1], policy.Choice{Plugin: "proportion"}, policy.Choice{Plugin: "drf"},
			policy.Choice{Plugin: "overcommit"})
	case 3:
		p.Tiers[1] = append(p.Tiers[1], policy.Choice{Plugin: "capacity", Hierarchy: w.yes()}, policy.Choice{Plugin: "drf"})
	}
	if w.yes() {
		p.Tiers[1] = append(p.Tiers[1], policy.Choice{Plugin: "binpack"})
	}
	if w.yes() {
		p.ActionArguments = map[string]policy.Arguments{"backfill": {
			"backfill.depth":    []string{"1", "2", "-1"}[w.n(2)],
			"backfill.patience": []string{"0s", "20s"}[w.n(1)],
			"backfill.trust":    []string{"enforced", "declared"}[w.n(1)],
			"backfill.maxSlip":  []string{"0s", "30s"}[w.n(1)],
		}}
	}
	if w.n(3) == 3 {
		p.Tiers[1] = append(p.Tiers[1], policy.Choice{Plugin: "nodegroup", Hierarchy: w.yes(),
			Arguments: policy.Arguments{"strict": "false", "enablePreferredOrder": "true"}})
	}
	if w.yes() {
		p.Tiers[1] = append(p.Tiers[1], policy.Choice{Plugin: "network-topology-aware"})
	}
	if w.yes() {
		tier := w.n(1)
		p.Tiers[tier] = append(p.Tiers[tier], policy.Choice{Plugin: "pdb"}, policy.Choice{Plugin: "cdp"},
			policy.Choice{Plugin: "minruntime", Arguments: policy.Arguments{"min-runtime": "5s"}},
			policy.Choice{Plugin: "evictioncap", Arguments: policy.Arguments{"max-per-minute.job": "2"}})
	}
	if w.n(3) == 3 {
		p.Tiers[1] = append(p.Tiers[1], policy.Choice{Plugin: "numa-aware"})
	}
	if w.rarely() {
		by := []string{"random", "bestfit", "dotproduct", "fgd"}[w.n(3)]
		p.Tiers[1] = append(p.Tiers[1],
			policy.Choice{Plugin: "packing", Arguments: policy.Arguments{"packing.by": by, "packing.resource": "gpu"}})
	}
	if w.n(3) == 3 {
		p.Tiers = append(
			[][]policy.Choice{{{Plugin: "joborder", Arguments: policy.Arguments{"joborder.by": []string{"srtf", "srsf"}[w.n(1)],
				"joborder.preempt": "true", "joborder.resource": "cpu"}}}}, p.Tiers...)
	}
	if w.n(3) == 3 {
		p.Tiers[1] = append(p.Tiers[1],
			policy.Choice{Plugin: "tdm", Arguments: policy.Arguments{"tdm.revocable-zone.rz": "00:00-00:01"}})
	}
	if slices.Contains(actions, "shuffle") {
		p.Tiers[1] = append(p.Tiers[1], policy.Choice{Plugin: "rescheduling", Arguments: policy.Arguments{"interval": "30s",
			"strategies": `[{"name":"lowNodeUtilization","params":{"thresholds":{"cpu":50},"targetThresholds":{"cpu":70}}}]`}})
	}
	if w.yes() {
		w.remember(&p)
	}
	if w.rarely() {
		p.Actions = slices.DeleteFunc(p.Actions, func(a string) bool { return a == "enqueue" })
	}
	return p
}
