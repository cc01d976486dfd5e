package recording_test

import (
	"path/filepath"
	"testing"
	"time"

	"ashlar.sh/internal/recording"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// night is a recording that is written by hand: what is told at which second.
type night struct {
	*testing.T
	engine *sched.Engine
	ring   *recording.Ring
	facts  uint64
}

func newNight(t *testing.T) *night {
	t.Helper()
	e, err := sched.New(policy.Profile{})
	if err != nil {
		t.Fatal(err)
	}
	return &night{T: t, engine: e, ring: recording.NewRing(1<<20, time.Now)}
}

func (n *night) tell(kind model.Kind, name, uid string, o model.Object) {
	n.facts++
	ref := model.Ref{Kind: kind, Name: name}
	if kind != model.KindNode {
		ref.Namespace = "team"
	}
	if o != nil {
		*o.Common() = model.Meta{Namespace: ref.Namespace, Name: name, UID: uid, Faults: o.Common().Faults}
	}
	f := model.Fact{Ref: ref, UID: uid, Version: n.facts, Object: o}
	n.ring.Fact(n.engine.Ledger(), f)
	n.engine.Apply(f)
}

// pod tells of a member of gang train, which a controller of some UID makes again.
func (n *night) pod(name, uid string, phase model.Phase, node string) {
	n.tell(model.KindPod, name, uid, &model.Pod{Group: "train", OwnerID: "Job/1", Ours: true, Index: -1, Phase: phase,
		Node: node, Spec: &model.Spec{}})
}

// at decides at a second; items are said to be its plan.
func (n *night) at(second int, items ...sched.Item) {
	now := int64(time.Duration(second) * time.Second)
	n.ring.Begin(n.engine, now, recording.About{Period: time.Second})
	_, _, next := n.engine.Decide(now)
	n.ring.End(items, next)
}

// saved writes a file of what is recorded, and returns its path.
func (n *night) saved() string {
	n.Helper()
	taken, ok := n.ring.Take(n.engine)
	if !ok {
		n.Fatal("nothing is recorded")
	}
	path, err := taken.Write(filepath.Join(n.TempDir(), "private"), "night"+recording.Ending, recording.Head{})
	if err != nil {
		n.Fatal(err)
	}
	return path
}

func (n *night) workload() *recording.Workload {
	n.Helper()
	r, err := recording.Open(n.saved())
	if err != nil {
		n.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	w, err := recording.WorkloadOf(r)
	if err != nil {
		n.Fatal(err)
	}
	return w
}

// items are those of a name, in order.
func items(w *recording.Workload, name string) (out []sim.Item) {
	for _, i := range w.Items {
		if i.Fact.Ref.Name == name {
			out = append(out, i)
		}
	}
	return out
}

// A pod comes when it came and runs for as long as it ran, wherever the scheduler put it and whenever that was.
func TestAWorkloadHasWhatCameFromOutside(t *testing.T) {
	n := newNight(t)
	n.at(10)
	n.tell(model.KindPodGroup, "train", "g", &model.PodGroup{MinMember: 1})
	n.pod("train-0", "a", model.PodPending, "")
	n.at(13)
	n.tell(model.KindPodGroup, "train", "g", &model.PodGroup{MinMember: 1, Phase: model.GroupInqueue})
	n.pod("train-0", "a", model.PodPending, "n1")
	n.at(15)
	n.pod("train-0", "a", model.PodRunning, "n1")
	n.at(20)
	n.pod("train-0", "a", model.PodSucceeded, "n1")
	n.at(50)
	n.tell(model.KindPod, "train-0", "a", nil)
	n.tell(model.KindPodGroup, "train", "g", nil)
	n.at(60)
	w := n.workload()
	if pod := items(w, "train-0"); len(pod) != 1 || pod[0].SubmitAt != 3*time.Second ||
		pod[0].Duration != 30*time.Second || !pod[0].HasDuration || pod[0].Fact.Object.(*model.Pod).Node != "" {
		t.Errorf("the pod is %+v, want one that comes after 3s and runs for 30s", pod)
	}
	if group := items(w, "train"); len(group) != 1 || group[0].Fact.Object == nil {
		t.Errorf("the PodGroup is %+v, want that it comes; its phase, and that it was tidied up, are consequences", group)
	}
	if w.Begin != int64(10*time.Second) || w.Lasts != 50*time.Second || w.Endless != 0 {
		t.Errorf("it begins at %d, lasts %s, with %d endless pods", w.Begin, w.Lasts, w.Endless)
	}
}

// What replaces a pod that the scheduler evicted is the same pod of the workload: the simulation makes its own.
func TestAnEvictedPodIsOneItem(t *testing.T) {
	n := newNight(t)
	n.pod("train-0", "a", model.PodRunning, "n1")
	n.at(10)
	n.at(20, sched.Item{ID: 1, Kind: sched.EvictPod, UID: "a"})
	n.tell(model.KindPod, "train-0", "a", nil)
	n.at(21)
	n.pod("train-x", "b", model.PodPending, "")
	n.at(22)
	n.pod("train-x", "b", model.PodRunning, "n1")
	n.at(30)
	n.pod("train-x", "b", model.PodSucceeded, "n1")
	n.at(70)
	w := n.workload()
	pod := items(w, "train-0")
	if len(pod) != 1 || !pod[0].Owned || pod[0].Duration != 40*time.Second || len(items(w, "train-x")) != 0 {
		t.Errorf("the pod is %+v and its replacement %+v, want one pod that runs for 40s", pod, items(w, "train-x"))
	}
}

// What a person deleted is deleted again: for good, unless a controller made another one.
func TestWhatOthersDeletedIsDeletedAgain(t *testing.T) {
	for name, replaced := range map[string]bool{"replaced": true, "for good": false} {
		n := newNight(t)
		n.pod("train-0", "a", model.PodRunning, "n1")
		n.at(10)
		n.tell(model.KindPod, "train-0", "a", nil)
		n.at(20)
		if replaced {
			n.pod("train-0", "b", model.PodPending, "")
		}
		n.at(30)
		pod := items(n.workload(), "train-0")
		if len(pod) != 2 || pod[1].Fact.Object != nil || pod[1].SubmitAt != 10*time.Second || pod[1].Final == replaced {
			t.Errorf("%s: %+v, want the pod and its deletion after 10s", name, pod)
		}
	}
}
