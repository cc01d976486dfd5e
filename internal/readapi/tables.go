package readapi

import (
	"cmp"
	"encoding/json"
	"slices"

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

// change is one row that came, changed or went, as the line of a stream, which all clients share; and the line without
// the names of queues, for users that may not see them, nil where it names none.
type change struct {
	at         place
	line, bare []byte
	queues     []string // that bare does not name
}

// line is an event as JSON, with its end of line. The object is JSON already: of many rows it is not read once more.
func line(event, kind string, m Moment, object json.RawMessage) ([]byte, error) {
	head, err := json.Marshal(Event{Type: event, Kind: kind, Moment: m})
	if err != nil || object == nil {
		return append(head, '\n'), err
	}
	return slices.Concat(head[:len(head)-1], []byte(`,"object":`), object, []byte("}\n")), nil
}

// table is the rows of one kind at one moment, as JSON. It does not change: follow makes the next one.
type table interface {
	// follow returns the table of a later copy, and what changed until then.
	follow(*copied) (table, []change, error)
	// visit calls f for each row, as it came or changed last, until it returns false.
	visit(f func(change) bool)
	// seen says that a user may see a row.
	seen(*view, place) bool
	// part is the part of a report that has the rows.
	part() parts
}

// tableOf is the table of a kind. Rows that do not change keep their lines.
type tableOf[T any] struct {
	of    *kind[T]
	rows  []T
	lines []change // that they came or changed last
}

func (t *tableOf[T]) part() parts                 { return t.of.part }
func (t *tableOf[T]) seen(v *view, at place) bool { return t.of.seen(v, at) }

// change is a row as an event.
func (t *tableOf[T]) change(event string, m Moment, row *T) (c change, err error) {
	c.at = t.of.at(row)
	if c.line, err = t.line(event, m, row); err != nil || t.of.bare == nil {
		return c, err
	}
	bare, hid := t.of.bare(row, func(queue string) bool {
		c.queues = append(c.queues, queue)
		return false
	})
	if hid {
		c.bare, err = t.line(event, m, &bare)
	}
	return c, err
}

func (t *tableOf[T]) line(event string, m Moment, row *T) ([]byte, error) {
	body, err := json.Marshal(t.of.show([]T{*row})[0])
	if err != nil {
		return nil, err
	}
	return line(event, t.of.name, m, body)
}

func (t *tableOf[T]) visit(f func(change) bool) {
	for i := range t.lines {
		if !f(t.lines[i]) {
			return
		}
	}
}

func (t *tableOf[T]) follow(c *copied) (table, []change, error) {
	next, m := &tableOf[T]{of: t.of, rows: t.of.rows(c)}, c.Moment
	if len(t.rows) > 0 && isSame(t.rows, next.rows) {
		return t, nil, nil
	}
	next.lines = make([]change, len(next.rows))
	var changes []change
	var failed error
	tell := func(event string, row *T) change {
		told, err := t.change(event, m, row)
		failed = cmp.Or(failed, err)
		changes = append(changes, told)
		return told
	}
	old := 0
	for i := range next.rows {
		row := &next.rows[i]
		at := t.of.at(row)
		for ; old < len(t.rows) && t.of.at(&t.rows[old]).compare(at) < 0; old++ {
			tell(Deleted, &t.rows[old])
		}
		known := old < len(t.rows) && t.of.at(&t.rows[old]) == at
		switch {
		case !known:
			next.lines[i] = tell(Added, row)
			continue
		case t.of.same(&t.rows[old], row):
			next.lines[i] = t.lines[old]
		default:
			tell(Modified, row)
			added, err := t.change(Added, m, row)
			failed = cmp.Or(failed, err)
			next.lines[i] = added
		}
		old++
	}
	for ; old < len(t.rows); old++ {
		tell(Deleted, &t.rows[old])
	}
	return next, changes, failed
}

// tables are empty tables, by the name that a stream asks for.
var tables = map[string]table{
	"jobs":   &tableOf[sched.JobReport]{of: jobs},
	"queues": &tableOf[sched.QueueReport]{of: queues},
	"nodes":  &tableOf[sched.NodeReport]{of: nodes},
	"pods":   &tableOf[sched.PodReport]{of: pods},
}
