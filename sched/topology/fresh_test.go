package topology

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// A change that no HyperNode asks for leaves the tree as it is. A change of a label by which nodes are selected, and
// another node in the row of a node that is gone, change the tree.
func TestTheTreeChangesWhenWhatItIsMadeOfDoes(t *testing.T) {
	l, version := ledger.New(), uint64(0)
	m := New(l)
	node := func(name, rack string, cordoned bool) {
		tell(l, &version, model.KindNode, &model.Node{Meta: model.Meta{Name: name}, Unschedulable: cordoned,
			Labels: []model.Label{{Key: "rack", Value: rack}}}, name)
	}
	tell(l, &version, model.KindHyperNode, &model.HyperNode{Meta: model.Meta{Name: "ra"}, Tier: 1,
		Members: []model.Member{{Node: true,
			Labels: []model.Requirement{{Key: "rack", Op: model.In, Values: []string{"a"}}}}}}, "ra")
	node("n1", "a", false)
	node("n2", "b", false)
	before := m.Fresh().Version()
	node("n2", "b", true)
	if now := m.Fresh().Version(); now != before {
		t.Errorf("version %d after a node was cordoned, it was %d", now, before)
	}
	node("n2", "a", true)
	if got, want := drawn(m.Fresh(), Root), "(2){ra(1){}[n1 n2]}[]"; got != want {
		t.Errorf("the tree is %s, want %s", got, want)
	}
	tell(l, &version, model.KindNode, nil, "n1")
	node("n0", "a", false)
	if got, want := drawn(m.Fresh(), Root), "(2){ra(1){}[n0 n2]}[]"; got != want {
		t.Errorf("the tree is %s, want %s", got, want)
	}
}
