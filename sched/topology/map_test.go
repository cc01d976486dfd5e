package topology

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"pgregory.net/rapid"
)

func tell(l *ledger.Ledger, version *uint64, k model.Kind, o model.Object, name string) {
	*version++
	l.Apply(model.Fact{Ref: model.Ref{Kind: k, Name: name}, UID: name, Version: *version, Object: o})
}

func nodesOf(names ...string) (out []model.Member) {
	for _, n := range names {
		out = append(out, model.Member{Node: true, Name: n})
	}
	return out
}

func childrenOf(names ...string) (out []model.Member) {
	for _, n := range names {
		out = append(out, model.Member{Name: n})
	}
	return out
}

// drawn is the tree as text: "spine(2){rack-a(1)[a1 a2]} [rest]".
func drawn(m *Map, d ID) string {
	at := m.Domain(d)
	var parts []string
	for _, c := range at.Down {
		parts = append(parts, drawn(m, c))
	}
	var own []string
	for _, n := range at.Own {
		own = append(own, m.l.Node(n).Name)
	}
	return fmt.Sprintf("%s(%d){%s}%v", at.Name, at.Tier, strings.Join(parts, " "), own)
}

func TestWhatHyperNodesSayMakesATree(t *testing.T) {
	h := func(name string, tier int32, members ...model.Member) *model.HyperNode {
		return &model.HyperNode{Meta: model.Meta{Name: name}, Tier: tier, Members: members}
	}
	aged := func(x *model.HyperNode, created int64) *model.HyperNode { x.Created = created; return x }
	b := []string{"b"}
	join := func(lists ...[]model.Member) []model.Member { return slices.Concat(lists...) }
	for name, c := range map[string]struct {
		hypers []*model.HyperNode
		want   string
		faults []string // parts of messages
	}{
		"none": {nil, "(1){}[a1 a2 b1 b2]", nil},
		"racks below a spine, and nodes in none": {
			[]*model.HyperNode{h("ra", 1, nodesOf("a1", "a2")...), h("s", 2, childrenOf("ra")...)},
			"(3){s(2){ra(1){}[a1 a2]}[]}[b1 b2]", nil},
		"by pattern and label": {[]*model.HyperNode{h("ra", 1, model.Member{Node: true, Pattern: "^a"}),
			h("rb", 1, model.Member{Node: true, Labels: []model.Requirement{{Key: "rack", Op: model.In, Values: b}}}),
			h("s", 2, model.Member{Pattern: "^r"})}, "(3){s(2){ra(1){}[a1 a2] rb(1){}[b1 b2]}[]}[]", nil},
		"a node named by a domain and by one below is in the lower": {[]*model.HyperNode{h("ra", 1, nodesOf("a1")...),
			h("s", 2, join(childrenOf("ra"), nodesOf("a1", "a2"))...)}, "(3){s(2){ra(1){}[a1]}[a2]}[b1 b2]", nil},
		"two claim a node: the older has it": {
			[]*model.HyperNode{aged(h("aa", 1, nodesOf("a1", "a2")...), 5), aged(h("zz", 1, nodesOf("a1")...), 1)},
			"(2){aa(1){}[a2] zz(1){}[a1]}[b1 b2]",
			[]string{"HyperNode/aa spec.members: 1 node is in another HyperNode already"}},
		"two claim a HyperNode: the first by name has it": {[]*model.HyperNode{h("ra", 1, nodesOf("a1")...),
			h("s1", 2, childrenOf("ra")...), h("s2", 2, childrenOf("ra")...)},
			"(3){s1(2){ra(1){}[a1]}[] s2(2){}[]}[a2 b1 b2]",
			[]string{`HyperNode/s2 spec.members[0]: HyperNode "ra" is a member of "s1" already`}},
		"a cycle": {[]*model.HyperNode{h("x", 1, join(childrenOf("y"), nodesOf("a1"))...),
			h("y", 1, join(childrenOf("x"), nodesOf("a2"))...), h("rb", 1, nodesOf("b1")...)},
			"(2){rb(1){}[b1]}[a1 a2 b2]",
			[]string{"HyperNode/x spec.members[0]: HyperNode y is of tier 1",
				"HyperNode/y spec.members[0]: HyperNode x is of tier 1"}},
		"its own member": {[]*model.HyperNode{h("x", 1, childrenOf("x")...)}, "(1){}[a1 a2 b1 b2]",
			[]string{"HyperNode/x spec.members[0]: it is a member of itself"}},
		"members that do not exist": {
			[]*model.HyperNode{h("ra", 1, nodesOf("a1", "gone")...), h("s", 2, childrenOf("ra", "ghost")...)},
			"(3){s(2){ra(1){}[a1]}[]}[a2 b1 b2]",
			[]string{`HyperNode/ra spec.members[1]: node "gone" does not exist`,
				`HyperNode/s spec.members[1]: HyperNode "ghost" does not exist`}},
		"a pattern that takes all below": {
			[]*model.HyperNode{h("ra", 1, nodesOf("a1")...), h("all", 9, model.Member{Pattern: ".*"})},
			"(10){all(9){ra(1){}[a1]}[]}[a2 b1 b2]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			l, version := ledger.New(), uint64(0)
			m := New(l)
			for _, n := range []string{"a1", "a2", "b1", "b2"} {
				labels := []model.Label{{Key: "rack", Value: n[:1]}}
				tell(l, &version, model.KindNode, &model.Node{Meta: model.Meta{Name: n}, Labels: labels}, n)
			}
			m.Fresh()
			for _, x := range c.hypers {
				tell(l, &version, model.KindHyperNode, x, x.Name)
			}
			if got := drawn(m.Fresh(), Root); got != c.want {
				t.Errorf("the tree is %s, want %s", got, c.want)
			}
			if len(m.Faults()) != len(c.faults) {
				t.Fatalf("faults: %v, want %v", m.Faults(), c.faults)
			}
			for i, f := range m.Faults() {
				if text := f.Object + " " + f.Message; !strings.HasPrefix(text, c.faults[i]) {
					t.Errorf("fault %q, want %q", text, c.faults[i])
				}
			}
		})
	}
}

