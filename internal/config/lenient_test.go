package config

import (
	"fmt"
	"strings"
	"testing"
)

// What keeps a working Volcano cluster working: the words, and what is in force.
func TestLenientWarnsAndGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		holds      func(*Scheduler) bool
	}{
		"an unknown action is skipped": {"actions: \"enqueue, elect\"\n" + tiers,
			`conf:1: warning: unknown action "elect"; it is skipped`,
			func(s *Scheduler) bool { return len(s.Actions) == 1 && s.Actions[0].Name == "enqueue" }},
		"an unknown key is skipped": {acts + tiers + "reservation: {}\n",
			`conf:5: warning: unknown key "reservation"; it is skipped`,
			func(s *Scheduler) bool { return len(s.Tiers) == 1 }},
		"an unknown plugin is skipped": {gang + "  - name: mine\n",
			`conf:5: warning: unknown plugin "mine": it is neither built in nor compiled in; it is skipped`,
			func(s *Scheduler) bool { return len(s.Tiers[0]) == 1 }},
		"an unknown flag is skipped": {gang + "    enableNamespaceOrder: true\n",
			`conf:5: warning: a plugin: unknown key "enableNamespaceOrder"; it is skipped`,
			func(s *Scheduler) bool { return len(s.Tiers[0][0].Flags) == 0 }},
		"an unknown argument is skipped": {binpack + "      gpu: 3\n",
			`conf:6: warning: plugin binpack has no argument "gpu"; it is skipped`,
			func(s *Scheduler) bool { return len(s.Tiers[0][0].Arguments) == 0 }},
		"a wrong argument leaves the default": {binpack + "      binpack.cpu: \"5\"\n",
			`conf:6: warning: argument "binpack.cpu" of plugin binpack: expected a whole number, got "5"; write it without ` +
				`quotes; the default is used`,
			func(s *Scheduler) bool { return s.Tiers[0][0].Arguments.find("binpack.cpu") == nil }},
		"of a key given twice the last counts": {"actions: enqueue\n" + tiers + "actions: allocate\n",
			`conf:5: warning: key "actions" is given twice (first on line 1); the last one counts`,
			func(s *Scheduler) bool { return len(s.Actions) == 1 && s.Actions[0].Name == "allocate" }},
		"of a plugin given twice the last counts": {gang + "    enableJobOrder: false\n  - name: gang\n",
			`conf:6: warning: plugin gang is twice in one tier (first on line 4); the last one counts`,
			func(s *Scheduler) bool { return len(s.Tiers[0]) == 1 && s.Tiers[0][0].Enabled(JobOrder) }},
		"of two spellings Volcano's counts, first in the file": {
			gang + "    enableJobOrder: false\n    enabledJobOrder: true\n",
			`conf:6: warning: enableJobOrder and enabledJobOrder are two spellings of one key and differ; the first is what ` +
				`Volcano reads and counts`,
			func(s *Scheduler) bool { return !s.Tiers[0][0].Enabled(JobOrder) }},
		"of two spellings Volcano's counts, last in the file": {gang + "    enableVictim: true\n    enabledVictim: false\n",
			`conf:6: warning: enabledVictim and enableVictim are two spellings of one key and differ; the first is what ` +
				`Volcano reads and counts`,
			func(s *Scheduler) bool { return !s.Tiers[0][0].Enabled(Victim) }},
		"of proportion and capacity the first answers where both do": {
			plugins + "  - name: proportion\n- plugins:\n  - name: capacity\n",
			`conf:6: warning: capacity and proportion (line 4) both say what a queue deserves, and there can be one master ` +
				`only; keep proportion to share by weight, or capacity to share by spec.deserved; proportion is named first and ` +
				`answers at QueueOrder, Allocatable, JobEnqueued, Preemptive, Reclaimable`,
			func(s *Scheduler) bool {
				c, _ := s.Plugin("capacity")
				return c.Built && !c.Enabled(Allocatable) && s.Tiers[0][0].Enabled(Allocatable)
			}},
		"of proportion and capacity each answers for what it is enabled": {plugins + "  - name: capacity\n" +
			"    enabledAllocatable: false\n    enableQueueOrder: false\n  - name: proportion\n    enableReclaimable: false\n" +
			"    enablePreemptive: false\n    enableJobEnqueued: false\n",
			`conf:7: warning: proportion and capacity (line 4) both say what a queue deserves, and there can be one master ` +
				`only; keep proportion to share by weight, or capacity to share by spec.deserved; each answers where the ` +
				`other is switched off`,
			func(s *Scheduler) bool {
				c, p := s.Tiers[0][0], s.Tiers[0][1]
				return p.Enabled(Allocatable) && p.Enabled(QueueOrder) && c.Enabled(Reclaimable) && !c.Enabled(QueueOrder)
			}},
		"of drf's queue tree and proportion the first orders": {
			plugins + "  - name: proportion\n  - name: drf\n    enableHierarchy: true\n",
			`conf:5: warning: drf with enableHierarchy and proportion are in one tier and both order the queues; put them ` +
				`into two tiers or leave the hierarchy out; proportion is named first and orders them, and drf where it ` +
				`sees no difference`,
			func(s *Scheduler) bool { return len(s.Tiers[0]) == 2 && s.Tiers[0][1].Enabled(Hierarchy) }},
		"an alias is written out": {plugins + "  - name: gang\n    arguments: &a {}\n  - name: priority\n    arguments: *a\n",
			"",
			func(s *Scheduler) bool { return len(s.Tiers[0]) == 2 }},
		"keys are merged": {plugins + "  - &a\n    name: gang\n    enableJobOrder: false\n  - <<: *a\n    name: priority\n",
			"",
			func(s *Scheduler) bool { return s.Tiers[0][1].Name == "priority" && !s.Tiers[0][1].Enabled(JobOrder) }},
		"a second document is skipped": {acts + tiers + "---\n" + acts,
			`conf:6: warning: a second document begins here; a configuration is one document; it is skipped`,
			func(s *Scheduler) bool { return len(s.Tiers) == 1 }},
		"of an action configured twice the first counts": {acts + tiers +
			"configurations:\n- name: allocate\n  arguments: {enablePredicateErrorCache: no}\n- name: allocate\n",
			`conf:8: warning: action allocate is configured twice (first on line 6); the first one counts`,
			func(s *Scheduler) bool { return s.Configurations["allocate"].find("predicateErrorCacheEnable") != nil }},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := read(c.text, Lenient)
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if s == nil || !c.holds(s) {
				t.Errorf("in force is %+v", s)
			}
		})
	}
}

