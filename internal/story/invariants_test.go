package story_test

import (
	"fmt"
	"maps"
	"slices"

	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/story"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// invariants are what must hold after every cycle of every story. They are worked out
// from the report, by name, and from what the story told: nothing here reads the
// engine's own figures twice.
func invariants(w *sim.World, c sim.Cycle, told story.Stated) []string {
	r := w.Engine().Report()
	return slices.Concat(nodesAddUp(r, told), gangsAreWhole(r, c, told), evictionsServe(r, c, told))
}

// nodesAddUp holds nodes to Idle + Used = Allocatable, FutureIdle = Idle + Releasing -
// Pipelined, Used = what the pods on them ask for, and Idle and FutureIdle >= 0. Only
// pods that the story itself put on a node may overfill it.
func nodesAddUp(r sched.Report, told story.Stated) []string {
	var wrong []string
	for _, n := range r.Nodes {
		say := func(name, format string, args ...any) {
			wrong = append(wrong, fmt.Sprintf("node %s, %s: ", n.Name, name)+fmt.Sprintf(format, args...))
		}
		used, releasing, pipelined, given := held(r, n.Name, told)
		for _, name := range dimensions(n, used, releasing, pipelined) {
			at := func(l resource.List) int64 { v, _ := l.Get(name); return v }
			if at(n.Idle)+at(n.Used) != at(n.Allocatable) {
				say(name, "idle %d + used %d is not allocatable %d", at(n.Idle), at(n.Used), at(n.Allocatable))
			}
			if at(n.FutureIdle) != at(n.Idle)+at(n.Releasing)-at(n.Pipelined) {
				say(name, "future %d is not idle %d + releasing %d - pipelined %d", at(n.FutureIdle), at(n.Idle), at(n.Releasing),
					at(n.Pipelined))
			}
			if at(n.Used) != used[name] || at(n.Releasing) != releasing[name] || at(n.Pipelined) != pipelined[name] {
				say(name, "used %d, releasing %d, pipelined %d, but its pods add up to %d, %d, %d",
					at(n.Used), at(n.Releasing), at(n.Pipelined), used[name], releasing[name], pipelined[name])
			}
			if !given && (at(n.Idle) < 0 || at(n.FutureIdle) < 0) {
				say(name, "over allocatable: idle %d, future %d", at(n.Idle), at(n.FutureIdle))
			}
		}
	}
	return wrong
}

type amounts map[string]int64

// held adds up what the pods on a node ask for; given says that the story put one there.
func held(r sched.Report, node string, told story.Stated) (used, releasing, pipelined amounts, given bool) {
	used, releasing, pipelined = amounts{}, amounts{}, amounts{}
	for _, p := range r.Pods {
		pod, known := told[model.Ref{Kind: model.KindPod, Namespace: p.Namespace, Name: p.Name}].(*model.Pod)
		if p.Node != node || !known {
			given = given || p.Node == node
			continue
		}
		given = given || pod.Node != ""
		for _, a := range pod.Spec.Requests {
			switch p.Status {
			case model.Pipelined:
				pipelined[a.Name] += a.Value
			case model.Succeeded, model.Failed:
			case model.Releasing:
				releasing[a.Name] += a.Value
				used[a.Name] += a.Value
			default:
				used[a.Name] += a.Value
			}
		}
	}
	return used, releasing, pipelined, given
}

func dimensions(n sched.NodeReport, more ...amounts) []string {
	seen := map[string]bool{}
	for _, l := range []resource.List{n.Allocatable, n.Used, n.Idle, n.Releasing, n.Pipelined, n.FutureIdle} {
		for _, a := range l {
			seen[a.Name] = true
		}
	}
	for _, m := range more {
		for name := range m {
			seen[name] = true
		}
	}
	var out []string
	for name := range seen { // order-free: each dimension is checked alone
		out = append(out, name)
	}
	return out
}

// gangsAreWhole says that a job of which somebody was bound in a cycle has its minimum,
// and every role its own, at the cycle's end.
func gangsAreWhole(r sched.Report, c sim.Cycle, told story.Stated) []string {
	counts, roles := map[ledger.Key]int32{}, map[string]int32{}
	for _, p := range r.Pods {
		pod, known := told[model.Ref{Kind: model.KindPod, Namespace: p.Namespace, Name: p.Name}].(*model.Pod)
		if !known || !p.Status.Ready() {
			continue
		}
		counts[ledger.Key{Namespace: p.Namespace, Name: pod.Group}]++
		roles[p.Namespace+"/"+pod.Group+"/"+pod.Role]++
	}
	var wrong []string
	for _, i := range c.Plan.Items {
		pod, known := told[model.Ref{Kind: model.KindPod, Namespace: i.Pod.Namespace, Name: i.Pod.Name}].(*model.Pod)
		if i.Kind != sched.BindPod || !known || pod.Group == "" {
			continue
		}
		group := ledger.Key{Namespace: i.Pod.Namespace, Name: pod.Group}
		g, known := told[model.Ref{Kind: model.KindPodGroup, Namespace: group.Namespace, Name: group.Name}].(*model.PodGroup)
		switch {
		case !known:
			wrong = append(wrong, fmt.Sprintf("%s was bound and has no PodGroup", i.Pod))
			continue
		case counts[group] < g.MinMember:
			wrong = append(wrong, fmt.Sprintf("gang %s half-started: %d of %d", group, counts[group], g.MinMember))
		}
		for _, m := range asked(g) {
			if have := roles[group.String()+"/"+m.Role]; have < m.Min {
				wrong = append(wrong, fmt.Sprintf("gang %s half-started: %d of %d %s", group, have, m.Min, m.Role))
			}
		}
	}
	return wrong
}

// asked are the role minimums that count: none when they add up to more than the whole.
func asked(g *model.PodGroup) []model.RoleMin {
	sum := int32(0)
	for _, m := range g.MinTaskMember {
		sum += m.Min
	}
	if sum > g.MinMember {
		return nil
	}
	return g.MinTaskMember
}

// evictionsServe checks that every eviction had a use. At the cycle's end the pod that it was for, or a member of that
// pod's gang, has the room; and no gang that had its minimum was left with a part of it.
func evictionsServe(r sched.Report, c sim.Cycle, told story.Stated) []string {
	type place struct{ job, node string }
	status, left, had := map[ledger.Key]model.Status{}, map[ledger.Key]int32{}, map[ledger.Key]int32{}
	jobs, promised := map[ledger.Key]string{}, map[place]bool{}
	for _, p := range r.Pods {
		status[ledger.Key{Namespace: p.Namespace, Name: p.Name}] = p.Status
		jobs[ledger.Key{Namespace: p.Namespace, Name: p.Name}] = p.Job
		promised[place{p.Job, p.Node}] = promised[place{p.Job, p.Node}] || p.Status == model.Pipelined
		if pod, known := told[model.Ref{Kind: model.KindPod, Namespace: p.Namespace, Name: p.Name}].(*model.Pod); known &&
			p.Status.Holds() {
			left[ledger.Key{Namespace: p.Namespace, Name: pod.Group}]++
		}
	}
	maps.Copy(had, left)
	for _, i := range c.Plan.Items {
		ref := model.Ref{Kind: model.KindPod, Namespace: i.Pod.Namespace, Name: i.Pod.Name}
		if pod, known := told[ref].(*model.Pod); known && i.Kind == sched.EvictPod {
			had[ledger.Key{Namespace: i.Pod.Namespace, Name: pod.Group}]++
		}
	}
	var wrong []string
	for _, i := range c.Plan.Items {
		if i.Kind != sched.EvictPod {
			continue
		}
		has := status[i.Preemptor]
		served := has == model.Pipelined || has == model.Binding || has == model.Allocated &&
			promised[place{jobs[i.Preemptor], i.Node}]
		if i.Preemptor.Name != "" && !served {
			wrong = append(wrong, fmt.Sprintf("%s was evicted for %s, which is %s", i.Pod, i.Preemptor, has))
		}
		if s := status[i.Pod]; s != model.Releasing {
			wrong = append(wrong, fmt.Sprintf("%s was evicted and is %s", i.Pod, s))
		}
		pod, known := told[model.Ref{Kind: model.KindPod, Namespace: i.Pod.Namespace, Name: i.Pod.Name}].(*model.Pod)
		if !known || pod.Group == "" {
			continue
		}
		group := ledger.Key{Namespace: i.Pod.Namespace, Name: pod.Group}
		g, known := told[model.Ref{Kind: model.KindPodGroup, Namespace: group.Namespace, Name: group.Name}].(*model.PodGroup)
		if known && left[group] > 0 && left[group] < g.MinMember && had[group] >= g.MinMember {
			wrong = append(wrong, fmt.Sprintf("gang %s was left with %d of %d", group, left[group], g.MinMember))
		}
	}
	return wrong
}
