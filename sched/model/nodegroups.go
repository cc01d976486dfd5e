package model

import "slices"

// NodeGroupLabel is the label of a node that says which group of nodes it is in.
const NodeGroupLabel = "volcano.sh/nodegroup-name"

// NodeGroups are the groups of nodes that a queue's spec.affinity names. What the lists
// mean is the nodegroup plugin's to say. All but Preferred are sorted, none has a name
// twice.
type NodeGroups struct {
	Required  []string // nodeGroupAffinity, required
	Preferred []string // nodeGroupAffinity, preferred; as written: the first may be the best
	Forbidden []string // nodeGroupAntiAffinity, required
	Avoided   []string // nodeGroupAntiAffinity, preferred
}

// Equal says that both name the same; nil is equal to nil alone.
func (g *NodeGroups) Equal(o *NodeGroups) bool {
	if g == nil || o == nil || g == o {
		return g == o
	}
	return slices.Equal(g.Required, o.Required) && slices.Equal(g.Preferred, o.Preferred) &&
		slices.Equal(g.Forbidden, o.Forbidden) && slices.Equal(g.Avoided, o.Avoided)
}
