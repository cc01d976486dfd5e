package story

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched/resource"
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
		{"for", func(r *trace.Eviction) string { return r.Preemptor }},
		{"on", func(r *trace.Eviction) string { return r.Node }},
		{"action", func(r *trace.Eviction) string { return r.Action }},
		{"queue", func(r *trace.Eviction) string { return r.Queue }},
		{"priority", func(r *trace.Eviction) string { return strconv.Itoa(int(r.Priority)) }},
		{"against", func(r *trace.Eviction) string { return strconv.Itoa(int(r.PreemptorPriority)) }},
		{"whole", func(r *trace.Eviction) string { return yes(r.Whole) }},
		{"rules", rules},
		{"held", func(r *trace.Eviction) string { return held(r.Queue, r.QueueHeld) }},
		{"forheld", func(r *trace.Eviction) string { return held(r.PreemptorQueue, r.PreemptorQueueHeld) }},
		{"lost", func(r *trace.Eviction) string { return list(r.Lost) }},
		{"ran", func(r *trace.Eviction) string { return clock(time.Duration(r.Ran)) }},
		{"tried", func(r *trace.Eviction) string { return strconv.Itoa(r.NodesTried) }},
		{"hopeless", func(r *trace.Eviction) string { return strconv.Itoa(r.NodesRuledOut) }},
		{"instead", instead},
	}
}

// rules are the tiers and their plugins that permitted it, that which decided first: 1:gang 2:proportion.
func rules(r *trace.Eviction) string {
	var out []string
	for _, p := range r.Permissions() {
		out = append(out, fmt.Sprintf("%d:%s", p.Tier, strings.Join(p.Plugins, ",")))
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, " ")
}

// held is a queue and what it held before an eviction, of what it deserves: a cpu=4 of cpu=3.
func held(queue string, of []trace.QueueHeld) string {
	var has, due resource.List
	for _, s := range of {
		has = append(has, resource.Amount{Name: s.Dim, Value: s.Held})
		due = append(due, resource.Amount{Name: s.Dim, Value: s.Deserved})
	}
	if len(of) == 0 {
		return "-"
	}
	return fmt.Sprintf("%s %s of %s", queue, list(has), list(due))
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
		if e.Time == w.Now() && e.Record != nil {
			out = append(out, e.Record)
		}
	}
	return out
}
