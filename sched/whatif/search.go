package whatif

import (
	"slices"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// DefaultRuns is how many cycles of the engine one search may spend.
const DefaultRuns = 150

// mostCycles is how many cycles a job has to start within: one to be let in or to evict, one to be placed, and one
// more where both are needed.
const mostCycles = 3

// Limits bound one search. The zero Limits are DefaultRuns cycles, however long they take.
type Limits struct {
	Runs int // cycles of the engine; 0: DefaultRuns
	// Stop ends the search where it returns true; it is asked before each cycle. A cycle in which gangs evict others on
	// a large cluster may take seconds. nil: the search ends by itself.
	Stop func() bool
	// Found is called for each way when it is found, in another order than that of the answer; nil: it is not.
	Found func(trace.Way)
}

// Search finds what would make jobs run, one after the other, on a copy of an engine.
type Search struct {
	trials
	why     trace.Reason // why the job waits that is asked about
	guesses map[guess]int64
	others  bool // only changes of others than the job's owner are looked for
}

// New returns a search on a copy, at a time in nanoseconds since the epoch: that of the next cycle. The copy is
// left as it was. One cycle runs on it, in which a new engine finds what it remembers from then on.
func New(c *sched.Copy, now int64) *Search {
	c.Decide(now)
	c.Revert()
	return &Search{trials: trials{c: c, now: now}, guesses: map[guess]int64{}}
}

// Job finds what would make a job run, within limits. It returns false where there is no such job, or it does not wait.
func (s *Search) Job(k ledger.JobKey, within Limits) (trace.WouldRun, bool) {
	if within.Runs <= 0 {
		within.Runs = DefaultRuns
	}
	s.Limits = within
	id, ok := s.c.Engine().Ledger().Jobs.Find(k)
	if !ok || !needsPlaces(s.c.Engine().Ledger().Job(id)) {
		return trace.WouldRun{}, false
	}
	s.key, s.family, s.given, s.why, s.others = k, s.Runs, nil, trace.Reason{}, false
	clear(s.guesses)
	s.out = trace.WouldRun{Job: s.c.Engine().Ledger().Jobs.Called(id)}
	if way, starts := s.try(nil, func(e *sched.Engine, id ledger.JobID) { s.why = e.Refusal(id) }); starts {
		s.out.Soon = way.Cycles
	} else {
		s.look()
		s.lookBehind()
		slices.SortStableFunc(s.out.Ways, func(a, b trace.Way) int { return rank(a) - rank(b) })
	}
	s.out.Runs, s.out.Cut = within.Runs-s.Runs, s.out.Cut || s.Runs <= 0
	return s.out, true
}

// needsPlaces says that a job has pods to place, or is to have them.
func needsPlaces(j *ledger.Job) bool {
	return j.By[model.Pending] > 0 || j.By[model.Pipelined] > 0 || j.Exists() && j.AwaitsAdmission()
}

// ofFamily is how many cycles one kind of changes may spend.
const ofFamily = 24

// look tries every kind of changes that may help against the reason for which the job waits.
func (s *Search) look() {
	for _, find := range s.families() {
		s.family = min(ofFamily, s.Runs)
		find()
	}
}

// families lists the kinds of changes: those of the job's own specification, unless only others are looked for, then
// those of queues, then room.
func (s *Search) families() (out []func()) {
	root := s.why.Root().Code
	room := root.OfNodes() || root == trace.ClusterOvercommitted || root == trace.ResourceOfClass ||
		root == trace.QueueOverused || root == trace.QueueDeserved
	queue := ofQueue(root)
	other := !room && !queue
	add := func(helps bool, find ...func()) {
		if helps {
			out = append(out, find...)
		}
	}
	own := !s.others
	add(own, s.gang, s.requests)
	add(own && (room || other), s.tier, s.tolerations, s.selectors)
	add(own && (queue || other || root == trace.NodeGroup), s.queue)
	add(root == trace.SchedulingGated || other, s.gates)
	add(other, s.queueState)
	add(queue || other, s.capability, s.deserved, s.weight)
	add(root == trace.NamespaceQuotaExceeded || other, s.quota)
	add(room || other, s.room, s.nodes)
	add(room || queue || other, s.ends)
	add(own, s.priority) // it costs the most: the last to be tried
	return out
}

// ofQueue says that a job waits for its queue, or for its namespace.
func ofQueue(c trace.Code) bool {
	switch c {
	case trace.QueueQuotaInsufficient, trace.QueueOverused, trace.QueueDeserved, trace.QueueCapability,
		trace.QueueDevices, trace.QueueGateShut, trace.NamespaceQuotaExceeded:
		return true
	}
	return false
}

// lookBehind looks for pairs, where no single change of others than the job's owner is enough: a change that lifts the
// reason for which the job waits now and leaves another one, and then every change that helps against that one.
func (s *Search) lookBehind() {
	alone := len(s.out.Ways)
	if slices.ContainsFunc(s.out.Ways, func(w trace.Way) bool { return !ofOwner(w.Changes[0].Kind) }) {
		return
	}
	was := s.why
	s.others = alone > 0
	for _, c := range s.liftable() {
		var behind trace.Reason
		s.family = s.Runs
		if _, starts := s.try([]trace.Change{c}, func(e *sched.Engine, id ledger.JobID) {
			behind = e.Refusal(id)
		}); starts || !behind.Is() || behind.Root().Code == was.Root().Code && behind.Root().Queue == was.Root().Queue {
			continue
		}
		s.given, s.why = []trace.Change{c}, behind
		s.look()
		s.given, s.why = nil, was
		for i := alone; i < len(s.out.Ways); i++ {
			s.family = min(2*ofFamily, s.Runs)
			s.out.Ways[i] = s.needed(s.out.Ways[i])
		}
		if len(s.out.Ways) > alone {
			return
		}
	}
}

// needed makes the first change of a pair as little as it may be, and leaves out what is not needed.
func (s *Search) needed(pair trace.Way) trace.Way {
	if pair = s.without(pair); len(pair.Changes) > 1 && len(pair.Changes[0].Amounts) > 0 {
		pair = s.without(s.lessen(pair, 0))
	}
	s.confirm(pair)
	return pair
}

// owners lists the kinds of changes of the job's own specification, as they are told; others come after them.
var owners = [...]trace.ChangeKind{trace.ChangeGang, trace.ChangeRequest, trace.ChangeTier, trace.ChangeToleration,
	trace.ChangeSelector, trace.ChangePriority, trace.ChangeQueue}

// ofOwner says that a change is one of the job's own specification.
func ofOwner(k trace.ChangeKind) bool { return slices.Contains(owners[:], k) }

// rank is the place of a way in the answer: single changes of the job's owner first, then the others as
// they were found: queues, then room; then pairs.
func rank(w trace.Way) int {
	switch at := slices.Index(owners[:], w.Changes[0].Kind); {
	case len(w.Changes) > 1:
		return len(owners) + 1
	case at >= 0:
		return at
	}
	return len(owners)
}
