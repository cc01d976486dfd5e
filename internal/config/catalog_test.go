package config

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	built "ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
)

// Configurations of Volcano may name what it has, and what this version has is no name without effect.
func TestVolcanosNamesAreKnown(t *testing.T) {
	const actions = "enqueue allocate backfill preempt reclaim gangpreempt gangreclaim shuffle"
	const named = "priority gang conformance pdb cdp tdm rescheduling proportion capacity drf fairshare overcommit " +
		"resourcequota sla predicates nodegroup nodeorder binpack network-topology-aware numa-aware task-topology " +
		"group-topology-affinity usage resource-strategy-fit extender deviceshare"
	known := Volcano()
	for _, name := range strings.Fields(actions) {
		if e, ok := known.Action(name); !ok || !e.Built {
			t.Errorf("action %s is known: %t, built: %t", name, ok, e.Built)
		}
	}
	for _, name := range strings.Fields(named) {
		if _, ok := known.Plugin(name); !ok {
			t.Errorf("plugin %s of Volcano is not known", name)
		}
	}
	names := policy.Names(built.All())
	for _, e := range known.Plugins {
		if e.Built != slices.Contains(names, e.Name) || !e.Built && !slices.Contains(strings.Fields(named), e.Name) {
			t.Errorf("plugin %s is built: %t; the list of plugins and Volcano's names say otherwise", e.Name, e.Built)
		}
	}
}

// The catalogue is documentation too: names are unique, everything has a
// meaning, and a default can be written where it says that it is one.
func TestTheCatalogueIsSound(t *testing.T) {
	known := Volcano()
	entries := append(append(known.Others, known.Actions...), known.Plugins...)
	entries = append(entries, Entry{Name: "metrics", Meaning: "-", Arguments: known.Metrics})
	names := map[string]bool{}
	for _, e := range entries {
		if names[e.Name] || e.Meaning == "" {
			t.Errorf("%s is listed twice or has no meaning", e.Name)
		}
		names[e.Name] = true
		keys := map[string]bool{}
		for _, s := range e.Arguments {
			if keys[s.Key] || s.Meaning == "" {
				t.Errorf("%s: %s is listed twice or has no meaning", e.Name, s.Key)
			}
			keys[s.Key] = true
			if s.Default == "" {
				continue
			}
			var doc yaml.Node
			if err := yaml.Unmarshal([]byte(s.Default), &doc); err != nil {
				t.Errorf("%s: %s: default %q: %v", e.Name, s.Key, s.Default, err)
			} else if text, err := textOf(s.Kind, doc.Content[0]); err != nil || s.Check(text) != nil {
				t.Errorf("%s: %s: default: %v %v", e.Name, s.Key, err, s.Check(text))
			}
		}
	}
}

func TestTheLongestPrefixNamesTheArgument(t *testing.T) {
	list := []*policy.Argument{{Key: "a.", Prefix: true}, {Key: "a.b.", Prefix: true}, {Key: "a.b.c"}}
	for key, want := range map[string]string{"a.x": "a.", "a.b.x": "a.b.", "a.b.c": "a.b.c", "a.b.": "a."} {
		if s := policy.Lookup(list, key); s == nil || s.Key != want {
			t.Errorf("%s is an argument of %+v", key, s)
		}
	}
	if policy.Lookup(list, "a.") != nil {
		t.Error("a prefix without a name is an argument")
	}
}

// What Volcano's plugins take and Ashlar's do not heed is accepted with a warning that names it.
func TestArgumentsThatAreNotBuiltSaySo(t *testing.T) {
	values := map[policy.Kind]string{policy.KindBool: "true", policy.KindInt: "1", policy.KindDecimal: "1",
		policy.KindText: "x", policy.KindList: "x", policy.KindSequence: "[]", policy.KindDuration: "1s"}
	told := 0
	for _, e := range Volcano().Plugins {
		for _, a := range e.Arguments {
			if !e.Built || !a.Later {
				continue
			}
			key := a.Key
			if a.Prefix {
				key += "x"
			}
			s, notes := read(plugins+"  - name: "+e.Name+"\n    arguments:\n      "+key+": "+values[a.Kind]+"\n", Strict)
			if told++; s == nil || !strings.Contains(notes, "argument "+key+" of plugin "+e.Name+" is known and not built yet") {
				t.Errorf("%s of %s: %q", key, e.Name, notes)
			}
		}
	}
	if told < 10 {
		t.Errorf("%d arguments are not built: this shows too little", told)
	}
}
