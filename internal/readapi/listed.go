package readapi

import (
	"slices"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
)

// listedJobs are jobs as `ashlar jobs` prints them: where each stands, in one word and in one sentence, and on which
// nodes.
var listedJobs = &kind[sched.JobReport]{name: jobs.name, part: ofJobs | ofPods, rows: jobs.rows, at: jobs.at,
	seen: jobs.seen, hide: jobs.hide, same: jobs.same, bare: jobs.bare,
	filters: jobs.filters,
	render: func(c *copied, _ *view, rows []sched.JobReport) []any {
		wanted := map[[2]string]bool{}
		for i := range rows {
			wanted[[2]string{rows[i].Namespace, rows[i].Shown}] = true
		}
		state := sched.Report{Jobs: rows}
		for i := range c.Pods {
			if p := &c.Pods[i]; p.JobShown != "" && wanted[[2]string{p.Namespace, p.JobShown}] {
				state.Pods = append(state.Pods, *p)
			}
		}
		asking := explain.Asking{Now: c.At.UnixNano()}
		return each(asking.JobList(&state, func(_, _ string) bool { return true }).Items)
	}}

// listedNodes are nodes as `ashlar nodes` prints them: with taints, and which pods hold what.
var listedNodes = &kind[sched.NodeWhy]{name: nodes.name, part: ofHeld | ofDevices,
	rows: func(c *copied) []sched.NodeWhy { return c.Held },
	at:   func(n *sched.NodeWhy) place { return place{Name: n.Node.Name} },
	seen: nodes.seen,
	hide: func(h *Hidden, n *sched.NodeWhy) { h.node(&n.Node) },
	render: func(c *copied, v *view, rows []sched.NodeWhy) []any {
		shown := slices.Clone(rows)
		for i := range shown {
			shown[i].Node.Devices = c.onNode[shown[i].Node.Name]
			shown[i].Pods, shown[i].Kept = v.holders(shown[i].Pods), v.holders(shown[i].Kept)
		}
		out := (&explain.Asking{}).NodeList(shown).Items
		for i := range out {
			v.deviceGroups(out[i].Devices)
		}
		return each(out)
	}}

// holders are pods on a node, without the names that the user may not see.
func (v *view) holders(list []sched.HeldRoom) []sched.HeldRoom {
	out := slices.Clone(list) // others read it, too
	for i := range out {
		h := &out[i]
		if !v.namespace(h.Namespace) {
			h.PodReport = sched.PodReport{Namespace: another, Name: another, Job: another, JobShown: another,
				Status: h.Status, Node: h.Node, Scheduler: h.Scheduler}
		}
		if h.Queue != "" && !v.queue(h.Queue) {
			h.Queue = another
		}
	}
	return out
}
