package execute_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// A victim is deleted in the version of which it is known that it has not ended. One that ends before the deletion
// arrives stays; one that changed in another way goes all the same.
func TestAVictimThatEndsBeforeItsDeletionStays(t *testing.T) {
	for name, c := range map[string]struct {
		lost    bool // the answer to what it is told is
		becomes corev1.PodPhase
		want    sched.Outcome
		deletes []string
	}{
		"it ended":                      {false, corev1.PodSucceeded, sched.Withdrawn, []string{"5"}},
		"it changed":                    {false, corev1.PodRunning, sched.Done, []string{"5", "6"}},
		"it ended, an answer is lost":   {true, corev1.PodSucceeded, sched.Withdrawn, []string{"5"}},
		"it changed, an answer is lost": {true, corev1.PodRunning, sched.Done, []string{"5", "6"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				pod := func(version string, phase corev1.PodPhase) *corev1.Pod {
					return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "life",
						ResourceVersion: version}, Status: corev1.PodStatus{Phase: phase}}
				}
				s.kube.PrependReactor("patch", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
					if c.lost {
						return true, nil, context.DeadlineExceeded
					}
					return true, pod("5", corev1.PodRunning), nil
				})
				var deletes []string
				s.kube.PrependReactor("get", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
					if len(deletes) == 0 {
						return true, pod("5", corev1.PodRunning), nil
					}
					return true, pod("6", c.becomes), nil
				})
				s.kube.PrependReactor("delete", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
					version := a.(k8stesting.DeleteActionImpl).DeleteOptions.Preconditions.ResourceVersion
					if version == nil {
						t.Fatal("a deletion of any version")
					}
					if deletes = append(deletes, *version); *version != "6" {
						return true, nil, apierrors.NewConflict(corev1.Resource("pods"), "p", errors.New("another version"))
					}
					return true, nil, nil
				})
				r, _ := s.receipt(t, sched.Item{ID: 7, Kind: sched.EvictPod, Pod: ledger.Key{Namespace: "ns", Name: "p"},
					UID: "life", Action: "preempt"})
				if r.Outcome != c.want || !slices.Equal(deletes, c.deletes) {
					t.Errorf("it ended in %v after deletions of versions %v, want %v after %v", r.Outcome, deletes, c.want,
						c.deletes)
				}
			})
		})
	}
}

// A victim that is written to all the time is deleted all the same: what its author writes keeps it no room.
func TestAVictimThatIsWrittenAllTheTimeGoes(t *testing.T) {
	for name, often := range map[string]time.Duration{"each 10 ms": 10 * time.Millisecond, "after each read": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				began, reads := time.Now(), 0
				version := func() string {
					if often == 0 {
						return fmt.Sprint(reads)
					}
					return fmt.Sprint(int(time.Since(began) / often))
				}
				pod := func(version string) *corev1.Pod {
					return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "life",
						ResourceVersion: version}, Status: corev1.PodStatus{Phase: corev1.PodRunning}}
				}
				s.kube.PrependReactor("patch", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
					return true, pod("one that is over"), nil
				})
				s.kube.PrependReactor("get", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
					defer func() { reads++ }()
					return true, pod(version()), nil
				})
				s.kube.PrependReactor("delete", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
					only := a.(k8stesting.DeleteActionImpl).DeleteOptions.Preconditions
					if only.ResourceVersion != nil && *only.ResourceVersion != version() {
						return true, nil, apierrors.NewConflict(corev1.Resource("pods"), "p", errors.New("another version"))
					}
					return true, nil, nil
				})
				r, took := s.receipt(t, sched.Item{ID: 7, Kind: sched.EvictPod, Pod: ledger.Key{Namespace: "ns", Name: "p"},
					UID: "life", Action: "reclaim"})
				if r.Outcome != sched.Done || took > time.Second {
					t.Errorf("its eviction ended in %v after %v, want Done within a second", r.Outcome, took)
				}
			})
		})
	}
}
