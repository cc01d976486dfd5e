package search

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/topology"
)

// unit is what of a job goes to one domain: the tasks of a sub-group, or those of none.
type unit struct {
	sub   int32 // index in the job's Subs; AllSubs: in none
	tasks []ledger.TaskID
	need  int64 // how many go together, at least one
}

// units divides the worksheet: sub-groups in their order, then those in none.
func (t *turn) units() []unit {
	if len(t.job.Subs) == 0 {
		return []unit{{topology.AllSubs, slices.Clone(t.w.Tasks[t.w.next:]), t.minimum()}}
	}
	var out []unit
	loose := unit{sub: topology.AllSubs, need: 1}
	for _, task := range t.w.Tasks[t.w.next:] {
		sub := t.s.L.Task(task).Sub
		if sub < 0 {
			loose.tasks = append(loose.tasks, task)
			continue
		}
		i := slices.IndexFunc(out, func(u unit) bool { return u.sub == sub })
		if i < 0 {
			i = len(out)
			s := &t.job.Subs[sub]
			out = append(out, unit{sub: sub, need: max(1, int64(t.job.SubSize(s)-s.Ready()-s.Waiting()))})
		}
		out[i].tasks = append(out[i].tasks, task)
	}
	slices.SortFunc(out, func(a, b unit) int { return t.s.Policy.CompareSubJobs(t.w.Job, a.sub, b.sub) })
	if len(loose.tasks) > 0 {
		out = append(out, loose)
	}
	return out
}

// place places units until the statement may be committed: those of a policy that still lacks
// sub-groups first, each in the best domain that leaves the others theirs.
func (t *turn) place(tx *ledger.Tx, rest []unit) Outcome {
	switch {
	case t.placed > 0 && !t.partial && t.ready(tx):
		return Committed
	case t.future && (t.job.Waiting() > 0 || t.waits) && t.s.Policy.Pipelined(t.w.Job):
		tx.Keep()
		return Kept
	case len(rest) == 0 || !t.possible(rest) || t.tries > mostPlaces:
		return Refused
	}
	i := max(0, slices.IndexFunc(rest, t.lacked))
	u := rest[i]
	rest = slices.Delete(slices.Clone(rest), i, i+1)
	out := Refused
	t.homes(u, func(d topology.ID) bool {
		out = t.placeIn(tx, u, d, rest)
		return out == Refused && t.tries <= mostPlaces
	})
	if out == Refused && t.tries <= mostPlaces {
		t.passed = append(t.passed, u)
		if out = t.place(tx, rest); out == Refused {
			t.passed = t.passed[:len(t.passed)-1]
		}
	}
	return out
}

// homes calls f for the domains that a unit may go to inside the present one.
func (t *turn) homes(u unit, f func(topology.ID) bool) {
	inside := t.inside
	var ask *model.Topology
	if u.sub >= 0 {
		ask = t.job.Of(&t.job.Subs[u.sub]).Topology
	}
	if t.net == nil || ask == nil {
		f(inside)
		return
	}
	if inside == topology.None {
		inside = topology.Root
	}
	t.eachHome(inside, ask, u, f)
}

// placeIn places a unit in a domain, and then the rest.
func (t *turn) placeIn(tx *ledger.Tx, u unit, d topology.ID, rest []unit) (out Outcome) {
	placed, waits, partial := t.placed, t.waits, t.partial
	t.tries++
	tx.Try(func(tx *ledger.Tx) bool {
		t.home, t.near = d, d
		if t.refused = t.refused[:0]; !t.fill(tx, u) {
			return false
		}
		out = t.place(tx, rest)
		return out != Refused
	})
	if out == Refused {
		t.placed, t.waits, t.partial = placed, waits, partial
	}
	return out
}

// fill places as many of a unit as have to go together; false when they do not all find a
// place.
func (t *turn) fill(tx *ledger.Tx, u unit) bool {
	before := t.placed
	for i, task := range u.tasks {
		if t.one(tx, task) && t.filled(u) {
			return true
		}
		if left := int32(len(u.tasks) - i - 1); !t.fillable(u, left) {
			return false
		}
	}
	if u.sub >= 0 && t.placed > before {
		t.partial = t.future && t.s.Policy.SubPipelined(t.w.Job, u.sub)
		return t.partial
	}
	return t.placed > before || t.waits
}

// filled says that a unit needs no more for now.
func (t *turn) filled(u unit) bool {
	if u.sub >= 0 {
		return t.s.Policy.SubReady(t.w.Job, u.sub)
	}
	return t.s.Policy.Ready(t.w.Job)
}

