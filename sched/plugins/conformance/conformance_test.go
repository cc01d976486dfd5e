package conformance_test

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/conformance"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
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

func TestItGuardsPodsOfTheSystemAndHasNoOpinionOfOthers(t *testing.T) {
	l := ledger.New()
	unit := policy.Unit{}
	for _, namespace := range []string{"ns", "kube-system"} {
		key := ledger.Key{Namespace: namespace, Name: "pod"}
		l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: namespace, Name: "pod"}, UID: namespace, Version: 1,
			Object: &model.Pod{Meta: model.Meta{Namespace: namespace, Name: "pod"}, Ours: true, Spec: &model.Spec{}}})
		task, _ := l.Tasks.Find(key)
		unit.Tasks = append(unit.Tasks, task)
	}
	made, err := conformance.Definition().New(policy.Choice{}, l)
	if err != nil {
		t.Fatal(err)
	}
	for point, ask := range map[string]func(policy.Preemptor, policy.Unit) policy.Opinion{
		"Preemptable": made.(policy.Preemptable).Preemptable, "Reclaimable": made.(policy.Reclaimable).Reclaimable,
	} {
		if o := ask(policy.Preemptor{}, policy.Unit{Tasks: unit.Tasks[:1]}); o.Vote != policy.Abstain {
			t.Errorf("%s of an ordinary pod: %+v, want no opinion", point, o)
		}
		o := ask(policy.Preemptor{}, unit)
		if o.Vote != policy.Reject || !o.Guard || o.Reason.Code != trace.VictimCritical ||
			o.Reason.Task != "kube-system/pod" {
			t.Errorf("%s of a unit with a pod of the system: %+v, want a guard that names it", point, o)
		}
	}
}
