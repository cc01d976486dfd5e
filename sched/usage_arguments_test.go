package sched

import (
	"testing"

	"ashlar.sh/sched/policy"
)

// TestWhatMemoryOfUsageTakes: a half-life of 0 is refused, where a sum would only grow or nothing be remembered; the
// arguments of Volcano's plugin are taken.
func TestWhatMemoryOfUsageTakes(t *testing.T) {
	for name, c := range map[string]struct {
		plugin    string
		arguments policy.Arguments
		taken     bool
	}{
		"a half-life":                {"proportion", policy.Arguments{"usage.weight": "0.5", "usage.halfLife": "1h"}, true},
		"none":                       {"proportion", policy.Arguments{"usage.weight": "0.5", "usage.halfLife": "0s"}, false},
		"one below none":             {"capacity", policy.Arguments{"usage.weight": "0.5", "usage.halfLife": "-1h"}, false},
		"none, of drf":               {"drf", policy.Arguments{"usage.weight": "0.5", "usage.halfLife": "0"}, false},
		"a weight of 0":              {"proportion", policy.Arguments{"usage.weight": "0"}, true},
		"the whole weight":           {"proportion", policy.Arguments{"usage.weight": "1"}, false},
		"a weight below 0":           {"capacity", policy.Arguments{"usage.weight": "-0.1"}, false},
		"none, of tenants":           {"fairshare", policy.Arguments{"fairshare.halfLifeMinutes": "0"}, false},
		"tenants by a label":         {"fairshare", policy.Arguments{"fairshare.by": "label:team"}, true},
		"tenants by what is nowhere": {"fairshare", policy.Arguments{"fairshare.by": "team"}, false},
		"what Volcano 1.16 has": {"fairshare", policy.Arguments{"fairshare.targetQueues": "ml,web",
			"fairshare.resourceKey": "nvidia.com/gpu", "fairshare.resourceKey.ml": "cpu", "fairshare.halfLifeMinutes": "240",
			"fairshare.enableEnqueueGate": "true", "fairshare.persistState": "true", "fairshare.stateNamespace": "system",
			"fairshare.stateConfigMap": "state", "fairshare.flushIntervalSeconds": "30"}, true},
	} {
		_, err := New(policy.Profile{Actions: []string{"allocate"},
			Tiers: [][]policy.Choice{{{Plugin: c.plugin, Arguments: c.arguments}}}})
		if (err == nil) != c.taken {
			t.Errorf("%s: %s with %v: %v; want it taken: %t", name, c.plugin, c.arguments, err, c.taken)
		}
	}
}
