package evict

import (
	"math"
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// currentPreemptor is the task that room is looked for now, and what was looked at for it.
type currentPreemptor struct {
	vs *Search

	preemptor  policy.Preemptor
	class      ledger.ClassID
	bestEffort bool
	explain    census
	budget     int
	steps      int
	exhausted  bool
	considered int                 // nodes on which victims were tried
	preemptors uint64              // the number of preemptors so far
	tried      []uint64            // by NodeID: the number of the preemptor it was last tried for
	bounded    int                 // nodes that amounts alone do not rule out
	losers     []trace.Alternative // of this preemptor
}

// Search searches for victims in one ledger, under one set of plugins. What it keeps between preemptors
// (freeable sums, candidate nodes) is derived from the ledger and follows it. It is not safe for
// concurrent use.
type Search struct {
	l     *ledger.Ledger
	nodes *class.Index
	set   *policy.Set

	pending   *pending.Index
	fruitless pending.Answers[Signature, trace.Reason] // where no victims were found: why the queue may not preempt
	stamp     uint64                                   // a node's failed dry run is valid while this is unchanged

	rule Options // of the current series of preemptors

	short, most, left []int64 // by dimension: see candidateIndex.boundOf and dryRun.measure

	candidates candidateIndex
	scope      victimScope
	current    currentPreemptor
	dry        dryRun
	choice     choice
	Result     Result
}

// NewSearch returns a Search; it looks at nothing yet.
func NewSearch(l *ledger.Ledger, nodes *class.Index, set *policy.Set, x *pending.Index) *Search {
	vs := (&Search{l: l, nodes: nodes, set: set, pending: x, stamp: 1,
		candidates: candidateIndex{freeable: freeable{l: l}, byKey: map[candidateKey]*candidateNodes{}}}).wire()
	vs.dry.compare, vs.dry.enough = vs.dry.compareVictims, vs.dry.fits
	return vs
}

// begin starts a series of preemptors under one rule: the tasks of one job, each of which takes its
// place before the next one is looked for. A node on which a dry run failed is not tried again within a
// series: as more victims are evicted and more tasks are placed, less is allowed.
func (vs *Search) begin(rule Options, j ledger.JobID) {
	vs.rule = rule
	vs.stamp++
	vs.current.budget = rule.Budget
	if vs.current.budget == 0 {
		vs.current.budget = DefaultBudget
	}
	vs.current.preemptor = policy.Preemptor{Job: j, Queue: vs.l.Job(j).Queue, Short: vs.current.preemptor.Short[:0], Lacks: vs.current.preemptor.Lacks[:0], Rest: vs.current.preemptor.Rest[:0]}
	vs.Result.notPreemptive, vs.Result.prePredicateFailed, vs.Result.nonPreempting = trace.Reason{}, false, ledger.NoTask
	vs.Result.placed, vs.Result.refused, vs.Result.served, vs.Result.gone, vs.Result.lost = vs.Result.placed[:0], vs.Result.refused[:0], vs.Result.served[:0], vs.Result.gone[:0], vs.Result.lost[:0]
	if rule.Scope == OtherQueues {
		vs.scope.find()
	}
}

// place finds the cheapest place for a task of the job, and takes it: the victims are evicted and the
// task gets a reservation. It returns false, with nothing changed, when there is none. Surplus is tried
// everywhere before whole gangs are (decision 12), and nearer queues before farther ones.
func (vs *Search) place(tx *ledger.Tx) bool {
	for _, wholeGangs := range [...]bool{false, true} {
		if wholeGangs && !vs.rule.WholeGangs {
			break
		}
		if vs.candidates.freeable.follow(); !wholeGangs && vs.candidates.freeable.spares == 0 && vs.rule.Scope != SameJob {
			continue // no job has a member to spare
		}
		for level := range vs.scope.levels() {
			vs.scope.enter(level)
			if p := vs.choice.best(int32(level), wholeGangs); p != nil {
				vs.choice.take(tx, p)
				return true
			}
		}
	}
	return false
}

// ask makes a task the current preemptor.
func (as *currentPreemptor) ask(t ledger.TaskID) {
	task := as.vs.l.Task(t)
	as.preemptor.Task, as.class = t, task.Class
	class := as.vs.l.Class(task.Class)
	as.preemptor.Want = class.Request
	as.bestEffort = class.BestEffort
	as.preemptors++
	as.steps, as.considered, as.bounded, as.exhausted = 0, 0, 0, false
	as.losers = as.losers[:0]
	as.preemptor.Short, as.preemptor.Lacks = as.preemptor.Short[:0], as.preemptor.Lacks[:0]
	if as.vs.rule.Scope == OtherQueues {
		as.findShort(class)
	}
}

// findShort notes the dimensions in which no node that may take the class has enough
// FutureIdle (decision 15).
func (as *currentPreemptor) findShort(class *ledger.Class) {
	admits := as.vs.nodes.Admitted(as.class)
	for _, need := range class.Need {
		enough := need.Dim == resource.Pods // queues do not share numbers of pods (decision 24)
		for n := range admits {
			if enough || admits[n] && lacks(as.vs.l, ledger.NodeID(n), need.Dim, need.Amount) <= 0 {
				enough = true
				break
			}
		}
		if !enough {
			as.preemptor.Short = append(as.preemptor.Short, need.Dim)
		}
	}
}

// findLacks notes the dimensions in which a node has too little FutureIdle for count tasks of the
// class.
func (as *currentPreemptor) findLacks(n ledger.NodeID, count int64) {
	if as.vs.rule.Scope != OtherQueues {
		return
	}
	for _, need := range as.vs.l.Class(as.class).Need {
		if need.Dim != resource.Pods && as.vs.l.Nodes.FutureIdle(need.Dim, n) < times(need.Amount, count) &&
			!slices.Contains(as.preemptor.Lacks, need.Dim) {
			as.preemptor.Lacks = append(as.preemptor.Lacks, need.Dim)
		}
	}
	for _, f := range as.vs.set.Lackers {
		for _, d := range f.Lacking(as.preemptor.Task, n) {
			if !slices.Contains(as.preemptor.Lacks, d) {
				as.preemptor.Lacks = append(as.preemptor.Lacks, d)
			}
		}
	}
}

// times is a × b, at most math.MaxInt64; neither is negative.
func times(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// rests notes what the tasks ask for that the job still needs for its minimum; tasks are those that are
// left to place.
func (as *currentPreemptor) rests(tasks []ledger.TaskID) {
	as.preemptor.Rest = as.preemptor.Rest[:0]
	if as.vs.rule.Scope != OtherQueues || as.preemptor.Extra {
		return
	}
	job := as.vs.l.Job(as.preemptor.Job)
	need := max(1, int(job.MinMember-job.Placed()-job.Waiting()))
	for _, t := range tasks[:min(need, len(tasks))] {
		as.preemptor.Rest = as.preemptor.Rest.Add(as.vs.l.Class(as.vs.l.Task(t).Class).Request)
	}
}

// take carries a plan out in the current statement.
func (ch *choice) take(tx *ledger.Tx, p *plan) {
	for _, v := range p.victims {
		ch.vs.dry.leave(tx, v.task)
	}
	tx.Reserve(ch.vs.current.preemptor.Task, p.node)
	ch.vs.Result.note(p)
}

// wire tells the parts what they are parts of.
func (vs *Search) wire() *Search {
	vs.candidates.vs = vs
	vs.scope.vs = vs
	vs.current.vs = vs
	vs.dry.vs = vs
	vs.choice.vs = vs
	vs.Result.vs = vs
	return vs
}
