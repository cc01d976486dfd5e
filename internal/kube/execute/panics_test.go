package execute_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Wherever carrying panics, every item of the plan is answered once, and what comes after it
// is carried out.
func TestEveryItemIsAnsweredWhateverPanics(t *testing.T) {
	plan := []sched.Item{
		bindP,
		{ID: 8, Kind: sched.EvictPod, Pod: ledger.Key{Namespace: "ns", Name: "p"}, UID: "life", Action: "preempt"},
		{ID: 9, Kind: sched.SetPhase, Group: ledger.Key{Namespace: "ns", Name: "g"}, UID: "g", Phase: model.GroupInqueue},
		{ID: 10, Kind: sched.SetPhase, Group: ledger.Key{Namespace: "ns", Name: "h"}, UID: "h", Phase: model.GroupRunning},
		{ID: 11, Kind: sched.NominatePod, Pod: ledger.Key{Namespace: "ns", Name: "p"}, UID: "life"},
		{ID: 12, Kind: sched.NominatePod, Pod: ledger.Key{Namespace: "ns", Name: "p"}, UID: "life", Node: "n"},
		{ID: 13, Kind: sched.BindPod, Statement: 3, Pod: ledger.Key{Namespace: "ns", Name: "p"}, UID: "life", Node: "n",
			Chosen: ledger.Choose("predicates", "{")},
		{ID: 14, Kind: sched.BindPod, Statement: 3, Pod: ledger.Key{Namespace: "ns", Name: "p"}, UID: "life", Node: "n"},
	}
	bind := func(id uint64) sched.Item {
		return sched.Item{ID: id, Kind: sched.BindPod, Statement: id / 10, Pod: ledger.Key{Namespace: "ns", Name: "p"},
			UID: "life", Node: "n"}
	}
	inTurn, unready := []sched.Item{bind(20), bind(21), bind(22)}, []sched.Item{bind(30), bind(31)}
	inTurn[1].Chosen = ledger.Choose("predicates", "{}")
	spoil := map[string]func(s *server, o *execute.Options){
		"nothing":               func(*server, *execute.Options) {},
		"asking for the leader": func(_ *server, o *execute.Options) { o.Leading = func() bool { panic("leading") } },
		"asking what is urgent": func(_ *server, o *execute.Options) { o.Urgent = func(sched.Item) bool { panic("urgent") } },
		"asking for a PodGroup": func(_ *server, o *execute.Options) {
			o.PodGroup = func(string, string) *schedulingv1beta1.PodGroup { panic("group") }
		},
		"asking how long to wait": func(_ *server, o *execute.Options) {
			o.VolumeWait = func() time.Duration { panic("wait") }
		},
		"counting what is answered": func(_ *server, o *execute.Options) {
			o.Answered = func(sched.Item, sched.Outcome, time.Duration) { panic("answered") }
		},
		"any request": func(s *server, _ *execute.Options) {
			s.kube.PrependReactor("*", "*", func(k8stesting.Action) (bool, runtime.Object, error) { panic("request") })
			s.volcano.PrependReactor("*", "*", func(k8stesting.Action) (bool, runtime.Object, error) { panic("request") })
		},
		"any read": func(s *server, _ *execute.Options) {
			s.kube.PrependReactor("get", "*", func(k8stesting.Action) (bool, runtime.Object, error) { panic("read") })
			s.volcano.PrependReactor("get", "*", func(k8stesting.Action) (bool, runtime.Object, error) { panic("read") })
		},
	}
	for name, how := range spoil {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				var panics atomic.Int64
				o := execute.Options{Panicked: func(string) { panics.Add(1) },
					Clients: execute.Clients{Fast: []kubernetes.Interface{s.kube}, Slow: s.kube, Events: s.kube, Groups: s.volcano,
						Figures: s.volcano}}
				how(s, &o)
				c := execute.New(t.Context(), o)
				c.Execute(plan)
				c.BindInOrder(inTurn, func() bool { return true })
				c.BindInOrder(unready, func() bool { panic("before the first") })
				<-time.After(5 * time.Minute)
				answers := map[uint64]int{}
				for _, r := range c.Receipts() {
					answers[r.Item.ID]++
				}
				for _, i := range slices.Concat(plan, inTurn, unready) {
					if answers[i.ID] != 1 {
						t.Errorf("item %d (%s) was answered %d times, want once", i.ID, i.Kind, answers[i.ID])
					}
				}
				if panics.Load() == 0 {
					t.Error("no panic was told of")
				}
				if flying, waiting, _ := c.Load(); flying+waiting != 0 {
					t.Errorf("%d requests are under way and %d wait for ever", flying, waiting)
				}
			})
		})
	}
}

// A request that panics after the server has taken it is done.
func TestABindingOfWhichTheRequestPanicsIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.answer = func(int) error {
			s.node = bindP.Node
			panic("after it was sent")
		}
		if got, _ := s.receipt(t, bindP); got.Outcome != sched.Done {
			t.Errorf("outcome %d, want Done: the pod shows its node", got.Outcome)
		}
	})
}
