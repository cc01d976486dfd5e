package search

import (
	"cmp"
	"slices"
	"strconv"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// domainSearch looks for the domain of a job, or of its sub-groups.
type domainSearch struct {
	a *attempt
}

// The bounds of a search by domains: how many domains of a tier that seem to have room are tried,
// and how many failed tries within one of them are allowed, beside one for each sub-group.
const (
	mostDomains = 64
	mostPlaces  = 256
)

// domains is the state of an attempt for a job with members that have to be near each other, or that starts
// by sub-groups.
type domains struct {
	net     *topology.Map   // nil: the network is unknown
	inside  topology.ID     // the domain that the job has to stay in; None: anywhere
	home    topology.ID     // the domain that the current members have to stay in; None: anywhere
	near    topology.ID     // the domain of the last member placed
	future  bool            // room that is being freed counts, too
	partial bool            // members of a sub-group wait for room: those that have it do not start without them
	free    bool            // no plugin counts members: no minimum binds
	rest    *remainingParts // the parts that have no place yet
	tries   int             // failed tries within the current domain
	most    int             // bounds tries
	short   trace.Reason    // why there was no domain for the first part without one
	unsized trace.Reason    // the first sub-group that lacks pods, by name
	passed  []int           // indices in rest of the parts that found no domain
	left    []part          // sub-groups that lack pods
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
func (ds *domainSearch) byDomain(tx *ledger.Tx) Outcome {
	if ds.queueRefuses() {
		return Refused
	}
	parts := ds.a.parts()
	out := Refused
	for _, ds.a.future = range [...]bool{false, true} {
		if ds.a.future && (ds.a.together.idle || ds.a.w.idle ||
			ds.a.s.L.Nodes.ReleasingNodes() == 0 && ds.a.w.nominated == 0) {
			break
		}
		if out = ds.inSomeDomain(tx, parts); out == Refused {
			out = ds.exhaust(tx, parts)
		}
		if out != Refused {
			break
		}
	}
	ds.finish(out)
	return out
}

// queueRefuses checks the queue for a minimum of one class before any domain is tried (decision 18). So
// whether the reason names the queue or the nodes does not depend on what other jobs took meanwhile.
func (ds *domainSearch) queueRefuses() bool {
	need := ds.minimum()
	tasks := ds.a.w.Tasks[ds.a.w.next:]
	if ds.a.job.BestEffort > 0 || len(tasks) == 0 || nominated(ds.a.s, tasks[0]) || withdrawn(ds.a.s, tasks[0]) ||
		need > int64(len(tasks)) {
		return false
	}
	class := ds.a.s.L.Task(tasks[0]).Class
	if slices.ContainsFunc(tasks, func(task ledger.TaskID) bool { return ds.a.s.L.Task(task).Class != class }) {
		return false
	}
	return ds.a.queueLacks(class, need)
}

// finish sets the reason, and keeps in the list of pending tasks those that are to be tried again.
func (ds *domainSearch) finish(o Outcome) {
	if o != Refused {
		ds.a.why = ds.a.unsized
		if len(ds.a.passed) > 0 {
			ds.a.why = ds.a.short
		}
		passed := map[ledger.TaskID]bool{}
		for _, i := range ds.a.passed {
			ds.a.left = append(ds.a.left, ds.a.rest.parts[i])
		}
		for _, p := range ds.a.left {
			for _, task := range p.tasks {
				passed[task] = true
			}
		}
		ds.a.w.Tasks = slices.DeleteFunc(ds.a.w.Tasks, func(task ledger.TaskID) bool {
			row := ds.a.s.L.Task(task)
			return row.Status != model.Pending && !nominated(ds.a.s, task) || passed[task]
		})
		return
	}
	if ds.a.short.Is() && (!ds.a.why.Is() || ds.a.why.Root().Code.OfNodes()) {
		ds.a.why, ds.a.placed = ds.a.short, int32(ds.a.short.Have)
	}
	if !ds.a.why.Is() {
		ds.a.why = ds.a.unsized
	}
}

// inSomeDomain tries the domains that the job may go to, the lowest tier first.
func (ds *domainSearch) inSomeDomain(tx *ledger.Tx, parts []part) (out Outcome) {
	ask := ds.a.job.Group.Topology
	if ds.a.net == nil || ask == nil {
		ds.a.inside = topology.None
		return ds.tryPlacing(tx, parts)
	}
	all := part{sub: topology.AllSubs, need: ds.minimum()}
	for _, p := range parts {
		all.tasks = append(all.tasks, p.tasks...)
	}
	ds.each(topology.Root, ask, all, func(d topology.ID) bool {
		ds.a.inside = d
		out = ds.tryPlacing(tx, parts)
		return out == Refused && (!ds.a.why.Is() || ds.a.why.Root().Code.OfNodes())
	})
	return out
}

// minimum is how many members the job still needs to start, at least one.
func (ds *domainSearch) minimum() int64 {
	have := ds.a.job.ReadyOrPipelined()
	if ds.a.apart {
		have = ds.a.job.PlacedOrPipelined()
	}
	return max(1, int64(ds.a.job.MinMember-have))
}

// tryPlacing tries to place the parts inside the current domain, in a try of its own.
func (ds *domainSearch) tryPlacing(tx *ledger.Tx, parts []part) (out Outcome) {
	ds.a.refused, ds.a.why, ds.a.placed, ds.a.waits, ds.a.partial = ds.a.refused[:0], trace.Reason{}, 0, false, false
	ds.a.passed, ds.a.tries, ds.a.most = ds.a.passed[:0], 0, mostPlaces+len(parts)
	ds.a.rest = newRest(ds.a.job, parts, ds.a.free)
	tx.Try(func(tx *ledger.Tx) bool {
		out = ds.a.place(tx)
		return out != Refused
	})
	return out
}

// each calls f for the domains in which a part could have room, the best first within each tier,
// until f returns false. Where none has room, it notes why.
func (ds *domainSearch) each(inside topology.ID, ask *model.Topology, p part, f func(topology.ID) bool) {
	limit := ds.a.net.Limit(ask)
	reach := ds.a.net.Reach(ds.a.w.Job, p.sub)
	classes, want := ds.classes(p)
	seen, nearest, room, on := 0, topology.None, int64(0), true
	ds.a.net.Homes(inside, reach, limit, func(level topology.Level) bool {
		var list []scored
		for _, d := range level.Domains {
			seen++
			have := ds.roomFor(d, classes, p.need)
			if have >= p.need || ds.a.w.nominated > 0 {
				list = append(list, scored{domain: d, score: ds.a.s.Policy.ScoreHyperNode(d, want), room: have})
			}
			if have < p.need && (nearest == topology.None || have > room) {
				nearest, room = d, have
			}
		}
		slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		for _, c := range list[:min(len(list), mostDomains)] {
			ds.traceDomain(c)
			if on = f(c.domain); !on {
				return false
			}
		}
		// Room by amounts, but no place by filters. Domains that have room only together with what is kept
		// do not count: so the reason is the same when it is computed again with nothing kept.
		if i := slices.IndexFunc(list, func(c scored) bool { return c.room >= p.need }); i >= 0 {
			nearest, room = list[i].domain, p.need
		}
		return true
	})
	if on {
		ds.noDomain(ask, p, seen, nearest, room)
	}
}

// scored is a domain with the score that plugins give it.
type scored struct {
	domain topology.ID
	score  int64
	room   int64 // by amounts, in tasks; below the need where kept room may make up for it
}

// traceDomain records which domain is tried (seed 003 §8.4).
func (ds *domainSearch) traceDomain(c scored) {
	if ds.a.s.Trace.On(trace.AllocateHyperNode) {
		d := ds.a.net.Domain(c.domain)
		ds.a.s.Trace.Add(trace.Event{Kind: trace.AllocateHyperNode, Job: ds.a.s.L.Jobs.Called(ds.a.w.Job), Node: d.Name,
			Count: int(d.Tier), Score: c.score})
	}
}

// noDomain notes why a part found no domain, unless a reason was noted already.
func (ds *domainSearch) noDomain(ask *model.Topology, p part, seen int, nearest topology.ID, room int64) {
	if ds.a.short.Is() {
		return
	}
	r := trace.Reason{Code: trace.TopologyNoRoom, Text: tierOf(ask), Need: int(p.need), Have: int(room)}
	if len(p.tasks) > 0 {
		r.Task = ds.a.s.L.Task(p.tasks[0]).Key.String()
	}
	reach := ds.a.net.Reach(ds.a.w.Job, p.sub)
	switch {
	case seen > 0:
		r.Nodes = []trace.NodeCount{{Code: r.Code, Count: seen, Example: ds.a.net.Domain(nearest).Name}}
		if ds.a.why.Is() && !ds.a.why.Root().Code.OfNodes() {
			cause := ds.a.why
			r.Cause = &cause
		}
	case reach != topology.None:
		r.Code, r.Have, r.Need = trace.TopologySpread, 0, 0
		r.Nodes = []trace.NodeCount{{Code: r.Code, Count: 1, Example: ds.a.net.Domain(reach).Name}}
	default:
		r.Code, r.Have, r.Need = trace.HyperNodesNotReady, ds.a.net.Unready(), 0
	}
	ds.a.short = r
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

// share is how many of a part's tasks are of a class, and how many of them each node has room for.
type share struct {
	count int64
	fits  []int32
}

// classes lists the classes of a part's tasks, and the sum of what its first need tasks ask for.
func (ds *domainSearch) classes(p part) (out []share, want resource.Vec) {
	var ids []ledger.ClassID
	for i, task := range p.tasks {
		if nominated(ds.a.s, task) {
			continue
		}
		c := ds.a.s.L.Task(task).Class
		k := slices.Index(ids, c)
		if k < 0 {
			k = len(ids)
			ids = append(ids, c)
			out = append(out, share{fits: ds.a.s.NodeIndex.Fits(c, class.When(ds.a.future))})
		}
		out[k].count++
		if int64(i) < p.need {
			want = want.Add(ds.a.s.L.Class(c).Request)
		}
	}
	return out, want
}

// roomFor is how many of a part's tasks a domain has room for by amounts, at most need. No more can be
// placed there.
func (ds *domainSearch) roomFor(d topology.ID, classes []share, need int64) (sum int64) {
	for _, c := range classes {
		fit := int64(0)
		for _, n := range ds.a.net.Domain(d).Nodes {
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
