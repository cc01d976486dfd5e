package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// labelColumns holds the values of labels on nodes, by key.
type labelColumns struct {
	l *ledger.Ledger

	byKey  map[string]*column
	term   bitset // scratch
	marked bitset
}

// column is the values of one label on all nodes, as numbers: 0 for a node without the label. The nodes of
// each value are linked, so that a requirement costs only as much as the values it names.
type column struct {
	ids        map[string]int32
	of         []int32
	first      []int32       // by number of the value: the first node, plus 1
	next, prev []int32       // by node: its neighbours of the same value, plus 1
	cursor     ledger.Cursor // of facts of nodes
}

// ask judges all nodes by columns of labels, if the filter is one of labels and columns suffice for all
// its requirements; false if not.
func (lc *labelColumns) ask(f *resultCache) bool {
	filter, ok := f.filter.(policy.LabelFilter)
	if !ok {
		return false
	}
	lists := filter.Terms(f.spec)
	for _, terms := range lists {
		for _, t := range terms {
			for _, r := range t.All {
				if !readable(r) {
					return false
				}
			}
		}
	}
	f.admits.all(lc.l.Nodes.Len())
	for _, terms := range lists {
		lc.anyOf(f.admits, terms)
	}
	f.some = lc.l.Nodes.Len() - f.admits.count()
	return true
}

func readable(r model.Requirement) bool {
	switch r.Op {
	case model.In, model.NotIn, model.Exists, model.DoesNotExist:
		return !r.Field
	default:
		return false
	}
}

// anyOf removes from admits the nodes for which no term holds.
func (lc *labelColumns) anyOf(admits bitset, terms []model.Term) {
	if len(terms) == 1 && len(terms[0].All) > 0 {
		lc.allOf(admits, terms[0])
		return
	}
	held := make(bitset, len(admits))
	lc.term = stretch(lc.term, len(admits))[:len(admits)]
	for _, t := range terms {
		if len(t.All) == 0 {
			continue
		}
		copy(lc.term, admits)
		lc.allOf(lc.term, t)
		held.or(lc.term)
	}
	admits.and(held)
}

// allOf removes from admits the nodes for which a requirement of a term does not hold. It visits only nodes that have
// one of the values named, or lack the label.
func (lc *labelColumns) allOf(admits bitset, t model.Term) {
	for _, r := range t.All {
		c, values := lc.of(r.Key), r.Values
		only := r.Op == model.In || r.Op == model.DoesNotExist // the visited nodes stay, otherwise they go
		visited := admits
		if only {
			lc.marked = stretch(lc.marked, len(admits))[:len(admits)]
			clear(lc.marked)
			visited = lc.marked
		}
		if r.Op == model.Exists || r.Op == model.DoesNotExist {
			c.mark(visited, 0, only)
			values = nil
		}
		for _, v := range values {
			if id, known := c.ids[v]; known {
				c.mark(visited, id, only)
			}
		}
		if only {
			admits.and(visited)
		}
	}
}

// shared says that several nodes have the same value.
func (c *column) shared() bool {
	return slices.ContainsFunc(c.first[1:], func(n int32) bool { return n != 0 && c.next[n-1] != 0 })
}

// mark adds the nodes with one value to a set, or removes them.
func (c *column) mark(b bitset, id int32, in bool) {
	for n := c.first[id]; n != 0; n = c.next[n-1] {
		b.put(int(n-1), in)
	}
}

// of returns the column of a label, up to date.
func (lc *labelColumns) of(key string) *column {
	c := lc.byKey[key]
	if c == nil || len(c.ids) > 2*lc.l.Nodes.Len()+mostOldValues {
		c = &column{ids: map[string]int32{}, first: []int32{0}}
		lc.byKey[key] = c
	}
	if c.cursor == lc.l.Changes.NodeFacts.Now() {
		return c
	}
	c.grow(lc.l.Nodes.Len())
	read := func(n ledger.NodeID) { c.read(lc.l.Node(n), key, n) }
	if c.cursor == 0 || !lc.l.Changes.NodeFacts.Each(c.cursor, read) {
		for n := range c.of {
			read(ledger.NodeID(n))
		}
	}
	c.cursor = lc.l.Changes.NodeFacts.Now()
	return c
}

// mostOldValues is how many values, beyond two for each node, a column remembers before it is built anew:
// nodes come and go, and each has a name.
const mostOldValues = 1024

// grow adds new nodes, which have no value yet.
func (c *column) grow(nodes int) {
	for n := len(c.of); n < nodes; n++ {
		c.of, c.next, c.prev = append(c.of, 0), append(c.next, 0), append(c.prev, 0)
		c.link(int32(n), 0)
	}
}

func (c *column) read(node *ledger.Node, key string, n ledger.NodeID) {
	id := int32(0)
	if node.Fact != nil {
		if v, has := model.LabelValue(node.Fact.Labels, key); has {
			id = c.number(v)
		}
	}
	if c.of[n] != id {
		c.unlink(int32(n))
		c.link(int32(n), id)
	}
}

// number returns the number of a value, a new one if there is none.
func (c *column) number(value string) int32 {
	id, known := c.ids[value]
	if !known {
		id = int32(len(c.first))
		c.ids[value] = id
		c.first = append(c.first, 0)
	}
	return id
}

func (c *column) link(n, id int32) {
	c.of[n], c.prev[n], c.next[n] = id, 0, c.first[id]
	if after := c.first[id]; after != 0 {
		c.prev[after-1] = n + 1
	}
	c.first[id] = n + 1
}

func (c *column) unlink(n int32) {
	before, after := c.prev[n], c.next[n]
	if before == 0 {
		c.first[c.of[n]] = after
	} else {
		c.next[before-1] = after
	}
	if after != 0 {
		c.prev[after-1] = before
	}
}
