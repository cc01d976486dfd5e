package search

import (
	"slices"
	"strings"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// colocation places a gang of which the members are to share a domain by affinity to each other.
type colocation struct {
	a *attempt

	colocated *colocated // set while a domain is tried for members that have to share one
	idle      bool       // only room that is free now counts: see inFreeRoom and find
}

// mostColocations is how many domains are tried for a gang of which the members have to share one.
const mostColocations = 64

// colocated is a gang of which members have to share a domain with each other (a zone, by affinity to
// themselves), while none of them has a node: the domain of the first of them, the leader, binds the
// rest. Such a gang is placed like any other at first. Where the domain of the leader's best node is
// too small, other domains that have room are tried, that of the next best node first; in each, the
// leader is placed first.
type colocated struct {
	leader ledger.TaskID
	at     place             // the leader's place in the domain that is tried
	order  []ledger.TaskID   // of the list of pending tasks: the leader, then the rest
	need   int64             // at least so many of the leader's class have to share its domain
	keys   []string          // the labels of the domains that are shared
	lists  [][]ledger.NodeID // the nodes of each domain

	tries       int
	first       ledger.NodeID // the leader's node in the first try
	firstResult result        // the result of the first try
}

// applies returns how a gang below its minimum is co-located, by the first leader among the members
// that the minimum needs. It is nil when there is no leader, or only one domain.
func (co *colocation) applies(tasks []ledger.TaskID) *colocated {
	least := co.a.homes.minimum()
	if co.a.apart || least < 2 {
		return nil
	}
	var asked []ledger.ClassID
	for i, task := range tasks[:min(int64(len(tasks)), least)] {
		class := co.a.s.L.Task(task).Class
		if slices.Contains(asked, class) {
			continue
		}
		asked = append(asked, class)
		keys, lists := co.a.s.NodeIndex.ColocationKeys(class)
		if len(lists) < 2 {
			continue
		}
		g := &colocated{leader: task, keys: keys, lists: lists, need: least}
		g.order = slices.Insert(slices.Delete(slices.Clone(tasks), i, i+1), 0, task)
		for _, o := range tasks {
			if co.a.s.L.Task(o).Class != class {
				g.need--
			}
		}
		g.need = max(1, g.need)
		return g
	}
	return nil
}

// elsewhere places a gang that was refused in another domain that its members can share. A domain in
// which the gang can start now comes before one in which it has to wait for room. from is where in the
// list of pending tasks the attempt began; the mode says whether what holds stays. Where no domain will do, the list
// of pending tasks is left as it was, and the reason says so.
func (co *colocation) elsewhere(from int, mode Mode) Outcome {
	if !co.a.why.Root().Code.OfNodes() {
		return Refused
	}
	g := co.applies(co.a.w.Tasks[from:])
	if g == nil {
		return Refused
	}
	refused, detail, tasks := co.a.result, co.a.detail, slices.Clone(co.a.w.Tasks)
	copy(co.a.w.Tasks[from:], g.order)
	out := co.anywhere(g, from, mode)
	if co.a.detail = detail; out == Refused {
		copy(co.a.w.Tasks, tasks)
		co.a.result = refused
		co.noCommonDomain(g)
	}
	return out
}

// anywhere tries the domains that have room, at most mostColocations of them.
func (co *colocation) anywhere(g *colocated, from int, mode Mode) Outcome {
	for _, in := range [...]Gradient{IdleHere, FutureHere} {
		if in.Future() && (co.idle || co.a.s.L.Nodes.ReleasingNodes() == 0) {
			break
		}
		for left := co.roomy(g, in); g.tries < mostColocations && co.nextDomain(g, &left, in); g.tries++ {
			if out := co.place(g, from, in, mode); out != Refused {
				return out
			}
			if g.tries == 0 {
				g.first, g.firstResult, co.a.detail = g.at.node, co.a.result, session.CodeOnly // the first try explained enough
			}
		}
	}
	return Refused
}

// roomy lists the domains that have room, by amounts, for the members that have to share one.
func (co *colocation) roomy(g *colocated, in Gradient) (out [][]ledger.NodeID) {
	fits := co.a.s.NodeIndex.Fits(co.a.s.L.Task(g.leader).Class, class.When(in.Future()))
	for _, list := range g.lists {
		if total(list, fits) >= g.need {
			out = append(out, list)
		}
	}
	return out
}

// nextDomain takes the domain with the best node for the leader out of left; false when no node takes
// it.
func (co *colocation) nextDomain(g *colocated, left *[][]ledger.NodeID, in Gradient) bool {
	p := among(co.a.s, g.leader, class.Among(slices.Concat(*left...)), in)
	if p.node == ledger.NoNode {
		return false
	}
	g.at = p
	*left = slices.DeleteFunc(*left, func(list []ledger.NodeID) bool { return slices.Contains(list, p.node) })
	return true
}

// place tries the current domain.
func (co *colocation) place(g *colocated, from int, in Gradient, mode Mode) (out Outcome) {
	if co.a.s.Trace.On(trace.AllocateDomain) {
		co.a.s.Trace.Add(trace.Event{Kind: trace.AllocateDomain, Job: co.a.s.L.Jobs.Called(co.a.w.Job),
			Task: co.a.s.L.Task(g.leader).Key.String(),
			Node: co.a.s.L.Node(g.at.node).Name, Score: g.at.score})
	}
	co.a.w.next, co.a.refused, co.a.result = from, co.a.refused[:0], result{}
	co.colocated = g
	co.a.s.L.Try(func(tx *ledger.Tx) bool {
		if out = co.a.statement(tx); out == Provisional && !in.Future() {
			out = Refused
		}
		return mode.holds(out != Refused)
	})
	co.colocated = nil
	return out
}

// noCommonDomain sets the reason: that no domain has room by amounts, or, where domains were tried, why
// the first of them failed. Where there is no room at all, the reason of the nodes stays.
func (co *colocation) noCommonDomain(g *colocated) {
	r := trace.Reason{Code: trace.PodAffinityNoRoom, Task: co.a.s.L.Task(g.leader).Key.String(),
		Text: strings.Join(g.keys, ","), Need: int(g.need)}
	nearest := ""
	if g.tries > 0 {
		co.a.result, nearest, r.Have = g.firstResult, co.domainName(g, g.first), r.Need
		r.Cause = &g.firstResult.why
	} else {
		fits := co.a.s.NodeIndex.Fits(co.a.s.L.Task(g.leader).Class, class.Now)
		for _, list := range g.lists {
			room, name := int(total(list, fits)), co.domainName(g, list[0])
			if room > r.Have || room == r.Have && name < nearest {
				nearest, r.Have = name, room
			}
		}
		if r.Have == 0 {
			return
		}
	}
	r.Nodes = []trace.NodeCount{{Code: r.Code, Count: len(g.lists), Example: nearest}}
	co.a.why = r
}

// domainName is the values of the labels that say in which domain a node is.
func (co *colocation) domainName(g *colocated, n ledger.NodeID) string {
	var values []string
	for _, k := range g.keys {
		v, _ := model.LabelValue(co.a.s.L.Node(n).Fact.Labels, k)
		values = append(values, v)
	}
	return strings.Join(values, ",")
}