// slowLeaf is the domain of a node. It asks every HyperNode, from the facts alone: of the HyperNodes that select the
// node and are in the tree, in order of age and name, it takes the first, and then each that is below the one taken so
// far.
func slowLeaf(m *Map, n ledger.NodeID) string {
	at := ""
	under := func(low, high string) bool {
		for ; low != ""; low = parentOf(m, low) {
			if low == high {
				return true
			}
		}
		return high == ""
	}
	node := m.l.Node(n)
	for _, h := range m.l.HyperNodes.All() {
		if !inTree(m, h.Name) || !node.Present() {
			continue
		}
		for _, s := range h.Members {
			ok := s.Node && s.Name == node.Name
			if s.Node && s.Pattern != "" {
				ok, _ = regexp.MatchString(s.Pattern, node.Name)
			}
			if ok && under(h.Name, at) {
				at = h.Name
			}
		}
	}
	return at
}

func inTree(m *Map, name string) bool { return idOf(m, name) != None }

func idOf(m *Map, name string) ID {
	for d := range m.Len() {
		if d > 0 && m.Domain(ID(d)).Name == name {
			return ID(d)
		}
	}
	return None
}

func parentOf(m *Map, name string) string { return m.Domain(m.Domain(idOf(m, name)).Up).Name }

// TestTheMapFollowsFacts: whatever objects came and went, in whatever order, the map equals one that is made from all
// facts at once, the nodes of every domain are those of its parts, and every node is in the leaf that slowLeaf finds.
func TestTheMapFollowsFacts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, version := ledger.New(), uint64(0)
		m := New(l)
		n := func(most int) int { return rapid.IntRange(0, most).Draw(t, "n") }
		for range 4 + n(20) {
			if n(2) == 0 {
				name := fmt.Sprintf("n%d", n(7))
				var o model.Object
				if n(3) > 0 {
					o = &model.Node{Meta: model.Meta{Name: name}}
				}
				tell(l, &version, model.KindNode, o, name)
			} else {
				name := fmt.Sprintf("h%d", n(5))
				h := &model.HyperNode{Meta: model.Meta{Name: name, Created: int64(n(1))}, Tier: int32(n(3))}
				for range n(3) {
					h.Members = append(h.Members, []model.Member{{Node: true, Name: fmt.Sprintf("n%d", n(7))},
						{Node: true, Pattern: fmt.Sprintf("[%d%d]", n(7), n(7))}, {Name: fmt.Sprintf("h%d", n(5))}}[n(2)])
				}
				tell(l, &version, model.KindHyperNode, h, name)
			}
			if n(2) == 0 {
				m.Fresh()
			}
		}
		m.Fresh()
		other := ledger.New()
		for _, f := range rapid.Permutation(l.Facts()).Draw(t, "facts") {
			other.Apply(f)
		}
		again := New(other).Fresh()
		if is, want := drawn(m, Root), drawn(again, Root); is != want {
			t.Fatalf("the tree is %s, made anew %s", is, want)
		}
		if fmt.Sprint(m.Faults()) != fmt.Sprint(again.Faults()) {
			t.Fatalf("faults are %v, made anew %v", m.Faults(), again.Faults())
		}
		for d := range m.Len() {
			nodes := slices.Clone(m.Domain(ID(d)).Own)
			for _, c := range m.Domain(ID(d)).Down {
				nodes = append(nodes, m.Domain(c).Nodes...)
				if m.Domain(c).Tier >= m.Domain(ID(d)).Tier {
					t.Fatalf("%s is of no lower tier than what it is in", m.Domain(c).Name)
				}
			}
			slices.SortFunc(nodes, func(a, b ledger.NodeID) int { return cmp.Compare(l.Node(a).Name, l.Node(b).Name) })
			if !slices.Equal(nodes, m.Domain(ID(d)).Nodes) {
				t.Fatalf("nodes of %q are %v, those of its parts %v", m.Domain(ID(d)).Name, m.Domain(ID(d)).Nodes, nodes)
			}
		}
		l.Nodes.Present(func(x ledger.NodeID) bool {
			if is, want := m.Domain(m.Leaf(x)).Name, slowLeaf(m, x); is != want {
				t.Fatalf("node %s is in %q, the twin finds %q", l.Node(x).Name, is, want)
			}
			return true
		})
	})
}
