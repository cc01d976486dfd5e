package model

import (
	"net/http"
	"net/url"
)

// emptied applies a custom resource so that none of its annotations is left, while another client owns the field. The
// API server stores that field empty and leaves it out as it reads it, so that the next write changes the version,
// whatever it says.
func (s *script) emptied() {
	const path, name = "/apis/topology.volcano.sh/v1alpha1/hypernodes", "emptied"
	spec := map[string]any{"tier": 1, "members": []any{map[string]any{"type": "Node",
		"selector": map[string]any{"exactMatch": map[string]any{"name": "a"}}}}}
	object := func(meta map[string]any) func(*side) any {
		meta["name"] = name
		return func(*side) any {
			return map[string]any{"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": meta,
				"spec": spec}
		}
	}
	ask := func(method, contentType string, body func(*side) any) {
		q := question{method: method, resource: "hypernodes", path: path + "/" + name, contentType: contentType, body: body}
		if contentType == "application/apply-patch+yaml" {
			q.query = url.Values{"fieldManager": {"b"}, "force": {"true"}}
		}
		s.ask(q)
	}
	annotated, labelled := map[string]any{"annotations": map[string]any{"note": "0"}}, map[string]any{
		"labels": map[string]any{"colour": "red"}}
	orphan := func(*side) any { return map[string]any{"propagationPolicy": "Orphan"} }
	s.ask(question{method: http.MethodPost, resource: "hypernodes", path: path,
		body: object(map[string]any{"annotations": map[string]any{"note": "1"}})})
	for range 2 {
		ask(http.MethodPatch, "application/apply-patch+yaml", object(annotated))
		ask(http.MethodPatch, "application/apply-patch+yaml", object(labelled))
		for range 2 {
			ask(http.MethodPatch, "application/merge-patch+json", func(*side) any { return map[string]any{} })
		}
		ask(http.MethodPatch, "application/apply-patch+yaml", object(annotated))
		ask(http.MethodPatch, "application/apply-patch+yaml", object(labelled))
		for range 2 {
			ask(http.MethodDelete, "", orphan)
		}
	}
}

// emptiedAtLast applies an object that is being deleted so that none of its labels is left, and no finalizer. By that
// it is gone, and the API server shows the field as it would have stored it.
func (s *script) emptiedAtLast() {
	const path, name = "/apis/topology.volcano.sh/v1alpha1/hypernodes", "emptied-at-last"
	if s.differ["hypernodes.topology.volcano.sh"] {
		return
	}
	ask := func(method, path string, apply bool, meta map[string]any) {
		q := question{method: method, resource: "hypernodes", path: path, certain: true, body: func(*side) any {
			meta["name"] = name
			return map[string]any{"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": meta,
				"spec": map[string]any{"tier": 1, "members": []any{map[string]any{"type": "Node",
					"selector": map[string]any{"exactMatch": map[string]any{"name": "a"}}}}}}
		}}
		if apply {
			q.contentType, q.query = "application/apply-patch+yaml", url.Values{"fieldManager": {"b"}, "force": {"true"}}
		}
		s.ask(q)
	}
	one := path + "/" + name
	ask(http.MethodPost, path, false, map[string]any{"labels": map[string]any{"colour": "red"}})
	ask(http.MethodPatch, one, true, map[string]any{"labels": map[string]any{"colour": "blue"},
		"finalizers": []any{"example.com/a"}})
	s.ask(question{method: http.MethodDelete, resource: "hypernodes", path: one, certain: true})
	ask(http.MethodPatch, one, true, map[string]any{})
	s.ask(question{method: http.MethodGet, resource: "hypernodes", path: one})
}
