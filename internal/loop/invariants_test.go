package loop

import (
	"slices"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// A binding to a node that has less than nothing left of what the pod asks for is counted, and no other is.
func TestABindingAboveWhatANodeOffersIsCounted(t *testing.T) {
	l := ledger.New()
	apply := func(kind model.Kind, name string, o model.Object) {
		ref := model.Ref{Kind: kind, Name: name}
		if kind == model.KindPod {
			ref.Namespace = "ns"
		}
		l.Apply(model.Fact{Ref: ref, UID: name, Version: 1, Object: o})
	}
	apply(model.KindNode, "n", &model.Node{Meta: model.Meta{Name: "n", UID: "n"},
		Allocatable: resource.List{{Name: "cpu", Value: 2000}, {Name: "memory", Value: 100}, {Name: "pods", Value: 10}}})
	m, counted := newMetrics(), 0
	m.onViolation = func(invariant string) {
		if invariant == nodesHold {
			counted++
		}
	}
	for _, step := range []struct {
		name  string
		asks  resource.Amount
		wrong int
	}{
		{"all", resource.Amount{Name: "cpu", Value: 2000}, 0},
		{"more", resource.Amount{Name: "cpu", Value: 1}, 1},
		{"other", resource.Amount{Name: "memory", Value: 100}, 1},
	} {
		apply(model.KindPod, step.name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: step.name, UID: step.name},
			Node: "n", Phase: model.PodRunning, Spec: &model.Spec{Requests: resource.List{step.asks}}})
		l.ExtendDims()
		item := sched.Item{Kind: sched.BindPod, Pod: ledger.Key{Namespace: "ns", Name: step.name}, Node: "n"}
		evicted := item
		evicted.Kind = sched.EvictPod
		m.check(l, func(ledger.JobID) bool { return true }, []sched.Item{item, evicted})
		if counted != step.wrong {
			t.Errorf("after %s it counts %v, want %v", step.name, counted, step.wrong)
		}
	}
}

// What must not be decided is counted by what is broken, and what may be is not.
func TestWhatMustNotBeDecidedIsCounted(t *testing.T) {
	l := ledger.New()
	group := model.Ref{Kind: model.KindPodGroup, Namespace: "ns", Name: "gang"}
	l.Apply(model.Fact{Ref: group, UID: "g", Version: 1, Object: &model.PodGroup{Meta: model.Meta{Namespace: "ns",
		Name: "gang", UID: "g"}, MinMember: 2}})
	for name, node := range map[string]string{"waits": "", "runs": "n"} {
		l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: 1,
			Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Node: node, Group: "gang", Ours: true,
				Index: -1, Phase: model.PodPending, Spec: &model.Spec{}}})
	}
	l.ExtendDims()
	if waits, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: "waits"}); l.Task(waits).Job == ledger.NoJob {
		t.Fatal("the pod is in no job")
	}
	decided := func(kind sched.ItemKind, pod, uid, action string, why *trace.Eviction) sched.Item {
		return sched.Item{Kind: kind, Pod: ledger.Key{Namespace: "ns", Name: pod}, UID: uid, Node: "n", Action: action,
			Record: why}
	}
	record := &trace.Eviction{}
	binds := func(pod, uid string) sched.Item { return decided(sched.BindPod, pod, uid, "", nil) }
	evicts := func(uid, action string, why *trace.Eviction) sched.Item {
		return decided(sched.EvictPod, "runs", uid, action, why)
	}
	for what, given := range map[string]struct {
		ready bool
		item  sched.Item
		wrong []string
	}{
		"a pod of a gang that starts":         {true, binds("waits", "waits"), nil},
		"a pod of a gang below its minimum":   {false, binds("waits", "waits"), []string{gangsHold}},
		"a pod that has a node":               {true, binds("runs", "runs"), []string{podsHold}},
		"a pod of whatever life":              {true, binds("waits", ""), []string{podsHold}},
		"a pod that is gone":                  {false, binds("gone", "gone"), nil},
		"two at once, of a pod that has both": {false, binds("runs", "runs"), []string{podsHold, gangsHold}},
		"an eviction with its record":         {true, evicts("runs", "preempt", record), nil},
		"an eviction without a record":        {true, evicts("runs", "preempt", nil), []string{recordsHold}},
		"an eviction by no action":            {true, evicts("runs", "", record), []string{recordsHold}},
		"an eviction of whatever life":        {true, evicts("", "preempt", record), []string{podsHold}},
		"a nomination, which takes nothing":   {false, decided(sched.NominatePod, "waits", "", "", nil), nil},
	} {
		m := newMetrics()
		var told []string
		m.onViolation = func(invariant string) { told = append(told, invariant) }
		m.check(l, func(ledger.JobID) bool { return given.ready }, []sched.Item{given.item})
		if !slices.Equal(told, given.wrong) {
			t.Errorf("%s: %q is counted, want %q", what, told, given.wrong)
		}
	}
}
