package victims

import (
	"math"
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Search searches for victims in one ledger, under one set of plugins. What it keeps between preemptors
// (freeable sums, candidate nodes) is derived from the ledger and follows it. It is not safe for
// concurrent use.
type Search struct {
	l     *ledger.Ledger
	nodes *class.Index
	set   *policy.Set

	freeable     freeable
	candidates   map[candidateKey]*candidateNodes
	fruitless    map[Signature]trace.Reason // signatures for which no victims were found, with why, at fruitlessAt
	fruitlessAt  state
	cycle        uint64
	lru          uint64
	mayLose      []bool           // by QueueID: its tasks may be victims at the current level
	victimQueues []ledger.QueueID // the queues that may lose tasks, the nearest first
	levelEnds    []int            // by level: where it ends in victimQueues
	stamp        uint64           // a node's failed dry run is valid while this is unchanged

	// The current preemptor.
	rule       Rule
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
	spread     bool                // units of all nodes are gathered together
	bounded    int                 // nodes that amounts alone do not rule out
	losers     []trace.Alternative // of this preemptor

	// The current dry run.
	at       ledger.NodeID
	tx       *ledger.Tx
	here     []ledger.TaskID
	slab     []ledger.TaskID
	units    []unit
	roleLeft []int32
	subLeft  []int32
	rest     []ledger.TaskID
	out      []victim
	seen     sets
	compare  func(a, b ledger.TaskID) int
	enough   func() bool // that the victims evicted so far are enough: fits, or jointSearch.fits for a gang
	all      []unit

	short, most, left []int64
	columns           []column
	popped            []ledger.NodeID
	list              []listed
	again             marks
	plans             [2]plan

	// The current series: the tasks of one job.
	placed             []ledger.TaskID
	refused            []ledger.ClassID // classes that found no place
	nonPreempting      ledger.TaskID    // the first task without room of which the policy is to evict no pod
	notPreemptive      trace.Reason     // why the queue may not preempt, for the first task that was refused
	prePredicateFailed bool             // PrePredicate refused a task
	served             []served
	gone               []victim // of all tasks placed, one after the other
	lost               []trace.Alternative
}

// New returns a Search; it looks at nothing yet.
func New(l *ledger.Ledger, nodes *class.Index, set *policy.Set) *Search {
	vs := &Search{l: l, nodes: nodes, set: set, freeable: freeable{l: l}, candidates: map[candidateKey]*candidateNodes{}, stamp: 1}
	vs.compare, vs.enough = vs.compareVictims, vs.fits
	return vs
}

// Open begins a cycle: plugins may answer differently than in the last one.
func (vs *Search) Open() { vs.cycle++ }

// begin starts a series of preemptors under one rule: the tasks of one job, each of which takes its
// place before the next one is looked for. A node on which a dry run failed is not tried again within a
// series: as more victims are evicted and more tasks are placed, less is allowed.
func (vs *Search) begin(rule Rule, j ledger.JobID) {
	vs.rule = rule
	vs.stamp++
	vs.budget = rule.Budget
	if vs.budget == 0 {
		vs.budget = DefaultBudget
	}
	vs.preemptor = policy.Preemptor{Job: j, Queue: vs.l.Job(j).Queue, Short: vs.preemptor.Short[:0], Lacks: vs.preemptor.Lacks[:0], Rest: vs.preemptor.Rest[:0]}
	vs.notPreemptive, vs.prePredicateFailed, vs.nonPreempting = trace.Reason{}, false, ledger.NoTask
	vs.placed, vs.refused, vs.served, vs.gone, vs.lost = vs.placed[:0], vs.refused[:0], vs.served[:0], vs.gone[:0], vs.lost[:0]
	if rule.Scope == OtherQueues {
		vs.findVictimQueues()
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
		if vs.freeable.follow(); !wholeGangs && vs.freeable.spares == 0 && vs.rule.Scope != SameJob {
			continue // no job has a member to spare
		}
		for level := range vs.numLevels() {
			vs.enter(level)
			if p := vs.best(int32(level), wholeGangs); p != nil {
				vs.take(tx, p)
				return true
			}
		}
	}
	return false
}

// ask makes a task the current preemptor.
func (vs *Search) ask(t ledger.TaskID) {
	task := vs.l.Task(t)
	vs.preemptor.Task, vs.class = t, task.Class
	class := vs.l.Class(task.Class)
	vs.preemptor.Want = class.Request
	vs.bestEffort = class.BestEffort
	vs.preemptors++
	vs.steps, vs.considered, vs.bounded, vs.exhausted = 0, 0, 0, false
	vs.losers = vs.losers[:0]
	vs.preemptor.Short, vs.preemptor.Lacks = vs.preemptor.Short[:0], vs.preemptor.Lacks[:0]
	if vs.rule.Scope == OtherQueues {
		vs.findShort(class)
	}
}

// findShort notes the dimensions in which no node that may take the class has enough
// FutureIdle (decision 15).
func (vs *Search) findShort(class *ledger.Class) {
	admits := vs.nodes.Admitted(vs.class)
	for _, need := range class.Need {
		enough := need.Dim == resource.Pods // queues do not share numbers of pods (decision 24)
		for n := range admits {
			if enough || admits[n] && lacks(vs.l, ledger.NodeID(n), need.Dim, need.Amount) <= 0 {
				enough = true
				break
			}
		}
		if !enough {
			vs.preemptor.Short = append(vs.preemptor.Short, need.Dim)
		}
	}
}

// findLacks notes the dimensions in which a node has too little FutureIdle for count tasks of the
// class.
func (vs *Search) findLacks(n ledger.NodeID, count int64) {
	if vs.rule.Scope != OtherQueues {
		return
	}
	for _, need := range vs.l.Class(vs.class).Need {
		if need.Dim != resource.Pods && vs.l.FutureIdle(need.Dim, n) < times(need.Amount, count) &&
			!slices.Contains(vs.preemptor.Lacks, need.Dim) {
			vs.preemptor.Lacks = append(vs.preemptor.Lacks, need.Dim)
		}
	}
	for _, f := range vs.set.Lackers {
		for _, d := range f.Lacking(vs.preemptor.Task, n) {
			if !slices.Contains(vs.preemptor.Lacks, d) {
				vs.preemptor.Lacks = append(vs.preemptor.Lacks, d)
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
func (vs *Search) rests(tasks []ledger.TaskID) {
	vs.preemptor.Rest = vs.preemptor.Rest[:0]
	if vs.rule.Scope != OtherQueues || vs.preemptor.Extra {
		return
	}
	job := vs.l.Job(vs.preemptor.Job)
	need := max(1, int(job.MinMember-job.Placed()-job.Waiting()))
	for _, t := range tasks[:min(need, len(tasks))] {
		vs.preemptor.Rest = vs.preemptor.Rest.Add(vs.l.Class(vs.l.Task(t).Class).Request)
	}
}

// take carries a plan out in the current statement.
func (vs *Search) take(tx *ledger.Tx, p *plan) {
	for _, v := range p.victims {
		vs.leave(tx, v.task)
	}
	tx.Reserve(vs.preemptor.Task, p.node)
	vs.note(p)
}
