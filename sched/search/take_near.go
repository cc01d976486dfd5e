package search

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/victims"
)

// Near says that the distance between members of a job, or of one of its sub-groups, is limited:
// victims for it are searched domain by domain (decision 16).
func Near(s *session.Session, j ledger.JobID) bool {
	g := s.L.Job(j).Group
	if g == nil || s.Policy.HyperNodes() == nil {
		return false
	}
	return hard(g.Topology) || slices.ContainsFunc(g.SubGroups, func(p model.SubGroups) bool { return hard(p.Topology) })
}

func hard(t *model.Topology) bool { return t != nil && t.Hard }

// takeIn makes room for a job: anywhere, if it has no limit in the network; otherwise in one of the
// domains that it may be placed in: of the lowest tier in which room can be made, the one where it
// costs least (decision 17). Whole gangs are evicted only where surplus alone is not enough in any of
// them (decision 12).
func takeIn(s *session.Session, rule victims.Rule, j ledger.JobID, tasks []ledger.TaskID) bool {
	return past(s, rule, j, true, func() bool { return takeNear(s, rule, j, tasks) })
}

func takeNear(s *session.Session, rule victims.Rule, j ledger.JobID, tasks []ledger.TaskID) bool {
	if !Near(s, j) {
		return s.Victims.Take(rule, j, tasks)
	}
	for _, wholeGangs := range [...]bool{false, true} {
		if wholeGangs && !rule.WholeGangs {
			break
		}
		tried := rule
		tried.WholeGangs = wholeGangs
		if best, ok := cheapest(s, tried, j, tasks); ok {
			return s.Victims.Take(best, j, tasks)
		}
	}
	return false
}

// cheapest is the rule for the domains in which the victims for a job cost least, among those of the
// lowest tier in which room can be made; false when it can be made in none.
func cheapest(s *session.Session, rule victims.Rule, j ledger.JobID, tasks []ledger.TaskID) (best victims.Rule, found bool) {
	var least victims.Cost
	lowest := int32(0)
	eachDomainRule(s, rule, j, func(fenced victims.Rule, tier int32) bool {
		if found && tier > lowest {
			return false
		}
		s.L.Try(func(*ledger.Tx) bool {
			if !s.Victims.Take(fenced, j, tasks) {
				return false
			}
			if c := s.Victims.Result.Cost(); !found || c.Compare(least) < 0 {
				best, least, lowest, found = fenced, c, tier, true
			}
			return false
		})
		return true
	})
	return best, found
}

// WhyNobody is why Take finds no victims for a job, and changes nothing; it returns the zero Reason
// when Take finds some. For a job whose members have to be near each other, it is about the domain that
// lacks least.
func WhyNobody(s *session.Session, rule victims.Rule, j ledger.JobID, tasks []ledger.TaskID) (r trace.Reason) {
	switch {
	case !Near(s, j):
		return s.Victims.Why(rule, j, tasks)
	case rule.Domains == 0:
		return trace.Reason{Code: trace.TopologyByGang, Text: rule.Action}
	}
	eachDomainRule(s, rule, j, func(fenced victims.Rule, _ int32) bool {
		r = s.Victims.Why(fenced, j, tasks)
		return false
	})
	return r
}

// eachDomainRule calls f for a rule in one domain after the other, those of lower tiers first, and
// within a tier those that lack least, until f returns false. tier is that of the job's domain.
func eachDomainRule(s *session.Session, rule victims.Rule, j ledger.JobID, f func(_ victims.Rule, tier int32) bool) {
	t := newAttempt(s, PendingTasksOf(s, j), false)
	t.future = true
	units := t.units()
	r := newRest(t.job, units, t.free)
	for i := range units {
		r.take(i)
		units[i].need = r.least(i)
		r.putBack(i)
	}
	ask := t.job.Group.Topology
	if !hard(ask) {
		t.homes.domainRules(rule, units, topology.Root, f)
		return
	}
	all := unit{sub: topology.AllSubs, need: t.homes.minimum()}
	for _, u := range units {
		all.tasks = append(all.tasks, u.tasks...)
	}
	for _, d := range t.homes.leastLacking(topology.Root, ask, all, rule.Domains, nil) {
		rule.Within = t.net.Domain(d).Nodes
		if !t.homes.domainRules(rule, units, d, f) {
			return
		}
	}
}

// domainRules calls f for ways of giving each sub-group a domain inside another one, until f returns
// false; then domainRules returns false.
func (ds *domainSearch) domainRules(rule victims.Rule, units []unit, inside topology.ID, f func(victims.Rule, int32) bool) bool {
	if !slices.ContainsFunc(ds.a.job.Group.SubGroups, func(p model.SubGroups) bool { return hard(p.Topology) }) {
		return f(rule, ds.a.net.Domain(inside).Tier)
	}
	for first := range rule.Domains {
		taken := map[topology.ID]int64{}
		homes := map[int32][]ledger.NodeID{}
		for i, u := range units {
			if u.sub < 0 || !hard(ds.a.job.Of(&ds.a.job.Subs[u.sub]).Topology) {
				continue
			}
			list := ds.leastLacking(inside, ds.a.job.Of(&ds.a.job.Subs[u.sub]).Topology, u, rule.Domains, taken)
			if len(list) == 0 || i == 0 && first >= len(list) {
				return true
			}
			d := list[0]
			if i == 0 {
				d = list[first]
			}
			taken[d] += u.need
			homes[u.sub] = ds.a.net.Domain(d).Nodes
		}
		rule.Each = func(task ledger.TaskID) []ledger.NodeID {
			if nodes, ok := homes[ds.a.s.L.Task(task).Sub]; ok {
				return nodes
			}
			return ds.a.net.Domain(inside).Nodes
		}
		if !f(rule, ds.a.net.Domain(inside).Tier) {
			return false
		}
	}
	return true
}

// leastLacking lists, of each tier, at most so many of the domains that a unit may be placed in: those
// with the most room for it. taken is the number of tasks that are to be placed in a domain already.
func (ds *domainSearch) leastLacking(inside topology.ID, ask *model.Topology, u unit, most int, taken map[topology.ID]int64) (out []topology.ID) {
	limit := ds.a.net.Limit(ask)
	classes, _ := ds.classes(u)
	ds.a.net.Homes(inside, ds.a.net.Reach(ds.a.w.Job, u.sub), limit, func(level topology.Level) bool {
		var list []scored
		for _, d := range level.Domains {
			if len(ds.a.net.Domain(d).Nodes) > 0 {
				list = append(list, scored{domain: d, score: ds.roomFor(d, classes, u.need+taken[d]) - taken[d]})
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

// bySubGroup orders claimants by sub-groups: of each, first as many as have to be placed together; then
// the rest, which are needed where the job still lacks members; then those that ask for nothing.
// Sub-groups that cannot have their size are left out.
func bySubGroup(s *session.Session, j ledger.JobID, tasks []ledger.TaskID) []ledger.TaskID {
	t := newAttempt(s, &PendingTasks{Job: j, Tasks: tasks}, false)
	var out, more []ledger.TaskID
	for _, u := range t.units() {
		for i, task := range u.tasks {
			switch {
			case s.L.Class(s.L.Task(task).Class).BestEffort:
			case u.sub < 0 || int64(i) < u.need:
				out = append(out, task)
			default:
				more = append(more, task)
			}
		}
	}
	out = append(out, more...)
	for _, task := range BestEffort(s, j) {
		if !slices.ContainsFunc(t.left, func(u unit) bool { return u.sub == s.L.Task(task).Sub }) {
			out = append(out, task)
		}
	}
	return out
}
