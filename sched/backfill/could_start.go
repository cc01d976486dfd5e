package backfill

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// came is since when a job waits: the creation of the last of the members that its minimum needs, or a
// later time that the ledger notes. Nanoseconds since the epoch.
func came(s *session.Session, w *search.PendingTasks) int64 {
	from := s.L.WaitingJobs.WaitsFrom(w.Job)
	for _, t := range w.Tasks[:min(len(w.Tasks), s.L.Job(w.Job).LeastToPlace())] {
		from = max(from, s.L.Task(t).Pod.Created)
	}
	return from
}

// laterJobs are the tasks on a node that came after a job and hold room that it could use.
type laterJobs struct {
	node  ledger.NodeID
	tasks []ledger.TaskID
	more  []int64 // by class of the job: how many more tasks have room there without them
}

// keepRoomFor keeps room for a job if it could have started, had no pod been placed that came after it;
// false if it could not, or if it can start as it is.
func keepRoomFor(s *session.Session, j ledger.JobID) bool {
	w := search.PendingTasksOf(s, j)
	if w.Empty() {
		return false
	}
	c := newRoomKeeper(s, j, w)
	c.kinds = w.ByClass(s, nil)
	c.survey()
	enough := c.enough()
	if enough > len(c.later) || len(c.later) == 0 {
		return false
	}
	if enough == 0 {
		if len(c.places(0)) > 0 {
			return false // it can start as it is
		}
		enough = 1
	}
	for {
		if found := c.places(enough); len(found) > 0 && c.couldStart(nodesOf(found)) {
			c.keep(found)
			return true
		}
		if enough == len(c.later) {
			return false
		}
		enough = min(2*enough, len(c.later))
	}
}

// roomKeeper checks whether a job could have started.
type roomKeeper struct {
	s      *session.Session
	j      ledger.JobID
	since  int64
	kinds  []search.ClassTasks
	others []ledger.JobID // the job may take the room that is kept for these
	now    []int64        // by class of the job: how many tasks have room as things stand
	later  []laterJobs    // by node, the fewest first
	lent   resource.Vec
}

func newRoomKeeper(s *session.Session, j ledger.JobID, w *search.PendingTasks) *roomKeeper {
	return &roomKeeper{s: s, j: j, since: came(s, w), others: search.MayTake(s, j)}
}

// survey finds the tasks that came after the job, node by node, and what room there would be without
// them.
func (c *roomKeeper) survey() {
	c.now = make([]int64, len(c.kinds))
	c.s.L.KeptRoom.Without(c.others, func() bool {
		for n := range c.s.L.Nodes.Len() {
			c.look(ledger.NodeID(n))
		}
		return false
	})
	slices.SortFunc(c.later, func(a, b laterJobs) int {
		return cmp.Or(cmp.Compare(len(a.tasks), len(b.tasks)), cmp.Compare(c.s.L.Node(a.node).Name, c.s.L.Node(b.node).Name))
	})
}

// look surveys one node.
func (c *roomKeeper) look(n ledger.NodeID) {
	admitted := false
	for _, k := range c.kinds {
		admitted = admitted || c.s.NodeIndex.Admitted(k.Class)[n]
	}
	if !admitted {
		return
	}
	p := laterJobs{node: n}
	c.lent = c.lent[:0]
	c.s.L.Nodes.Tasks(n, func(t ledger.TaskID) bool {
		if c.cameLater(t) {
			p.tasks = append(p.tasks, t)
			c.lent = c.lent.Add(c.s.L.Class(c.s.L.Task(t).Class).Request)
		}
		return true
	})
	gains := int64(0)
	for i, k := range c.kinds {
		if !c.s.NodeIndex.Admitted(k.Class)[n] {
			p.more = append(p.more, 0)
			continue
		}
		now, then := c.fits(k, n, nil), c.fits(k, n, c.lent)
		c.now[i] += now
		p.more = append(p.more, then-now)
		gains += then - now
	}
	if gains > 0 {
		c.later = append(c.later, p)
	}
}

// cameLater says that a task came after the job, and holds room that the job could use.
func (c *roomKeeper) cameLater(t ledger.TaskID) bool {
	task := c.s.L.Task(t)
	if task.Job == ledger.NoJob || task.Job == c.j || task.Pod.Created <= c.since {
		return false
	}
	switch task.Status {
	case model.Running, model.Bound, model.Binding:
	default:
		return false
	}
	job, own := c.s.L.Job(task.Job), c.s.L.Job(c.j)
	return job.Queue != own.Queue || job.Priority <= own.Priority
}

