package predicates_test

import (
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/predicates"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// build makes the plugin alone in a profile.
func build(t *testing.T, l *ledger.Ledger, a policy.Arguments) *policy.Set {
	t.Helper()
	profile := policy.Profile{Tiers: [][]policy.Choice{{{Plugin: "predicates", Arguments: a}}}}
	set, err := policy.Build(profile, []policy.Definition{predicates.Definition()}, l)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// judge is the first refusal by facts, in the order of the parts.
func judge(set *policy.Set, s *model.Spec, n *model.Node) policy.Verdict {
	for _, f := range set.NodePlugins.StaticFilters {
		if v := f.FilterStatic(s, n); !v.Admits() {
			return v
		}
	}
	return policy.Verdict{}
}

var (
	ssd     = model.Node{Labels: []model.Label{{Key: "disk", Value: "ssd"}}}
	fenced  = model.Node{Unschedulable: true}
	tainted = model.Node{Taints: []model.Taint{
		{Key: "team", Value: "ml", Effect: model.NoSchedule},
		{Key: "flaky", Effect: model.PreferNoSchedule},
		{Key: "burning", Effect: model.NoExecute},
	}}
)

func onDisk(value string) []model.Term {
	return []model.Term{{All: []model.Requirement{{Key: "disk", Op: model.In, Values: []string{value}}}}}
}

func TestANodeIsJudgedByFacts(t *testing.T) {
	all := model.Toleration{Exists: true}
	for name, c := range map[string]struct {
		spec model.Spec
		node model.Node
		want policy.Verdict
	}{
		"devices that nobody allocates are to be had nowhere": {model.Spec{Devices: []string{"gpu", "nic"}}, model.Node{},
			policy.Verdict{Code: trace.NodeDevices, Text: "gpu, nic, which this scheduler does not allocate"}},
		"a plain node takes a plain task": {model.Spec{}, model.Node{}, policy.Verdict{}},
		"a node that declares the features takes the task": {model.Spec{Features: []string{"A", "B"}},
			model.Node{Features: []string{"A", "B", "C"}}, policy.Verdict{}},
		"the first feature that a node lacks is named": {model.Spec{Features: []string{"A", "B"}},
			model.Node{Features: []string{"A"}}, policy.Verdict{Code: trace.NodeFeatures, Text: "B"}},
		"a cordoned node takes nobody": {model.Spec{}, fenced, policy.Verdict{Code: trace.NodeUnschedulable}},
		"a task that tolerates the cordon may enter": {model.Spec{Tolerations: []model.Toleration{
			{Key: "node.kubernetes.io/unschedulable", Exists: true, Effect: model.NoSchedule}}}, fenced, policy.Verdict{}},
		"a task that tolerates everything may enter": {model.Spec{Tolerations: []model.Toleration{all}}, fenced,
			policy.Verdict{}},
		"to tolerate another effect of the cordon does not help": {model.Spec{Tolerations: []model.Toleration{
			{Key: "node.kubernetes.io/unschedulable", Exists: true,
				Effect: model.NoExecute}}}, fenced, policy.Verdict{Code: trace.NodeUnschedulable}},

		"the first untolerated taint by key is named": {model.Spec{}, tainted,
			policy.Verdict{Code: trace.NodeTaint, Text: "burning:NoExecute"}},
		"the next one when the first is tolerated": {model.Spec{Tolerations: []model.Toleration{{Key: "burning",
			Exists: true}}},
			tainted, policy.Verdict{Code: trace.NodeTaint, Text: "team=ml:NoSchedule"}},
		"all that repel are tolerated": {model.Spec{Tolerations: []model.Toleration{{Key: "burning", Exists: true},
			{Key: "team", Value: "ml"}}},
			tainted, policy.Verdict{}},
		"PreferNoSchedule keeps nobody out": {model.Spec{}, model.Node{Taints: tainted.Taints[1:2]}, policy.Verdict{}},

		"the node selector matches": {model.Spec{Selector: []model.Label{{Key: "disk", Value: "ssd"}}}, ssd,
			policy.Verdict{}},
		"the node selector does not match": {model.Spec{Selector: []model.Label{{Key: "disk", Value: "hdd"}}}, ssd,
			policy.Verdict{Code: trace.NodeSelector}},
		"a required affinity matches": {model.Spec{Affinity: onDisk("ssd")}, ssd, policy.Verdict{}},
		"a required affinity does not match": {model.Spec{Affinity: onDisk("hdd")}, ssd,
			policy.Verdict{Code: trace.NodeAffinity}},
		"an affinity without terms: no node": {model.Spec{Affinity: []model.Term{}}, ssd,
			policy.Verdict{Code: trace.NodeAffinity}},
		"a preference keeps nobody out": {model.Spec{Preferred: []model.Preference{{Weight: 1,
			Term: onDisk("hdd")[0]}}}, ssd, policy.Verdict{}},
		"selector and affinity must both fit": {model.Spec{Selector: ssd.Labels, Affinity: onDisk("hdd")}, ssd,
			policy.Verdict{Code: trace.NodeAffinity}},
	} {
		t.Run(name, func(t *testing.T) {
			set := build(t, ledger.New(), nil)
			if got := judge(set, &c.spec, &c.node); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestTheTaintNamedDoesNotDependOnTheirOrder(t *testing.T) {
	set := build(t, ledger.New(), nil)
	b, a := model.Taint{Key: "k", Value: "b", Effect: model.NoSchedule}, model.Taint{Key: "k", Value: "a",
		Effect: model.NoSchedule}
	for _, taints := range [][]model.Taint{{a, b}, {b, a}} {
		if got := judge(set, &model.Spec{}, &model.Node{Taints: taints}).Text; got != "k=a:NoSchedule" {
			t.Errorf("taints %v: named %s, want k=a:NoSchedule", taints, got)
		}
	}
}

func TestArgumentsSwitchPartsOff(t *testing.T) {
	for name, c := range map[string]struct {
		argument string
		spec     model.Spec
		node     model.Node
		want     trace.Code // what still refuses when the part is off
	}{
		"taints": {"predicate.TaintTolerationEnable", model.Spec{}, tainted, trace.None},
		"node selector": {"predicate.NodeAffinityEnable", model.Spec{Selector: []model.Label{{Key: "a"}}},
			ssd, trace.None},
		"required affinity": {"predicate.NodeAffinityEnable", model.Spec{Affinity: onDisk("hdd")}, ssd,
			trace.None},
		"the cordon stays without taint": {"predicate.TaintTolerationEnable", model.Spec{}, fenced, trace.NodeUnschedulable},
		"taints stay without affinity":   {"predicate.NodeAffinityEnable", model.Spec{}, tainted, trace.NodeTaint},
	} {
		t.Run(name, func(t *testing.T) {
			set := build(t, ledger.New(), policy.Arguments{c.argument: "false"})
			if got := judge(set, &c.spec, &c.node).Code; got != c.want {
				t.Errorf("%s: false: refused for %q, want %q", c.argument, got, c.want)
			}
		})
	}
	t.Run("host ports", func(t *testing.T) {
		if n := len(build(t, ledger.New(),
			policy.Arguments{"predicate.NodePortsEnable": "false"}).NodePlugins.NodeFilters); n != 0 {
			t.Errorf("%d filters ask who sits on a node, want none", n)
		}
	})
	t.Run("a switch that is no switch is refused by name", func(t *testing.T) {
		given := policy.Choice{Arguments: policy.Arguments{"predicate.NodePortsEnable": "maybe"}}
		_, err := predicates.Definition().New(given, ledger.New())
		if err == nil || !strings.Contains(err.Error(), "predicate.NodePortsEnable") {
			t.Errorf("err = %v, want one that names the key", err)
		}
	})
}
