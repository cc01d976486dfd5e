package model

import (
	"slices"

	"ashlar.sh/sched/resource"
)

// NodeGroupLabel is the node label with the name of its node group.
const NodeGroupLabel = "volcano.sh/nodegroup-name"

// NodeGroups are the node groups that a queue's spec.affinity names. The nodegroup plugin gives the lists
// their meaning. All but Preferred are sorted; none has a name twice.
type NodeGroups struct {
	Required  []string // nodeGroupAffinity, required
	Preferred []string // nodeGroupAffinity, preferred; in the order written: the first may be the best
	Forbidden []string // nodeGroupAntiAffinity, required
	Avoided   []string // nodeGroupAntiAffinity, preferred
	// Limits are those of the queue of the jobs that use the groups; nil: it has none.
	Limits *GroupLimits
}

// GroupLimits are the amounts that the jobs of one queue may hold of each node group: its annotation
// volcano.sh/nodegroup-resource-limits.
type GroupLimits struct {
	Queue string // the queue that has them
	Of    []GroupLimit
	// Unreadable: the annotation cannot be parsed, and no node takes the queue's jobs.
	Unreadable bool
}

// GroupLimit is the amount that may be held of one group. A resource that Most does not name has no limit.
type GroupLimit struct {
	Group string
	Most  resource.List
}

// In returns the limit of a group, nil where there is none.
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

// Equal says that two limits are equal; nil equals only nil.
func (l *GroupLimits) Equal(o *GroupLimits) bool {
	if l == nil || o == nil || l == o {
		return l == o
	}
	return l.Queue == o.Queue && l.Unreadable == o.Unreadable && slices.EqualFunc(l.Of, o.Of, func(a, b GroupLimit) bool {
		return a.Group == b.Group && slices.Equal(a.Most, b.Most)
	})
}

// Named says that some group is named.
func (g *NodeGroups) Named() bool {
	return g != nil && len(g.Required)+len(g.Preferred)+len(g.Forbidden)+len(g.Avoided) > 0
}

// Within returns the groups with other limits.
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

// Equal says that both name the same groups; nil equals only nil.
func (g *NodeGroups) Equal(o *NodeGroups) bool {
	if g == nil || o == nil || g == o {
		return g == o
	}
	return slices.Equal(g.Required, o.Required) && slices.Equal(g.Preferred, o.Preferred) &&
		slices.Equal(g.Forbidden, o.Forbidden) && slices.Equal(g.Avoided, o.Avoided) && g.Limits.Equal(o.Limits)
}
