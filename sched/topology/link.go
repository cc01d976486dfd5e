package topology

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
)

// readHypers lists the HyperNodes, the oldest first, and how each of them selects nodes.
func (m *Map) readHypers() {
	m.hypers, m.byName, m.exact, m.wide = m.hypers[:0], map[string]int{}, map[string][]int32{}, m.wide[:0]
	for _, h := range m.l.HyperNodes.All() {
		i := len(m.hypers)
		_, bad := h.SetAside()
		m.hypers = append(m.hypers, hyper{fact: h, ready: !bad})
		m.byName[h.Name] = i
		wide := false
		for k := range h.Members {
			switch s := &h.Members[k]; {
			case !s.Node:
			case s.Name != "":
				m.exact[s.Name] = append(m.exact[s.Name], int32(i))
			default:
				wide = true
			}
		}
		if wide {
			m.wide = append(m.wide, int32(i))
		}
	}
}

func (m *Map) claimAll() {
	m.claims, m.called = make([][]int32, m.l.Nodes.Len()), make([]string, m.l.Nodes.Len())
	for n := range m.claims {
		m.claim(ledger.NodeID(n))
	}
}

// claim finds the HyperNodes that select a node, and says whether that, or the node, has changed.
func (m *Map) claim(n ledger.NodeID) bool {
	for len(m.claims) < m.l.Nodes.Len() {
		m.claims, m.called = append(m.claims, nil), append(m.called, "")
	}
	node, was, called := m.l.Node(n), m.claims[n], m.called[n]
	if m.claims[n], m.called[n] = nil, ""; !node.Present() {
		return called != ""
	}
	out := slices.Clone(m.exact[node.Name])
	for _, i := range m.wide {
		for k := range m.hypers[i].fact.Members {
			if s := &m.hypers[i].fact.Members[k]; s.Node && s.Name == "" && m.selects(s, node.Fact) {
				out = append(out, i)
				break
			}
		}
	}
	slices.Sort(out)
	m.claims[n], m.called[n] = slices.Compact(out), node.Name
	return called != node.Name || !slices.Equal(was, m.claims[n])
}

// selects says that a member by pattern or labels is about a node.
func (m *Map) selects(s *model.Member, n *model.Node) bool {
	if s.Pattern != "" {
		return m.matches(s.Pattern, n.Name)
	}
	return match.Selects(s.Labels, n.Labels)
}

// matches says that a pattern matches a name. RE2 takes time linear in the name, whatever the pattern. Translation has
// bounded patterns; text that is no pattern matches nothing.
func (m *Map) matches(pattern, name string) bool {
	re, known := m.patterns[pattern]
	if !known {
		if len(m.patterns) >= mostPatterns {
			clear(m.patterns)
		}
		re, _ = regexp.Compile(pattern)
		m.patterns[pattern] = re
	}
	return re != nil && re.MatchString(name)
}

// mostPatterns bounds the patterns that are kept compiled.
const mostPatterns = 1 << 14

// link makes the tree.
func (m *Map) link() {
	m.faults, m.unready = nil, 0
	m.setAside()
	for i := range m.hypers {
		m.hypers[i].up, m.hypers[i].down, m.hypers[i].id = -1, nil, None
	}
	for i := range m.hypers {
		if m.hypers[i].ready {
			m.adopt(i)
		} else {
			m.unready++
		}
	}
	m.number()
	m.assignNodes()
	slices.SortFunc(m.faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Message, b.Message))
	})
}

func (m *Map) say(i int, format string, args ...any) {
	m.faults = append(m.faults, Fault{"HyperNode/" + m.hypers[i].fact.Name, fmt.Sprintf(format, args...)})
}

// setAside finds the HyperNodes that name a member that no domain of their tier can hold: itself, or a HyperNode of no
// lower tier.
func (m *Map) setAside() {
	for i := range m.hypers {
		h := &m.hypers[i]
		if _, bad := h.fact.SetAside(); bad {
			h.ready = false
			continue
		}
		h.ready = true
		for k := range h.fact.Members {
			s := &h.fact.Members[k]
			child, known := m.byName[s.Name]
			switch {
			case s.Node || s.Name == "" || !known:
			case child == i:
				h.ready = false
				m.say(i, "spec.members[%d]: it is a member of itself: it is set aside", k)
			case m.hypers[child].fact.Tier >= h.fact.Tier:
				h.ready = false
				m.say(i, "spec.members[%d]: HyperNode %s is of tier %d, and members of tier %d must be of a lower one: "+
					"it is set aside", k, s.Name, m.hypers[child].fact.Tier, h.fact.Tier)
			}
		}
	}
}

