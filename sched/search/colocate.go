package search

import (
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// mostColocations is how many domains are tried for a gang whose members have to share one.
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
	keys   []string          // the labels whose domains are shared
	lists  [][]ledger.NodeID // the nodes of each domain

	tries       int
	first       ledger.NodeID // the leader's node in the first try
	firstResult result        // the result of the first try
}

// colocates returns how a gang below its minimum is co-located, by the first leader among the members
// that the minimum needs. It is nil when there is no leader, or only one domain.
func (t *attempt) colocates(tasks []ledger.TaskID) *colocated {
	least := t.minimum()
	if t.apart || least < 2 {
		return nil
	}
	var asked []ledger.ClassID
	for i, task := range tasks[:min(int64(len(tasks)), least)] {
		class := t.s.L.Task(task).Class
		if slices.Contains(asked, class) {
			continue
		}
		asked = append(asked, class)
		keys, lists := t.s.Nodes.ColocationKeys(class)
		if len(lists) < 2 {
			continue
		}
		g := &colocated{leader: task, keys: keys, lists: lists, need: least}
		g.order = slices.Insert(slices.Delete(slices.Clone(tasks), i, i+1), 0, task)
		for _, o := range tasks {
			if t.s.L.Task(o).Class != class {
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
// list of pending tasks the attempt began; what holds stays if hold. Where no domain will do, the list
// of pending tasks is left as it was, and the reason says so.
func (t *attempt) elsewhere(from int, hold bool) Outcome {
	if !t.why.Root().Code.OfNodes() {
		return Refused
	}
	g := t.colocates(t.w.Tasks[from:])
	if g == nil {
		return Refused
	}
	refused, explain, sheet := t.result, t.explain, slices.Clone(t.w.Tasks)
	copy(t.w.Tasks[from:], g.order)
	out := t.colocateAnywhere(g, from, hold)
	if t.explain = explain; out == Refused {
		copy(t.w.Tasks, sheet)
		t.result = refused
		t.noCommonDomain(g)
	}
	return out
}

// colocateAnywhere tries the domains that have room, at most mostColocations of them.
func (t *attempt) colocateAnywhere(g *colocated, from int, hold bool) Outcome {
	for _, in := range [...]Gradient{IdleHere, FutureHere} {
		if in.Future() && (t.idle || t.s.L.ReleasingNodes() == 0) {
			break
		}
		for left := t.roomy(g, in); g.tries < mostColocations && t.nextDomain(g, &left, in); g.tries++ {
			if out := t.placeColocated(g, from, in, hold); out != Refused {
				return out
			}
			if g.tries == 0 {
				g.first, g.firstResult, t.explain = g.at.node, t.result, false // the first try explained enough
			}
		}
	}
	return Refused
}

// roomy lists the domains that have room, by amounts, for the members that have to share one.
func (t *attempt) roomy(g *colocated, in Gradient) (out [][]ledger.NodeID) {
	fits := t.s.Nodes.Fits(t.s.L.Task(g.leader).Class, in.Future())
	for _, list := range g.lists {
		if total(list, fits) >= g.need {
			out = append(out, list)
		}
	}
	return out
}

// nextDomain takes the domain with the best node for the leader out of left; false when no node takes
// it.
func (t *attempt) nextDomain(g *colocated, left *[][]ledger.NodeID, in Gradient) bool {
	n, score := within(t.s, g.leader, slices.Concat(*left...), in)
	if n == ledger.NoNode {
		return false
	}
	g.at = place{n, score, in}
	*left = slices.DeleteFunc(*left, func(list []ledger.NodeID) bool { return slices.Contains(list, n) })
	return true
}

// placeColocated tries the current domain.
func (t *attempt) placeColocated(g *colocated, from int, in Gradient, hold bool) (out Outcome) {
	if t.s.Trace.On(trace.AllocateDomain) {
		t.s.Trace.Add(trace.Event{Kind: trace.AllocateDomain, Job: t.s.L.Called(t.w.Job), Task: t.s.L.Task(g.leader).Key.String(),
			Node: t.s.L.Node(g.at.node).Name, Score: g.at.score})
	}
	t.w.next, t.refused, t.result = from, t.refused[:0], result{}
	t.colocated = g
	t.s.L.Try(func(tx *ledger.Tx) bool {
		if out = t.statement(tx); out == Kept && !in.Future() {
			out = Refused
		}
		return out != Refused && hold
	})
	t.colocated = nil
	return out
}

// noCommonDomain sets the reason: that no domain has room by amounts, or, where domains were tried, why
// the first of them failed. Where there is no room at all, the reason of the nodes stays.
func (t *attempt) noCommonDomain(g *colocated) {
	r := trace.Reason{Code: trace.PodAffinityNoRoom, Task: t.s.L.Task(g.leader).Key.String(), Text: strings.Join(g.keys, ","), Need: int(g.need)}
	nearest := ""
	if g.tries > 0 {
		t.result, nearest, r.Have = g.firstResult, t.domainName(g, g.first), r.Need
		r.Cause = &g.firstResult.why
	} else {
		fits := t.s.Nodes.Fits(t.s.L.Task(g.leader).Class, false)
		for _, list := range g.lists {
			room, name := int(total(list, fits)), t.domainName(g, list[0])
			if room > r.Have || room == r.Have && name < nearest {
				nearest, r.Have = name, room
			}
		}
		if r.Have == 0 {
			return
		}
	}
	r.Nodes = []trace.NodeCount{{Code: r.Code, Count: len(g.lists), Example: nearest}}
	t.why = r
}

// domainName is the values of the labels that say in which domain a node is.
func (t *attempt) domainName(g *colocated, n ledger.NodeID) string {
	var values []string
	for _, k := range g.keys {
		v, _ := model.LabelValue(t.s.L.Node(n).Fact.Labels, k)
		values = append(values, v)
	}
	return strings.Join(values, ",")
}
