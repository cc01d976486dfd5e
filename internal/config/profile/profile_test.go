package profile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

func read(t *testing.T, text string) *config.Scheduler {
	t.Helper()
	s, problems := config.Parse(config.Source{File: "conf"}, []byte(text), config.Volcano(), config.Strict)
	if s == nil {
		t.Fatalf("the configuration is refused: %v", problems)
	}
	return s
}

func TestOf(t *testing.T) {
	got := profile.Of(read(t, `
actions: "enqueue, allocate, preempt, backfill"
configurations:
- name: allocate
  arguments:
    enablePredicateErrorCache: false
tiers:
- plugins:
  - name: task-topology
  - name: gang
    enableJobOrder: false
    enabledJobPipelined: false
- plugins:
  - name: proportion
    enableHierarchy: true
  - name: predicates
    arguments:
      predicate.NodePortsEnable: false
      volumebinding.weight: 3
  - name: binpack
    arguments:
      binpack.weight: 5
      binpack.resources: nvidia.com/gpu,  example.com/foo
      binpack.resources.nvidia.com/gpu: 2
`))
	want := policy.Profile{
		Actions: []string{"enqueue", "allocate", "preempt", "backfill"},
		ActionArguments: map[string]policy.Arguments{
			"enqueue": {}, "preempt": {}, "backfill": {}, "allocate": {"predicateErrorCacheEnable": "false"},
		},
		Tiers: [][]policy.Choice{
			{{Plugin: "gang", Off: []policy.Point{policy.PointJobOrder, policy.PointJobPipelined},
				Arguments: policy.Arguments{}}},
			{
				{Plugin: "proportion", Hierarchy: true, Arguments: policy.Arguments{}},
				{Plugin: "predicates", Arguments: policy.Arguments{"predicate.NodePortsEnable": "false"}},
				{Plugin: "binpack", Arguments: policy.Arguments{
					"binpack.weight": "5", "binpack.resources": "nvidia.com/gpu, example.com/foo",
					"binpack.resources.nvidia.com/gpu": "2",
				}},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
}

// What the catalogue calls built must be in the engine, or nothing would run.
func TestEngineKnowsAllThatTheCatalogueCallsBuilt(t *testing.T) {
	var p policy.Profile
	for _, a := range config.Volcano().Actions {
		if a.Built {
			p.Actions = append(p.Actions, a.Name)
		}
	}
	for _, e := range config.Volcano().Plugins {
		if e.Built {
			p.Tiers = append(p.Tiers, []policy.Choice{{Plugin: e.Name}})
		}
	}
	if _, err := sched.New(p); err != nil {
		t.Error(err)
	}
}

func TestDefaultMakesAnEngine(t *testing.T) {
	p := profile.Of(config.Default())
	if _, err := sched.New(p); err != nil {
		t.Fatal(err)
	}
	if !p.HasAction("enqueue") || !p.HasAction("allocate") || !p.HasAction("backfill") {
		t.Errorf("actions %v; want enqueue, allocate and backfill", p.Actions)
	}
}

// A list of maps comes through as JSON, and the plugin takes it.
func TestStrategiesOfRescheduling(t *testing.T) {
	p := profile.Of(read(t, `
actions: "allocate"
tiers:
- plugins:
  - name: rescheduling
    arguments:
      interval: 2m
      metricsPeriod: 5m
      strategies:
      - name: lowNodeUtilization
        params:
          thresholds: {memory: 20.5, cpu: 20}
          targetThresholds: {cpu: 50}
`))
	want := policy.Arguments{"interval": "2m0s",
		"strategies": `[{"name":"lowNodeUtilization","params":{"targetThresholds":{"cpu":50},` +
			`"thresholds":{"cpu":20,"memory":20.5}}}]`}
	if diff := cmp.Diff(want, p.Tiers[0][0].Arguments); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	if _, err := sched.New(p); err != nil {
		t.Error(err)
	}
}

// The plugin that reads hours takes them where its process is, unless an argument says where.
func TestLocal(t *testing.T) {
	of := profile.Of(read(t, `actions: "allocate"
tiers:
- plugins:
  - name: gang
  - name: tdm
    arguments: {tdm.revocable-zone.rz: "9:00-18:00"}
- plugins:
  - name: tdm
    arguments: {tdm.revocable-zone.rz: "9:00-18:00", tdm.utc-offset: "+01:00"}
`))
	local := profile.Local(of, "+08:00")
	for _, c := range []struct {
		of   policy.Choice
		want string
	}{
		{local.Tiers[0][0], ""}, {local.Tiers[0][1], "+08:00"}, {local.Tiers[1][0], "+01:00"},
		{of.Tiers[0][1], ""}, {profile.Local(of, "").Tiers[0][1], ""},
	} {
		if got := c.of.Arguments["tdm.utc-offset"]; got != c.want {
			t.Errorf("%s reads hours at %q, want %q", c.of.Plugin, got, c.want)
		}
	}
}
