package model

import (
	"net/http"
	"strings"
)

// ownEnd is how many letters at the end of a generated name are each side's own.
const ownEnd = 5

// generate makes an object whose name the API server ends, looks at it and deletes it.
func (s *script) generate(at subject) {
	if strings.HasPrefix(at.kind.Resource, "persistentvolume") {
		return // it would stay: nobody here takes its finalizers away
	}
	o := s.object(at)
	meta, _ := o["metadata"].(map[string]any)
	delete(meta, "finalizers")
	delete(meta, "name")
	meta["generateName"] = "made-"
	if s.maybe(4) { // longer than what is kept of it
		meta["generateName"] = "made-" + strings.Repeat("x-", 40)
	}
	s.ask(question{method: http.MethodPost, resource: at.resource(), path: at.all(), body: func(*side) any { return o }})
	path := func(side *side) string { return at.all() + "/" + side.generated }
	if s.sides[0].generated == "" || s.sides[1].generated == "" {
		return // it was refused, or only tried
	}
	s.ask(question{method: http.MethodGet, resource: at.resource(), path: at.all(), named: path})
	s.ask(question{method: http.MethodDelete, resource: at.resource(), path: at.all(), named: path, certain: true,
		body: func(*side) any { return map[string]any{"gracePeriodSeconds": 0, "propagationPolicy": "Background"} }})
	for _, side := range s.sides {
		side.generated = ""
	}
}
