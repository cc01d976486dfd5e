package nodegroup

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Problems names the queues that contradict themselves: groups that are wanted and
// forbidden, and an affinity that leaves no group at all, so that all jobs wait.
func (p *plugin) Problems() []policy.Problem {
	var out []policy.Problem
	p.l.Queues.Each(func(q ledger.QueueID) bool {
		queue := p.l.Queue(q)
		if queue.Fact == nil || queue.Fact.Groups == nil {
			return true
		}
		g, object, left := queue.Fact.Groups, "Queue/"+queue.Name, len(queue.Fact.Groups.Avoided)
		for _, group := range append(slices.Clone(g.Required), g.Preferred...) {
			if admits(g, group) {
				left++
			} else {
				out = append(out, policy.Problem{Object: object, Message: "spec.affinity: group " + group +
					" is wanted by nodeGroupAffinity and forbidden by nodeGroupAntiAffinity: forbidden taken"})
			}
		}
		if left == 0 {
			out = append(out, policy.Problem{Object: object, Message: "spec.affinity: it leaves no group of nodes for " +
				"its jobs, they wait: name one under nodeGroupAffinity"})
		}
		return true
	})
	slices.SortFunc(out, func(a, b policy.Problem) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(out)
}
