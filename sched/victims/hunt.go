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

// Hunt searches for victims in one ledger, under one set of plugins. What it keeps between
// claims (cells, rows) is derived from the ledger and follows it; it is not safe for
// concurrent use.
type Hunt struct {
	l     *ledger.Ledger
	nodes *class.Index
	set   *policy.Set

	cells   cells
	rows    map[kind]*row
	pleas   map[Plea]trace.Reason // those that were of no use, as things stood at pleasAt
	pleasAt state
	cycle   uint64
	lru     uint64
	gives   []bool           // by QueueID, of the ring at hand: whose tasks count
	rings   []ledger.QueueID // the queues that may give, the nearest first
	edges   []int            // where in rings each ring ends
	stamp   uint64           // a node's failed trial stands while this does

	// The claim at hand.
	rule       Rule
	claim      policy.Claim
	class      ledger.ClassID
	bestEffort bool
	explain    census
	budget     int
	steps      int
	exhausted  bool
	considered int                 // nodes on which victims were tried
	claims     uint64              // the number of claims so far
	tried      []uint64            // by NodeID: the claim it was tried for last
	spread     bool                // units of all nodes are gathered together
	bounded    int                 // nodes that amounts alone do not rule out
	losers     []trace.Alternative // of this claim

	// The trial at hand.
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
	enough   func() bool // that those who are gone are: fits, or of a whole gang
	all      []unit

	short, most, left []int64
	columns           []column
	stash             []ledger.NodeID
	list              []listed
	again             marks
	plans             [2]plan

	// The series at hand.
	placed   []ledger.TaskID
	refused  []ledger.ClassID // classes that found no place
	patient  ledger.TaskID    // the first without room for which nobody may be evicted
	untitled trace.Reason     // why the queue may not take from others, for the first that was refused
	balked   bool             // PrePredicate refused a task
	deeds    []deed
	gone     []victim // of all deeds, one after the other
	lost     []trace.Alternative
}

// New returns a Hunt; it looks at nothing yet.
func New(l *ledger.Ledger, nodes *class.Index, set *policy.Set) *Hunt {
	h := &Hunt{l: l, nodes: nodes, set: set, cells: cells{l: l}, rows: map[kind]*row{}, stamp: 1}
	h.compare, h.enough = h.compareVictims, h.fits
	return h
}

// Open begins a cycle: plugins may answer otherwise than in the one before.
func (h *Hunt) Open() { h.cycle++ }

// begin starts a series of claims under one rule: of one job, of which each place that
// is found is taken before the next is looked for. Nodes on which a trial failed are not
// tried again within a series: as more leave and more is placed, less is allowed.
func (h *Hunt) begin(rule Rule, j ledger.JobID) {
	h.rule = rule
	h.stamp++
	h.budget = rule.Budget
	if h.budget == 0 {
		h.budget = DefaultBudget
	}
	h.claim = policy.Claim{Job: j, Queue: h.l.Job(j).Queue, Short: h.claim.Short[:0], Lacks: h.claim.Lacks[:0], Rest: h.claim.Rest[:0]}
	h.untitled, h.balked, h.patient = trace.Reason{}, false, ledger.NoTask
	h.placed, h.refused, h.deeds, h.gone, h.lost = h.placed[:0], h.refused[:0], h.deeds[:0], h.gone[:0], h.lost[:0]
	if rule.Scope == OtherQueues {
		h.findRings()
	}
}

// place finds the cheapest place for a task of the job, and takes it: the victims are
// evicted and the task has a reservation. False, with nothing changed, when there is
// none. Surplus is tried everywhere before whole gangs are (decision 12), nearer queues
// before farther ones.
func (h *Hunt) place(tx *ledger.Tx) bool {
	for _, wholes := range [...]bool{false, true} {
		if wholes && !h.rule.Wholes {
			break
		}
		if h.cells.follow(); !wholes && h.cells.spares == 0 && h.rule.Scope != SameJob {
			continue // no job has a member to spare
		}
		for ring := range h.numRings() {
			h.enter(ring)
			if p := h.best(int32(ring), wholes); p != nil {
				h.take(tx, p)
				return true
			}
		}
	}
	return false
}

// ask sets up the claim for one task.
func (h *Hunt) ask(t ledger.TaskID) {
	task := h.l.Task(t)
	h.claim.Task, h.class = t, task.Class
	class := h.l.Class(task.Class)
	h.claim.Want = class.Request
	h.bestEffort = class.BestEffort
	h.claims++
	h.steps, h.considered, h.bounded, h.exhausted = 0, 0, 0, false
	h.losers = h.losers[:0]
	h.claim.Short, h.claim.Lacks = h.claim.Short[:0], h.claim.Lacks[:0]
	if h.rule.Scope == OtherQueues {
		h.findShort(class)
	}
}

// findShort notes the dimensions in which no node that may take the class has enough
// FutureIdle (decision 15).
func (h *Hunt) findShort(class *ledger.Class) {
	admits := h.nodes.Admitted(h.class)
	for _, need := range class.Need {
		enough := need.Dim == resource.Pods // no part of what queues share (decision 24)
		for n := range admits {
			if enough || admits[n] && lacks(h.l, ledger.NodeID(n), need.Dim, need.Amount) <= 0 {
				enough = true
				break
			}
		}
		if !enough {
			h.claim.Short = append(h.claim.Short, need.Dim)
		}
	}
}

// findLacks notes the dimensions in which a node has too little FutureIdle for so many of the
// class.
func (h *Hunt) findLacks(n ledger.NodeID, count int64) {
	if h.rule.Scope != OtherQueues {
		return
	}
	for _, need := range h.l.Class(h.class).Need {
		if need.Dim != resource.Pods && h.l.FutureIdle(need.Dim, n) < times(need.Amount, count) &&
			!slices.Contains(h.claim.Lacks, need.Dim) {
			h.claim.Lacks = append(h.claim.Lacks, need.Dim)
		}
	}
}

// times is a × b, held at the edge of int64; neither is negative.
func times(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// rests notes what the tasks from one on, of those that the rest of the minimum needs, ask for.
func (h *Hunt) rests(tasks []ledger.TaskID) {
	h.claim.Rest = h.claim.Rest[:0]
	if h.rule.Scope != OtherQueues || h.claim.Extra {
		return
	}
	job := h.l.Job(h.claim.Job)
	need := max(1, int(job.MinMember-job.Placed()-job.Waiting()))
	for _, t := range tasks[:min(need, len(tasks))] {
		h.claim.Rest = h.claim.Rest.Add(h.l.Class(h.l.Task(t).Class).Request)
	}
}

// take carries a plan out in the statement at hand.
func (h *Hunt) take(tx *ledger.Tx, p *plan) {
	for _, v := range p.victims {
		h.leave(tx, v.task)
	}
	tx.Reserve(h.claim.Task, p.node)
	h.note(p)
}
