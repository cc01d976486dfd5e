package ledger

import (
	"fmt"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// The extended resources of the generated worlds: the second is named by few objects,
// so that its column often comes late.
const (
	gpuName  = "example.com/gpu"
	lateName = "example.com/late"
)

func (w *world) meta(ref model.Ref, uid string) model.Meta {
	m := model.Meta{Namespace: ref.Namespace, Name: ref.Name, UID: uid, Created: int64(w.n(3))}
	if w.rarely() {
		m.Faults = []model.Fault{{Field: "spec", Message: "is odd", Fatal: w.yes()}}
	}
	return m
}

// amounts is a list with up to four names. In a huge world two of them may exceed an
// int64.
func (w *world) amounts(most int) resource.List {
	var l resource.List
	add := func(name string, x int) {
		v := int64(x)
		if w.huge && w.yes() {
			v = 1 << 62
		}
		if w.wild && w.rarely() {
			v = -v
		}
		l = append(l, resource.Amount{Name: name, Value: v})
	}
	if w.n(3) > 0 {
		add(resource.CPUName, w.n(most))
	}
	if w.n(7) == 7 {
		add(gpuName, w.n(most))
	}
	if w.n(11) == 11 {
		add(lateName, w.n(most))
	}
	if w.yes() {
		add(resource.MemoryName, w.n(most))
	}
	return resource.Normalize(l)
}

func (w *world) node(m model.Meta) *model.Node {
	return &model.Node{Meta: m, Allocatable: append(w.amounts(20),
		resource.Amount{Name: resource.PodsName, Value: int64(w.n(6))})}
}

func (w *world) pod(m model.Meta) *model.Pod {
	p := &model.Pod{Meta: m, Ours: w.n(5) > 0, Role: []string{"", "ps", "worker"}[w.n(2)],
		Phase: model.PodPending, Deleting: w.rarely(), Gated: w.rarely(),
		PriorityClass: []string{"", "c0", "c1", "c2"}[w.n(3)], HasPriority: w.yes(), Priority: int32(w.n(3)),
		Adopt: model.Adopt{MinMember: int32(w.n(2))}}
	switch w.n(3) {
	case 0:
		p.Owner, p.OwnerID = "o", []string{"", "A/1", "B/1"}[w.n(2)]
	case 1:
	default:
		p.Group = fmt.Sprintf("g%d", w.n(1))
	}
	if w.rarely() {
		p.Adopt.Queue = w.queueName()
	}
	switch w.n(4) {
	case 0:
		p.Phase, p.Node = model.PodRunning, fmt.Sprintf("n%d", w.n(4))
	case 1:
		p.Phase, p.Node = model.Phase(w.n(4)), fmt.Sprintf("n%d", w.n(4))
	}
	if p.Node != "" && w.n(3) == 3 {
		p.SetRare(model.Times{Charge: []*model.Charge{
			{Queue: w.queueName(), Job: fmt.Sprintf("g%d", w.n(1)),
				Had: model.Had{Known: w.yes(), Job: int32(w.n(3)), Role: int32(w.n(2)), Sub: int32(w.n(2))}},
			{Queue: w.queueName(), Job: "o", Adopted: true, Owner: []string{"", "A/1"}[w.n(1)]},
			{Queue: w.queueName(), Job: m.Name, Adopted: true}}[w.n(2)]})
	}
	p.Spec = &model.Spec{Requests: append(w.amounts(5), resource.Amount{Name: resource.PodsName, Value: 1})}
	if _, bad := p.SetAside(); bad && w.yes() {
		p.Spec = nil
	}
	return p
}

func (w *world) group(m model.Meta) *model.PodGroup {
	g := &model.PodGroup{Meta: m, MinMember: int32(w.n(4)), Phase: model.GroupPhase(w.n(4)),
		PriorityClass: []string{"", "c0", "c1"}[w.n(2)], HasMin: w.yes()}
	if w.yes() {
		g.Queue = w.queueName()
	}
	if g.HasMin {
		g.MinResources = w.amounts(8)
	}
	for _, role := range []string{"ps", "unseen", "worker"} {
		if w.n(2) == 2 {
			g.MinTaskMember = append(g.MinTaskMember, model.RoleMin{Role: role, Min: int32(w.n(2))})
		}
	}
	return g
}

func (w *world) queueName() string {
	return []string{"q0", "q1", "q2", "q3", model.DefaultQueue, model.RootQueue}[w.n(5)]
}

// queue has any parent, itself and its own descendants included.
func (w *world) queue(m model.Meta) *model.Queue {
	q := &model.Queue{Meta: m, Weight: int32(w.n(3)), State: model.QueueState(w.n(3)),
		Capability: w.amounts(30), Deserved: w.amounts(20), Guarantee: w.amounts(10)}
	if w.n(2) > 0 {
		q.Parent = w.queueName()
	}
	return q
}
