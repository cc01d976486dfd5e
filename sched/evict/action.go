package evict

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Evictor evicts pods for jobs that starve. The evicting actions of an engine share one: what it keeps from
// cycle to cycle follows from the ledger. It is not safe for concurrent use.
type Evictor struct {
	s        *session.Session
	search   *Search
	records  map[ledger.TaskID]*trace.Eviction // of what the statements of the current action evict
	starving starvingGroups
	refused  pending.Answers[actionOnJob, struct{}]   // where actions found no victims
	why      pending.Answers[Signature, trace.Reason] // why they find none
}

// New returns the Evictor of a session.
func New(s *session.Session) *Evictor {
	return &Evictor{s: s, search: NewSearch(s), records: map[ledger.TaskID]*trace.Eviction{}}
}

// Record is the record of an eviction that the current action has made; nil where it has made none.
func (e *Evictor) Record(t ledger.TaskID) *trace.Eviction { return e.records[t] }

// Protect replaces the set of queues from which, and from below which, no pod is evicted.
func (e *Evictor) Protect(queues []ledger.QueueID) { e.search.p.inDoubt = queues }

// Forget drops the records once the action's statements are part of the plan.
func (e *Evictor) Forget() { clear(e.records) }

// Action is an action that evicts pods for jobs that starve: preempt, reclaim, and both of them for gangs.
type Action struct {
	evictor *Evictor
	options Options
}

// Action returns the action that options name.
func (e *Evictor) Action(o Options) Action { return Action{e, o} }

// Name implements session.Action.
func (a Action) Name() string { return a.options.Action }

// Options are what the action may do.
func (a Action) Options() Options { return a.options }

// Execute implements session.Action.
func (a Action) Execute(s *session.Session) {
	o := a.options
	s.Enter(o.Action)
	defer s.Leave(o.Action)
	if s.IsIdle(o.Action) {
		return
	}
	a.evictor.Execute(o)
	if o.Scope == SameQueue {
		a.evictor.traceIdleQueues(o.Action)
	}
	s.RememberIdle(o.Action)
}

// Execute makes room for jobs that starve, each as a whole, until there is no job left for which victims are
// found. Inside a queue, jobs are asked in job order. A job that still starves after room was made for it is
// asked again.
func (e *Evictor) Execute(o Options) {
	queues := e.preemptorQueues(o, e.starvingJobs(o))
	if o.Scope == OtherQueues {
		e.inTurns(o, queues)
	} else {
		e.queueByQueue(o, queues)
	}
}

// queueByQueue serves the queues one after the other, in queue order. With OwnMembers, the jobs of each queue
// then take room from their own members, in job order.
func (e *Evictor) queueByQueue(o Options, queues map[ledger.QueueID]*preemptorQueue) {
	order := make([]ledger.QueueID, 0, len(queues))
	for q := range queues { // order-free: sorted below
		order = append(order, q)
	}
	slices.SortFunc(order, e.s.Policy.CompareQueues)
	for _, q := range order {
		for queues[q].serve() {
			continue
		}
		if o.OwnMembers {
			e.fromOwnMembers(o, queues[q].alone)
		}
	}
}

// fromOwnMembers makes room for tasks of a job by evicting less important tasks of the same job, one task at
// a time.
func (e *Evictor) fromOwnMembers(o Options, jobs []ledger.JobID) {
	o.Scope, o.WholeGangs = SameJob, false
	slices.SortFunc(jobs, e.s.Policy.CompareJobs)
	for _, j := range jobs {
		for e.s.Policy.Eviction.Starving(j) && hasRunning(e.s, j) && e.take(o, j) {
			continue
		}
	}
}

// inTurns serves the queues in turns: the first by QueueOrder, unless it is overused. Both are computed
// anew after every job that room was made for; Volcano computes them once. As long as room was made for no
// job, the first queue stays the same.
func (e *Evictor) inTurns(o Options, queues map[ledger.QueueID]*preemptorQueue) {
	var first []ledger.JobID
	// One job stands for its queue in the rotation. Which of the queue's jobs is asked, serve decides.
	for _, q := range queues { // order-free: a rotation sorts
		first = append(first, q.heads.First().job)
	}
	rotation := e.s.Rotate(first)
	for {
		q, j, ok := rotation.Next()
		if !ok {
			return
		}
		if r, over := e.s.Policy.Overused(q); over {
			e.s.Trace.Add(trace.Event{Kind: trace.QueueOverusedEvent, Action: o.Action, Queue: e.s.L.Queue(q).Name, Reason: r})
			continue
		}
		if l := queues[q]; l.serve() && !l.empty() {
			rotation.Again(q, j)
		}
		rotation.Return(q)
	}
}

// hasRunning says that a job has a running member that could be a victim of another member.
func hasRunning(s *session.Session, j ledger.JobID) bool {
	job := s.L.Job(j)
	return job.By[model.Running]+job.By[model.Bound] > 0
}
