package class

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// column is the values of one label on all nodes, as numbers: 0 for a node without it.
type column struct {
	ids    map[string]int32
	of     []int32
	cursor uint64 // of the static journal
}

// askLabels judges all nodes by columns of labels, where the filter is one of labels
// and all that is required can be read from them; false when it is not.
func (x *Index) askLabels(f *facet) bool {
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
	for i := range f.admits {
		f.admits[i] = true
	}
	for _, terms := range lists {
		x.anyOf(f.admits, terms)
	}
	f.some = 0
	for _, ok := range f.admits {
		if !ok {
			f.some++
		}
	}
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

// anyOf takes out of admits the nodes for which no term holds.
func (x *Index) anyOf(admits []bool, terms []model.Term) {
	if len(terms) == 1 && len(terms[0].All) > 0 {
		x.allOf(admits, terms[0])
		return
	}
	held := make([]bool, len(admits))
	x.term = stretch(x.term, len(admits))[:len(admits)]
	for _, t := range terms {
		if len(t.All) == 0 {
			continue
		}
		for i := range x.term {
			x.term[i] = true
		}
		x.allOf(x.term, t)
		for i, ok := range x.term {
			held[i] = held[i] || ok
		}
	}
	for i, ok := range held {
		admits[i] = admits[i] && ok
	}
}

// allOf takes out of admits the nodes for which some requirement of a term does not
// hold: each value of a label is judged once, each node by the number of its value.
func (x *Index) allOf(admits []bool, t model.Term) {
	for _, r := range t.All {
		c := x.column(r.Key)
		x.values = stretch(x.values, len(c.ids)+1)
		holds := x.values[:len(c.ids)+1]
		others := r.Op == model.NotIn || r.Op == model.Exists
		for i := range holds {
			holds[i] = others
		}
		holds[0] = r.Op == model.NotIn || r.Op == model.DoesNotExist
		if r.Op == model.In || r.Op == model.NotIn {
			for _, v := range r.Values {
				if id, known := c.ids[v]; known {
					holds[id] = r.Op == model.In
				}
			}
		}
		of := c.of[:len(admits)]
		for i, id := range of {
			admits[i] = admits[i] && holds[id]
		}
	}
}

// column returns the column of a label, brought up to date.
func (x *Index) column(key string) *column {
	c := x.labels[key]
	if c == nil || len(c.ids) > 2*x.l.NumNodes()+mostOldValues {
		c = &column{ids: map[string]int32{}}
		x.labels[key] = c
	}
	if c.cursor == x.l.StaticNow() {
		return c
	}
	c.of = stretch(c.of, x.l.NumNodes())
	read := func(n ledger.NodeID) { c.read(x.l.Node(n), key, n) }
	if c.cursor == 0 || !x.l.SinceStatic(c.cursor, read) {
		for n := range c.of {
			read(ledger.NodeID(n))
		}
	}
	c.cursor = x.l.StaticNow()
	return c
}

// mostOldValues is how many values a column remembers, beyond two for each node, before
// it begins anew: nodes come and go, and each has a name.
const mostOldValues = 1024

func (c *column) read(node *ledger.Node, key string, n ledger.NodeID) {
	c.of[n] = 0
	if node.Fact == nil {
		return
	}
	v, has := model.LabelValue(node.Fact.Labels, key)
	if !has {
		return
	}
	id, known := c.ids[v]
	if !known {
		id = int32(len(c.ids) + 1)
		c.ids[v] = id
	}
	c.of[n] = id
}