func TestLenientRefusesWhatVolcanoRefuses(t *testing.T) {
	for _, name := range []string{
		"an empty file", "no actions", "actions as a list", "tiers that are no list", "a plugin that is a bare word",
		"a tab", "a file too long",
	} {
		t.Run(name, func(t *testing.T) {
			c := refusals[name]
			if s, got := read(c.text, Lenient); s != nil || !strings.Contains(got, strings.TrimSpace(c.want)) {
				t.Errorf("got %+v\n%s\nwant\n%s", s, got, c.want)
			}
		})
	}
}

func TestLenientRefusesWhenNoActionIsLeft(t *testing.T) {
	s, got := read("actions: elect\n"+tiers, Lenient)
	want := `conf:1: warning: unknown action "elect"; it is skipped
conf:1: there are no actions; write for example actions: "enqueue, allocate, backfill"`
	if s != nil || got != want {
		t.Errorf("got %+v\n%s\nwant\n%s", s, got, want)
	}
}

// A value that holds itself, and one that doubles with each line, end at a bound.
func TestLenientBoundsAliases(t *testing.T) {
	doubling := "a: &a [x]\n"
	for i := range 40 {
		doubling += fmt.Sprintf("%c%d: &b%d [*%s, *%s]\n", 'b', i, i, previous(i), previous(i))
	}
	for name, text := range map[string]string{"itself": acts + "tiers: &a [*a]\n", "doubling": doubling} {
		if s, got := read(text, Lenient); s != nil || !strings.Contains(got, "more than 100000 values") {
			t.Errorf("%s: got %+v\n%s", name, s, got)
		}
	}
}

func previous(i int) string {
	if i == 0 {
		return "a"
	}
	return fmt.Sprintf("b%d", i-1)
}