// adopt gives a HyperNode the HyperNodes that are its members and have no older parent.
func (m *Map) adopt(i int) {
	h := &m.hypers[i]
	for k := range h.fact.Members {
		s := &h.fact.Members[k]
		if s.Node {
			if n, known := m.l.Nodes.Find(s.Name); s.Name != "" && (!known || !m.l.Node(n).Present()) {
				m.say(i, "spec.members[%d]: node %q does not exist", k, s.Name)
			}
			continue
		}
		if s.Name == "" {
			for c := range m.hypers {
				if m.hypers[c].ready && m.hypers[c].fact.Tier < h.fact.Tier && m.matches(s.Pattern, m.hypers[c].fact.Name) {
					m.take(i, k, c)
				}
			}
			continue
		}
		switch c, known := m.byName[s.Name]; {
		case !known:
			m.say(i, "spec.members[%d]: HyperNode %q does not exist", k, s.Name)
		case !m.hypers[c].ready:
			m.say(i, "spec.members[%d]: HyperNode %q is set aside: its nodes are left out", k, s.Name)
		default:
			m.take(i, k, c)
		}
	}
}

func (m *Map) take(i, k, c int) {
	switch up := m.hypers[c].up; {
	case up == i:
	case up >= 0:
		m.say(i, "spec.members[%d]: HyperNode %q is a member of %q already, which is older or comes first by name: "+
			"it is left out", k, m.hypers[c].fact.Name, m.hypers[up].fact.Name)
	default:
		m.hypers[c].up = i
		m.hypers[i].down = append(m.hypers[i].down, c)
	}
}

// number makes the domains: the root, then the others by tier and name.
func (m *Map) number() {
	var order []int
	top := int32(0)
	for i := range m.hypers {
		if m.hypers[i].ready {
			order = append(order, i)
			top = max(top, m.hypers[i].fact.Tier)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := m.hypers[a].fact, m.hypers[b].fact
		return cmp.Or(cmp.Compare(x.Tier, y.Tier), cmp.Compare(x.Name, y.Name))
	})
	m.domains = append(make([]Domain, 0, len(order)+1), Domain{Tier: top + 1, Up: None})
	m.levels = nil
	for _, i := range order {
		h := &m.hypers[i]
		h.id = ID(len(m.domains))
		m.domains = append(m.domains, Domain{Name: h.fact.Name, Tier: h.fact.Tier, Up: Root})
		if n := len(m.levels); n == 0 || m.levels[n-1].Tier != h.fact.Tier {
			m.levels = append(m.levels, Level{Tier: h.fact.Tier})
		}
		last := &m.levels[len(m.levels)-1]
		last.Domains = append(last.Domains, h.id)
	}
	m.levels = append(m.levels, Level{Tier: top + 1, Domains: []ID{Root}})
	for _, i := range order {
		h := &m.hypers[i]
		if h.up >= 0 {
			m.domains[h.id].Up = m.hypers[h.up].id
		}
	}
	for d := 1; d < len(m.domains); d++ {
		up := &m.domains[m.domains[d].Up]
		up.Down = append(up.Down, ID(d))
	}
	for d := range m.domains {
		slices.SortFunc(m.domains[d].Down, func(a, b ID) int { return cmp.Compare(m.domains[a].Name, m.domains[b].Name) })
	}
}

// assignNodes puts every node into its leaf, and into all domains above.
func (m *Map) assignNodes() {
	m.leaf = make([]ID, m.l.Nodes.Len())
	m.names = m.names[:0]
	m.l.Nodes.Present(func(n ledger.NodeID) bool {
		m.names = append(m.names, n)
		return true
	})
	slices.SortFunc(m.names, func(a, b ledger.NodeID) int { return cmp.Compare(m.l.Node(a).Name, m.l.Node(b).Name) })
	lost := map[int32][]ledger.NodeID{}
	var losers []int32
	for _, n := range m.names {
		at := m.place(n, func(loser int32) {
			if lost[loser] == nil {
				losers = append(losers, loser)
			}
			lost[loser] = append(lost[loser], n)
		})
		m.leaf[n] = at
		m.domains[at].Own = append(m.domains[at].Own, n)
		for ; at != None; at = m.domains[at].Up {
			m.domains[at].Nodes = append(m.domains[at].Nodes, n)
		}
	}
	for _, i := range losers {
		n := lost[i][0]
		m.say(int(i), "spec.members: %s in another HyperNode already, which is older or comes first by name, "+
			"as node %s in %s: left out", areNodes(len(lost[i])), m.l.Node(n).Name, m.domains[m.leaf[n]].Name)
	}
}

func areNodes(n int) string {
	if n == 1 {
		return "1 node is"
	}
	return fmt.Sprintf("%d nodes are", n)
}

// place is the leaf of a node: of the HyperNodes that select it, the one that has no other of them below it. Of two
// that are not above each other, the older counts.
func (m *Map) place(n ledger.NodeID, lost func(loser int32)) ID {
	at := Root
	for _, i := range m.claims[n] {
		h := &m.hypers[i]
		if !h.ready {
			continue
		}
		switch {
		case m.Within(h.id, at):
			at = h.id
		case !m.Within(at, h.id):
			lost(i)
		}
	}
	return at
}
