package search

import (
	"cmp"
	"slices"
	"strconv"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// The bounds of a search by domains: how many domains of a tier that seem to have room are tried,
// and how many failed tries within one of them are allowed, beside one for each sub-group.
const (
	mostDomains = 64
	mostPlaces  = 256
)

// domains is the state of an attempt for a job whose members have to be near each other, or that starts
// by sub-groups.
type domains struct {
	net     *topology.Map // nil: the network is unknown
	inside  topology.ID   // the domain that the job has to stay in; None: anywhere
	home    topology.ID   // the domain that the current members have to stay in; None: anywhere
	near    topology.ID   // the domain of the last member placed
	future  bool          // room that is being freed counts, too
	partial bool          // members of a sub-group wait for room: those that have it do not start without them
	free    bool          // no plugin counts members: no minimum binds
	rest    *rest         // the units that have no place yet
	tries   int           // failed tries within the current domain
	most    int           // bounds tries
	short   trace.Reason  // why there was no domain for the first unit without one
	unsized trace.Reason  // the first sub-group that lacks pods, by name
	passed  []int         // indices in rest of the units that found no domain
	left    []unit        // sub-groups that lack pods
}

// Apart says that domains matter for placing a job: its PodGroup divides it into sub-groups, or has a
// limit in the network and a plugin knows the network.
func Apart(s *session.Session, j ledger.JobID) bool {
	g := s.L.Job(j).Group
	return g != nil && (len(g.SubGroups) > 0 || g.Topology != nil && s.Policy.HyperNodes() != nil)
}

// byDomain is the statement of such a job: all that its minimum needs is placed in one domain of the
// lowest tier that has room for it, and each sub-group in one domain within that. A domain in which the
// job can start now comes before one in which it has to wait for room.
func (t *attempt) byDomain(tx *ledger.Tx) Outcome {
	if t.queueRefuses() {
		return Refused
	}
	units := t.units()
	out := Refused
	for _, t.future = range [...]bool{false, true} {
		if t.future && (t.idle || t.w.idle || t.s.L.ReleasingNodes() == 0 && t.w.kept == 0) {
			break
		}
		if out = t.inSomeDomain(tx, units); out == Refused {
			out = t.exhaust(tx, units)
		}
		if out != Refused {
			break
		}
	}
	t.settle(out)
	return out
}

// queueRefuses checks the queue for a minimum of one class before any domain is tried (decision 18). So
// whether the reason names the queue or the nodes does not depend on what other jobs took meanwhile.
func (t *attempt) queueRefuses() bool {
	need := t.minimum()
	tasks := t.w.Tasks[t.w.next:]
	if t.job.BestEffort > 0 || len(tasks) == 0 || reserved(t.s, tasks[0]) || withdrawn(t.s, tasks[0]) || need > int64(len(tasks)) {
		return false
	}
	class := t.s.L.Task(tasks[0]).Class
	if slices.ContainsFunc(tasks, func(task ledger.TaskID) bool { return t.s.L.Task(task).Class != class }) {
		return false
	}
	return t.queueLacks(class, need)
}

// settle sets the reason, and keeps in the list of pending tasks those that are to be tried again.
func (t *attempt) settle(o Outcome) {
	if o != Refused {
		t.why = t.unsized
		if len(t.passed) > 0 {
			t.why = t.short
		}
		passed := map[ledger.TaskID]bool{}
		for _, i := range t.passed {
			t.left = append(t.left, t.rest.units[i])
		}
		for _, u := range t.left {
			for _, task := range u.tasks {
				passed[task] = true
			}
		}
		t.w.Tasks = slices.DeleteFunc(t.w.Tasks, func(task ledger.TaskID) bool {
			row := t.s.L.Task(task)
			return row.Status != model.Pending && !reserved(t.s, task) || passed[task]
		})
		return
	}
	if t.short.Is() && (!t.why.Is() || t.why.Root().Code.OfNodes()) {
		t.why, t.placed = t.short, int32(t.short.Have)
	}
	if !t.why.Is() {
		t.why = t.unsized
	}
}

// inSomeDomain tries the domains that the job may go to, the lowest tier first.
func (t *attempt) inSomeDomain(tx *ledger.Tx, units []unit) (out Outcome) {
	ask := t.job.Group.Topology
	if t.net == nil || ask == nil {
		t.inside = topology.None
		return t.tryPlacing(tx, units)
	}
	all := unit{sub: topology.AllSubs, need: t.minimum()}
	for _, u := range units {
		all.tasks = append(all.tasks, u.tasks...)
	}
	t.eachHome(topology.Root, ask, all, func(d topology.ID) bool {
		t.inside = d
		out = t.tryPlacing(tx, units)
		return out == Refused && (!t.why.Is() || t.why.Root().Code.OfNodes())
	})
	return out
}

// minimum is how many members the job still needs to start, at least one.
func (t *attempt) minimum() int64 {
	have := t.job.Ready()
	if t.apart {
		have = t.job.Placed()
	}
	return max(1, int64(t.job.MinMember-have-t.job.Waiting()))
}

// tryPlacing tries to place the units inside the current domain, in a try of its own.
func (t *attempt) tryPlacing(tx *ledger.Tx, units []unit) (out Outcome) {
	t.refused, t.why, t.placed, t.waits, t.partial = t.refused[:0], trace.Reason{}, 0, false, false
	t.passed, t.tries, t.most = t.passed[:0], 0, mostPlaces+len(units)
	t.rest = newRest(t.job, units, t.free)
	tx.Try(func(tx *ledger.Tx) bool {
		out = t.place(tx)
		return out != Refused
	})
	return out
}

// eachHome calls f for the domains in which a unit could have room, the best first within each tier,
// until f returns false. Where none has room, it notes why.
func (t *attempt) eachHome(inside topology.ID, ask *model.Topology, u unit, f func(topology.ID) bool) {
	limit := t.net.Limit(ask)
	reach := t.net.Reach(t.w.Job, u.sub)
	classes, want := t.classes(u)
	seen, nearest, room, on := 0, topology.None, int64(0), true
	t.net.Homes(inside, reach, limit, func(level topology.Level) bool {
		var list []scored
		for _, d := range level.Domains {
			seen++
			have := t.roomFor(d, classes, u.need)
			if have >= u.need || t.w.kept > 0 {
				list = append(list, scored{domain: d, score: t.s.Policy.ScoreHyperNode(d, want), room: have})
			}
			if have < u.need && (nearest == topology.None || have > room) {
				nearest, room = d, have
			}
		}
		slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		for _, c := range list[:min(len(list), mostDomains)] {
			t.tellDomain(c)
			if on = f(c.domain); !on {
				return false
			}
		}
		// Room by amounts, but no place by filters. Domains that have room only together with what is kept
		// do not count: so the reason is the same when it is computed again with nothing kept.
		if i := slices.IndexFunc(list, func(c scored) bool { return c.room >= u.need }); i >= 0 {
			nearest, room = list[i].domain, u.need
		}
		return true
	})
	if on {
		t.noDomain(ask, u, seen, nearest, room)
	}
}

// scored is a domain with the score that plugins give it.
type scored struct {
	domain topology.ID
	score  int64
	room   int64 // by amounts, in tasks; below the need where kept room may make up for it
}

// tellDomain records which domain is tried (seed 003 §8.4).
func (t *attempt) tellDomain(c scored) {
	if t.s.Trace.On(trace.AllocateHyperNode) {
		d := t.net.Domain(c.domain)
		t.s.Trace.Add(trace.Event{Kind: trace.AllocateHyperNode, Job: t.s.L.Called(t.w.Job), Node: d.Name, Count: int(d.Tier), Score: c.score})
	}
}

// noDomain notes why a unit found no domain, unless a reason was noted already.
func (t *attempt) noDomain(ask *model.Topology, u unit, seen int, nearest topology.ID, room int64) {
	if t.short.Is() {
		return
	}
	r := trace.Reason{Code: trace.TopologyNoRoom, Text: tierOf(ask), Need: int(u.need), Have: int(room)}
	if len(u.tasks) > 0 {
		r.Task = t.s.L.Task(u.tasks[0]).Key.String()
	}
	reach := t.net.Reach(t.w.Job, u.sub)
	switch {
	case seen > 0:
		r.Nodes = []trace.NodeCount{{Code: r.Code, Count: seen, Example: t.net.Domain(nearest).Name}}
		if t.why.Is() && !t.why.Root().Code.OfNodes() {
			cause := t.why
			r.Cause = &cause
		}
	case reach != topology.None:
		r.Code, r.Have, r.Need = trace.TopologySpread, 0, 0
		r.Nodes = []trace.NodeCount{{Code: r.Code, Count: 1, Example: t.net.Domain(reach).Name}}
	default:
		r.Code, r.Have, r.Need = trace.HyperNodesNotReady, t.net.Unready(), 0
	}
	t.short = r
}

// tierOf is the highest tier that is allowed, in words.
func tierOf(ask *model.Topology) string {
	switch {
	case ask == nil || !ask.Hard:
		return ""
	case ask.Highest >= 0:
		return strconv.Itoa(int(ask.Highest))
	default:
		return ask.HighestName
	}
}

// share is how many of a unit's tasks are of a class, and how many of them each node has room for.
type share struct {
	count int64
	fits  []int32
}

// classes lists the classes of a unit's tasks, and the sum of what its first need tasks ask for.
func (t *attempt) classes(u unit) (out []share, want resource.Vec) {
	var ids []ledger.ClassID
	for i, task := range u.tasks {
		if reserved(t.s, task) {
			continue
		}
		c := t.s.L.Task(task).Class
		k := slices.Index(ids, c)
		if k < 0 {
			k = len(ids)
			ids = append(ids, c)
			out = append(out, share{fits: t.s.Nodes.Fits(c, t.future)})
		}
		out[k].count++
		if int64(i) < u.need {
			want = want.Add(t.s.L.Class(c).Request)
		}
	}
	return out, want
}

// roomFor is how many of a unit's tasks a domain has room for by amounts, at most need. No more can be
// placed there.
func (t *attempt) roomFor(d topology.ID, classes []share, need int64) (sum int64) {
	for _, c := range classes {
		fit := int64(0)
		for _, n := range t.net.Domain(d).Nodes {
			if fit += int64(c.fits[n]); fit >= c.count {
				break
			}
		}
		if sum += min(fit, c.count); sum >= need {
			return need
		}
	}
	return sum
}
