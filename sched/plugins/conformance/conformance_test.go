package conformance_test

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/conformance"
	"ashlar.sh/sched/policy"
)

func TestPodsOfTheSystemAreProtected(t *testing.T) {
	for name, c := range map[string]struct {
		namespace, class string
		priority         int32
		want             bool
	}{
		"a pod critical to the cluster":               {"ns", "system-cluster-critical", 2000000000, true},
		"a pod critical to its node":                  {"ns", "system-node-critical", 2000001000, true},
		"any pod of kube-system":                      {"kube-system", "", 0, true},
		"an ordinary pod is not":                      {"ns", "", 0, false},
		"a pod of another class is not":               {"ns", "high", 1000, false},
		"a high number without the class is not":      {"ns", "", 2000001000, false},
		"a namespace that only begins like it is not": {"kube-system-tools", "", 0, false},
		"a class that only begins like it is not":     {"ns", "system-cluster", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			task := &ledger.Task{
				Key:      ledger.Key{Namespace: c.namespace, Name: "pod"},
				Pod:      &model.Pod{PriorityClass: c.class},
				Priority: c.priority,
			}
			if got := conformance.Protects(task); got != c.want {
				t.Errorf("Protects = %v, want %v", got, c.want)
			}
		})
	}
}

func TestThePluginAnswersNoQuestionYet(t *testing.T) {
	l := ledger.New()
	profile := policy.Profile{Tiers: [][]policy.Choice{{{Plugin: "conformance"}}}}
	set, err := policy.Build(profile, []policy.Definition{conformance.Definition()}, l)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(set.StaticFilters) + len(set.NodeFilters) + len(set.TaskFilters) + len(set.NodeOrders) + len(set.StaticOrders); n != 0 {
		t.Errorf("%d filters and scores, want none", n)
	}
}
