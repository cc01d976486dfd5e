package config

import (
	"fmt"
	"strings"
	"testing"
)

// outline is the shape of a configuration: actions, then tiers.
func outline(s *Scheduler) string {
	var b strings.Builder
	for _, a := range s.Actions {
		fmt.Fprintf(&b, "%s:%d ", a.Name, a.Line)
	}
	for _, tier := range s.Tiers {
		b.WriteString("|")
		for _, p := range tier {
			fmt.Fprintf(&b, " %s:%d", p.Name, p.Line)
		}
	}
	return b.String()
}

const capacityGuide = `actions: "enqueue, allocate, reclaim, backfill, preempt"
tiers:
- plugins:
  - name: gang
  - name: capacity               # instead of proportion
    enabledHierarchy: true
  - name: predicates
  - name: nodeorder
`

// The ways in which the same thing may be written, and what is accepted.
func TestAccepts(t *testing.T) {
	for name, c := range map[string]struct{ text, want, notes string }{
		"the example of the capacity guide": {capacityGuide,
			"enqueue:1 allocate:1 reclaim:1 backfill:1 preempt:1 | gang:4 capacity:5 predicates:7 nodeorder:8",
			``},
		"JSON": {`{"actions":"allocate","tiers":[{"plugins":[{"name":"gang"}]}]}`,
			"allocate:1 | gang:1", ""},
		"an action that runs twice": {"actions: allocate, backfill, allocate\n" + tiers,
			"allocate:1 backfill:1 allocate:1 | gang:4", ""},
		"a plugin in two tiers": {gang + "- plugins:\n  - name: gang\n", "allocate:1 | gang:4| gang:6", ""},
		"a flag in both spellings": {gang + "    enableJobOrder: no\n    enabledJobOrder: false\n",
			"allocate:1 | gang:4", ""},
		"arguments left empty":         {gang + "    arguments:\n", "allocate:1 | gang:4", ""},
		"a document mark at the front": {"---\n" + gang, "allocate:2 | gang:5", ""},
		"no tiers, with a warning": {acts, "allocate:1 ",
			`conf:1: warning: there are no plugins: gangs, queues, priorities and the nodes' own rules are not heeded`},
		"an argument this version does not heed": {plugins +
			"  - name: predicates\n    arguments:\n      volumebinding.weight: 1\n", "allocate:1 | predicates:4",
			`conf:6: warning: argument volumebinding.weight of plugin predicates is known and not built yet: it does ` +
				`nothing in this version`},
		"arguments of an action that does not run": {acts + tiers + "configurations:\n- name: backfill\n",
			"allocate:1 | gang:4",
			`conf:6: warning: action backfill is configured and not among the actions: this has no effect`},
		"settings of the Ascend plugin": {acts + tiers +
			"configurations:\n- name: init-params\n  arguments: {grace-over-time: \"900\"}\n", "allocate:1 | gang:4",
			`conf:6: warning: init-params (settings of the Ascend device plugin) is known and not built yet: it does ` +
				`nothing in this version`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, mode := range []Mode{Strict, Lenient} {
				s, notes := read(c.text, mode)
				if s == nil || outline(s) != c.want || notes != c.notes {
					t.Fatalf("got %+v\n%s\nwant %s\n%s", s, notes, c.want, c.notes)
				}
			}
		})
	}
}

func TestHierarchyOfTheCapacityGuide(t *testing.T) {
	s, _ := read(capacityGuide, Strict)
	capacity, _ := s.Plugin("capacity")
	if !capacity.Enabled(Hierarchy) {
		t.Error("enabledHierarchy: true is not heeded")
	}
}

func TestEveryFlagIsReadInBothSpellings(t *testing.T) {
	if n := len(Flags()); n != 25 {
		t.Errorf("%d flags, Volcano has 25", n)
	}
	for _, f := range Flags() {
		for _, prefix := range []string{"enable", "enabled"} {
			turned := !f.Default()
			s, got := read(fmt.Sprintf("%s    %s%s: %t\n", gang, prefix, f, turned), Strict)
			if got != "" || s.Tiers[0][0].Enabled(f) != turned {
				t.Errorf("%s%s: %s", prefix, f, got)
			}
		}
	}
}

func TestFlagsNotWritten(t *testing.T) {
	for _, f := range Flags() {
		want := f != Hierarchy && f != ClusterOrder
		if got := (Plugin{}).Enabled(f); got != want {
			t.Errorf("%s is %t by default, want %t", f, got, want)
		}
	}
}

func TestDefaultIsVolcanos(t *testing.T) {
	s := Default()
	want := "enqueue:1 allocate:1 backfill:1 | priority:4 gang:5 conformance:6| overcommit:8 drf:9 predicates:10 " +
		"proportion:11 nodeorder:12"
	if got := outline(s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if notes := s.Unbuilt(); len(notes) > 0 {
		t.Errorf("the default names what is not built: %v", notes)
	}
}

func TestMetricsAreTexts(t *testing.T) {
	s, got := read(acts+tiers+
		"metrics:\n  type: prometheus\n  address: http://p:9090\n  interval: 30s\n  tls.insecureSkipVerify: true\n", Strict)
	if got != "" || s.Metrics["address"] != "http://p:9090" || s.Metrics["tls.insecureSkipVerify"] != "true" {
		t.Errorf("%s %v", got, s.Metrics)
	}
}
