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

// colocated is a gang of which members have to share a domain with each other (a zone, by
// affinity to themselves), while none of them sits anywhere: where the first, the anchor, goes
// the others have to follow. Such a gang is placed like any other to begin with. Where the
// domain of the anchor's best node is too small for it, others that have room are tried, that
// of the next best node first; in each the anchor is placed before everybody else.
type colocated struct {
	leader ledger.TaskID
	at     place             // where the anchor begins, of the domain that is tried
	order  []ledger.TaskID   // of the list of pending tasks: the anchor, then the others
	need   int64             // of the anchor's class so many have to share its domain, at least
	keys   []string          // the labels whose domains are shared
	lists  [][]ledger.NodeID // the nodes of each domain

	tries int
	first ledger.NodeID // where the first try began
	told  result        // what became of it
}

// colocates returns what is to be known of a gang below its minimum: of the first anchor among
// the members that this needs. It is nil without one, and where there is but one domain.
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

// elsewhere places a gang that was refused in some other domain that its members can share. A
// domain in which it can start now goes before one in which it has to wait for room. from is
// where in the list of pending tasks the turn began; what holds stays if hold. Where no domain will do the
// list of pending tasks is as it was, and the reason says so.
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
				g.first, g.told, t.explain = g.at.node, t.result, false // once will do
			}
		}
	}
	return Refused
}

// roomy lists the domains that have room by amounts for those who have to share one.
func (t *attempt) roomy(g *colocated, in Gradient) (out [][]ledger.NodeID) {
	fits := t.s.Nodes.Fits(t.s.L.Task(g.leader).Class, in.Future())
	for _, list := range g.lists {
		if total(list, fits) >= g.need {
			out = append(out, list)
		}
	}
	return out
}

// nextDomain takes out of left the domain with the best node for the anchor; false when no
// node takes it.
func (t *attempt) nextDomain(g *colocated, left *[][]ledger.NodeID, in Gradient) bool {
	n, score := within(t.s, g.leader, slices.Concat(*left...), in)
	if n == ledger.NoNode {
		return false
	}
	g.at = place{n, score, in}
	*left = slices.DeleteFunc(*left, func(list []ledger.NodeID) bool { return slices.Contains(list, n) })
	return true
}

// placeColocated tries the domain at hand.
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

// noCommonDomain leaves the reason: that no domain has room by amounts, or, where some were
// tried, what became of it in the first. Where there is no room at all the nodes say why.
func (t *attempt) noCommonDomain(g *colocated) {
	r := trace.Reason{Code: trace.PodAffinityNoRoom, Task: t.s.L.Task(g.leader).Key.String(), Text: strings.Join(g.keys, ","), Need: int(g.need)}
	nearest := ""
	if g.tries > 0 {
		t.result, nearest, r.Have = g.told, t.domainName(g, g.first), r.Need
		r.Cause = &g.told.why
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
