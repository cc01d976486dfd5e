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
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// bindingOf is an item that binds a pod in a statement.
func bindingOf(pod string, statement uint64) sched.Item {
	return sched.Item{Kind: sched.BindPod, Statement: statement, Pod: ledger.Key{Namespace: "ns", Name: pod}, UID: pod,
		Node: "n"}
}

// A member of a gang that is refused is tried again a few times, while its room stays taken; a pod of its own is not.
func TestARefusedMemberIsTriedAgain(t *testing.T) {
	no := apierrors.NewForbidden(podsResource, "b", errors.New("a webhook says no"))
	const second, third = 200 * time.Millisecond, 600 * time.Millisecond // when it is tried again
	const last = 1400 * time.Millisecond
	for name, c := range map[string]struct {
		alone    bool // it is no gang's
		refusals int
		then     error // the answer after these
		leads    int   // until so many posts; 0: all the time
		want     sched.Outcome
		refused  bool // the receipt says so
		posts    int
		took     time.Duration
	}{
		"refused once":   {refusals: 1, want: sched.Done, posts: 2, took: second},
		"refused twice":  {refusals: 2, want: sched.Done, posts: 3, took: third},
		"always refused": {refusals: 9, want: sched.Failed, refused: true, posts: 4, took: last},
		"refused, then deleted": {refusals: 1, then: apierrors.NewNotFound(podsResource, "b"), want: sched.Missing, posts: 2,
			took: second + 200*time.Millisecond}, // the watch may lag
		"the lease ends between": {refusals: 9, leads: 2, want: sched.Failed, refused: true, posts: 2,
			took: third},
		"refused, then no time": {refusals: 1, then: apierrors.NewTooManyRequests("busy", 1), want: sched.Failed,
			refused: true, posts: 33, took: 31*time.Second + second},
		"a pod of its own": {alone: true, refusals: 1, want: sched.Failed, refused: true, posts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, posts := newServer(), 0
				s.kube.PrependReactor("create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
					if b, ok := a.(k8stesting.CreateAction).GetObject().(*corev1.Binding); !ok || b.Name != "b" {
						return false, nil, nil
					}
					posts++
					s.leading.Store(c.leads == 0 || posts < c.leads)
					if posts <= c.refusals {
						return true, nil, no
					}
					return true, nil, c.then
				})
				carrier := s.carrier(t.Context())
				items := []sched.Item{bindingOf("a", 1), bindingOf("b", 1)}
				if c.alone {
					items[1].Statement = 2
				}
				began := time.Now()
				carrier.Execute(items)
				answered := make(chan int, 1)
				go func() {
					carrier.Wait(t.Context())
					answered <- posts
				}()
				var got *sched.Receipt
				for got == nil {
					<-carrier.Wake()
					for _, r := range carrier.Receipts() {
						if r.Item.Pod.Name == "b" {
							got = &r
						}
					}
				}
				if took := time.Since(began); got.Outcome != c.want || got.Refused != "" != c.refused || posts != c.posts ||
					took != c.took {
					t.Errorf("after %v and %d posts the receipt is %+v, want outcome %d (refused: %t) after %v and %d", took, posts,
						got, c.want, c.refused, c.took, c.posts)
				}
				if n := <-answered; n != c.posts {
					t.Errorf("Wait returned after %d posts, want it to wait for all %d", n, c.posts)
				}
				carrier.WaitForStatuses(t.Context())
				if n := carrier.InFlight(); n != 0 {
					t.Errorf("%d items are under way when all are answered, want none", n)
				}
			})
		})
	}
}

// However many members of gangs are refused, they take no place from others while they wait for their next try.
func TestRefusedMembersHoldUpNoOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.kube.PrependReactor("create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
			if b, ok := a.(k8stesting.CreateAction).GetObject().(*corev1.Binding); ok && b.Name != "other" {
				return true, nil, apierrors.NewForbidden(podsResource, b.Name, errors.New("no"))
			}
			return true, nil, nil
		})
		carrier := s.carrier(t.Context())
		var gang []sched.Item
		for i := range 2000 {
			gang = append(gang, bindingOf(fmt.Sprint("g-", i), 1))
		}
		began := time.Now()
		carrier.Execute(gang)
		carrier.Execute([]sched.Item{bindingOf("other", 2)})
		<-carrier.Wake()
		took := time.Since(began)
		if r := carrier.Receipts(); len(r) != 1 || r[0].Item.Pod.Name != "other" || took >= 200*time.Millisecond {
			t.Errorf("after %v the receipts are %+v, want one, of the other pod, at once", took, r)
		}
		for n := 0; n < len(gang); n += len(carrier.Receipts()) {
			<-carrier.Wake()
		}
	})
}

// A first request without an answer may still be done though the next one is refused: the member is in doubt, and is
// not tried again.
func TestARefusedMemberInDoubtIsNotFailed(t *testing.T) {
	for _, done := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s, posts, began := newServer(), 0, time.Now()
			s.kube.PrependReactor("create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
				if b, ok := a.(k8stesting.CreateAction).GetObject().(*corev1.Binding); !ok || b.Name != "p" {
					return false, nil, nil
				}
				if posts++; posts == 1 {
					return true, nil, context.DeadlineExceeded
				}
				return true, nil, apierrors.NewForbidden(podsResource, "p", errors.New("no more"))
			})
			s.kube.PrependReactor("get", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
				if done && time.Since(began) >= 50*time.Second {
					s.node = bindP.Node
				}
				return false, nil, nil
			})
			other, carrier := bindP, s.carrier(t.Context())
			other.ID, other.Pod.Name = 8, "q"
			carrier.Execute([]sched.Item{bindP, other})
			var got *sched.Receipt
			for got == nil {
				<-carrier.Wake()
				for _, r := range carrier.Receipts() {
					if r.Item.ID == bindP.ID {
						got = &r
					}
				}
			}
			want := sched.Failed
			if done {
				want = sched.Done
			}
			if got.Outcome != want || posts != 2 || got.Refused != "" == done {
				t.Errorf("done %t: after %d posts the receipt is %+v, want outcome %d after 2, and the refusal if it failed", done,
					posts, got, want)
			}
			carrier.WaitForStatuses(t.Context())
		})
	}
}
