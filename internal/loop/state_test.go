package loop

import (
	"encoding/json"
	"reflect"
	"testing"

	"ashlar.sh/sched/model"
)

// A state that was saved is decided on as it was: no object of a kind that decides is left out.
func TestASavedStateIsReadAsItWas(t *testing.T) {
	labels := []model.Label{{Key: "team", Value: "red"}}
	fact := func(kind model.Kind, namespace string, o model.Object) model.Fact {
		*o.Common() = model.Meta{Namespace: namespace, Name: "x", UID: "u"}
		return model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: "x"}, UID: "u", Version: 7, Object: o}
	}
	was := State{Now: 5, Facts: []model.Fact{
		fact(model.KindNode, "", &model.Node{Labels: labels}),
		fact(model.KindPod, "ns", &model.Pod{Labels: labels, Spec: &model.Spec{Devices: []string{"gpu"},
			Neighbours: &model.Neighbours{Apart: []model.Near{{Key: "zone", Crowd: model.Crowd{ByLabels: true}}},
				Spread: []model.Spread{{Key: "zone", MaxSkew: 2, Soft: true}}}}}),
		fact(model.KindPodGroup, "ns", &model.PodGroup{Queue: "q", MinMember: 2}),
		fact(model.KindQueue, "", &model.Queue{Weight: 3}),
		fact(model.KindPriorityClass, "", &model.PriorityClass{Value: 4}),
		fact(model.KindQuota, "ns", &model.Quota{}),
		fact(model.KindBudget, "ns", &model.Budget{}),
		fact(model.KindHyperNode, "", &model.HyperNode{Tier: 1, Members: []model.Member{{Node: true, Name: "n"}}}),
		fact(model.KindNamespace, "", &model.Namespace{Labels: labels}),
	}}
	text, err := json.Marshal(was)
	if err != nil {
		t.Fatal(err)
	}
	var is State
	if err := json.Unmarshal(text, &is); err != nil {
		t.Fatal(err)
	}
	if len(is.Facts) != len(was.Facts) {
		t.Fatalf("of %d facts %d come back", len(was.Facts), len(is.Facts))
	}
	for i := range was.Facts {
		if !reflect.DeepEqual(was.Facts[i], is.Facts[i]) {
			t.Errorf("%s comes back as %+v, want %+v", was.Facts[i].Ref, is.Facts[i].Object, was.Facts[i].Object)
		}
	}
}
