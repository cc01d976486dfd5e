package nodegroup

import (
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// affinity is a queue's: "gold,silver/gold/lead/tin" are what it requires, prefers,
// forbids and avoids; "" is none.
func affinity(text string) *model.NodeGroups {
	if text == "" {
		return nil
	}
	var lists [4][]string
	for i, list := range strings.Split(text, "/") {
		if list != "" {
			lists[i] = strings.Split(list, ",")
		}
	}
	return &model.NodeGroups{Required: lists[0], Preferred: lists[1], Forbidden: lists[2], Avoided: lists[3]}
}

// machine is a node in a group, "" for none.
func machine(group string) *model.Node {
	n := &model.Node{Meta: model.Meta{Name: "n"}}
	if group != "" {
		n.Labels = []model.Label{{Key: model.NodeGroupLabel, Value: group}}
	}
	return n
}

func configured(t *testing.T, arguments policy.Arguments) *plugin {
	t.Helper()
	p, err := Definition().New(policy.Choice{Arguments: arguments}, ledger.New())
	if err != nil {
		t.Fatal(err)
	}
	return p.(*plugin)
}

// The tables of Volcano's guide to its node groups, and what lies between.
func TestPodsThatMayUseANode(t *testing.T) {
	strict, loose := configured(t, nil), configured(t, policy.Arguments{"strict": "false"})
	for _, c := range []struct {
		name, queue, node string
		strict, loose     bool
	}{
		{"a group that is required", "gold,silver", "silver", true, true},
		{"a group that is preferred alone", "gold/silver", "silver", true, true},
		{"a group that is not named", "gold", "lead", false, false},
		{"a group that is forbidden", "gold//lead", "lead", false, false},
		{"forbidden goes before wanted", "gold,silver/silver/silver", "silver", false, false},
		{"to avoid goes before forbidden: it is used if need be", "gold//lead/lead", "lead", true, true},
		{"nothing but forbidden groups leaves none", "//lead", "gold", false, false},
		{"a queue without an affinity in a group", "", "gold", false, false},
		{"a queue without an affinity outside of all groups", "", "", false, true},
		{"a queue with an affinity outside of all groups", "gold", "", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, n := &model.Spec{Groups: affinity(c.queue)}, machine(c.node)
			for p, want := range map[*plugin]bool{strict: c.strict, loose: c.loose} {
				v := p.FilterStatic(s, n)
				if v.Admits() != want {
					t.Errorf("strict %t: admitted %t, want %t", p.strict, v.Admits(), want)
				}
				if !v.Admits() && (v.Code != trace.NodeGroup || v.Text != c.node) {
					t.Errorf("strict %t: refused with %s %q, want NodeGroup with the node's group", p.strict, v.Code, v.Text)
				}
			}
		})
	}
}

func TestWhatANodesGroupIsWorth(t *testing.T) {
	plain, ordered := configured(t, nil), configured(t, policy.Arguments{"enablePreferredOrder": "true"})
	for _, c := range []struct {
		name, queue, node string
		plain, ordered    int64
	}{
		{"required and preferred", "gold/gold", "gold", 150, 150},
		{"required", "gold", "gold", 100, 100},
		{"preferred", "/gold", "gold", 50, 50},
		{"the first of two preferred", "/gold,silver", "gold", 50, 50},
		{"the second of two preferred", "/gold,silver", "silver", 50, 25},
		{"the last of three preferred", "/gold,silver,lead", "lead", 50, 16},
		{"to avoid, though required", "gold///gold", "gold", 0, 0},
		{"not named", "gold", "lead", 0, 0},
		{"no group", "gold", "", 0, 0},
		{"no affinity", "", "gold", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, n := &model.Spec{Groups: affinity(c.queue)}, machine(c.node)
			if got := plain.RawScore(s, n); got != c.plain {
				t.Errorf("worth %d, want %d", got, c.plain)
			}
			if got := ordered.RawScore(s, n); got != c.ordered {
				t.Errorf("with enablePreferredOrder worth %d, want %d", got, c.ordered)
			}
		})
	}
}

func TestProblemsOfAnAffinity(t *testing.T) {
	for name, c := range map[string]struct {
		queue string
		want  []string
	}{
		"in order":                        {"gold/gold/lead/tin", nil},
		"none":                            {"", nil},
		"wanted and forbidden":            {"gold,silver//gold", []string{"group gold is wanted"}},
		"wanted twice and forbidden":      {"gold,silver/gold/gold", []string{"group gold is wanted"}},
		"forbidden, and to avoid instead": {"gold//gold/gold", nil},
		"nothing is left":                 {"//gold", []string{"leaves no group"}},
		"nothing that is wanted is left":  {"gold//gold", []string{"group gold is wanted", "leaves no group"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := configured(t, nil)
			q := &model.Queue{Meta: model.Meta{Name: "q"}, Groups: affinity(c.queue)}
			p.l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: "q"}, Object: q})
			got := p.Problems()
			if len(got) != len(c.want) {
				t.Fatalf("problems %v, want %d", got, len(c.want))
			}
			for i, want := range c.want {
				if got[i].Object != "Queue/q" || !strings.Contains(got[i].Message, want) {
					t.Errorf("problem %v does not say %q", got[i], want)
				}
			}
		})
	}
}

func TestArgumentsAreTrueOrFalse(t *testing.T) {
	for _, key := range []string{"strict", "enablePreferredOrder"} {
		if _, err := Definition().New(policy.Choice{Arguments: policy.Arguments{key: "perhaps"}}, ledger.New()); err == nil ||
			!strings.Contains(err.Error(), key) {
			t.Errorf("%s: perhaps: the error is %v, want one that names the argument", key, err)
		}
	}
}
