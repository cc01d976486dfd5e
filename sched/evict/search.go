package evict

import (
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Search searches for the victims of one job after the other. What it keeps between them (freeable sums,
// candidate nodes) follows from the ledger. It is not safe for concurrent use.
type Search struct {
	// Budget is the number of steps after which the search for something better is given up, for one task: the
	// nodes and the sets of victims that are tried.
	Budget int

	s         *session.Session
	p         preemptor
	nodes     nodeSearch
	result    Result
	fruitless pending.Answers[Signature, trace.Reason] // where no victims were found: why the queue may not reclaim
}

// DefaultBudget is the Budget of a new Search.
const DefaultBudget = 2048

// NewSearch returns a Search in a session's ledger, under its plugins; it looks at nothing yet.
func NewSearch(s *session.Session) *Search {
	vs := &Search{Budget: DefaultBudget, s: s, p: preemptor{l: s.L, nodeIndex: s.NodeIndex, set: s.Policy}}
	vs.nodes.p, vs.nodes.dry.p = &vs.p, &vs.p
	vs.nodes.index.l, vs.nodes.index.nodeIndex, vs.nodes.index.freeable.l = s.L, s.NodeIndex, s.L
	vs.Forget()
	return vs
}

// Forget drops what is kept between preemptors; it is computed again when needed.
func (vs *Search) Forget() { vs.nodes.index.byKey = map[candidateKey]*candidateNodes{} }

// Take makes room for a job: for the rest of its minimum as a whole, or, where it has its minimum
// already, for one more task. tasks are its members to place, in the order to place them; those that
// ask for nothing come last. All of it is one statement. The statement holds once the job has its minimum,
// or the one task more, and at least one victim was needed; otherwise nothing is evicted. Tasks beyond that
// keep waiting. A pod that can stay is not evicted (decision 13). Records returns what was done.
func (vs *Search) Take(o Options, j ledger.JobID, tasks []ledger.TaskID) bool {
	return vs.search(o, j, tasks, search.Place)
}

// Would returns what Take would return, and changes nothing.
func (vs *Search) Would(o Options, j ledger.JobID, tasks []ledger.TaskID) bool {
	return vs.search(o, j, tasks, search.DryRun)
}

func (vs *Search) search(o Options, j ledger.JobID, tasks []ledger.TaskID, mode search.Mode) (found bool) {
	if len(tasks) == 0 { // it starved: in a Copy, where time goes back, a backoff applies to it again
		vs.result.begin()
		vs.result.forThisJobOnly = true
		return false
	}
	g := vs.SignatureOf(o, j, tasks)
	if why, known := vs.fruitless.Recall(vs.s.Pending, g); known {
		vs.result.notPreemptive, vs.result.forThisJobOnly = why, false
		return false
	}
	rec := vs.s.Trace
	if mode == search.DryRun {
		rec = nil
	}
	vs.begin(o, j, rec)
	vs.s.L.Try(func(tx *ledger.Tx) bool {
		if !vs.placeAll(tx, tasks) {
			return false
		}
		if len(vs.result.placed) > 1 {
			vs.reprieveUnneeded(tx)
		}
		found = len(vs.result.gone) > 0
		return found && mode == search.Place
	})
	if g.Shared() && !found && !vs.result.forThisJobOnly {
		vs.fruitless.Remember(vs.s.Pending, g, vs.result.notPreemptive)
	}
	return found
}

// begin starts the search for the tasks of one job, each of which takes its place before the next one is looked
// for. A node on which a dry run failed is not tried again for that job: as more victims are evicted and more
// tasks are placed, less is allowed.
func (vs *Search) begin(o Options, j ledger.JobID, rec *trace.Recorder) {
	vs.nodes.stamp++
	vs.result.begin()
	vs.p.budget = vs.Budget
	vs.p.begin(o, j, rec)
}

// placeAll places tasks until the job has its minimum, or places the first task that it can when the
// job has its minimum already.
func (vs *Search) placeAll(tx *ledger.Tx, tasks []ledger.TaskID) bool {
	one := vs.satisfied()
	vs.p.Extra = one
	if !one {
		if found, tried := vs.jointly(tx, tasks); tried {
			return found && vs.satisfied()
		}
	}
	tasks = vs.nonPreemptingFirst(tasks)
	for i, t := range tasks {
		vs.p.rests(tasks[i:])
		if vs.place(tx, t) && (one || vs.satisfied()) {
			return true
		}
		job := vs.s.L.Job(vs.p.Job)
		if !one && job.PlacedOrPipelined()+int32(len(tasks)-i-1) < job.MinMember {
			return false
		}
	}
	return false
}

// nonPreemptingFirst moves the tasks that may not preempt to the front: free room is for them, since
// the rest can have victims.
func (vs *Search) nonPreemptingFirst(tasks []ledger.TaskID) []ledger.TaskID {
	never := vs.s.L.Priorities.PreemptsNever
	if !slices.ContainsFunc(tasks, never) {
		return tasks
	}
	may := slices.DeleteFunc(slices.Clone(tasks), never)
	first := slices.DeleteFunc(slices.Clone(tasks), func(t ledger.TaskID) bool { return !never(t) })
	return append(first, may...)
}

// satisfied says that the job could start with what it has and is to have: it has its minimum, that of
// every role, and whatever plugins require.
func (vs *Search) satisfied() bool {
	job := vs.s.L.Job(vs.p.Job)
	if !job.RolesMet((*ledger.Count).PlacedOrPipelined) {
		return false
	}
	for _, t := range vs.result.placed { // of a sub-group all members that it needs, or none
		if sub := vs.s.L.Task(t).Sub; sub >= 0 {
			if s := &job.Subs[sub]; s.PlacedOrPipelined() < job.SubSize(s) {
				return false
			}
		}
	}
	return vs.s.Policy.Pipelined(vs.p.Job)
}

// place gives one task a place, with or without victims.
func (vs *Search) place(tx *ledger.Tx, t ledger.TaskID) bool {
	task := vs.s.L.Task(t)
	if task.Status != model.Pending || slices.Contains(vs.result.refused, task.Class) {
		return false
	}
	if !vs.s.Policy.PrePredicate(t).Admits() {
		vs.result.forThisJobOnly = true
		return false
	}
	vs.p.ask(t)
	if n := vs.free(); n != ledger.NoNode {
		tx.Nominate(t, n)
		vs.result.placed = append(vs.result.placed, t)
		return true
	}
	if vs.s.L.Priorities.PreemptsNever(t) {
		if vs.result.nonPreempting == ledger.NoTask {
			vs.result.nonPreempting = t
		}
		return false // other tasks of its class may still preempt
	}
	if !vs.preemptive() || !vs.evictFor(tx, t) {
		vs.result.refused = append(vs.result.refused, task.Class)
		return false
	}
	vs.result.placed = append(vs.result.placed, t)
	return true
}

// free is the best node with room for the task without victims; ledger.NoNode when there is none.
func (vs *Search) free() ledger.NodeID {
	if !vs.p.allocatable() {
		return ledger.NoNode
	}
	return vs.s.NodeIndex.Best(class.Query{Task: vs.p.Task, Scope: vs.p.within()}).Node
}

// preemptive says that the preemptor's queue may take room from other queues at all. What the queue
// deserves does not grow when victims are evicted. Capability, its own and its ancestors', is no reason
// to stop: victims can make room under it.
func (vs *Search) preemptive() bool {
	if vs.p.o.Scope != OtherQueues {
		return true
	}
	r, ok := vs.s.Policy.Eviction.Preemptive(vs.p.Preemptor)
	if ok || r.Code == trace.QueueCapability {
		return true
	}
	if len(vs.result.refused) == 0 { // the reason that is reported is that of the first task that is refused
		vs.result.notPreemptive = r
	}
	return false
}

// evictFor finds the cheapest place for a task of the job, and takes it: the victims are evicted and the
// task gets a nomination. It returns false, with nothing changed, when there is none. Surplus is tried
// everywhere before whole gangs are (decision 12), and nearer queues before farther ones.
func (vs *Search) evictFor(tx *ledger.Tx, t ledger.TaskID) bool {
	sums := &vs.nodes.index.freeable
	for _, wholeGangs := range vs.p.o.kinds() {
		if sums.follow(); !wholeGangs && sums.withSurplus == 0 && vs.p.o.Scope != SameJob {
			continue // no job has a member to spare
		}
		for level := range vs.p.numLevels() {
			vs.p.enter(level)
			if found := vs.nodes.cheapestNode(wholeGangs); found != nil {
				vs.result.serve(&vs.p)
				for _, v := range found.victims {
					v.served = len(vs.result.served) - 1
					vs.evict(tx, v)
				}
				tx.Nominate(t, found.node)
				return true
			}
		}
	}
	return false
}

// evict evicts a victim in the statement.
func (vs *Search) evict(tx *ledger.Tx, v victim) {
	vs.nodes.dry.leave(tx, v.task)
	vs.result.gone = append(vs.result.gone, v)
}
