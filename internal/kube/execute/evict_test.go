package execute_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// patches are the pods' statuses that were sent, in order, as they would be merged.
func (s *server) patches(t *testing.T) []json.RawMessage {
	t.Helper()
	var out []json.RawMessage
	for _, a := range s.kube.Actions() {
		if p, ok := a.(k8stesting.PatchAction); ok && a.GetSubresource() == "status" {
			out = append(out, p.GetPatch())
		}
	}
	return out
}

func TestAnEvictedPodIsToldForWhom(t *testing.T) {
	record := &trace.Eviction{Action: "reclaim", Task: "ns/p", Job: "ns/old", Queue: "batch", Preemptor: "ns/new-0",
		PreemptorJob: "ns/new", PreemptorQueue: "research",
		Node: "n", Priority: 100, PreemptorPriority: 1, Tier: 2, PermittedBy: []string{"proportion"}}
	for name, c := range map[string]struct {
		why  *trace.Eviction
		says []string
		not  string
	}{
		"by a reclaim": {record, []string{"reclaim", "ns/new-0", "job ns/new", "queue research", "from queue batch",
			"proportion"}, "priority"},
		"without any record": {nil, []string{"evicted by reclaim"}, "for"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				evict := sched.Item{ID: 7, Kind: sched.EvictPod, Pod: ledger.Key{Namespace: "ns", Name: "p"}, UID: "life",
					Action: "reclaim", Record: c.why}
				_, _ = s.receipt(t, evict)
				sent := s.patches(t)
				if len(sent) != 1 {
					t.Fatalf("%d statuses were written", len(sent))
				}
				var patch struct {
					Status struct{ Conditions []corev1.PodCondition }
				}
				if err := json.Unmarshal(sent[0], &patch); err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(patch.Status.Conditions, func(c corev1.PodCondition) bool {
					return c.Type == corev1.DisruptionTarget
				})
				if i < 0 || patch.Status.Conditions[i].Status != corev1.ConditionTrue {
					t.Fatalf("no DisruptionTarget in %s", sent[0])
				}
				events, err := s.kube.CoreV1().Events("ns").List(t.Context(), metav1.ListOptions{})
				if err != nil || len(events.Items) != 1 || events.Items[0].Reason != "Evict" {
					t.Fatalf("events %v, %v", events, err)
				}
				for _, message := range []string{patch.Status.Conditions[i].Message, events.Items[0].Message} {
					for _, word := range c.says {
						if !strings.Contains(message, word) {
							t.Errorf("%q does not say %q", message, word)
						}
					}
					if strings.Contains(message, c.not) {
						t.Errorf("%q says %q", message, c.not)
					}
				}
			})
		})
	}
}

