// Package passed finds how long jobs wait behind others of their queue that came later, for the scheduler's metrics and
// the reports of simulations.
package passed

import (
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/whatif"
)

// Jobs says how long jobs wait behind others of their queue that came later: of each job the time since the first start
// of a job that was made later and has no higher priority, on a node that could hold a pod of the waiting job, were it
// empty. A job that waits for something of its own, such as pods that are gated or too large, is not passed.
//
// Starts are noted once they are carried out, and looked at later: no decision knows of it. The zero value has seen
// nothing.
type Jobs struct {
	of     []passing               // by job
	starts map[string][]laterStart // by queue: those that are not looked at yet
}

// passing is from when on a job has been passed.
type passing struct {
	key     ledger.JobKey // another job may have its number later
	created int64         // one that is made anew begins anew
	at      int64         // 0: it has not been passed
}

// laterStart is the start of a job as those that wait see it.
type laterStart struct {
	created, at int64
	priority    int32
	node        string
}

// mostStarts bounds what is noted for each queue between two looks. Of more the jobs that came last are kept: they
// passed most others.
const mostStarts = 64

// Started notes the jobs of pods that a plan binds.
func (p *Jobs) Started(l *ledger.Ledger, items []sched.Item, now int64) {
	for i := range items {
		if items[i].Kind != sched.BindPod {
			continue
		}
		if t, there := l.Tasks.Find(items[i].Pod); there {
			p.note(l, l.Task(t).Job, items[i].Node, now)
		}
	}
}

// note notes that a pod of a job started on a node.
func (p *Jobs) note(l *ledger.Ledger, j ledger.JobID, node string, at int64) {
	if j == ledger.NoJob {
		return
	}
	job, queue := l.Job(j), l.Jobs.QueueName(j)
	next := laterStart{job.Created, at, job.Priority, node}
	of, least := p.starts[queue], 0
	for i := range of {
		x := &of[i]
		if x.node == node && x.created >= next.created && x.at <= at && x.priority <= next.priority {
			return // all that this one passes were passed
		}
		if x.created < of[least].created {
			least = i
		}
	}
	switch {
	case len(of) < mostStarts:
		if p.starts == nil {
			p.starts = map[string][]laterStart{}
		}
		p.starts[queue] = append(of, next)
	case of[least].created < next.created:
		of[least] = next
	}
}

// Ran notes what runs or ran already, as an earlier scheduler started it. What pods no longer show is not known, so the
// time is then the least that it can be.
func (p *Jobs) Ran(l *ledger.Ledger, now int64) {
	l.Tasks.Each(func(t ledger.TaskID) bool {
		if pod := l.Task(t).Pod; pod.Node != "" && pod.Started != 0 {
			p.note(l, l.Task(t).Job, pod.Node, min(now, pod.Started))
		}
		return true
	})
}

// Since is when a job was passed first, as Note last found it, in Unix nanoseconds; 0: it was not.
func (p *Jobs) Since(l *ledger.Ledger, id ledger.JobID) int64 {
	if int(id) >= len(p.of) {
		return 0
	}
	job, x := l.Job(id), &p.of[id]
	if x.at == 0 || x.created != job.Created || x.key != job.Key {
		return 0
	}
	return x.at
}

// Note finds which jobs that wait were passed since it was called last. refusal is why a job waits: one that waits for
// something of its own is not passed.
func (p *Jobs) Note(l *ledger.Ledger, refusal func(ledger.JobID) trace.Reason) {
	if len(p.starts) == 0 {
		return
	}
	fits := map[classOnNode]bool{}
	l.Jobs.Each(func(id ledger.JobID) bool {
		job := l.Job(id)
		if !estimate.AwaitsStart(job) || p.Since(l, id) != 0 {
			return true
		}
		if at := p.first(l, id, p.starts[l.Jobs.QueueName(id)], fits); at != 0 && !ofItself(refusal(id)) {
			p.set(id, passing{job.Key, job.Created, at})
		}
		return true
	})
	clear(p.starts)
}

// Forget says that a job has started.
func (p *Jobs) Forget(id ledger.JobID) { p.set(id, passing{}) }

func (p *Jobs) set(id ledger.JobID, x passing) {
	for int(id) >= len(p.of) {
		p.of = append(p.of, passing{})
	}
	p.of[id] = x
}

// Look is Note, and tells of each job that waits since when it is passed, 0: it is not. One that has come to wait for
// something of its own is not passed any more.
func (p *Jobs) Look(l *ledger.Ledger, refusal func(ledger.JobID) trace.Reason,
	each func(id ledger.JobID, since int64)) {
	p.Note(l, refusal)
	l.Jobs.Each(func(id ledger.JobID) bool {
		if !estimate.AwaitsStart(l.Job(id)) {
			if int(id) < len(p.of) {
				p.of[id] = passing{}
			}
			return true
		}
		since := p.Since(l, id)
		if since != 0 && ofItself(refusal(id)) {
			p.of[id], since = passing{}, 0
		}
		each(id, since)
		return true
	})
}

// classOnNode is a question: whether an empty node could hold a pod of a class.
type classOnNode struct {
	class ledger.ClassID
	node  string
}

// first is when the first of some starts passed a job, 0 where none did. A job without pods is taken to ask for any
// node.
func (p *Jobs) first(l *ledger.Ledger, id ledger.JobID, starts []laterStart,
	fits map[classOnNode]bool) (at int64) {
	job, class := l.Job(id), ledger.ClassID(-1)
	l.Jobs.Tasks(id, model.Pending, func(t ledger.TaskID) bool {
		class = l.Task(t).Class
		return false
	})
	for i := range starts {
		s := &starts[i]
		if s.created <= job.Created || s.priority > job.Priority || at != 0 && s.at >= at {
			continue
		}
		if class >= 0 {
			q := classOnNode{class, s.node}
			fit, known := fits[q]
			if !known {
				fit = couldHold(l, s.node, l.Class(class))
				fits[q] = fit
			}
			if !fit {
				continue
			}
		}
		at = s.at
	}
	return at
}

// couldHold says that a node, were it empty, could hold a pod of a class.
func couldHold(l *ledger.Ledger, name string, class *ledger.Class) bool {
	n, known := l.Nodes.Find(name)
	if !known || !l.Node(n).Present() || !whatif.Admits(class.Spec, l.Node(n).Fact) {
		return false
	}
	for _, need := range class.Need {
		if l.Nodes.Allocatable(need.Dim)[n] < need.Amount {
			return false
		}
	}
	return true
}

// ofItself says that a job waits for something else than room: its pods, its queue's spec or its own have to change.
func ofItself(r trace.Reason) bool {
	switch r.Root().Code {
	case trace.InvalidObject, trace.PodGroupNotFound, trace.NoPods, trace.QueueNotFound, trace.QueueInvalid,
		trace.QueueNotOpen, trace.QueueNotLeaf, trace.QueueCyclic, trace.QueueOrphaned, trace.NotEnoughTasks,
		trace.NotEnoughPodsOfTask, trace.NotEnoughSubGroups, trace.SubGroupIncomplete, trace.SchedulingGated:
		return true
	}
	return r.Never != nil
}
