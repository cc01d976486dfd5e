package class

import (
	"fmt"

	"ashlar.sh/sched/model"
)

// keys are labels: some nodes lack them, and of the hostname each node has a value of its own.
var keys = []string{"zone", "rack", model.HostnameKey}

// neighbours draws what a pod asks of the pods around it; mostly nothing.
func (w *world) neighbours() *model.Neighbours {
	if w.n(1) == 0 {
		return nil
	}
	n := &model.Neighbours{}
	for range 1 + w.n(1) {
		near := model.Near{Key: keys[w.n(2)], Pods: w.podSelector()}
		switch w.n(4) {
		case 0:
			n.With = append(n.With, near)
		case 1:
			n.Apart = append(n.Apart, near)
		case 2:
			near.Weight = int32([]int{-50, -1, 1, 30, 100}[w.n(4)])
			n.Prefer = append(n.Prefer, near)
		default:
			pods := model.PodSelector{Namespaces: []string{"ns"}, Selector: near.Pods.Selector}
			n.Spread = append(n.Spread, model.Spread{Key: near.Key, Pods: pods,
				MaxSkew: int32(1 + w.n(1)), MinDomains: int32(w.n(3)), Soft: w.yes(), Everywhere: w.yes(), Untainted: w.yes()})
		}
	}
	return n
}

// podSelector draws which pods a term is about.
func (w *world) podSelector() model.PodSelector {
	c := model.PodSelector{MatchesNothing: w.n(11) == 11}
	switch w.n(5) {
	case 0:
		c.Selector = []model.Requirement{{Key: "app", Op: model.In, Values: []string{"a", "b"}}}
	case 1:
		c.Selector = []model.Requirement{{Key: "app", Op: model.NotIn, Values: []string{"a"}}}
	case 2:
	default:
		c.Selector = []model.Requirement{{Key: "app", Op: model.In, Values: []string{"a"}}}
	}
	switch w.n(3) {
	case 0:
		c.ByLabels = true
		if w.yes() {
			c.InSuch = []model.Requirement{{Key: "team", Op: model.In, Values: []string{"red"}}}
		}
	case 1:
		c.Namespaces = []string{"ns", "other"}
	default:
		c.Namespaces = []string{"ns"}
	}
	return c
}

// namespaceOf is the namespace of a pod, by its name.
func namespaceOf(pod string) string {
	if pod == "p1" || pod == "p4" {
		return "other"
	}
	return "ns"
}

// namespace gives a namespace other labels, or deletes it.
func (w *world) namespace() {
	name := []string{"ns", "other"}[w.n(1)]
	n := &model.Namespace{Meta: model.Meta{Name: name}}
	if team := w.n(2); team > 0 {
		n.Labels = []model.Label{{Key: "team", Value: []string{"", "red", "blue"}[team]}}
	}
	if w.n(4) == 4 {
		w.apply(model.KindNamespace, "", name, nil)
		return
	}
	w.apply(model.KindNamespace, "", name, n)
}

// podLabels are labels that selectors ask for, and one that is different for every pod.
func (w *world) podLabels(name string) []model.Label {
	labels := []model.Label{{Key: "pod", Value: name}}
	if app := w.n(2); app > 0 {
		labels = append([]model.Label{{Key: "app", Value: []string{"", "a", "b"}[app]}}, labels...)
	}
	return labels
}

// service makes one of a few Services select other pods, or deletes it.
func (w *world) service() {
	name := fmt.Sprintf("s%d", w.n(2))
	if w.n(2) == 0 {
		w.apply(model.KindService, "ns", name, nil)
		return
	}
	o := &model.Service{Meta: model.Meta{Namespace: "ns", Name: name}}
	for _, key := range []string{"app", "tier"} {
		if w.yes() {
			o.Selector = append(o.Selector, model.Label{Key: key, Value: []string{"a", "b"}[w.n(1)]})
		}
	}
	w.apply(model.KindService, "ns", name, o)
}