func TestANominationIsWrittenAndTakenBack(t *testing.T) {
	for node, want := range map[string]string{
		"n": `{"metadata":{"uid":"life"},"status":{"nominatedNodeName":"n"}}`,
		"":  `{"metadata":{"uid":"life"},"status":{"nominatedNodeName":null}}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer()
			s.kube.PrependReactor("patch", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
				return true, &corev1.Pod{}, nil
			})
			r, _ := s.receipt(t, sched.Item{ID: 7, Kind: sched.NominatePod, Pod: ledger.Key{Namespace: "ns", Name: "p"},
				UID: "life", Node: node})
			if r.Outcome != sched.Done {
				t.Errorf("nominating %q ended in %v", node, r.Outcome)
			}
			if sent := s.patches(t); len(sent) != 1 || string(sent[0]) != want {
				t.Errorf("nominating %q sent %s, want %s", node, sent, want)
			}
		})
	}
}

// The queue's gate is taken off and no other, of the pod that was meant and of no later one
// of its name. A lost answer is looked up.
func TestAQueuesGateIsOpened(t *testing.T) {
	for name, c := range map[string]struct {
		answer error
		gates  []corev1.PodSchedulingGate // what the pod shows then
		times  int
	}{
		"taken":                     {nil, nil, 1},
		"taken, the answer is lost": {context.DeadlineExceeded, []corev1.PodSchedulingGate{{Name: "another"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				var sent []string
				s.kube.PrependReactor("patch", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
					p := a.(k8stesting.PatchAction)
					if p.GetSubresource() != "" || p.GetPatchType() != types.StrategicMergePatchType {
						t.Errorf("a %s of pods/%s", p.GetPatchType(), p.GetSubresource())
					}
					sent = append(sent, string(p.GetPatch()))
					return true, &corev1.Pod{}, c.answer
				})
				s.kube.PrependReactor("get", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
					return true, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "life"},
						Spec: corev1.PodSpec{SchedulingGates: c.gates}}, nil
				})
				r, _ := s.receipt(t, sched.Item{ID: 7, Kind: sched.OpenGate, Pod: ledger.Key{Namespace: "ns", Name: "p"},
					UID: "life"})
				const want = `{"metadata":{"uid":"life"},"spec":{"schedulingGates":[{"$patch":"delete",` +
					`"name":"scheduling.volcano.sh/queue-allocation-gate"}]}}`
				if r.Outcome != sched.Done || len(sent) != c.times || sent[0] != want {
					t.Errorf("%v after %s, want %s", r.Outcome, sent, want)
				}
			})
		})
	}
}

// Requests of a plan are sent side by side: of a nomination that is taken back and written
// anew only the new one is sent, and both are answered.
func TestANominationThatMovesIsWrittenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.kube.PrependReactor("patch", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
			return true, &corev1.Pod{}, nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := s.carrier(ctx)
		item := func(id uint64, node string) sched.Item {
			return sched.Item{ID: id, Kind: sched.NominatePod, Pod: ledger.Key{Namespace: "ns", Name: "p"}, UID: "life",
				Node: node}
		}
		c.Execute([]sched.Item{item(7, ""), item(8, "n2")})
		c.Wait(ctx)
		if n := len(c.Receipts()); n != 2 {
			t.Errorf("%d receipts for two items", n)
		}
		const want = `{"metadata":{"uid":"life"},"status":{"nominatedNodeName":"n2"}}`
		if sent := s.patches(t); len(sent) != 1 || string(sent[0]) != want {
			t.Errorf("sent %s, want only %s", sent, want)
		}
	})
}

// A deletion that the server errs on for ever is given up when patience ends, and what was
// tried is tried no more; one that a finalizer holds up is taken as soon as it shows.
func TestWhatBecomesOfAnEviction(t *testing.T) {
	errs := func(int) error { return apierrors.NewInternalError(errors.New("etcd")) }
	for name, c := range map[string]struct {
		answer  func(nth int) error
		leaving bool // what reading the pod shows
		want    sched.Outcome
		atLeast time.Duration
	}{
		"taken":                     {answer: func(int) error { return nil }, want: sched.Done},
		"an error that never ends":  {answer: errs, want: sched.Failed, atLeast: 30 * time.Second},
		"an error, and it is going": {answer: errs, leaving: true, want: sched.Done},
		"forbidden": {answer: func(int) error {
			return apierrors.NewForbidden(podsResource, "p", errors.New("no"))
		}, want: sched.Failed},
		"gone before": {answer: func(int) error {
			return apierrors.NewNotFound(podsResource, "p")
		}, want: sched.Missing},
		"another life of the name": {answer: func(int) error {
			return apierrors.NewConflict(podsResource, "p", errors.New("uid"))
		}, leaving: true, want: sched.Done},
		"errs twice and then is taken": {answer: func(n int) error {
			return map[bool]error{true: errs(n)}[n < 3]
		}, want: sched.Done},
		"too much to do, and then taken": {answer: func(n int) error {
			return map[bool]error{true: apierrors.NewTooManyRequests("later", 0)}[n < 3]
		}, want: sched.Done},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				deletes := 0
				s.kube.PrependReactor("delete", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
					deletes++
					return true, nil, c.answer(deletes)
				})
				if c.leaving {
					s.kube.PrependReactor("get", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
						now := metav1.Now()
						return true, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "life",
							DeletionTimestamp: &now, Finalizers: []string{"x/y"}}}, nil
					})
				}
				r, took := s.receipt(t, sched.Item{ID: 7, Kind: sched.EvictPod, Pod: ledger.Key{Namespace: "ns", Name: "p"},
					UID: "life", Action: "preempt"})
				if r.Outcome != c.want {
					t.Errorf("it ended in %v, want %v", r.Outcome, c.want)
				}
				if took < c.atLeast || took > c.atLeast+15*time.Second {
					t.Errorf("it was answered after %v, want %v", took, c.atLeast)
				}
				if n := deletes; c.atLeast > 0 && (n < 10 || n > 40) {
					t.Errorf("%d deletions were sent in that time", n)
				}
				if told := len(s.patches(t)); told != 1 {
					t.Errorf("the pod was told %d times, want once", told)
				}
			})
		})
	}
}

// A victim that has ended by the time it is told is not deleted: that would lose what its work came to.
func TestAPodThatHasEndedIsNotEvicted(t *testing.T) {
	for name, silent := range map[string]bool{
		"it is told, and shows it": false, "it is not told, and read": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				over := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "life"},
					Status: corev1.PodStatus{Phase: corev1.PodSucceeded}}
				answer := func(k8stesting.Action) (bool, runtime.Object, error) { return true, over, nil }
				deletes := 0
				s.kube.PrependReactor("get", "pods", answer)
				s.kube.PrependReactor("patch", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
					if silent {
						return true, nil, apierrors.NewInternalError(errors.New("etcd"))
					}
					return true, over, nil
				})
				s.kube.PrependReactor("delete", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
					deletes++
					return true, nil, apierrors.NewInternalError(errors.New("etcd"))
				})
				r, _ := s.receipt(t, sched.Item{ID: 7, Kind: sched.EvictPod, Pod: ledger.Key{Namespace: "ns", Name: "p"},
					UID: "life", Action: "preempt"})
				if r.Outcome != sched.Withdrawn || deletes != 0 {
					t.Errorf("it ended in %v after %d deletions, want %v after none", r.Outcome, deletes, sched.Withdrawn)
				}
			})
		})
	}
}

// An eviction that was not begun is taken back: nothing is sent, and the pod is told nothing.
// Those that go together are taken back together, or none of them.
func TestAnEvictionThatWasNotBegunIsTakenBack(t *testing.T) {
	evict := func(id uint64, name string) sched.Item {
		return sched.Item{ID: id, Kind: sched.EvictPod, Pod: ledger.Key{Namespace: "ns", Name: name}, UID: "life",
			Action: "preempt"}
	}
	for name, c := range map[string]struct {
		begun bool // the first of the two was sent before
		want  sched.Outcome
		sent  int
	}{
		"neither was begun": {false, sched.Withdrawn, 0},
		"one was begun":     {true, sched.Done, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				deletes := 0
				var free atomic.Bool
				s.kube.PrependReactor("delete", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
					deletes++
					return true, nil, nil
				})
				// All that may be under way at once waits for the server.
				s.answer = func(int) error {
					if free.Load() {
						return nil
					}
					return apierrors.NewTooManyRequests("later", 1)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				carrier := s.carrier(ctx)
				if c.begun {
					carrier.Execute([]sched.Item{evict(1, "first")})
					synctest.Wait()
				}
				_, _, limit := carrier.Load()
				var items []sched.Item
				for n := range limit {
					items = append(items, sched.Item{ID: uint64(100 + n), Kind: sched.BindPod,
						Pod: ledger.Key{Namespace: "ns", Name: "other"}, UID: "life", Node: "n"})
				}
				if !c.begun {
					items = append(items, evict(1, "first"))
				}
				carrier.Execute(append(items, evict(2, "second")))
				synctest.Wait()
				carrier.Execute([]sched.Item{{ID: 3, Kind: sched.WithdrawEviction, Pod: ledger.Key{Namespace: "ns", Name: "first"},
					UID: "life", Evictions: []uint64{1, 2}}})
				free.Store(true)
				carrier.Wait(ctx)
				for _, r := range carrier.Receipts() {
					if r.Item.Kind == sched.EvictPod && r.Outcome != c.want {
						t.Errorf("the eviction of %s ended in %v, want %v", r.Item.Pod.Name, r.Outcome, c.want)
					}
				}
				if told := len(s.patches(t)); deletes != c.sent || told != c.sent {
					t.Errorf("%d deletions were sent and %d pods told, want %d", deletes, told, c.sent)
				}
			})
		})
	}
}
