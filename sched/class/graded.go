package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// graded divides every topology group further, by the grade of a score that looks at a label with many values:
// so that score is asked about one node of each grade, too.
type graded struct {
	order policy.GradedOrder // nil: no score is graded
	parts []bool             // see policy.GradedOrder
	of    []uint8            // by NodeID: its grade when it was last looked at
	kinds int                // into how many groups a topology group is divided; 1: not at all
}

// defaultGrades is how many grades are told apart. The last one has all nodes of that grade or a higher one: as
// long as such a node takes the class, all nodes are scored for each task.
const defaultGrades = 8

// grade divides the groups by grades, where all scores that look at a label with many values are one that is
// graded. few are the labels that divide already.
func (x *Index) grade(r *row, class *ledger.Class, few []string) {
	d := &r.domains
	var fine policy.DomainOrder
	var parts []bool
	for _, o := range r.domainOrders {
		var own []bool
		for _, k := range o.DomainKeys(class) {
			own = append(own, !slices.Contains(few, k))
		}
		if !slices.Contains(own, true) {
			continue
		}
		if fine != nil {
			return
		}
		fine, parts = o, own
	}
	o, is := fine.(policy.GradedOrder)
	if !is || !o.Graded(class, parts) {
		return
	}
	whole := d.groups
	d.sweeps = false
	d.graded = graded{order: o, parts: parts, of: stretch(d.graded.of[:0], x.l.Nodes.Len()), kinds: x.grades}
	d.groups = make([]topologyGroup, len(whole)*x.grades)
	for i := range d.groups {
		d.groups[i] = topologyGroup{nodes: whole[i/x.grades].nodes, at: d.at}
	}
}

// groupFor is the group that a node belongs to now.
func (d *domains) groupFor(class *ledger.Class, n ledger.NodeID) *topologyGroup {
	at := int(d.groupOf[n]) * d.graded.kinds
	if d.graded.order != nil {
		d.graded.of[n] = uint8(min(d.graded.order.Grade(class, n, d.graded.parts), int64(d.graded.kinds-1)))
		at += int(d.graded.of[n])
	}
	return &d.groups[at]
}

// enterNode sets a node's score. A node with another grade than before leaves its group.
func (x *Index) enterNode(d *domains, class *ledger.Class, n ledger.NodeID, score int64) {
	was := &d.groups[d.groupOf[n]]
	if d.graded.order != nil {
		was = &d.groups[int(d.groupOf[n])*d.graded.kinds+int(d.graded.of[n])]
	}
	now := d.groupFor(class, n)
	if now != was {
		x.domains.enterGroup(was, class, n, out)
	}
	x.domains.enterGroup(now, class, n, score)
}

// ungraded says that nodes with different grades are in one group.
func (d *domains) ungraded() bool {
	if d.graded.order == nil {
		return false
	}
	for i := d.graded.kinds - 1; i < len(d.groups); i += d.graded.kinds {
		if d.groups[i].takers > 0 {
			return true
		}
	}
	return false
}
