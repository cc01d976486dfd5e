package priority_test

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/priority"
	"ashlar.sh/sched/policy"
)

// plugin is what this plugin answers.
type plugin interface {
	policy.JobOrder
	policy.TaskOrder
	policy.JobStarving
	policy.Preemptable
}

// cluster has the priority classes high (1000), low (10) and the default, normal (100).
func cluster(t *testing.T) (*ledger.Ledger, plugin) {
	t.Helper()
	l := ledger.New()
	for name, value := range map[string]int32{"high": 1000, "low": 10, "normal": 100} {
		apply(l, model.KindPriorityClass, name, &model.PriorityClass{Meta: model.Meta{Name: name}, Value: value,
			GlobalDefault: name == "normal"})
	}
	p, err := priority.Definition().New(policy.Choice{}, l)
	if err != nil {
		t.Fatal(err)
	}
	return l, p.(plugin)
}

func apply(l *ledger.Ledger, k model.Kind, name string, o model.Object) {
	namespace := "ns"
	if k == model.KindPriorityClass {
		namespace = ""
	}
	l.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name, Version: 1, Object: o})
}

func TestTheJobOfHigherPriorityGoesFirst(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string // priority classes
		want int
	}{
		"the higher value is served first":            {"high", "low", -1},
		"the lower value waits":                       {"low", "high", 1},
		"equal values have no order":                  {"low", "low", 0},
		"no class counts as the default class":        {"", "normal", 0},
		"the default class is above a lower one":      {"", "low", -1},
		"a class nobody made counts as the default":   {"unheard-of", "", 0},
		"the default class is below a higher one too": {"", "high", 1},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := cluster(t)
			var id [2]ledger.JobID
			for i, class := range []string{c.a, c.b} {
				key := ledger.JobKey{Namespace: "ns", Name: string(rune('a' + i))}
				apply(l, model.KindPodGroup, key.Name, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: key.Name},
					PriorityClass: class})
				id[i], _ = l.Jobs.Find(key)
			}
			if got := p.CompareJobs(id[0], id[1]); got != c.want {
				t.Errorf("CompareJobs(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
			}
		})
	}
}

func TestTheTaskOfHigherPriorityGoesFirst(t *testing.T) {
	class := func(name string) model.Pod { return model.Pod{PriorityClass: name} }
	value := func(x int32) model.Pod { return model.Pod{Priority: x, HasPriority: true, PriorityClass: "high"} }
	for name, c := range map[string]struct {
		a, b model.Pod
		want int
	}{
		"the higher class is placed first":            {class("high"), class("low"), -1},
		"the lower class is placed later":             {class("low"), class("high"), 1},
		"equal priorities have no order":              {class("low"), class("low"), 0},
		"spec.priority counts, whatever its class":    {value(5), class("low"), 1},
		"a negative priority is below the default":    {value(-1), class(""), 1},
		"a priority of zero is not a missing one":     {value(0), class(""), 1},
		"the lowest and the highest number are apart": {value(1<<31 - 1), value(-1 << 31), -1},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := cluster(t)
			var id [2]ledger.TaskID
			for i, pod := range []model.Pod{c.a, c.b} {
				pod.Meta = model.Meta{Namespace: "ns", Name: string(rune('a' + i))}
				pod.Ours, pod.Group, pod.Spec = true, "job", &model.Spec{}
				apply(l, model.KindPod, pod.Name, &pod)
				id[i], _ = l.Tasks.Find(ledger.Key{Namespace: "ns", Name: pod.Name})
			}
			if got := p.CompareTasks(id[0], id[1]); got != c.want {
				t.Errorf("CompareTasks = %d, want %d", got, c.want)
			}
		})
	}
}
