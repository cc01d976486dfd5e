package readapi

import (
	"encoding/json"

	"ashlar.sh/sched"
)

// Types of events of a stream, as Kubernetes has them.
const (
	Added    = "ADDED"
	Modified = "MODIFIED"
	Deleted  = "DELETED"
	Bookmark = "BOOKMARK" // all that was before it is the state at its cycle
	Failure  = "ERROR"    // the stream ends; the object is a Status
)

// change is one row that came, changed or went.
type change struct {
	event string
	at    place
	body  json.RawMessage
}

// table is the rows of one kind at one moment, as JSON. It does not change: follow makes the next one.
type table interface {
	// follow returns the table of a later report, and what changed until then.
	follow(*sched.Report) (table, []change, error)
	// visit calls f for each row, until it returns false.
	visit(f func(place, json.RawMessage) bool)
	// seen says that a user may see a row.
	seen(*view, place) bool
	// kind is the name of a row's kind.
	kind() string
}

// tableOf is the table of a kind. Rows that do not change keep their JSON.
type tableOf[T any] struct {
	of     *kind[T]
	rows   []T
	bodies []json.RawMessage
}

func (t *tableOf[T]) kind() string                { return t.of.name }
func (t *tableOf[T]) seen(v *view, at place) bool { return t.of.seen(v, at) }
func (t *tableOf[T]) body(row *T) (json.RawMessage, error) {
	return json.Marshal(t.of.show([]T{*row})[0])
}

func (t *tableOf[T]) visit(f func(place, json.RawMessage) bool) {
	for i := range t.rows {
		if !f(t.of.at(&t.rows[i]), t.bodies[i]) {
			return
		}
	}
}

func (t *tableOf[T]) follow(r *sched.Report) (table, []change, error) {
	next := &tableOf[T]{of: t.of, rows: t.of.rows(r)}
	next.bodies = make([]json.RawMessage, len(next.rows))
	var changes []change
	old := 0
	gone := func() {
		changes = append(changes, change{Deleted, t.of.at(&t.rows[old]), t.bodies[old]})
		old++
	}
	for i := range next.rows {
		row := &next.rows[i]
		at := t.of.at(row)
		for old < len(t.rows) && t.of.at(&t.rows[old]).compare(at) < 0 {
			gone()
		}
		known := old < len(t.rows) && t.of.at(&t.rows[old]) == at
		if known && t.of.same(&t.rows[old], row) {
			next.bodies[i] = t.bodies[old]
			old++
			continue
		}
		body, err := t.body(row)
		if err != nil {
			return nil, nil, err
		}
		next.bodies[i] = body
		event := Added
		if known {
			event = Modified
			old++
		}
		changes = append(changes, change{event, at, body})
	}
	for old < len(t.rows) {
		gone()
	}
	return next, changes, nil
}

// tables are empty tables, by the name that a stream asks for.
var tables = map[string]table{
	"jobs":   &tableOf[sched.JobReport]{of: jobs},
	"queues": &tableOf[sched.QueueReport]{of: queues},
	"nodes":  &tableOf[sched.NodeReport]{of: nodes},
	"pods":   &tableOf[sched.PodReport]{of: pods},
}
