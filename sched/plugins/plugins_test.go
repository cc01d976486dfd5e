package plugins_test

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
)

func TestEveryPluginCanBeConfiguredByItsName(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range plugins.All() {
		if seen[d.Name] {
			t.Errorf("two plugins are called %s", d.Name)
		}
		seen[d.Name] = true
		profile := policy.Profile{Tiers: [][]policy.Choice{{{Plugin: d.Name}}}}
		if _, err := policy.Build(profile, plugins.All(), ledger.New()); err != nil {
			t.Errorf("%s without arguments: %v", d.Name, err)
		}
	}
}

func TestTheListIsTheCallersOwn(t *testing.T) {
	plugins.All()[0] = policy.Definition{}
	if plugins.All()[0].Name == "" {
		t.Error("what one caller does to the list reaches the next")
	}
}
