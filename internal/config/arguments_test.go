package config

import (
	"slices"
	"strings"
	"testing"
	"time"
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

func TestValuesOfArguments(t *testing.T) {
	a := written(t, "binpack", `
      binpack.weight: 0x10
      binpack.cpu: -3
      binpack.resources: "nvidia.com/gpu, , example.com/foo"
      binpack.resources.nvidia.com/gpu: 7
      binpack.resources.example.com/foo: 2
`)
	for key, want := range map[string]int64{"binpack.weight": 16, "binpack.cpu": -3, "binpack.memory": 1, "binpack.resources.nvidia.com/gpu": 7} {
		if got, err := a.Int(key, 1); err != nil || got != want {
			t.Errorf("%s is %d, %v, want %d", key, got, err, want)
		}
	}
	names := []string{"nvidia.com/gpu", "example.com/foo"}
	if got, err := a.List("binpack.resources"); err != nil || !slices.Equal(got, names) {
		t.Errorf("%q %v", got, err)
	}
	if got := a.Names("binpack.resources."); !slices.Equal(got, names) {
		t.Errorf("%q", got)
	}
}

func TestListsMayBeListsOfYAML(t *testing.T) {
	a := written(t, "extender", "      extender.managedResources:\n      - nvidia.com/gpu\n      - nvidia.com/gpumem\n")
	if got, err := a.List("extender.managedResources"); err != nil || !slices.Equal(got, []string{"nvidia.com/gpu", "nvidia.com/gpumem"}) {
		t.Errorf("%q %v", got, err)
	}
}

func TestDecimalsAreExact(t *testing.T) {
	for text, want := range map[string]int64{
		"1.2": 1200, "2": 2000, "0.125": 125, ".5": 500, "-1.5": -1500, "+1.5": 1500, "1.5000": 1500, "1.": 1000,
	} {
		got, err := written(t, "overcommit", "      overcommit-factor: "+text+"\n").Milli("overcommit-factor", 0)
		if err != nil || got != want {
			t.Errorf("%s is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"1e3", "1.2345", ".inf", ".nan", "99999999999999999", "1e999999999", "\"1.2\"", "[1]", ""} {
		if s, _ := read(plugins+"  - name: overcommit\n    arguments:\n      overcommit-factor: "+text+"\n", Strict); s != nil {
			t.Errorf("%s is taken for a decimal", text)
		}
	}
}

func TestTruthValues(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "yes": true, "On": true, "\"true\"": true, "false": false, "no": false, "off": false, "'0'": false} {
		got, err := written(t, "predicates", "      predicate.CacheEnable: "+text+"\n").Bool("predicate.CacheEnable", !want)
		if err != nil || got != want {
			t.Errorf("%s is %t, %v", text, got, err)
		}
	}
}

func TestTextsAndDurations(t *testing.T) {
	a := written(t, "extender", "      extender.urlPrefix: http://127.0.0.1\n      extender.httpTimeout: 100ms\n")
	if got, err := a.Text("extender.urlPrefix", ""); err != nil || got != "http://127.0.0.1" {
		t.Errorf("%q %v", got, err)
	}
	if got, err := a.Duration("extender.httpTimeout", time.Second); err != nil || got != 100*time.Millisecond {
		t.Errorf("%v %v", got, err)
	}
	if got, err := a.Text("extender.predicateVerb", "predicate"); err != nil || got != "predicate" {
		t.Errorf("%q %v", got, err)
	}
}

func TestAGetterOfTheWrongKindSaysWhere(t *testing.T) {
	a := written(t, "extender", "      extender.urlPrefix: http://127.0.0.1\n")
	got, err := a.Int("extender.urlPrefix", 4)
	if want := `line 6: argument "extender.urlPrefix": expected a whole number, got "http://127.0.0.1"`; got != 4 || err == nil || err.Error() != want {
		t.Errorf("%d %v", got, err)
	}
}

func TestTheErrorCacheHasTwoSpellings(t *testing.T) {
	for _, key := range []string{"predicateErrorCacheEnable", "enablePredicateErrorCache"} {
		s, notes := read(acts+tiers+"configurations:\n- name: allocate\n  arguments:\n    "+key+": false\n", Strict)
		if got, err := s.Configurations["allocate"].Bool("predicateErrorCacheEnable", true); got || err != nil || notes != "" {
			t.Errorf("%s: %t %v %s", key, got, err, notes)
		}
	}
	if got, _ := (Arguments{}).Bool("predicateErrorCacheEnable", true); !got {
		t.Error("an action without configuration does not have the default")
	}
}

func TestAnArgumentOfFewValuesTakesNoOther(t *testing.T) {
	if got, err := written(t, "joborder", "      joborder.by: srsf\n").Text("joborder.by", ""); err != nil || got != "srsf" {
		t.Errorf("%q %v", got, err)
	}
	_, got := read(plugins+"  - name: joborder\n    arguments:\n      joborder.by: lottery\n", Strict)
	if want := `"joborder.by" of plugin joborder: expected fifo or sjf or srtf or srsf, got "lottery"`; strings.Count(got, "\n") > 1 || !strings.Contains(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
}