// fits is how many tasks of a class have room on a node if some amounts that are held there were free.
func (c *roomKeeper) fits(k search.ClassTasks, n ledger.NodeID, without resource.Vec) int64 {
	fit := k.Tasks
	for _, need := range c.s.L.Class(k.Class).Need {
		room := c.s.L.Nodes.FutureIdle(need.Dim, n) + without.Get(need.Dim)
		fit = min(fit, max(0, room)/need.Amount)
	}
	return fit
}

// enough is how many nodes have to be without later tasks for the minimum to have room by amounts, one
// class after the other. It is more than there are when all of them are not enough.
func (c *roomKeeper) enough() int {
	need := int64(c.s.L.Job(c.j).LeastToPlace())
	fit := slices.Clone(c.now)
	for n := 0; ; n++ {
		sum := int64(0)
		for i, k := range c.kinds {
			sum += min(fit[i], k.Tasks)
		}
		if sum >= need {
			return n
		}
		if n == len(c.later) {
			return n + 1
		}
		for i := range fit {
			fit[i] += c.later[n].more[i]
		}
	}
}

// foundPlace is a place for a member.
type foundPlace struct {
	task   ledger.TaskID
	node   ledger.NodeID
	chosen ledger.Chosen
}

// places finds places for the rest of the job's minimum, without the later tasks on the first nodes of
// c.later; none when these nodes are not enough.
func (c *roomKeeper) places(nodes int) []foundPlace {
	var gone []ledger.TaskID
	for _, p := range c.later[:nodes] {
		gone = append(gone, p.tasks...)
	}
	return placesWithout(c.s, c.j, gone, 0, c.others, nil)
}

// placesWithout finds places for the rest of a job's minimum with some tasks gone, and no room kept for
// it or for others; not on the nodes that are left out. It changes nothing. The first of the tasks that are gone, so
// many as counted, leave their queues as well, whether or not the job needs that.
func placesWithout(s *session.Session, j ledger.JobID, gone []ledger.TaskID, counted int, others []ledger.JobID,
	leftOut []ledger.NodeID) (places []foundPlace) {
	quiet := session.Quiet(s)
	s.L.KeptRoom.Without(append(slices.Clone(others), j), func() bool {
		s.L.Try(func(tx *ledger.Tx) bool {
			leave(s, tx, j, gone, counted)
			w := search.PendingTasksOf(s, j)
			leaveOut(s, tx, w, leftOut)
			tasks := slices.Clone(w.Tasks)
			if search.PlaceBesideLost(quiet, w) == search.Refused {
				return false
			}
			for _, t := range tasks {
				if row := s.L.Task(t); row.Node != ledger.NoNode {
					places = append(places, foundPlace{t, row.Node, row.Chosen})
				}
			}
			return false
		})
		return false
	})
	return places
}

// leave has tasks leave their nodes in a try in which a job is placed. But for the first, so many as counted, their
// jobs and queues count them as before, where that cannot matter: the queue has room for the whole job, and members of
// jobs that wait for nothing decide about no other job.
func leave(s *session.Session, tx *ledger.Tx, j ledger.JobID, gone []ledger.TaskID, counted int) {
	alone := false
	for i, t := range gone {
		if i == counted {
			alone = len(s.L.Losses.InForce()) == 0 && queueTakes(s, j)
		}
		if in := s.L.Task(t).Job; alone && (in == ledger.NoJob || in != j && waitsForNothing(s, in)) {
			tx.Leave(t)
		} else {
			tx.Evict(t, "", ledger.NoTask)
		}
	}
}

// waitsForNothing says that no member of a job is to be placed. Few jobs are active: of the others no row is read.
func waitsForNothing(s *session.Session, j ledger.JobID) bool {
	by := &s.L.Job(j).By
	return !s.L.Jobs.Wants(j) || by[model.Pending]+by[model.Pipelined] == 0
}

// queueTakes says that the queue of a job has room for all pods of the job that wait together. Then it refuses none of
// them, in whatever order they are placed, nor with less in it.
func queueTakes(s *session.Session, j ledger.JobID) (all bool) {
	q, alike := s.L.Job(j).Queue, true
	var tasks []ledger.TaskID
	s.L.Jobs.Tasks(j, model.Pending, func(t ledger.TaskID) bool {
		tasks = append(tasks, t)
		alike = alike && s.L.Task(t).Class == s.L.Task(tasks[0]).Class
		return true
	})
	if n := int64(len(tasks)); n > 0 && alike {
		return s.Policy.Allocatable(q, s.L.Task(tasks[0]).Class, n) >= n
	}
	s.L.Try(func(tx *ledger.Tx) bool {
		all = !slices.ContainsFunc(tasks, func(t ledger.TaskID) bool {
			refused := s.Policy.Allocatable(q, s.L.Task(t).Class, 1) < 1
			tx.Suppose(t)
			return refused
		})
		return false
	})
	return all
}

