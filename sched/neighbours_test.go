package sched

import "ashlar.sh/sched/model"

// neighbours is one of a few things that pods ask of those around them.
func neighbours(kind int) *model.Neighbours {
	of := func(app ...string) model.PodSelector {
		return model.PodSelector{Namespaces: []string{"ns"},
			Selector: []model.Requirement{{Key: "app", Op: model.In, Values: app}}}
	}
	near := func(key string, c model.PodSelector) []model.Near { return []model.Near{{Key: key, Pods: c}} }
	switch kind {
	case 0:
		return &model.Neighbours{Apart: near(model.HostnameKey, of("a"))}
	case 1:
		return &model.Neighbours{Apart: near("zone", of("b"))}
	case 2:
		return &model.Neighbours{With: near("zone", of("a", "b"))}
	case 3:
		return &model.Neighbours{With: near(model.HostnameKey, of("b"))}
	case 4:
		return &model.Neighbours{Spread: []model.Spread{{Key: "zone", Pods: of("a"), MaxSkew: 1}}}
	case 5:
		return &model.Neighbours{Spread: []model.Spread{{Key: model.HostnameKey, Pods: of("a", "b"), MaxSkew: 1,
			MinDomains: 2, Untainted: true}}}
	case 6:
		return &model.Neighbours{Prefer: []model.Near{{Key: "zone", Pods: of("a"), Weight: 10},
			{Key: model.HostnameKey, Pods: of("b"), Weight: -50}}}
	case 7:
		return &model.Neighbours{Spread: []model.Spread{{Key: model.HostnameKey, Pods: of("a"), MaxSkew: 2, Soft: true}}}
	default:
		mine := model.PodSelector{ByLabels: true,
			InSuch: []model.Requirement{{Key: "team", Op: model.In, Values: []string{"red"}}}}
		return &model.Neighbours{Apart: near(model.HostnameKey, mine),
			Prefer: []model.Near{{Key: "zone", Pods: of("b"), Weight: 1}}}
	}
}

// crewOf is what the pods of a group ask of each other that have to share a zone.
func crewOf(group string) *model.Neighbours {
	colocated := model.PodSelector{Namespaces: []string{"ns"},
		Selector: []model.Requirement{{Key: "colocated", Op: model.In, Values: []string{group}}}}
	return &model.Neighbours{With: []model.Near{{Key: "zone", Pods: colocated}}}
}

// changeNamespace gives the namespace that pods are in other labels, or none.
func (w *world) changeNamespace() {
	n := &model.Namespace{Meta: model.Meta{Name: "ns", UID: "ns"}}
	if team := w.n(2); team > 0 {
		n.Labels = []model.Label{{Key: "team", Value: []string{"", "red", "blue"}[team]}}
	}
	if w.n(3) == 3 {
		w.tell(model.KindNamespace, "", "ns", "ns", nil)
		return
	}
	w.tell(model.KindNamespace, "", "ns", "ns", n)
}

// changeService makes a Service select pods by one of their labels, select others, or go.
func (w *world) changeService() {
	name := []string{"front", "back"}[w.n(1)]
	if w.n(3) == 3 {
		w.tell(model.KindService, "ns", name, name, nil)
		return
	}
	o := &model.Service{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}}
	if key := w.n(2); key > 0 {
		o.Selector = []model.Label{{Key: []string{"", "app", "tier"}[key], Value: []string{"a", "b"}[w.n(1)]}}
	}
	w.tell(model.KindService, "ns", name, name, o)
}
