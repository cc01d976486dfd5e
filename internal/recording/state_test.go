package recording

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// A state from before owners had UIDs is read, and its pods of one owner are one job. One that is
// saved now keeps them apart, and what was decided of each with it.
func TestASavedStateKnowsItsOwners(t *testing.T) {
	const before = `{"Format":1,"Facts":[
		{"Ref":{"Kind":"Pod","Namespace":"ns","Name":"a"},"UID":"a","Version":1,
			"Object":{"Namespace":"ns","Name":"a","UID":"a","Owner":"app","Ours":true,"Spec":{}}},
		{"Ref":{"Kind":"Pod","Namespace":"ns","Name":"b"},"UID":"b","Version":1,
			"Object":{"Namespace":"ns","Name":"b","UID":"b","Owner":"app","Ours":true,"Spec":{}}}],
		"Commitments":{"Phases":[{"Job":{"Namespace":"ns","Name":"app","Adopted":true},"UID":"","Phase":1,"Item":7}]}}`
	jobs := func(s State) (out []string) {
		e, err := sched.New(policy.Profile{})
		if err != nil {
			t.Fatal(err)
		}
		e.Apply(s.Facts...)
		e.Restore(s.Commitments)
		for _, j := range e.Report().Jobs {
			out = append(out, fmt.Sprint(j.Shown, " ", j.Phase, " ", j.Tasks[model.Pending]))
		}
		return out
	}
	var s State
	if err := json.Unmarshal([]byte(before), &s); err != nil {
		t.Fatal(err)
	}
	if got := jobs(s); !slices.Equal(got, []string{"app Inqueue 2"}) {
		t.Errorf("a state from before has jobs %q", got)
	}
	for i, f := range s.Facts {
		f.Object.(*model.Pod).OwnerID = fmt.Sprint("Job.batch/j", i)
	}
	s.Commitments.Phases[0].Job.Owner = "Job.batch/j1"
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var is State
	if err := json.Unmarshal(text, &is); err != nil {
		t.Fatal(err)
	}
	if got := jobs(is); !slices.Equal(got, []string{"app (Job.batch j0) Pending 1", "app (Job.batch j1) Inqueue 1"}) {
		t.Errorf("a state that is saved now has jobs %q", got)
	}
}

// A state that was saved is decided on as it was: no object of a kind that decides is left out.
func TestASavedStateIsReadAsItWas(t *testing.T) {
	labels := []model.Label{{Key: "team", Value: "red"}}
	fact := func(kind model.Kind, namespace string, o model.Object) model.Fact {
		*o.Common() = model.Meta{Namespace: namespace, Name: "x", UID: "u"}
		return model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: "x"}, UID: "u", Version: 7, Object: o}
	}
	was := State{Now: 5, Period: time.Second, Commitments: sched.Commitments{LastArrival: 4, Arrivals: []sched.Arrival{
		{JobRef: sched.JobRef{Job: ledger.JobKey{Namespace: "ns", Name: "x"}, UID: "u"}, At: 3, Seen: true}}},
		Facts: []model.Fact{
			fact(model.KindNode, "", &model.Node{Labels: labels}),
			fact(model.KindPod, "ns", &model.Pod{Labels: labels, Spec: &model.Spec{Devices: []string{"gpu"},
				Neighbours: &model.Neighbours{Apart: []model.Near{{Key: "zone", Pods: model.PodSelector{ByLabels: true}}},
					Spread: []model.Spread{{Key: "zone", MaxSkew: 2, Soft: true}}}}}),
			fact(model.KindPodGroup, "ns", &model.PodGroup{Queue: "q", MinMember: 2}),
			fact(model.KindQueue, "", &model.Queue{Weight: 3}),
			fact(model.KindPriorityClass, "", &model.PriorityClass{Value: 4}),
			fact(model.KindQuota, "ns", &model.Quota{}),
			fact(model.KindBudget, "ns", &model.Budget{}),
			fact(model.KindHyperNode, "", &model.HyperNode{Tier: 1, Members: []model.Member{{Node: true, Name: "n"}}}),
			fact(model.KindService, "ns", &model.Service{Selector: labels}),
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
	if is.Period != was.Period || !reflect.DeepEqual(is.Commitments, was.Commitments) {
		t.Errorf("%v %+v comes back as %v %+v", was.Period, was.Commitments, is.Period, is.Commitments)
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

// A saved state keeps the names that fields had when its format was made: a budget or term that matches nothing
// does not match every pod when it is read again.
func TestASavedStateKeepsTheNamesOfItsFields(t *testing.T) {
	const before = `{"Format":1,"Facts":[
		{"Ref":{"Kind":"Pod","Namespace":"ns","Name":"a"},"UID":"a","Version":1,
			"Object":{"Spec":{"Neighbours":{"Apart":[{"Key":"zone","Crowd":{"Nobody":true}}]}}}},
		{"Ref":{"Kind":"PodDisruptionBudget","Namespace":"ns","Name":"b"},"UID":"b","Version":1,
			"Object":{"Nobody":true}}]}`
	var s State
	if err := json.Unmarshal([]byte(before), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Facts) != 2 {
		t.Fatalf("%d facts are read, want 2: %v", len(s.Facts), s.LeftOut)
	}
	near := []model.Near{{Key: "zone", Pods: model.PodSelector{MatchesNothing: true}}}
	if got := s.Facts[0].Object.(*model.Pod).Spec.Neighbours.Apart; !reflect.DeepEqual(got, near) {
		t.Errorf("a term is read as %+v, want %+v", got, near)
	}
	if got := s.Facts[1].Object.(*model.Budget); !got.MatchesNothing {
		t.Errorf("a budget is read as %+v, want one that matches nothing", got)
	}
}