// leaveOut has nodes take no task of a list in a try, by amounts.
func leaveOut(s *session.Session, tx *ledger.Tx, w *search.PendingTasks, nodes []ledger.NodeID) {
	if len(nodes) == 0 {
		return
	}
	for _, k := range w.ByClass(s, nil) {
		class := s.L.Class(k.Class)
		free := make([]int64, len(class.Need))
		for _, n := range nodes {
			for i, need := range class.Need {
				free[i] = s.L.Nodes.FutureIdle(need.Dim, n)
			}
			if fit := fitsIn(free, class, model.Never); fit > 0 {
				tx.Occupy(k.Class, n, fit)
			}
		}
	}
}

// couldStartWithoutLaterTasks says that a job for which room is kept could start there, or elsewhere, without the tasks
// that came after it, and without the room that is kept for jobs that it goes before: that was kept beside its own.
func couldStartWithoutLaterTasks(s *session.Session, j ledger.JobID) bool {
	c := newRoomKeeper(s, j, search.PendingTasksOf(s, j))
	var on []ledger.NodeID
	for _, t := range s.L.KeptRoom.Of(j) {
		on = append(on, s.L.Task(t).Commitment.Node)
	}
	return c.couldStart(on)
}

// nodesOf are the nodes of places.
func nodesOf(places []foundPlace) (on []ledger.NodeID) {
	for _, x := range places {
		on = append(on, x.node)
	}
	return on
}

// couldStart says that the job could start without the later tasks on the nodes on which room is kept for it. Where its
// queue has no room for it, later tasks on other nodes may be why: then it is asked without those that may count
// against a limit of its queue. Room is kept as long as this holds, so no room is kept for which it does not: it would
// be given back, and kept again.
func (c *roomKeeper) couldStart(on []ledger.NodeID) bool {
	var gone []ledger.TaskID
	slices.Sort(on)
	for _, n := range slices.Compact(on) {
		c.s.L.Nodes.Tasks(n, func(t ledger.TaskID) bool {
			if c.cameLater(t) {
				gone = append(gone, t)
			}
			return true
		})
	}
	if len(placesWithout(c.s, c.j, gone, 0, c.others, nil)) > 0 {
		return true
	}
	takes := false
	c.s.L.KeptRoom.Without(append(slices.Clone(c.others), c.j), func() bool {
		takes = queueTakes(c.s, c.j)
		return false
	})
	return !takes && len(placesWithout(c.s, c.j, c.laterInBranch(gone), 0, c.others, nil)) > 0
}

// laterInBranch adds to some tasks all that came later in the queues that may have a limit in common with the job's:
// those below the same queue below root.
func (c *roomKeeper) laterInBranch(gone []ledger.TaskID) []ledger.TaskID {
	branch, is := c.branchOf(c.s.L.Job(c.j).Queue), map[ledger.TaskID]bool{}
	for _, t := range gone {
		is[t] = true
	}
	for n := range c.s.L.Nodes.Len() {
		c.s.L.Nodes.Tasks(ledger.NodeID(n), func(t ledger.TaskID) bool {
			if c.cameLater(t) && !is[t] && c.branchOf(c.s.L.Job(c.s.L.Task(t).Job).Queue) == branch {
				gone = append(gone, t)
			}
			return true
		})
	}
	return gone
}

// branchOf is the queue below root that a queue is, or is below.
func (c *roomKeeper) branchOf(q ledger.QueueID) ledger.QueueID {
	for up := q; up != ledger.NoQueue; up = c.s.L.Queues.Parent(up) {
		if next := c.s.L.Queues.Parent(up); next == ledger.NoQueue || c.s.L.Queues.Parent(next) == ledger.NoQueue {
			return up
		}
	}
	return q
}

// keep keeps room for the job in those places.
func (c *roomKeeper) keep(places []foundPlace) {
	s := c.s
	s.L.KeptRoom.Drop(c.others...)
	s.L.WaitingJobs.Lend(c.j, ledger.LendsNone)
	until := s.Now + max(anHour, s.Now-c.since)
	for _, x := range places {
		s.L.KeptRoom.Keep(x.task, x.node, until)
	}
	s.Trace.Add(trace.Event{Kind: trace.KeepsRoom, Job: s.L.Jobs.Called(c.j), Node: search.KeptOn(s, c.j),
		Count: len(places)})
}
