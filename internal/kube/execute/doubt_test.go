package execute_test

import (
	"context"
	"errors"
	"fmt"
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

// A binding that was sent and not answered may be done a minute later. Until it is certain
// that it is not, it does not count as failed: its room would be given to another pod.
func TestABindingInDoubtIsNotFailed(t *testing.T) {
	noAnswer := func(int) error { return context.DeadlineExceeded }
	onlyTheFirst := func(nth int) error {
		if nth == 1 {
			return context.DeadlineExceeded
		}
		return apierrors.NewForbidden(podsResource, "p", errors.New("no more"))
	}
	const never = time.Hour
	for name, c := range map[string]struct {
		answer  func(int) error
		lands   time.Duration // when the pod shows its node
		blind   time.Duration // until then it cannot be read
		unled   time.Duration // from then on this scheduler does not act; 0: it does
		want    sched.Outcome
		atLeast time.Duration
		atMost  time.Duration
	}{
		"it is done after patience has ended": {answer: noAnswer, lands: 70 * time.Second, want: sched.Done,
			atLeast: 70 * time.Second, atMost: 2 * time.Minute},
		"it is done and cannot be read for long": {answer: noAnswer, lands: time.Second, blind: 5 * time.Minute,
			want: sched.Done, atLeast: 5 * time.Minute, atMost: 6 * time.Minute},
		"it is done after the lease is lost": {answer: noAnswer, lands: 20 * time.Second, unled: time.Millisecond,
			want: sched.Done, atLeast: 20 * time.Second, atMost: 2 * time.Minute},
		"it is done though the next was refused": {answer: onlyTheFirst, lands: 50 * time.Second, want: sched.Done,
			atLeast: 50 * time.Second, atMost: 2 * time.Minute},
		"it is never done": {answer: noAnswer, lands: never, want: sched.Failed,
			atLeast: 90 * time.Second, atMost: 2 * time.Minute},
		"it is never done, and the lease is lost": {answer: noAnswer, lands: never, unled: time.Millisecond,
			want: sched.Failed, atLeast: time.Minute, atMost: 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				began := time.Now()
				s.answer = func(nth int) error {
					s.leading.Store(c.unled == 0)
					return c.answer(nth)
				}
				s.kube.PrependReactor("get", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
					if time.Since(began) < c.blind {
						return true, nil, apierrors.NewInternalError(errors.New("etcd"))
					}
					if time.Since(began) >= c.lands {
						s.node = bindP.Node
					}
					return false, nil, nil
				})
				got, took := s.receipt(t, bindP)
				if got.Outcome != c.want || took < c.atLeast || took > c.atMost {
					t.Errorf("outcome %d after %v, want %d after %v to %v", got.Outcome, took, c.want, c.atLeast, c.atMost)
				}
			})
		})
	}
}

// A request in doubt delays no other pod.
func TestBindingsInDoubtLeaveTheRoadFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.kube.PrependReactor("create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
			if b, ok := a.(k8stesting.CreateAction).GetObject().(*corev1.Binding); ok && b.Name != "p" {
				return true, nil, context.DeadlineExceeded
			}
			return false, nil, nil
		})
		s.kube.PrependReactor("get", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
			return true, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: a.(k8stesting.GetAction).GetName(),
				UID: "life"}}, nil
		})
		c := s.carrier(t.Context())
		var many []sched.Item
		for i := range 300 {
			many = append(many, sched.Item{ID: uint64(100 + i), Kind: sched.BindPod,
				Pod: ledger.Key{Namespace: "ns", Name: fmt.Sprint("q", i)}, UID: "life", Node: "n"})
		}
		c.Execute(many[:50])
		<-time.After(40 * time.Second)
		if flying, waiting, _ := c.Load(); flying+waiting > 0 {
			t.Errorf("%d requests are under way and %d wait, want none: patience is over", flying, waiting)
		}
		began := time.Now()
		c.Execute([]sched.Item{bindP})
		<-c.Wake()
		if took := time.Since(began); took > time.Second {
			t.Errorf("a binding beside those in doubt took %v", took)
		}
		c.Receipts()
		<-time.After(2 * time.Minute)
		if left := c.Receipts(); len(left) != 50 {
			t.Errorf("%d of 50 were answered in the end", len(left))
		}
	})
}
