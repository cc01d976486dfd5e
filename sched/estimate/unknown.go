package estimate

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/whatif"
)

// mostNamed is how many jobs without a known end are named, and mostClasses for how many kinds of pods it is looked for
// which of those jobs are on their nodes; jobs of other kinds are told the first ones of all.
const (
	mostNamed   = 3
	mostClasses = 100
)

// unknowns says why jobs do not start in a run that has ended.
type unknowns struct {
	f       *forward
	endless []endless // by job
	byClass map[ledger.ClassID][]string
}

// endless is a pod that holds room and never ends, as far as is known.
type endless struct {
	job   string
	queue ledger.QueueID
	node  ledger.NodeID
}

func newUnknowns(f *forward) *unknowns {
	u := &unknowns{f: f, byClass: map[ledger.ClassID][]string{}}
	if len(f.waits) == 0 {
		return u
	}
	l := f.e.Ledger()
	l.Tasks.Each(func(t ledger.TaskID) bool {
		task := l.Task(t)
		if task.Node == ledger.NoNode || task.Pod.Phase.Finished() ||
			task.Status == model.Pipelined {
			return true
		}
		if latest, _, _ := task.Pod.Ends(nil, 0, f.now); latest != model.Never {
			return true
		}
		x := endless{job: task.Key.String(), queue: ledger.NoQueue, node: task.Node}
		if task.Job != ledger.NoJob {
			x.job, x.queue = l.Jobs.Called(task.Job), l.Job(task.Job).Queue
		}
		u.endless = append(u.endless, x)
		return true
	})
	slices.SortFunc(u.endless, func(a, b endless) int { return cmp.Compare(a.job, b.job) })
	return u
}

// explain says why a job does not start.
func (u *unknowns) explain(k ledger.JobKey, out *trace.Start) {
	l := u.f.e.Ledger()
	id, there := l.Jobs.Find(k)
	if !there {
		out.Unknown = trace.NotEstimated
		return
	}
	if u.f.cut {
		out.Unknown, out.Until = trace.NotReached, u.f.now
		return
	}
	job := l.Job(id)
	reason := u.f.reason(k)
	switch {
	case job.LacksPods() && job.By[model.Pending] == 0:
		out.Unknown = trace.PodsNotMade
	case reason.Never == nil && waitsForRoom(reason.Root().Code) && len(u.endless) > 0:
		out.Unknown = trace.EndsUnknown
		names := u.of(id)
		out.Jobs, out.More = names[:min(len(names), mostNamed)], max(0, len(names)-mostNamed)
	default:
		out.Unknown, out.Reason = trace.DoesNotStart, reason
	}
}

// waitsForRoom says that a job waits for what other pods hold, of nodes or of its queue.
func waitsForRoom(c trace.Code) bool {
	switch c {
	case trace.GangIncomplete, trace.QueueQuotaInsufficient, trace.ClusterOvercommitted, trace.NamespaceQuotaExceeded,
		trace.QueueOverused, trace.QueueDeserved, trace.QueueCapability, trace.QueueDevices, trace.QueueGateShut,
		trace.BehindJob, trace.WaitsForTurn, trace.RoomKept, trace.StartPlanned, trace.LostMemberFirst,
		trace.InsufficientResource, trace.PodAffinityNoRoom:
		return true
	}
	return c.OfNodes() && c != trace.NoNodes
}

// of names the jobs without a known end that a job may wait for: those on nodes that may take its pods, and those of
// its queue.
func (u *unknowns) of(id ledger.JobID) []string {
	l := u.f.e.Ledger()
	class := ledger.ClassID(-1)
	l.Jobs.Tasks(id, model.Pending, func(t ledger.TaskID) bool {
		class = l.Task(t).Class
		return false
	})
	if names, known := u.byClass[class]; known {
		return names
	}
	var names []string
	admits := map[ledger.NodeID]bool{}
	exact := class >= 0 && len(u.byClass) < mostClasses
	for _, x := range u.endless {
		if n := len(names); n > 0 && names[n-1] == x.job {
			continue
		}
		if _, asked := admits[x.node]; exact && !asked {
			n := l.Node(x.node) // which may be gone
			admits[x.node] = n.Present() && whatif.Admits(l.Class(class).Spec, n.Fact)
		}
		if !exact || admits[x.node] || x.queue == l.Job(id).Queue {
			names = append(names, x.job)
		}
	}
	if exact {
		u.byClass[class] = names
	}
	return names
}
