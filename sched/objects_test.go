package sched

import (
	"fmt"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

const gpuName = "example.com/gpu"

func podName(i int) string { return fmt.Sprintf("p-%d", i) }

func (w *world) nodeName() string { return fmt.Sprintf("n%d", w.n(len(w.nodes))) }

func (w *world) queueName() string {
	return []string{model.DefaultQueue, "q1", "q2", "q3", "missing"}[min(w.n(8), 4)]
}

func (w *world) meta(namespace, name string) model.Meta {
	m := model.Meta{Namespace: namespace, Name: name, UID: w.life(), Created: int64(w.n(3)) * second}
	if w.n(19) == 19 {
		m.Faults = []model.Fault{{Field: "spec", Message: "is odd", Fatal: w.yes()}}
	}
	return m
}

// amounts is a list of cpu (milli), memory and at times gpu (milli).
func amounts(cpu, memory, gpu int) resource.List {
	var l resource.List
	if cpu > 0 {
		l = append(l, resource.Amount{Name: resource.CPUName, Value: int64(cpu) * 500})
	}
	if gpu > 0 {
		l = append(l, resource.Amount{Name: gpuName, Value: int64(gpu) * 1000})
	}
	if memory > 0 {
		l = append(l, resource.Amount{Name: resource.MemoryName, Value: int64(memory)})
	}
	return l
}

func with(l resource.List, pods int) resource.List {
	return resource.Normalize(append(l, resource.Amount{Name: resource.PodsName, Value: int64(pods)}))
}

func (w *world) changeNode(i int) {
	switch n := w.nodes[i]; {
	case n == nil:
		w.nodes[i] = w.node(i)
	case w.n(3) == 3:
		w.nodes[i] = nil
		w.tell(model.KindNode, "", n.Name, n.UID, nil)
		return
	default:
		c := w.node(i)
		c.UID = n.UID
		w.nodes[i] = c
	}
	w.tell(model.KindNode, "", w.nodes[i].Name, w.nodes[i].UID, w.nodes[i])
}

func (w *world) node(i int) *model.Node {
	name := fmt.Sprintf("n%d", i)
	n := &model.Node{Meta: w.meta("", name), Unschedulable: w.rarely(), Elsewhere: w.rarely(),
		Labels:      []model.Label{{Key: "kubernetes.io/hostname", Value: name}},
		Allocatable: with(amounts(2+w.n(8), 2+w.n(6), w.n(8)/4), []int{110, 110, 2, 1}[w.n(3)])}
	if group := w.n(3); group > 1 {
		n.Labels = append(n.Labels, model.Label{Key: model.NodeGroupLabel, Value: groups[group-2]})
	}
	if w.n(7) == 7 {
		n.Labels = append(n.Labels, model.Label{Key: "volcano.sh/revocable-zone", Value: "rz"})
	}
	if zone := w.n(2); zone > 0 {
		n.Labels = append(n.Labels, model.Label{Key: "zone", Value: []string{"", "a", "b"}[zone]})
	}
	switch w.n(7) {
	case 6:
		n.Taints = []model.Taint{{Key: "dedicated", Value: "x", Effect: model.NoSchedule}}
	case 7:
		n.Taints = []model.Taint{{Key: "slow", Effect: model.PreferNoSchedule}}
	}
	return n
}

func (w *world) changeQueue(i int) {
	switch q := w.queues[i]; {
	case q == nil:
		w.queues[i] = w.queue(i)
	case w.n(4) == 4:
		w.queues[i] = nil
		w.tell(model.KindQueue, "", q.Name, q.UID, nil)
		return
	default:
		c := w.queue(i)
		c.UID = q.UID
		w.queues[i] = c
	}
	w.tell(model.KindQueue, "", w.queues[i].Name, w.queues[i].UID, w.queues[i])
}

// groups are the groups that nodes may be in.
var groups = [2]string{"gold", "silver"}

func (w *world) queue(i int) *model.Queue {
	q := &model.Queue{Meta: w.meta("", []string{model.DefaultQueue, "q1", "q2", "q3"}[i]), Weight: int32(1 + w.n(2)),
		Priority: int32(w.n(4) / 3), Reclaimable: true}
	q.FIFO = w.n(3) == 3
	if w.rarely() {
		q.State = model.QueueState(w.n(3))
	}
	if w.rarely() {
		q.Parent = w.queueName()
	}
	switch w.n(6) {
	case 3, 4:
		q.Groups = &model.NodeGroups{Required: groups[:]}
	case 5:
		q.Groups = &model.NodeGroups{Preferred: []string{groups[1], groups[0]}}
	case 6:
		q.Groups = &model.NodeGroups{Preferred: groups[:1], Avoided: groups[1:]}
	}
	if w.n(3) == 3 {
		q.Limits = &model.GroupLimits{Queue: q.Name, Unreadable: w.rarely(), Of: []model.GroupLimit{
			{Group: groups[0], Most: amounts(w.n(6), 0, 0)}, {Group: groups[1], Most: amounts(w.n(8), w.n(3), 0)}}}
	}
	if w.n(3) == 3 {
		q.Capability = amounts(w.n(12), w.n(4), 0)
	}
	if w.n(3) == 3 {
		q.Guarantee = amounts(w.n(4), w.n(2), 0)
	}
	return q
}

func (w *world) changeRank(i int) {
	name := fmt.Sprintf("rank%d", i)
	if c := w.ranks[i]; c != nil && w.n(3) == 3 {
		w.ranks[i] = nil
		w.tell(model.KindPriorityClass, "", name, c.UID, nil)
		return
	}
	w.ranks[i] = &model.PriorityClass{Meta: w.meta("", name), Value: int32(w.n(3)), GlobalDefault: w.rarely()}
	w.tell(model.KindPriorityClass, "", name, w.ranks[i].UID, w.ranks[i])
}

func (w *world) changeBudget(i int) {
	name := fmt.Sprintf("b%d", i)
	if b := w.budgets[i]; b != nil && w.n(3) == 3 {
		w.budgets[i] = nil
		w.tell(model.KindBudget, "ns", name, b.UID, nil)
		return
	}
	b := &model.Budget{Meta: w.meta("ns", name), Counted: w.yes(), Allowed: int32(w.n(2)), Healthy: int32(w.n(3)),
		Desired: int32(w.n(2)), MaxUnavailable: &model.Portion{Value: int32(w.n(1)) * 50, Percent: true}}
	if w.yes() {
		b.Selector = []model.Requirement{{Key: "app", Op: model.In, Values: apps[:1+w.n(1)]}}
	}
	w.budgets[i] = b
	w.tell(model.KindBudget, "ns", name, b.UID, b)
}

// apps are the labels that budgets select by.
var apps = []string{"a", "b"}

func (w *world) changeGroup(i int) {
	switch g := w.groups[i]; {
	case g == nil:
		w.groups[i] = w.group(i)
	case w.rarely():
		w.groups[i] = nil
		w.tell(model.KindPodGroup, "ns", g.Name, g.UID, nil)
		return
	default:
		c := w.group(i)
		c.UID, c.Phase = g.UID, g.Phase
		w.groups[i] = c
	}
	w.tell(model.KindPodGroup, "ns", w.groups[i].Name, w.groups[i].UID, w.groups[i])
}

func (w *world) group(i int) *model.PodGroup {
	w.templates[i] = w.n(9)
	g := &model.PodGroup{Meta: w.meta("ns", fmt.Sprintf("g%d", i)), Queue: w.queueName(), MinMember: int32(w.n(4)),
		PriorityClass: []string{"", "rank0", "rank1"}[w.n(2)], HasMin: w.n(2) == 2}
	if g.HasMin {
		g.MinResources = amounts(w.n(8), w.n(3), 0)
	}
	for _, role := range []string{"ps", "worker"} {
		if w.n(3) == 3 {
			g.MinTaskMember = append(g.MinTaskMember, model.RoleMin{Role: role, Min: int32(w.n(2))})
		}
	}
	if w.rarely() {
		g.Phase = model.GroupPhase(w.n(4))
	}
	if w.rarely() {
		g.Faults = []model.Fault{{Field: "spec.minResources", Message: "is absurd", Fatal: true}}
	}
	if w.colocates && i == len(w.groups)-1 {
		w.templates[i], g.MinMember = sharesZone, int32(2+w.n(1))
		return g
	}
	g.Topology = w.topology()
	if w.n(3) == 3 {
		g.SubGroups = append(g.SubGroups, model.SubGroups{Name: "app", Keys: []string{"app"}, Size: int32(1 + w.n(1)),
			Min: int32(w.n(2)), Topology: w.topology()})
	}
	return g
}

// changeBackoff has the job of a pod in a backoff, or the pod alone, or no longer.
func (w *world) changeBackoff() {
	p := w.pods[w.n(len(w.pods)-1)]
	if p == nil {
		return
	}
	b := &model.Backoff{Meta: model.Meta{Namespace: "ns", Name: p.Group}, Tries: int32(1 + w.n(3)), Pod: "ns/" + p.Name,
		Answer: "no", NotBefore: w.now + int64(w.n(60)-10)*second}
	switch g := w.groups[w.podAt(ledger.Key{Namespace: "ns", Name: p.Name})%len(w.groups)]; {
	case p.Group == "" && p.Owner == "":
		b.Name, b.Adopted = p.Name, true
	case p.Group == "":
		b.Name, b.Adopted, b.OwnerID = p.Owner, true, p.OwnerID
	case g != nil && g.Name == p.Group && w.n(5) < 5:
		b.UID = g.UID
	default:
		b.UID = "of another life"
	}
	if w.n(2) == 2 {
		b.Pods = []string{p.UID}
	}
	ref := b.Ref()
	if w.rarely() {
		w.version++
		w.facts = append(w.facts, model.Fact{Ref: ref, UID: b.UID, Version: w.version})
		return
	}
	w.tell(ref.Kind, ref.Namespace, ref.Name, b.UID, b)
}

// changePod creates a pod, or changes one as far as an API server lets it.
func (w *world) changePod(i int) {
	switch p := w.pods[i]; {
	case p == nil:
		w.pods[i] = w.pod(i)
		w.tell(model.KindPod, "ns", w.pods[i].Name, w.pods[i].UID, w.pods[i])
	case p.Gated:
		w.edit(i, func(p *model.Pod) {
			if p.Gated = false; p.QueueGate == model.QueueGateShut {
				p.QueueGate = model.QueueGateOpen
			}
		})
	case w.rarely():
		w.pods[i] = w.pod(i)
		w.tell(model.KindPod, "ns", w.pods[i].Name, w.pods[i].UID, w.pods[i])
	default:
		w.progress(i)
	}
}

func (w *world) pod(i int) *model.Pod {
	p := &model.Pod{Meta: w.meta("ns", podName(i)), Ours: w.n(9) < 9, Role: []string{"", "ps", "worker"}[w.n(2)],
		Index: int64(i), Gated: w.n(11) == 11, Preemptable: true,
		HasPriority: w.n(3) > 0, Priority: int32(i % 3), HasTaskPriority: w.rarely(), TaskPriority: int32(i % 2),
		PriorityClass: []string{"", "rank0", "rank1"}[w.n(2)],
		Adopt:         model.Adopt{Queue: []string{"", "q1", "missing"}[max(0, w.n(6)-4)], MinMember: int32(w.n(2))},
		Spec:          spec(w.n(9))}
	if app := w.n(2); app > 0 {
		p.Labels = []model.Label{{Key: "app", Value: apps[app-1]}}
	}
	if w.n(5) == 5 {
		p.Gated, p.QueueGate = true, model.QueueGateShut
	}
	p.Grace = int64(w.n(1)) * 30 * second
	p.SetRare(model.Times{Cooldown: int64(w.n(1)) * 10 * second, Lasts: int64(w.n(3)) * 20 * second,
		Limit: int64(w.n(3)) * 30 * second})
	if !p.Ours {
		p.Scheduler = "another"
	}
	switch k := w.n(6); {
	case k <= 4:
		p.Group = fmt.Sprintf("g%d", i%len(w.groups))
		if w.n(3) < 3 {
			p.Spec = spec(w.templates[i%len(w.groups)])
			if w.templates[i%len(w.groups)] == sharesZone {
				p.Labels = append(p.Labels, model.Label{Key: "colocated", Value: p.Group})
				p.Spec.Neighbours = crewOf(p.Group)
			}
		}
	case k == 5:
		p.Owner, p.OwnerID = "owner", []string{"", "ReplicaSet.apps/1", "ReplicaSet.apps/2", "B/1"}[w.n(3)]
	}
	if w.n(7) == 7 {
		s := *p.Spec
		s.Revocable = true
		p.Spec = &s
	}
	if w.n(3) == 3 {
		s := *p.Spec
		s.Neighbours = neighbours(w.n(8))
		p.Spec = &s
	}
	if d := w.numa(); d != nil {
		s := *p.Spec
		s.NUMA = d
		p.Spec = &s
	}
	if w.rarely() || !p.Ours {
		p.Node, p.Phase, p.Gated = w.nodeName(), model.Phase(w.n(1)), false
		p.QueueGate = model.NoQueueGate
	}
	return p
}

// sharesZone is the template of pods that have to share a zone with those of their group.
const sharesZone = 10

// spec is one of a few templates, so that pods are of few classes.
func spec(template int) *model.Spec {
	s := &model.Spec{Requests: with(amounts(2, 1, 0), 1)}
	switch template {
	case 0, 1:
	case 2:
		s.Requests = with(amounts(4, 2, 0), 1)
	case 3:
		s.Requests = with(amounts(1, 0, 1), 1)
	case 4:
		s.Ports = []model.HostPort{{IP: "0.0.0.0", Protocol: "TCP", Port: 80}}
	case 5:
		s.Selector = []model.Label{{Key: "zone", Value: "a"}}
	case 6:
		s.Requests = with(nil, 1)
	case 7:
		s.Tolerations = []model.Toleration{{Key: "dedicated", Exists: true}}
	case 8:
		s.Preferred = []model.Preference{{Weight: 1,
			Term: model.Term{All: []model.Requirement{{Key: "zone", Op: model.In, Values: []string{"b"}}}}}}
	case 9:
		s.Affinity = []model.Term{{All: []model.Requirement{{Key: "zone", Op: model.NotIn, Values: []string{"b"}}}}}
	}
	return s
}
