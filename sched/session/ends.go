package session

import (
	"cmp"
	"iter"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// End is when a task gives its node's room back.
type End struct {
	Task  ledger.TaskID
	Class ledger.ClassID
	Job   ledger.JobID // NoJob for a pod that is not ours

	moves    bool // it had not started when it was listed, or by its clock in time to come: its end moves with time
	expected int64
}

// Ends is a view: by node, the tasks that hold room there, and when they end. It follows the changes of nodes.
type Ends struct {
	s      *Session
	cursor ledger.Cursor
	nodes  ledger.Cursor // of Changes.WithoutFailedTries at the cursor: a failed try leaves them as they were
	on     []ended
	runs   uint64 // what earlier runs tell, as of this Version
	now    int64
	latest int64 // the latest now so far

	covered struct { // when it was last found what planned starts get back
		of    coverage
		until int64 // from then on it may be otherwise, though nothing changed
	}
}

// ended are the tasks on a node.
type ended struct {
	tasks []End
	moved uint64 // Nodes.Moved when they were listed
	first int64  // when the first one ended, as they were put in order; they still are as long as that is to come
	moves bool   // one of them moves
}

// steady says that the tasks are in order, and none of their ends is another than it was.
func (x *Ends) steady(on *ended) bool { return !on.moves && on.first > x.latest }

// order puts the tasks in the order of their ends.
func (on *ended) order() {
	slices.SortFunc(on.tasks, func(a, b End) int { return cmp.Compare(a.expected, b.expected) })
	if on.first = model.Never; len(on.tasks) > 0 {
		on.first = on.tasks[0].expected
	}
}

// coverage is what it rests on which room pods give back to planned starts: versions of the tasks on nodes, of the
// room that is kept, of which queues jobs are in, and of what earlier runs tell. Jobs that only wait change nothing.
type coverage struct {
	nodes          ledger.Cursor
	kept, switched uint64
	runs           uint64
}

func coverageNow(s *Session) coverage {
	nodes, _ := s.L.Changes.WithoutFailedTries()
	c := coverage{nodes: nodes, kept: s.L.KeptRoom.Version(), switched: s.L.Queues.Switched()}
	if predicts(s) {
		c.runs = s.L.Tasks.Runs.Version()
	}
	return c
}

// Covers says that nothing has changed since Covered was called, which would change what pods give back to planned
// starts.
func (s *Session) Covers() bool {
	return s.ends.covered.of == coverageNow(s) && s.Now < s.ends.covered.until
}

// Covered notes that it was found what pods give back to planned starts, of which the times are in order. That holds,
// if nothing changes, until a pod that is to end before one of them is overdue.
func (s *Session) Covered(starts []int64) {
	c := &s.ends.covered
	c.of, c.until = coverageNow(s), model.Never
	if len(starts) == 0 {
		return
	}
	last := starts[len(starts)-1]
	for i := range s.ends.on {
		on := &s.ends.on[i]
		if s.ends.steady(on) {
			if on.first <= last {
				c.until = min(c.until, on.first)
			}
			continue
		}
		for k := range on.tasks {
			if e := &on.tasks[k]; s.ends.Expected(e) <= last {
				by, _ := slices.BinarySearch(starts, e.expected)
				c.until = min(c.until, s.ends.overdue(e, starts[by]))
			}
		}
	}
}

// CoversUntil is when what pods give back to planned starts may be otherwise by time alone, 0 for never.
func CoversUntil(s *Session) int64 {
	if s.ends.covered.until == model.Never {
		return 0
	}
	return s.ends.covered.until
}

// overdue is when a task that is expected to have ended by a time will be so no longer, unless it has ended:
// model.Never where that stays so.
func (x *Ends) overdue(e *End, by int64) int64 {
	p := x.s.L.Task(e.Task).Pod
	switch {
	case e.expected <= x.now:
		return model.Never
	case p.Started == 0 && p.Phase != model.PodRunning || p.Began() > x.now: // it ends so much later as it starts
		return model.After(x.now, by-e.expected+1)
	default:
		return e.expected
	}
}

// Ends brings the view up to date; it must not be called inside a try.
func (s *Session) Ends() *Ends {
	x := &s.ends
	x.s = s
	for len(x.on) < s.L.Nodes.Len() {
		x.on = append(x.on, ended{first: model.Never})
	}
	at := x.cursor
	x.cursor, x.now, x.latest = s.L.Changes.Nodes.Now(), s.Now, max(x.latest, s.Now)
	runs := uint64(0)
	if predicts(s) {
		runs = s.L.Tasks.Runs.Version()
	}
	same := x.runs == runs
	x.runs = runs
	nodes, _ := s.L.Changes.WithoutFailedTries()
	look := x.lookAgain
	if at != 0 && same && x.nodes == nodes {
		look = x.lookedAt
	}
	x.nodes = nodes
	if !same {
		at, look = 0, x.look
	}
	if !s.L.Changes.Nodes.Each(at, look) {
		for n := range ledger.NodeID(len(x.on)) {
			look(n)
		}
	}
	return x
}

// On lists the tasks that hold room on a node.
func (x *Ends) On(n ledger.NodeID) []End { return x.on[n].tasks }

// AllAfter says that it is known without a look at the tasks on a node that all of them end after a time.
func (x *Ends) AllAfter(n ledger.NodeID, at int64) bool {
	return x.steady(&x.on[n]) && x.on[n].first > at
}

// EndBy yields those of On that are expected to end by a time. No more are looked at than that where they are in order.
func (x *Ends) EndBy(n ledger.NodeID, at int64) iter.Seq[*End] {
	return func(yield func(*End) bool) {
		if x.AllAfter(n, at) {
			return
		}
		on, sorted := x.on[n].tasks, x.steady(&x.on[n])
		for i := range on {
			if x.Expected(&on[i]) > at {
				if sorted {
					return
				}
			} else if !yield(&on[i]) {
				return
			}
		}
	}
}

// InOrder is On, those first that are expected to end first.
func (x *Ends) InOrder(n ledger.NodeID) []End {
	on := &x.on[n]
	if !x.steady(on) {
		for i := range on.tasks {
			x.Expected(&on.tasks[i])
		}
		on.order()
	}
	return on.tasks
}

// lookAgain is look for a node that may have changed.
func (x *Ends) lookAgain(n ledger.NodeID) {
	if x.on[n].moved != x.s.L.Nodes.Moved(n) {
		x.look(n)
	}
}

// lookedAt notes that a node is as it was when its tasks were listed.
func (x *Ends) lookedAt(n ledger.NodeID) { x.on[n].moved = x.s.L.Nodes.Moved(n) }

// look lists the tasks of a node anew.
func (x *Ends) look(n ledger.NodeID) {
	on := &x.on[n]
	on.tasks, on.moved, on.moves = on.tasks[:0], x.s.L.Nodes.Moved(n), false
	x.s.L.Nodes.Tasks(n, func(t ledger.TaskID) bool {
		task := x.s.L.Task(t)
		if task.Status == model.Pipelined {
			return true // it is pipelined, and holds no room
		}
		_, expected, _ := taskEnds(x.s, task)
		e := End{Task: t, Class: task.Class, Job: task.Job, expected: expected,
			moves: task.Pod.Started == 0 || task.Pod.Started > x.now}
		on.tasks, on.moves = append(on.tasks, e), on.moves || e.moves
		return true
	})
	on.order()
}

// Expected is when a task is expected to end, model.Never where that is not known.
func (x *Ends) Expected(e *End) int64 {
	if e.moves || e.expected <= x.now && e.expected != model.Never {
		_, e.expected, _ = taskEnds(x.s, x.s.L.Task(e.Task))
	}
	return e.expected
}

// predicts says that what earlier runs tell counts when starts are planned: where that is not asked for they are
// planned by what authors say.
func predicts(s *Session) bool { return s.Backfill.Trust == model.TimePredicted }

// taskEnds is when a task ends at the latest and by what counts as a guess, and where the guess is from.
func taskEnds(s *Session, t *ledger.Task) (latest, expected int64, source model.TimeSource) {
	if t.Lingers() { // it is not counted on until its end is near
		return model.Never, model.Never, model.TimeUnknown
	}
	predicted := int64(0)
	if predicts(s) {
		predicted = s.L.Tasks.Runs.Of(t)
	}
	return t.Pod.Ends(s.L.Jobs.GroupOf(t), predicted, s.Now)
}

// EndsBy is when the pods of a job that wait have ended at the latest, if they started now, by figures of a source or a
// more certain one; model.Never where that is not known of one of them. guessed says that it rests on a guess.
func (s *Session) EndsBy(j ledger.JobID, trust model.TimeSource) (end int64, guessed bool) {
	s.L.Jobs.Tasks(j, model.Pending, func(t ledger.TaskID) bool { // order-free: a maximum
		latest, expected, source := taskEnds(s, s.L.Task(t))
		if trust < model.TimeEnforced && source >= trust && source != model.TimeEnforced {
			latest, guessed = expected, true
		}
		end = max(end, latest)
		return end != model.Never
	})
	return end, guessed
}
