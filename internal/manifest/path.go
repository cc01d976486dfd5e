package manifest

import (
	"slices"
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

// mostShownSteps is how many steps of a path are written, the last ones: a path may have
// thousands, in each of thousands of errors.
const mostShownSteps = 50

// String is spec.containers[0].resources.requests.cpu, or "" for the object itself; keys
// with dots are in brackets, and "..." stands for what is above mostShownSteps.
func (p *fieldPath) String() string {
	var steps []string
	for q := p; q.up != nil; q = q.up {
		switch {
		case len(steps) == mostShownSteps:
			return "..." + joined(steps)
		case q.list:
			steps = append(steps, "["+strconv.Itoa(q.at)+"]")
		case q.name == "" || strings.ContainsAny(q.name, "./[] \t\n"):
			steps = append(steps, "["+strings.Trim(shown(q.name), `"`)+"]")
		default:
			steps = append(steps, "."+strings.Trim(shown(q.name), `"`))
		}
	}
	return joined(steps)
}

// joined is a path of steps, the last of which comes first.
func joined(steps []string) string {
	slices.Reverse(steps)
	return strings.TrimPrefix(strings.Join(steps, ""), ".")
}
