package search

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/topology"
)

// alone is the best node for a task that asks for nothing: in reach of its fellows, where its
// job or its sub-group asks that of the network.
func alone(s *session.Session, t ledger.TaskID) place {
	task := s.L.Task(t)
	job := s.L.Job(task.Job)
	net := s.Policy.HyperNodes()
	if net == nil || !asks(job) {
		return bestIdle(s, t)
	}
	inside, ok := allowed(net, task.Job, job.Group.Topology)
	if !ok {
		return place{node: ledger.NoNode}
	}
	ask, sub := job.Group.Topology, int32(topology.AllSubs)
	if task.Sub >= 0 && job.Of(&job.Subs[task.Sub]).Topology != nil {
		ask, sub = job.Of(&job.Subs[task.Sub]).Topology, task.Sub
	}
	limit, _ := net.Limit(ask)
	best, score := ledger.NoNode, int64(0)
	net.Homes(inside, net.Reach(task.Job, sub), limit, func(level topology.Level) bool {
		for _, d := range level.Domains {
			if best, score = s.Nodes.BestWithin(t, net.Domain(d).Nodes); best != ledger.NoNode {
				return false
			}
		}
		return true
	})
	return place{node: best, score: score, in: IdleHere}
}

// asks says that a job asks something of the network, for all of its members or for some.
func asks(job *ledger.Job) bool {
	if job.Group == nil || job.Group.Topology != nil {
		return job.Group != nil
	}
	for i := range job.Group.SubGroups {
		if job.Group.SubGroups[i].Topology != nil {
			return true
		}
	}
	return false
}

// allowed is the largest domain that a job's further members may go to, by those that have a
// place: the root where none has and where nothing forbids it; false when those are too far
// apart already.
func allowed(net *topology.Map, j ledger.JobID, ask *model.Topology) (topology.ID, bool) {
	limit, known := net.Limit(ask)
	at := net.Reach(j, topology.AllSubs)
	switch {
	case !known:
		return topology.None, false
	case at == topology.None:
		return topology.Root, true
	case net.Domain(at).Tier > limit:
		return topology.None, false
	}
	for up := net.Domain(at).Up; up != topology.None && net.Domain(up).Tier <= limit; up = net.Domain(at).Up {
		at = up
	}
	return at, true
}
