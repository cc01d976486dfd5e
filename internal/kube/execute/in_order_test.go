package execute_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// A bind that the server will not have is answered at once, with what it said, however often:
// the pause is its job's to make.
func TestARefusedBindIsAnsweredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.answer = func(int) error { return apierrors.NewForbidden(podsResource, "p", errors.New("a webhook says no")) }
		c := s.carrier(t.Context())
		for range 5 {
			began := time.Now()
			c.Execute([]sched.Item{bindP})
			<-c.Wake()
			r := c.Receipts()
			if took := time.Since(began); len(r) != 1 || r[0].Outcome != sched.Failed ||
				!strings.Contains(r[0].Refused, "a webhook says no") || took > 0 {
				t.Errorf("after %v the receipts are %+v, want one at once that quotes the webhook", took, r)
			}
		}
	})
}

// inTurn binds the pods a, b and c in turn while the server has something against some.
func inTurn(t *testing.T, against map[string]error, first func() bool) (asked []string,
	receipts map[string]sched.Receipt, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.kube.PrependReactor("create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
			name := a.(k8stesting.CreateAction).GetObject().(*corev1.Binding).Name
			asked = append(asked, name)
			return true, nil, against[name]
		})
		c := s.carrier(t.Context())
		var items []sched.Item
		for i, name := range []string{"a", "b", "c"} {
			items = append(items, sched.Item{ID: uint64(i + 1), Kind: sched.BindPod,
				Pod: ledger.Key{Namespace: "ns", Name: name}, UID: name, Node: "n"})
		}
		began := time.Now()
		c.BindInOrder(items, first)
		receipts = map[string]sched.Receipt{}
		for len(receipts) < len(items) {
			<-c.Wake()
			for _, r := range c.Receipts() {
				receipts[r.Item.Pod.Name] = r
			}
		}
		took = time.Since(began)
	})
	return asked, receipts, took
}

func TestWhatIsBoundInTurnEndsWithTheFirstThatIsNotToBeHad(t *testing.T) {
	no := apierrors.NewForbidden(podsResource, "", errors.New("no"))
	yes := func() bool { return true }
	for name, c := range map[string]struct {
		against map[string]error
		first   func() bool
		asked   string
		done    string
		atOnce  bool
	}{
		"all are taken":       {nil, nil, "[a b c]", "abc", true},
		"the first is not":    {map[string]error{"a": no}, yes, "[a]", "", true},
		"the second is not":   {map[string]error{"b": no}, nil, "[a b]", "a", true},
		"the first is gone":   {map[string]error{"a": apierrors.NewNotFound(podsResource, "a")}, nil, "[a]", "", false},
		"what comes first is": {nil, func() bool { return false }, "[]", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			asked, receipts, took := inTurn(t, c.against, c.first)
			done := ""
			for _, name := range []string{"a", "b", "c"} {
				r := receipts[name]
				if r.Outcome == sched.Done {
					done += name
				}
				if refused := r.Refused != ""; refused != errors.Is(c.against[name], no) {
					t.Errorf("%s: it says that it was refused: %t", name, refused)
				}
			}
			if fmt.Sprint(asked) != c.asked || done != c.done || (took == 0) != c.atOnce {
				t.Errorf("%v were asked for and %q are done after %v, want %s and %q, at once %t", asked, done, took, c.asked,
					c.done, c.atOnce)
			}
		})
	}
}

// A record is written and removed with other writes of a PodGroup; a caller that waits for a
// record gets the answer about that record.
func TestARecordIsWrittenAndRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "g",
			ResourceVersion: "1",
			Annotations:     map[string]string{"theirs": "stays"}}}
		if _, err := s.volcano.SchedulingV1beta1().PodGroups("ns").Create(t.Context(), g,
			metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		c, group := s.carrier(t.Context()), ledger.Key{Namespace: "ns", Name: "g"}
		shows := func(want string) {
			t.Helper()
			now, err := s.volcano.SchedulingV1beta1().PodGroups("ns").Get(t.Context(), "g", metav1.GetOptions{})
			if err != nil || now.Annotations[persisted.RefusedBindsKey] != want || now.Annotations["theirs"] != "stays" {
				t.Errorf("the PodGroup shows %v (%v), want the record %q", now.Annotations, err, want)
			}
		}
		write := func(value string) (written bool) {
			answer := make(chan bool)
			c.Record(group, "g", value, func(yes bool) { answer <- yes })
			return <-answer
		}
		c.Record(group, "g", "one", nil)
		c.PodGroupStatus(group, "g", execute.GroupStatus{Counts: execute.Counts{Running: 2}})
		<-time.After(time.Second)
		shows("one")
		if !write("two") {
			t.Error("the caller is told that the record was not written")
		}
		shows("two")
		if !write("") {
			t.Error("the caller is told that the record was not removed")
		}
		shows("")
		answers := make(chan bool, 2)
		c.Record(group, "another life", "three", func(yes bool) { answers <- yes })
		if <-answers {
			t.Error("a record of another life is written")
		}
		shows("")
		c.Wait(t.Context())
	})
}

// A member above the minimum of a gang that is bound in order waits until that is over, and fails with it, whether it
// comes before the first binding or between two.
func TestMembersAboveTheMinimumAreBoundAfterThoseInOrder(t *testing.T) {
	for _, c := range []struct{ refused, between bool }{{}, {refused: true}, {between: true}, {true, true}} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer()
			var mu sync.Mutex
			var asked []string
			was := func(pod string) bool {
				mu.Lock()
				defer mu.Unlock()
				return slices.Contains(asked, pod)
			}
			goOn := make(chan bool)
			s.kube.PrependReactor("create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
				b, ok := a.(k8stesting.CreateAction).GetObject().(*corev1.Binding)
				if !ok {
					return false, nil, nil
				}
				again := was("b")
				mu.Lock()
				asked = append(asked, b.Name)
				mu.Unlock()
				if b.Name == "b" && c.between && !again {
					return true, nil, apierrors.NewTooManyRequests("later", 1)
				}
				if b.Name == "b" && c.refused {
					return true, nil, apierrors.NewForbidden(podsResource, "b", errors.New("no"))
				}
				return true, nil, nil
			})
			carrier := s.carrier(t.Context())
			carrier.BindInOrder([]sched.Item{bindingOf("a", 1), bindingOf("b", 1)}, func() bool { return c.between || <-goOn })
			synctest.Wait()
			outcomes := map[string]sched.Outcome{}
			take := func() {
				for _, r := range carrier.Receipts() {
					outcomes[r.Item.Pod.Name] = r.Outcome
				}
			}
			take() // of the first, if it is bound
			above := bindingOf("c", 2)
			above.After = []uint64{1}
			carrier.Execute([]sched.Item{above})
			synctest.Wait()
			if was("c") {
				t.Errorf("%+v: the member above the minimum was bound before the others", c)
			}
			if !c.between {
				goOn <- true
			}
			for len(outcomes) < 3 {
				<-carrier.Wake()
				take()
			}
			if got := outcomes["c"] == sched.Done; got == c.refused || was("c") == c.refused {
				t.Errorf("%+v: the binding of the member above the minimum was asked for: %t, and it is bound: %t", c,
					was("c"), got)
			}
			carrier.WaitForStatuses(t.Context())
		})
	}
}