// fillable says that a unit could have its size with so many tasks more.
func (t *turn) fillable(u unit, left int32) bool {
	if u.sub >= 0 {
		s := &t.job.Subs[u.sub]
		return s.Ready()+s.Waiting()+left >= t.job.SubSize(s)
	}
	return len(t.job.Subs) > 0 || t.job.Ready()+t.job.Waiting()+left >= t.job.MinMember
}

// possible says that with all of the rest placed the job would have its minimum.
func (t *turn) possible(rest []unit) bool {
	have := t.job.Ready() + t.job.Waiting()
	for _, u := range rest {
		have += int32(len(u.tasks))
	}
	if have < t.job.MinMember {
		return false
	}
	for i := range t.job.Group.SubGroups {
		if p := &t.job.Group.SubGroups[i]; p.Min > 0 && t.sized(int32(i), rest) < p.Min {
			return false
		}
	}
	return true
}

// sized is how many sub-groups of a policy have their size, or could have it.
func (t *turn) sized(policy int32, rest []unit) (n int32) {
	for k := range t.job.Subs {
		s := &t.job.Subs[k]
		if s.Policy != policy {
			continue
		}
		have := s.Ready() + s.Waiting()
		for _, u := range rest {
			if u.sub == int32(k) {
				have += int32(len(u.tasks))
			}
		}
		if have > 0 && have >= t.job.SubSize(s) {
			n++
		}
	}
	return n
}

// lacked says that the policy of a unit lacks sub-groups.
func (t *turn) lacked(u unit) bool {
	if u.sub < 0 {
		return false
	}
	policy := t.job.Subs[u.sub].Policy
	return t.sized(policy, nil) < t.job.Group.SubGroups[policy].Min
}

// find returns the best place for a task: in its domain, if it has one, as near as can be to
// where the last of its fellows went.
func (t *turn) find(task ledger.TaskID) place {
	switch {
	case t.gathering != nil && task == t.gathering.anchor:
		return t.gathering.at
	case !t.apart:
		return find(t.s, task)
	}
	if at, ok := t.s.L.FindNode(t.s.L.Task(task).Pod.Nominated); ok && (t.home == topology.None || t.net.Holds(t.home, at)) {
		if t.s.Nodes.Takes(task, at, false) {
			return place{node: at, in: IdleHere}
		}
		if t.future && t.s.Nodes.Takes(task, at, true) {
			return place{node: at, in: FutureHere}
		}
	}
	for g := range numGradients {
		if g.Future() && !t.future {
			break
		}
		if n, score := t.nearest(task, g); n != ledger.NoNode {
			return place{n, score, g}
		}
	}
	return place{node: ledger.NoNode}
}

// nearest is the best node in the smallest domain around the last place that has room. The
// nodes of a domain are asked together, whosever shard they are of.
func (t *turn) nearest(task ledger.TaskID, g Gradient) (ledger.NodeID, int64) {
	if t.home == topology.None || t.home == topology.Root && t.net.Flat() {
		return best(t.s, task, g)
	}
	if g.Elsewhere() {
		return ledger.NoNode, 0
	}
	fits := t.s.Nodes.Fits(t.s.L.Task(task).Class, g.Future())
	for d := t.near; ; d = t.net.Domain(d).Up {
		at, nodes := roomiest(t.net, d, fits)
		if n, score := within(t.s, task, nodes, g); n != ledger.NoNode {
			t.near = at
			return n, score
		}
		if d == t.home {
			break
		}
	}
	// The room that was counted is not to be had where filters look at single tasks or at domains.
	return within(t.s, task, t.net.Domain(t.home).Nodes, g)
}

// roomiest goes down from a domain to the part with the most room, always: to one whose nodes
// are all alike near. Of parts with as much the first by name is taken.
func roomiest(m *topology.Map, d topology.ID, fits []int32) (topology.ID, []ledger.NodeID) {
	for {
		at := m.Domain(d)
		if len(at.Down) == 0 {
			return d, at.Nodes
		}
		best, most := topology.None, total(at.Own, fits)
		for _, c := range at.Down {
			if sum := total(m.Domain(c).Nodes, fits); sum > most {
				best, most = c, sum
			}
		}
		if best == topology.None {
			return d, at.Own
		}
		d = best
	}
}

func total(nodes []ledger.NodeID, fits []int32) (sum int64) {
	for _, n := range nodes {
		sum += int64(fits[n])
	}
	return sum
}

// within is the best node of a list in a gradient.
func within(s *session.Session, t ledger.TaskID, nodes []ledger.NodeID, g Gradient) (ledger.NodeID, int64) {
	if g.Future() {
		return s.Nodes.BestFutureWithin(t, nodes)
	}
	return s.Nodes.BestWithin(t, nodes)
}
