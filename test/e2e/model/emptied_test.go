package model

import "net/http"

// hyperNode is the subject of a name, and what it is with such metadata.
func (s *script) hyperNode(name string) (subject, func(metadata map[string]any) map[string]any) {
	return subject{kind: s.kinds.Kind("topology.volcano.sh", "hypernodes"), name: name},
		func(metadata map[string]any) map[string]any {
			metadata["name"] = name
			return map[string]any{"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": metadata,
				"spec": map[string]any{"tier": 1, "members": []any{map[string]any{"type": "Node",
					"selector": map[string]any{"exactMatch": map[string]any{"name": "a"}}}}}}
		}
}

// emptied applies a custom resource so that none of its annotations is left, while another client owns the field. The
// API server stores that field empty and leaves it out as it reads it, so that the next write changes the version,
// whatever it says.
func (s *script) emptied() {
	it, with := s.hyperNode("emptied")
	apply := func(metadata map[string]any) { s.knownApply(it, with(metadata)) }
	annotated := func() { apply(map[string]any{"annotations": map[string]any{"note": "0"}}) }
	labelled := func() { apply(map[string]any{"labels": map[string]any{"colour": "red"}}) }
	s.known(http.MethodPost, it, it.all(), with(map[string]any{"annotations": map[string]any{"note": "1"}}))
	for range 2 {
		annotated()
		labelled()
		for range 2 {
			s.known(http.MethodPatch, it, it.path(), map[string]any{})
		}
		annotated()
		labelled()
		for range 2 {
			s.known(http.MethodDelete, it, it.path(), map[string]any{"propagationPolicy": "Orphan"})
		}
	}
}

// emptiedAtLast applies an object that is being deleted so that none of its labels is left, and no finalizer. By that
// it is gone, and the API server shows the field as it would have stored it.
func (s *script) emptiedAtLast() {
	it, with := s.hyperNode("emptied-at-last")
	if s.differ[it.resource()] {
		return
	}
	s.known(http.MethodPost, it, it.all(), with(map[string]any{"labels": map[string]any{"colour": "red"}}))
	s.knownApply(it, with(map[string]any{"labels": map[string]any{"colour": "blue"},
		"finalizers": []any{"example.com/a"}}))
	s.known(http.MethodDelete, it, it.path(), map[string]any{})
	s.knownApply(it, with(map[string]any{}))
	s.known(http.MethodGet, it, it.path(), nil)
}
