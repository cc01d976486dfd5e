package story

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched/model"
)

// cordon keeps new pods off nodes, uncordon lets them on again, drain cordons and
// deletes the pods that are there:
//
//	cordon n1 n2
var (
	cordonVerb   = verb{syntax: "cordon NODE…", do: func(s *stage, w *words) error { return eachNode(s, w, true) }}
	uncordonVerb = verb{syntax: "uncordon NODE…", do: func(s *stage, w *words) error { return eachNode(s, w, false) }}
	drainVerb    = verb{syntax: "drain NODE…", do: drain}
)

func eachNode(s *stage, w *words, cordoned bool) error {
	names, err := w.names("the node's name")
	if err != nil {
		return err
	}
	for _, name := range names {
		ref := model.Ref{Kind: model.KindNode, Name: name}
		old, ok := s.stated[ref].(*model.Node)
		if !ok {
			return fmt.Errorf("there is no node %s", name)
		}
		n := *old
		n.Unschedulable = cordoned
		s.change(ref, &n)
	}
	return w.end()
}

func drain(s *stage, w *words) error {
	names := slices.Clone(w.all)
	if err := eachNode(s, w, true); err != nil {
		return err
	}
	r, err := s.report()
	if err != nil {
		return err
	}
	for _, p := range r.Pods {
		if slices.Contains(names, p.Node) && (p.Status == model.Running || p.Status == model.Binding ||
			p.Status == model.Bound) {
			s.vanish(model.Ref{Kind: model.KindPod, Namespace: p.Namespace, Name: p.Name})
		}
	}
	return nil
}

// remove takes an object away at once: a machine that died, a queue, a priority class.
//
//	remove node n1
//	remove service web/front
var removeVerb = verb{syntax: "remove node|queue|class|group|booking NAME|service NAMESPACE/NAME", do: remove}

func remove(s *stage, w *words) error {
	what, err := w.name("node, queue, class, group, booking or service")
	if err != nil {
		return err
	}
	if what == "group" {
		return removeGroup(s, w)
	}
	if what == "service" {
		return removeService(s, w)
	}
	kind, ok := map[string]model.Kind{"node": model.KindNode, "queue": model.KindQueue,
		"class": model.KindPriorityClass, "booking": model.KindBooking}[what]
	if !ok {
		return fmt.Errorf("%q is not node, queue, class, group, booking or service", what)
	}
	name, err := w.name("the name")
	if err != nil {
		return err
	}
	ref := model.Ref{Kind: kind, Name: name}
	if _, ok := s.stated[ref]; !ok {
		return fmt.Errorf("there is no %s %s", strings.ToLower(what), name)
	}
	s.vanish(ref)
	return w.end()
}
