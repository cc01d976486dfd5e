package config

import (
	"strings"
	"testing"
)

// written gives the arguments of one plugin.
func written(t *testing.T, plugin, arguments string) Arguments {
	t.Helper()
	s, got := read(plugins+"  - name: "+plugin+"\n    arguments:\n"+arguments, Strict)
	if s == nil {
		t.Fatal(got)
	}
	return s.Tiers[0][0].Arguments
}

// reads fails unless the values of keys are as wanted; "-" is a key that is not written.
func reads(t *testing.T, a Arguments, want map[string]string) {
	t.Helper()
	for key, text := range want {
		if got, ok := a.Get(key); got != text && (ok || text != "-") {
			t.Errorf("%s is %q, want %q", key, got, text)
		}
	}
}

func TestValuesOfArguments(t *testing.T) {
	reads(t, written(t, "binpack", `
      binpack.weight: 0x10
      binpack.cpu: -3
      binpack.resources: "nvidia.com/gpu, , example.com/foo"
      binpack.resources.nvidia.com/gpu: 7
      binpack.resources.example.com/foo: 2
`), map[string]string{"binpack.weight": "16", "binpack.cpu": "-3", "binpack.memory": "-",
		"binpack.resources.nvidia.com/gpu": "7", "binpack.resources": "nvidia.com/gpu, example.com/foo"})
}

func TestListsMayBeListsOfYAML(t *testing.T) {
	reads(t, written(t, "extender",
		"      extender.managedResources:\n      - nvidia.com/gpu\n      - nvidia.com/gpumem\n"),
		map[string]string{"extender.managedResources": "nvidia.com/gpu, nvidia.com/gpumem"})
}

func TestDecimalsAreExact(t *testing.T) {
	for text, want := range map[string]string{
		"1.2": "1.2", "2": "2", "0.125": "0.125", ".5": "0.5", "-1.5": "-1.5", "+1.5": "1.5", "1.5000": "1.5", "1.": "1",
	} {
		reads(t, written(t, "overcommit", "      overcommit-factor: "+text+"\n"),
			map[string]string{"overcommit-factor": want})
	}
	for _, text := range []string{"1e3", "1.2345", ".inf", ".nan", "99999999999999999", "1e999999999",
		"\"1.2\"", "[1]", ""} {
		if s, _ := read(plugins+"  - name: overcommit\n    arguments:\n      overcommit-factor: "+text+"\n",
			Strict); s != nil {
			t.Errorf("%s is taken for a decimal", text)
		}
	}
}

func TestTruthValues(t *testing.T) {
	for text, want := range map[string]string{"true": "true", "yes": "true", "On": "true", "\"true\"": "true",
		"false": "false", "no": "false", "off": "false", "'0'": "false"} {
		reads(t, written(t, "predicates", "      predicate.CacheEnable: "+text+"\n"),
			map[string]string{"predicate.CacheEnable": want})
	}
}

func TestTextsAndDurations(t *testing.T) {
	reads(t, written(t, "extender", "      extender.urlPrefix: http://127.0.0.1\n      extender.httpTimeout: 100ms\n"),
		map[string]string{"extender.urlPrefix": "http://127.0.0.1", "extender.httpTimeout": "100ms",
			"extender.predicateVerb": "-"})
}

// A map or a list is kept as JSON, also where any kind of value may stand.
func TestMapsAreJSON(t *testing.T) {
	reads(t, written(t, "usage", "      thresholds: {mem: 80, cpu: 70}\n      estimator.x: {b: [1], a: 2}\n"),
		map[string]string{"thresholds": `{"cpu":70,"mem":80}`, "estimator.x": `{"a":2,"b":[1]}`})
}

// A value out of bounds is found where the file is read, with everything else that is wrong with it: file, line,
// plugin or action, argument, value, and what is allowed.
func TestBoundsAreCheckedWithTheRest(t *testing.T) {
	text := plugins +
		"  - name: binpack\n    arguments:\n      binpack.weight: -1\n      binpack.resources.gpu: 100001\n" +
		"  - name: sla\n    arguments: {sla-waiting-time: 0s}\n" +
		"configurations:\n- name: preempt\n  arguments: {minCandidateNodesPercentage: 101}\n"
	text = strings.Replace(text, "actions: allocate", "actions: allocate, preempt", 1)
	_, got := read(text, Strict)
	for _, want := range []string{
		`conf:6: argument "binpack.weight" of plugin binpack: must be at least 0 and at most 100000, not -1`,
		`conf:7: argument "binpack.resources.gpu" of plugin binpack: must be at most 100000, not 100001`,
		`conf:9: argument "sla-waiting-time" of plugin sla: must be above 0s, not 0s`,
		`conf:12: argument "minCandidateNodesPercentage" of action preempt: must be at least 0 and at most 100, not 101`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it says\n%s\nand not\n%s", got, want)
		}
	}
	s, notes := read(text, Lenient)
	if s == nil || len(s.Tiers[0][0].Arguments) != 0 || strings.Count(notes, "the default is used") != 4 {
		t.Errorf("Lenient: %+v\n%s", s, notes)
	}
}

func TestTheErrorCacheHasTwoSpellings(t *testing.T) {
	for _, key := range []string{"predicateErrorCacheEnable", "enablePredicateErrorCache"} {
		s, notes := read(acts+tiers+"configurations:\n- name: allocate\n  arguments:\n    "+key+": false\n", Strict)
		if reads(t, s.Configurations["allocate"], map[string]string{"predicateErrorCacheEnable": "false"}); notes != "" {
			t.Errorf("%s: %s", key, notes)
		}
	}
}

func TestAnArgumentOfFewValuesTakesNoOther(t *testing.T) {
	reads(t, written(t, "joborder", "      joborder.by: srsf\n"), map[string]string{"joborder.by": "srsf"})
	_, got := read(plugins+"  - name: joborder\n    arguments:\n      joborder.by: lottery\n", Strict)
	want := `"joborder.by" of plugin joborder: must be one of fifo, sjf, srtf, srsf, not "lottery"`
	if strings.Count(got, "\n") > 1 || !strings.Contains(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
}
