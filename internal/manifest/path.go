package manifest

import (
	"strconv"
	"strings"
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

// String is the path and the message.
func (e fieldError) String() string {
	if e.path == "" {
		return e.message
	}
	return e.path + ": " + e.message
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
