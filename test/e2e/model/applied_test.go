package model

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// applied are the kinds of which objects are applied: those of which this test writes all that the API server would
// fill in, whatever part of them is applied.
var applied = []string{"configmaps", "leases", "nodes", "podgroups", "queues", "hypernodes", "nodeshards",
	"numatopologies", "bookings", "pods"}

// apply draws a server-side apply: by one of two managers, or by none, with force or without, of a part of an object or
// of one that is not there.
func (s *script) apply(at subject) {
	if !slices.Contains(applied, at.kind.Resource) ||
		at.kind.Resource == "pods" && s.kinds.Get(at.kind, at.namespace, at.name) == nil {
		s.patch(at)
		return
	}
	fill, o := s.identity(at, true), s.object(at)
	meta, _ := o["metadata"].(map[string]any)
	if at.kind.Resource == "pods" { // of a pod any part that is not said would have to be filled in
		delete(o, "spec")
		delete(o, "status")
	}
	if s.maybe(2) {
		meta["annotations"] = map[string]any{s.one("note", "other"): fmt.Sprint(s.random.IntN(2))}
	}
	if s.maybe(3) {
		delete(o, s.one("spec", "data"))
	}
	q := question{method: http.MethodPatch, resource: at.resource(), path: at.path(),
		contentType: "application/apply-patch+yaml", query: url.Values{"fieldManager": {s.one("a", "b")}}}
	switch {
	case s.maybe(30):
		delete(q.query, "fieldManager")
	case s.maybe(30):
		meta["name"] = "elsewhere"
	case s.maybe(30):
		meta["managedFields"] = []any{map[string]any{"manager": "a"}}
	case s.maybe(30):
		o["apiVersion"] = "nosuch/v7"
	}
	if s.maybe(2) {
		q.query.Set("force", "true")
	}
	conditional := s.maybe(3)
	q.body = func(side *side) any {
		delete(meta, "uid")
		delete(meta, "resourceVersion")
		if conditional {
			fill(side, meta)
		}
		return o
	}
	s.ask(q)
}
