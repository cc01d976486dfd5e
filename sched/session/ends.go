package session

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// End is when a task gives its node's room back.
type End struct {
	Task  ledger.TaskID
	Class ledger.ClassID
	Job   ledger.JobID // NoJob for a pod that is not ours

	expected int64
	moves    bool // it has not started: its end moves with time
}

// Ends is a view: by node, the tasks that hold room there, and when they end. It follows the changes of nodes.
type Ends struct {
	s      *Session
	cursor ledger.Cursor
	nodes  ledger.Cursor // as Changes.Settled told them at the cursor: a try that failed has left them as they were
	on     [][]End
	looked []ledger.Cursor // by node: the cursor to which its tasks were listed last
	runs   uint64          // what earlier runs tell, as of this Version
	now    int64

	covered struct { // when it was last found what planned starts get back
		nodes ledger.Cursor
		state uint64
		until int64 // from then on it may be otherwise, though nothing changed
	}
}

// Covers says that nothing has changed since Covered was called, which would change what pods give back to planned
// starts.
func (s *Session) Covers() bool {
	c := &s.ends.covered
	nodes, _ := s.L.Changes.Settled()
	return c.nodes == nodes && c.state == s.L.Changes.StateEpoch() && s.Now < c.until
}

// Covered notes that it was found what pods give back to planned starts: it stays so until one of them that has not
// ended by then is overdue.
func (s *Session) Covered() {
	c := &s.ends.covered
	c.nodes, _ = s.L.Changes.Settled()
	c.state, c.until = s.L.Changes.StateEpoch(), model.Never
	for _, on := range s.ends.on {
		for i := range on {
			if on[i].moves {
				c.until = s.Now
			}
			c.until = min(c.until, on[i].expected)
		}
	}
}

// Ends brings the view up to date; it must not be called inside a try.
func (s *Session) Ends() *Ends {
	x := &s.ends
	x.s = s
	for len(x.on) < s.L.Nodes.Len() {
		x.on, x.looked = append(x.on, nil), append(x.looked, 0)
	}
	at := x.cursor
	x.cursor, x.now = s.L.Changes.Nodes.Now(), s.Now
	runs := uint64(0)
	if predicts(s) {
		runs = s.L.Tasks.Runs.Version()
	}
	same := x.runs == runs
	x.runs = runs
	settled, _ := s.L.Changes.Settled()
	if at != 0 && same && x.nodes == settled {
		return x
	}
	x.nodes = settled
	if !same || !s.L.Changes.Nodes.Each(at, x.lookOnce) {
		for n := range x.on {
			x.look(ledger.NodeID(n))
		}
	}
	return x
}

// On lists the tasks that hold room on a node.
func (x *Ends) On(n ledger.NodeID) []End { return x.on[n] }

// lookOnce is look for a node that may be among the changes several times.
func (x *Ends) lookOnce(n ledger.NodeID) {
	if x.looked[n] != x.cursor {
		x.looked[n] = x.cursor
		x.look(n)
	}
}

// look lists the tasks of a node anew.
func (x *Ends) look(n ledger.NodeID) {
	x.on[n] = x.on[n][:0]
	x.s.L.Nodes.Tasks(n, func(t ledger.TaskID) bool {
		task := x.s.L.Task(t)
		if task.Status == model.Pipelined {
			return true // it is promised room, and holds none
		}
		_, expected, _ := taskEnds(x.s, task)
		x.on[n] = append(x.on[n], End{Task: t, Class: task.Class, Job: task.Job, expected: expected,
			moves: task.Pod.Started == 0})
		return true
	})
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
