package interpod

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
)

// domainColumns holds the domain of each node, by topology key.
type domainColumns struct {
	b *Affinities

	byKey  map[string]*column
	scopes map[string]*scope
}

// column maps nodes to the domains of one topology key. A domain has a number; 0 is for a node that lacks the
// label or is not present.
type column struct {
	key    string
	ids    map[string]int32
	values []string // by number
	of     []int32  // by NodeID
	refs   int      // by number of the domain
}

func (dc *domainColumns) of(key string) *column {
	c := dc.byKey[key]
	if c == nil {
		c = &column{key: key, ids: map[string]int32{}, values: []string{""}}
		dc.byKey[key] = c
		c.of = ofEach(dc.b.nodes, c.read)
	}
	return c
}

// ofEach returns f of each node, by NodeID.
func ofEach[T any](nodes []*model.Node, f func(*model.Node) T) []T {
	out := make([]T, len(nodes))
	for n, node := range nodes {
		out[n] = f(node)
	}
	return out
}

// read returns the number of a node's domain, 0 for none.
func (c *column) read(n *model.Node) int32 {
	if n == nil {
		return 0
	}
	v, has := model.LabelValue(n.Labels, c.key)
	if !has {
		return 0
	}
	id, known := c.ids[v]
	if !known {
		id = int32(len(c.values))
		c.ids[v] = id
		c.values = append(c.values, v)
	}
	return id
}

// scope is the nodes that count for topology spread constraints of some pods. Such a node has all their
// topology keys; the pods' node affinity and tolerations may limit the nodes further.
type scope struct {
	form    string
	keys    []string
	spec    *model.Spec
	limited bool // by the spec's node selector and required node affinity
	clean   bool // by the node's taints
	ok      []bool
	refs    int
}

// scopeOf returns the scope of a spread constraint of a spec. Its topology keys are those of all constraints
// of the spec that are soft if this one is, hard if this one is.
func (dc *domainColumns) scopeOf(s *model.Spec, c *model.Spread) *scope {
	x := &scope{spec: s, limited: !c.Everywhere, clean: c.Untainted}
	for i := range s.Neighbours.Spread {
		if o := &s.Neighbours.Spread[i]; o.Soft == c.Soft {
			x.keys = append(x.keys, o.Key)
		}
	}
	slices.Sort(x.keys)
	x.keys = slices.Compact(x.keys)
	var w model.Form
	w.Text(x.keys...)
	w.Part()
	if x.limited {
		w.Labels(s.Selector)
		w.Part()
		if w.Terms(s.Affinity); s.Affinity != nil {
			w.Number(int64(len(s.Affinity)))
		}
	}
	w.Part()
	if x.clean {
		w.Number(1)
		w.Tolerations(s.Tolerations)
	}
	x.form = w.String()
	if known := dc.scopes[x.form]; known != nil {
		return known
	}
	dc.scopes[x.form] = x
	x.ok = ofEach(dc.b.nodes, x.counts)
	return x
}

// counts says that a node counts.
func (x *scope) counts(n *model.Node) bool {
	if n == nil {
		return false
	}
	for _, k := range x.keys {
		if _, has := model.LabelValue(n.Labels, k); !has {
			return false
		}
	}
	if x.limited && (!match.Labels(x.spec.Selector, n) || x.spec.Affinity != nil && !match.Any(x.spec.Affinity, n)) {
		return false
	}
	if x.clean {
		for _, t := range n.Taints {
			if t.Effect != model.PreferNoSchedule && !match.Tolerated(x.spec.Tolerations, t) {
				return false
			}
		}
	}
	return true
}

// recount follows a change of a node's facts: it takes the node and its pods out of all counts, reads the
// node's domains anew, and counts the node and its pods again.
func (dc *domainColumns) recount(n ledger.NodeID) {
	for int(n) >= len(dc.b.nodes) {
		dc.b.nodes = append(dc.b.nodes, nil)
		for _, c := range dc.byKey { // order-free: each for itself
			c.of = append(c.of, 0)
		}
		for _, x := range dc.scopes { // order-free: each for itself
			x.ok = append(x.ok, false)
		}
	}
	var now *model.Node
	if row := dc.b.l.Node(n); row.Present() {
		now = row.Fact
	}
	if now == dc.b.nodes[n] {
		return
	}
	dc.members(n, -1)
	dc.b.nodes[n] = now
	for _, c := range dc.byKey { // order-free: each for itself
		c.of[n] = c.read(now)
	}
	for _, x := range dc.scopes { // order-free: each for itself
		x.ok[n] = x.counts(now)
	}
	dc.members(n, 1)
}

// members adds a node and the pods on it to all domain counts (x = 1), or takes them out (x = -1).
func (dc *domainColumns) members(n ledger.NodeID, x int64) {
	for _, t := range dc.b.domainCounts {
		t.node(n, x)
	}
	dc.b.l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
		row := dc.b.l.Task(t)
		dc.b.add(t, row, n, row.Hold(), x)
		return true
	})
}
