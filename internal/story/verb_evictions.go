package story

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/trace"
)

// evictions prints what the records of the last cycle's evictions say, as a table; the words
// choose columns. Without words: for, action, priority, against, whole, rules, instead.
//
//	evictions for ran lost
var evictionsVerb = verb{syntax: "evictions [COLUMN…]", ask: evictions}

func evictionColumns() []column[*trace.Eviction] {
	return []column[*trace.Eviction]{
		{"pod", func(r *trace.Eviction) string { return r.Task }},
		{"for", func(r *trace.Eviction) string { return r.For }},
		{"on", func(r *trace.Eviction) string { return r.Node }},
		{"action", func(r *trace.Eviction) string { return r.Action }},
		{"queue", func(r *trace.Eviction) string { return r.Queue }},
		{"priority", func(r *trace.Eviction) string { return strconv.Itoa(int(r.Priority)) }},
		{"against", func(r *trace.Eviction) string { return strconv.Itoa(int(r.ForPriority)) }},
		{"whole", func(r *trace.Eviction) string { return yes(r.Whole) }},
		{"rules", func(r *trace.Eviction) string { return fmt.Sprintf("%d:%s", r.Tier, strings.Join(r.PermittedBy, ",")) }},
		{"lost", func(r *trace.Eviction) string { return list(r.Lost) }},
		{"ran", func(r *trace.Eviction) string { return clock(time.Duration(r.Ran)) }},
		{"tried", func(r *trace.Eviction) string { return strconv.Itoa(r.Considered) }},
		{"hopeless", func(r *trace.Eviction) string { return strconv.Itoa(r.Hopeless) }},
		{"instead", instead},
	}
}

// instead lists the nodes that lost: name, most important victim, sum of priorities and
// number of victims; ~ before figures that are what it would cost at least.
func instead(r *trace.Eviction) string {
	var out []string
	for _, a := range r.Alternatives {
		least := ""
		if a.AtLeast {
			least = "~"
		}
		out = append(out, fmt.Sprintf("%s %s%d/%d/%d", a.Node, least, a.Priority, a.Sum, a.Victims))
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, ", ")
}

func evictions(s *stage, w *words) ([]string, error) {
	if _, err := s.report(); err != nil {
		return nil, err
	}
	chosen := w.all
	if len(chosen) == 0 {
		chosen = []string{"for", "action", "priority", "against", "whole", "rules", "instead"}
	}
	records := evicted(s.world)
	if len(records) == 0 {
		return nil, nil
	}
	return table(records, evictionColumns(), chosen)
}

// evicted are the records of the last cycle.
func evicted(w *sim.World) []*trace.Eviction {
	var out []*trace.Eviction
	for _, e := range w.Evictions() {
		if e.Time == w.Now() && e.Why != nil {
			out = append(out, e.Why)
		}
	}
	return out
}
