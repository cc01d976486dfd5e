package nodeorder_test

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

func TestPreferredTermsAddUp(t *testing.T) {
	node := &model.Node{Labels: []model.Label{{Key: "disk", Value: "ssd"}, {Key: "zone", Value: "a"}}}
	term := func(key, value string) model.Term {
		return model.Term{All: []model.Requirement{{Key: key, Op: model.In, Values: []string{value}}}}
	}
	score := build(t, ledger.New(), nil).NodePlugins.StaticOrders[0]
	if score.Weight() != 2 || score.Reverse() {
		t.Fatalf("weight %d, reverse %v, want 2 and more is better", score.Weight(), score.Reverse())
	}
	for name, c := range map[string]struct {
		preferred []model.Preference
		want      int64
	}{
		"no preference":          {nil, 0},
		"one that holds":         {[]model.Preference{{Weight: 10, Term: term("disk", "ssd")}}, 10},
		"one that does not hold": {[]model.Preference{{Weight: 10, Term: term("disk", "hdd")}}, 0},
		"two that hold, one that does not": {[]model.Preference{{Weight: 10, Term: term("disk", "ssd")},
			{Weight: 5, Term: term("zone", "a")}, {Weight: 80, Term: term("zone", "b")}}, 15},
		"a term without requirements is void": {[]model.Preference{{Weight: 10}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := score.RawScore(&model.Spec{Preferred: c.preferred}, node); got != c.want {
				t.Errorf("raw score %d, want %d", got, c.want)
			}
		})
	}
}

func TestUntoleratedSoftTaintsAreCounted(t *testing.T) {
	taint := func(key string, e model.Effect) model.Taint { return model.Taint{Key: key, Effect: e} }
	soft := []model.Taint{taint("old", model.PreferNoSchedule), taint("slow", model.PreferNoSchedule)}
	score := build(t, ledger.New(), nil).NodePlugins.StaticOrders[1]
	if score.Weight() != 3 || !score.Reverse() {
		t.Fatalf("weight %d, reverse %v, want 3 and fewer is better", score.Weight(), score.Reverse())
	}
	for name, c := range map[string]struct {
		taints      []model.Taint
		tolerations []model.Toleration
		want        int64
	}{
		"no taints":                    {nil, nil, 0},
		"two that nobody tolerates":    {soft, nil, 2},
		"one of two is tolerated":      {soft, []model.Toleration{{Key: "old", Exists: true}}, 1},
		"all are tolerated":            {soft, []model.Toleration{{Exists: true}}, 0},
		"tolerated for another effect": {soft, []model.Toleration{{Exists: true, Effect: model.NoExecute}}, 2},
		"taints that repel do not count": {[]model.Taint{taint("a", model.NoSchedule), taint("b", model.NoExecute)}, nil,
			0},
		"two effects of one key, one soft": {[]model.Taint{taint("a", model.NoSchedule), taint("a", model.PreferNoSchedule)},
			nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := score.RawScore(&model.Spec{Tolerations: c.tolerations}, &model.Node{Taints: c.taints}); got != c.want {
				t.Errorf("raw score %d, want %d", got, c.want)
			}
		})
	}
}
