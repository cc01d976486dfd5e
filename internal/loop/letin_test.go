package loop

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/carry"
	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// letting is a loop that knows a PodGroup for each of some names, and notes what it hands
// to the API server.
type letting struct {
	*loop
	t  *testing.T
	mu sync.Mutex
	at []model.GroupPhase
}

func newLetting(t *testing.T, owned bool, members int) *letting {
	t.Helper()
	w := &letting{loop: cluster(t, 1, 0), t: t}
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "g"}}
	if owned {
		group.OwnerReferences = []metav1.OwnerReference{{Kind: "Job", Name: "g", UID: "o"}}
	}
	kube, groups := fake.NewClientset(), volcano.NewSimpleClientset(group)
	seen, err := observe.New(observe.Options{Kube: kube, Volcano: groups})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); seen.Shutdown() })
	seen.Start(ctx)
	synced := func(context.Context) (bool, error) { ok, _ := seen.Synced(); return ok, nil }
	if err := wait.PollUntilContextTimeout(ctx, time.Millisecond, 20*time.Second, true, synced); err != nil {
		t.Fatal(err)
	}
	w.seen = seen
	w.carrier = carry.New(ctx, carry.Options{Leading: func() bool { return false }, // nothing is sent
		Clients: carry.Clients{Fast: []kubernetes.Interface{kube}, Slow: kube, Events: kube, Groups: groups, Figures: groups},
		Answered: func(i sched.Item, _ sched.Outcome, _ time.Duration) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.at = append(w.at, i.Phase)
		}})
	facts := []model.Fact{{Ref: model.Ref{Kind: model.KindPodGroup, Namespace: "ns", Name: "g"}, UID: "g", Version: 1,
		Object: &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"}, Queue: "default", MinMember: 2}}}
	for i := range members {
		facts = append(facts, pod(i))
	}
	w.engine.Apply(facts...)
	return w
}

// pod is a member of group g.
func pod(i int) model.Fact {
	name := "g-" + string(rune('0'+i))
	return model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: 1,
		Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Group: "g", Index: int64(i), Spec: &model.Spec{}}}
}

// said is which phases were handed on so far, in their order.
func (w *letting) said() []model.GroupPhase {
	w.t.Helper()
	w.carrier.Wait(w.t.Context())
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.at)
}

func phase(id uint64, to model.GroupPhase) []sched.Item {
	return []sched.Item{{ID: id, Kind: sched.SetPhase, Group: ledger.Key{Namespace: "ns", Name: "g"}, UID: "g", Phase: to}}
}

// That a job was let in is kept back for a moment where its pods are on their way and
// nobody can wait for the word.
func TestTheWordThatAJobIsLetInWaitsForItsPods(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		owned   bool
		members int
		phase   model.GroupPhase
		kept    bool
	}{
		"pods on their way":           {members: 1, phase: model.GroupInqueue, kept: true},
		"pods there":                  {members: 2, phase: model.GroupInqueue},
		"an owner who makes the pods": {owned: true, phase: model.GroupInqueue},
		"another phase":               {members: 1, phase: model.GroupPending},
	} {
		t.Run(name, func(t *testing.T) {
			w := newLetting(t, c.owned, c.members)
			w.carry(phase(1, c.phase), now)
			w.handOver(now.Add(untilPods - time.Nanosecond))
			if got := w.said(); len(got) != map[bool]int{true: 0, false: 1}[c.kept] {
				t.Fatalf("at once %v was said; kept back: %t, want %t", got, len(w.letIn) > 0, c.kept)
			}
			w.handOver(now.Add(untilPods))
			if got := w.said(); !slices.Equal(got, []model.GroupPhase{c.phase}) || len(w.letIn) != 0 {
				t.Errorf("in the end %v was said, want %v", got, c.phase)
			}
		})
	}
}

func TestAWordThatIsKeptBackGoesWhenThePodsComeOrANewerWordDoes(t *testing.T) {
	now := time.Now()
	w := newLetting(t, false, 1)
	w.carry(phase(1, model.GroupInqueue), now)
	w.engine.Apply(pod(1))
	w.handOver(now)
	if got := w.said(); len(got) != 1 {
		t.Errorf("when the pods came %v was said, want that it is let in", got)
	}
	w = newLetting(t, false, 1)
	w.carry(phase(1, model.GroupInqueue), now)
	w.carry(phase(2, model.GroupRunning), now)
	// Of one group one write is under way at a time: the second is sent when the first is back.
	var got []model.GroupPhase
	both := func(context.Context) (bool, error) { got = w.said(); return len(got) == 2, nil }
	if err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 20*time.Second, true, both); err != nil ||
		!slices.Equal(got, []model.GroupPhase{model.GroupInqueue, model.GroupRunning}) {
		t.Errorf("%v was said, want that it is let in and then that it runs", got)
	}
}
