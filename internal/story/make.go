package story

import (
	"fmt"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// make lets the objects of an order appear.
func (o *order) make(s *stage) {
	if !o.noGroup {
		g := o.group
		if !o.min {
			for _, t := range o.pods {
				g.MinMember += int32(t.count)
			}
		}
		s.appear(model.KindPodGroup, sim.Item{Fact: model.Fact{Object: &g}, SubmitAt: o.at})
	}
	o.makePods(s)
}

func (o *order) makePods(s *stage) {
	for i := range o.pods {
		t := &o.pods[i]
		spec := t.spec
		spec.Neighbours = at(spec.Neighbours, o.key.Namespace)
		for range t.count {
			o.makePod(s, t, &spec)
		}
	}
}

// makePod names a pod and lets it appear.
func (o *order) makePod(s *stage, t *template, spec *model.Spec) {
	p := t.pod
	p.Spec = spec
	p.Namespace = o.key.Namespace
	p.Name, p.Index = o.podName(s, t)
	switch {
	case !o.noGroup:
		p.Group = o.key.Name
	default:
		p.Owner, p.OwnerID, p.Group = o.owner, o.ownerID, o.named
		p.Adopt = model.Adopt{Queue: o.group.Queue, MinMember: max(1, o.group.MinMember), MaxWait: o.group.MaxWait}
	}
	if !p.HasPriority && p.PriorityClass == "" {
		p.PriorityClass = o.group.PriorityClass
	}
	item := t.item
	item.Fact.Object, item.SubmitAt = &p, o.at
	s.appear(model.KindPod, item)
}

// shows says that the engine knows of a pod.
func (s *stage) shows(k ledger.Key) bool {
	if !s.began() {
		return false
	}
	_, there := s.world.Engine().Ledger().Tasks.Find(k)
	return there
}

// podName is the first name that is free, that of a pod which is still leaving not
// included: NAME-0, NAME-ROLE-0, or NAME alone for a single pod without a group.
func (o *order) podName(s *stage, t *template) (string, int64) {
	if o.noGroup && len(o.pods) == 1 && t.count == 1 {
		return o.key.Name, -1
	}
	stem := o.key.Name
	if t.pod.Role != "" {
		stem += "-" + t.pod.Role
	}
	for i := int64(0); ; i++ {
		name := fmt.Sprintf("%s-%d", stem, i)
		key := ledger.Key{Namespace: o.key.Namespace, Name: name}
		ref := podRef(key)
		if _, taken := s.stated[ref]; !taken || s.gone[ref] && !s.shows(key) {
			return name, i
		}
	}
}
