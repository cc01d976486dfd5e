package sched

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// What is kept for a job without pods ends at the time that Decide named, also for an engine that was
// made anew in between; a pod that comes ends that time, and the last one that goes begins it anew.
func TestAPromiseLapses(t *testing.T) {
	profile := policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: [][]policy.Choice{{{Plugin: "gang"}, {Plugin: "proportion"}}}}
	version := uint64(0)
	var facts []model.Fact
	tell := func(e *Engine, k model.Kind, namespace, name string, o model.Object) {
		version++
		f := model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name, Version: version, Object: o}
		facts = append(facts, f)
		e.Apply(f)
	}
	kept := func(e *Engine) bool { // of its queue's room
		j, _ := e.l.FindJob(ledger.JobKey{Namespace: "ns", Name: "job"})
		return e.l.Queue(e.l.Job(j).Queue).Kept(resource.CPU, false) > 0
	}
	decide := func(e *Engine, now, next int64, keeps bool) {
		t.Helper()
		if _, _, at := e.Decide(now * second); at != next*second || kept(e) != keeps {
			t.Errorf("at %d s: next at %d s, want %d; kept %v", now, at/second, next, kept(e))
		}
	}
	anew := func(c Commitments) *Engine {
		e, err := New(profile)
		if err != nil {
			t.Fatal(err)
		}
		e.Apply(facts...)
		e.Restore(c)
		return e
	}

	e := anew(Commitments{})
	tell(e, model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1})
	tell(e, model.KindNode, "", "n", &model.Node{Meta: model.Meta{Name: "n"}, Allocatable: resource.List{{Name: "cpu", Value: 4000}, {Name: "pods", Value: 10}}})
	tell(e, model.KindPodGroup, "ns", "job", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "job", UID: "job"},
		Queue: "default", MinMember: 2, HasMin: true, MinResources: resource.List{{Name: "cpu", Value: 4000}}})
	decide(e, 10, 70, true)
	e.Checkpoint()
	late := anew(e.LastCheckpoint())
	decide(late, 69, 70, true)
	decide(late, 70, 0, false)
	decide(anew(late.Commitments()), 80, 0, false)

	pod := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "pod", UID: "pod"}, Ours: true, Group: "job", Phase: model.PodPending,
		Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1000}}}}
	tell(e, model.KindPod, "ns", "pod", pod)
	decide(e, 60, 0, true)
	decide(e, 600, 0, true)
	tell(e, model.KindPod, "ns", "pod", nil)
	decide(e, 700, 760, true)
	decide(anew(e.Commitments()), 760, 0, false)
}
