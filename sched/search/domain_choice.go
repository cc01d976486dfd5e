package search

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/topology"
)

// HardTopology says that the distance between members of a job, or of one of its sub-groups, is limited
// (decision 16).
func HardTopology(s *session.Session, j ledger.JobID) bool {
	g := s.L.Job(j).Group
	if g == nil || s.Policy.HyperNodes() == nil {
		return false
	}
	return hard(g.Topology) || slices.ContainsFunc(g.SubGroups, func(p model.SubGroups) bool { return hard(p.Topology) })
}

func hard(t *model.Topology) bool { return t != nil && t.Hard }

// NearEnough says that places that are kept for a job are as near each other as the job, and each of its sub-groups,
// allows; with members, and as near to the members that have a place.
func NearEnough(s *session.Session, j ledger.JobID, kept []ledger.TaskID, members bool) bool {
	if !HardTopology(s, j) {
		return true
	}
	net, job := s.Policy.HyperNodes(), s.L.Job(j)
	reach := map[int32]topology.ID{}
	for _, t := range kept {
		task := s.L.Task(t)
		for _, sub := range [...]int32{topology.AllSubs, task.Sub} {
			d, known := reach[sub]
			if !known && members {
				d, known = net.Reach(j, sub), true
			}
			if leaf := net.Leaf(task.Commitment.Node); !known || d == topology.None {
				d = leaf
			} else {
				d = net.Join(d, leaf)
			}
			reach[sub] = d
		}
	}
	for sub, d := range reach { // order-free: whether there is one
		ask := job.Group.Topology
		if sub != topology.AllSubs {
			ask = job.Of(&job.Subs[sub]).Topology
		}
		if net.Domain(d).Tier > net.Limit(ask) {
			return false
		}
	}
	return true
}

// Home is a choice of domains for a job with HardTopology.
type Home struct {
	Tier  int32                     // of the job's domain
	Nodes class.Scope               // of the job's domain
	Subs  map[int32][]ledger.NodeID // by sub-group: the nodes of its own domain; nil: none has one
}

// EachHome calls f for one choice of domains after the other, those of lower tiers first, and within a tier
// those that lack least room, at most so many of a tier, until f returns false.
func EachHome(s *session.Session, j ledger.JobID, most int, f func(*Home) bool) {
	t := newAttempt(s, PendingTasksOf(s, j), session.CodeOnly)
	t.future = true
	parts := t.parts()
	r := newRest(t.job, parts, t.free)
	for i := range parts {
		r.take(i)
		parts[i].need = r.least(i)
		r.putBack(i)
	}
	ask := t.job.Group.Topology
	if !hard(ask) {
		t.homes.eachHome(parts, topology.Root, class.AllNodes, most, f)
		return
	}
	all := part{sub: topology.AllSubs, need: t.homes.minimum()}
	for _, p := range parts {
		all.tasks = append(all.tasks, p.tasks...)
	}
	for _, d := range t.homes.leastLacking(topology.Root, ask, all, most, nil) {
		if !t.homes.eachHome(parts, d, class.Among(t.net.Domain(d).Nodes), most, f) {
			return
		}
	}
}

// eachHome calls f for ways of giving each sub-group a domain inside another one, until f returns false;
// then eachHome returns false. nodes are those of a job without such sub-groups.
func (ds *domainSearch) eachHome(parts []part, inside topology.ID, nodes class.Scope, most int,
	f func(*Home) bool) bool {
	outer := ds.a.net.Domain(inside)
	if !slices.ContainsFunc(ds.a.job.Group.SubGroups, func(p model.SubGroups) bool { return hard(p.Topology) }) {
		return f(&Home{Tier: outer.Tier, Nodes: nodes})
	}
	for first := range most {
		taken := map[topology.ID]int64{}
		h := &Home{Tier: outer.Tier, Nodes: class.Among(outer.Nodes), Subs: map[int32][]ledger.NodeID{}}
		for i, p := range parts {
			if p.sub < 0 || !hard(ds.a.job.Of(&ds.a.job.Subs[p.sub]).Topology) {
				continue
			}
			list := ds.leastLacking(inside, ds.a.job.Of(&ds.a.job.Subs[p.sub]).Topology, p, most, taken)
			if len(list) == 0 || i == 0 && first >= len(list) {
				return true
			}
			d := list[0]
			if i == 0 {
				d = list[first]
			}
			taken[d] += p.need
			h.Subs[p.sub] = ds.a.net.Domain(d).Nodes
		}
		if !f(h) {
			return false
		}
	}
	return true
}

// leastLacking lists, of each tier, at most so many of the domains that a part may be placed in: those
// with the most room for it. taken is the number of tasks that are to be placed in a domain already.
func (ds *domainSearch) leastLacking(inside topology.ID, ask *model.Topology, p part, most int,
	taken map[topology.ID]int64) (out []topology.ID) {
	limit := ds.a.net.Limit(ask)
	classes, _ := ds.classes(p)
	ds.a.net.Homes(inside, ds.a.net.Reach(ds.a.w.Job, p.sub), limit, func(level topology.Level) bool {
		var list []scored
		for _, d := range level.Domains {
			if len(ds.a.net.Domain(d).Nodes) > 0 {
				list = append(list, scored{domain: d, score: ds.roomFor(d, classes, p.need+taken[d]) - taken[d]})
			}
		}
		slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		for _, c := range list[:min(len(list), most)] {
			out = append(out, c.domain)
		}
		return true
	})
	return out
}

// BySubGroup orders members to place by sub-groups: of each, first as many as have to be placed together;
// then the rest, which are needed where the job still lacks members; then those that ask for nothing.
// Sub-groups that cannot have their size are left out.
func BySubGroup(s *session.Session, j ledger.JobID, tasks []ledger.TaskID) []ledger.TaskID {
	t := newAttempt(s, &PendingTasks{Job: j, Tasks: tasks}, session.CodeOnly)
	var out, more []ledger.TaskID
	for _, p := range t.parts() {
		for i, task := range p.tasks {
			switch {
			case s.L.Class(s.L.Task(task).Class).BestEffort:
			case p.sub < 0 || int64(i) < p.need:
				out = append(out, task)
			default:
				more = append(more, task)
			}
		}
	}
	out = append(out, more...)
	for _, task := range BestEffort(s, j) {
		if !slices.ContainsFunc(t.left, func(p part) bool { return p.sub == s.L.Task(task).Sub }) {
			out = append(out, task)
		}
	}
	return out
}
