package sched

import (
	"cmp"
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/topology"
)

// SubJobReport is a sub-group's state: how many of its members are placed, the Size that it needs, and the
// smallest HyperNode that holds them, "" where there is none.
type SubJobReport struct {
	Name         string
	Size, Placed int32
	HyperNode    string
}

func (rp *reports) subJobs(j ledger.JobID) (out []SubJobReport) {
	job := rp.e.l.Job(j)
	var order []int32
	for i := range job.Subs {
		if job.Subs[i].Valid() > 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &job.Subs[a], &job.Subs[b]
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Policy, y.Policy), slices.Compare(x.Values, y.Values))
	})
	for _, i := range order {
		s := &job.Subs[i]
		out = append(out, SubJobReport{Name: s.Name, Size: job.SubSize(s), Placed: s.Placed(), HyperNode: rp.hyperNode(j, i)})
	}
	return out
}

// hyperNode returns the HyperNode of a job or one of its sub-groups; "" for those without a network topology.
func (rp *reports) hyperNode(j ledger.JobID, sub int32) string {
	job := rp.e.l.Job(j)
	if job.Group == nil || job.Group.Topology == nil && (sub < 0 || job.Of(&job.Subs[sub]).Topology == nil) {
		return ""
	}
	net := rp.e.policy.HyperNodes()
	if net == nil {
		return ""
	}
	if d := net.Reach(j, sub); d != topology.None {
		return net.Domain(d).Name
	}
	return ""
}

// unheeded returns the field of a job's PodGroup that asks for a network topology which no plugin reads; ""
// without one.
func (rp *reports) unheeded(j ledger.JobID) string {
	g := rp.e.l.Job(j).Group
	switch {
	case g == nil || rp.e.policy.HyperNodes() != nil:
		return ""
	case g.Topology != nil:
		return "spec.networkTopology"
	}
	for i := range g.SubGroups {
		if g.SubGroups[i].Topology != nil {
			return fmt.Sprintf("spec.subGroupPolicy[%d].networkTopology", i)
		}
	}
	return ""
}
