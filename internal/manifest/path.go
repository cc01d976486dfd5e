package manifest

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fieldPath is the way from an object to one of its fields. It is built from the
// field upwards, and written only when somebody asks.
type fieldPath struct {
	up   *fieldPath
	name string
	at   int
	list bool
}

func (p *fieldPath) key(name string) *fieldPath { return &fieldPath{up: p, name: name} }
func (p *fieldPath) index(i int) *fieldPath     { return &fieldPath{up: p, at: i, list: true} }

// fieldError is what is wrong with one field of an object.
type fieldError struct {
	line    int
	path    string // "" for the object itself
	message string
}

// pathTo finds a node below root, or a key there; "" when it is elsewhere, as what an
// alias stands for may be.
func pathTo(root, wanted *yaml.Node, here *fieldPath) string {
	if root == wanted {
		return here.String()
	}
	for i, c := range root.Content {
		below := here.index(i)
		if root.Kind == yaml.MappingNode {
			below = here.key(root.Content[i&^1].Value)
		}
		if p := pathTo(c, wanted, below); p != "" {
			return p
		}
	}
	return ""
}

// String is spec.containers[0].resources.requests.cpu, or "" for the object itself; keys
// with dots are in brackets.
func (p *fieldPath) String() string {
	var steps []string
	for q := p; q.up != nil; q = q.up {
		switch {
		case q.list:
			steps = append(steps, "["+strconv.Itoa(q.at)+"]")
		case q.name == "" || strings.ContainsAny(q.name, "./[] \t\n"):
			steps = append(steps, "["+strings.Trim(shown(q.name), `"`)+"]")
		default:
			steps = append(steps, "."+strings.Trim(shown(q.name), `"`))
		}
	}
	var b strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		b.WriteString(steps[i])
	}
	return strings.TrimPrefix(b.String(), ".")
}
