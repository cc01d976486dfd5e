package model

import (
	"fmt"
	"net/http"
)

// operations draws a JSON patch: operations on paths, tests among them.
func (s *script) operations(at subject) {
	var out []any
	for range 1 + s.random.IntN(3) {
		out = append(out, s.operation())
	}
	s.ask(question{method: http.MethodPatch, resource: at.resource(), path: at.path(),
		contentType: "application/json-patch+json", body: func(*side) any { return out }})
}

func (s *script) operation() map[string]any {
	switch s.random.IntN(8) {
	case 0:
		return map[string]any{"op": "test", "path": "/metadata/labels/colour", "value": s.one("red", "blue")}
	case 1:
		return map[string]any{"op": "replace", "path": "/metadata/labels/colour", "value": s.one("red", "blue")}
	case 2:
		return map[string]any{"op": "remove", "path": "/metadata/labels/colour"}
	case 3:
		return map[string]any{"op": "add", "path": "/metadata/finalizers/-", "value": "example.com/a"}
	case 4:
		return map[string]any{"op": "remove", "path": "/metadata/finalizers/0"}
	case 5:
		name := fmt.Sprintf("thing-%d", s.random.IntN(names))
		return map[string]any{"op": "replace", "path": "/metadata/name", "value": name}
	default:
		return map[string]any{"op": "add", "path": "/metadata/labels", "value": map[string]any{
			"colour": s.one("red", "blue")}}
	}
}
