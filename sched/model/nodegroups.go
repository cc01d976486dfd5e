package model

import (
	"slices"

	"ashlar.sh/sched/resource"
)

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
	// Limits are those of the queue whose jobs use the groups; nil: it has none.
	Limits *GroupLimits
}

// GroupLimits are how much the jobs of one queue may hold of each group of nodes: its
// annotation volcano.sh/nodegroup-resource-limits.
type GroupLimits struct {
	Queue string // whose they are
	Of    []GroupLimit
	// Unreadable: nobody can say what is meant, and no node takes its jobs.
	Unreadable bool
}

// GroupLimit is how much may be held of one group; a resource that Most does not name has
// no limit.
type GroupLimit struct {
	Group string
	Most  resource.List
}

// In is how much may be held of a group, nil where there is no limit.
func (l *GroupLimits) In(group string) resource.List {
	if l == nil {
		return nil
	}
	for i := range l.Of {
		if l.Of[i].Group == group {
			return l.Of[i].Most
		}
	}
	return nil
}

// Equal says that both limit the same to the same; nil is equal to nil alone.
func (l *GroupLimits) Equal(o *GroupLimits) bool {
	if l == nil || o == nil || l == o {
		return l == o
	}
	return l.Queue == o.Queue && l.Unreadable == o.Unreadable && slices.EqualFunc(l.Of, o.Of, func(a, b GroupLimit) bool {
		return a.Group == b.Group && slices.Equal(a.Most, b.Most)
	})
}

// Named says that the queue names some group.
func (g *NodeGroups) Named() bool {
	return g != nil && len(g.Required)+len(g.Preferred)+len(g.Forbidden)+len(g.Avoided) > 0
}

// Within is the groups with the limits of a queue in place of those they have.
func (g *NodeGroups) Within(limits *GroupLimits) *NodeGroups {
	switch {
	case g == nil && limits == nil, g != nil && g.Limits == limits:
		return g
	case g == nil:
		return &NodeGroups{Limits: limits}
	case limits == nil && !g.Named():
		return nil
	}
	own := *g
	own.Limits = limits
	return &own
}

// Equal says that both name the same; nil is equal to nil alone.
func (g *NodeGroups) Equal(o *NodeGroups) bool {
	if g == nil || o == nil || g == o {
		return g == o
	}
	return slices.Equal(g.Required, o.Required) && slices.Equal(g.Preferred, o.Preferred) &&
		slices.Equal(g.Forbidden, o.Forbidden) && slices.Equal(g.Avoided, o.Avoided) && g.Limits.Equal(o.Limits)
}
