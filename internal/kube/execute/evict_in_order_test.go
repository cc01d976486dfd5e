package execute_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// denying is a server that denies the deletion of some pods and keeps count of what was asked of each pod.
type denying struct {
	*server
	denies map[string]bool
	asked  []string
}

func newDenying() *denying {
	d := &denying{server: newServer(), denies: map[string]bool{}}
	d.kube.PrependReactor("delete", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
		name := a.(k8stesting.DeleteAction).GetName()
		d.asked = append(d.asked, "delete "+name)
		if d.denies[name] {
			return true, nil, apierrors.NewForbidden(podsResource, name, errors.New("it stays"))
		}
		return true, nil, nil
	})
	d.kube.PrependReactor("patch", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
		d.asked = append(d.asked, "tell "+a.(k8stesting.PatchAction).GetName())
		return true, &corev1.Pod{}, nil
	})
	return d
}

// evictions are those of one statement, for one pod.
func evictions(statement uint64, preemptor string, pods ...string) (items []sched.Item) {
	for n, pod := range pods {
		items = append(items, sched.Item{ID: statement*100 + uint64(n), Kind: sched.EvictPod, Statement: statement,
			Pod: ledger.Key{Namespace: "ns", Name: pod}, UID: "life of " + pod, Action: "preempt",
			Preemptor: ledger.Key{Namespace: "ns", Name: preemptor}, Node: "n"})
	}
	return items
}

// carries carries something out and returns the receipts, as they are given together.
func (d *denying) carries(ctx context.Context, x *execute.Executor, do func()) (got []string) {
	d.asked = nil
	do()
	x.Wait(ctx)
	<-x.Wake()
	synctest.Wait()
	for _, r := range x.Receipts() {
		text := fmt.Sprint(r.Item.Pod.Name, " ", [...]string{"done", "failed", "missing", "withdrawn", "forgone"}[r.Outcome])
		if r.Denials > 0 {
			text += fmt.Sprint(" ", r.Denials)
		}
		got = append(got, text)
	}
	slices.Sort(got)
	return got
}

// A pod of which the deletion was denied is asked for first the next time. If it is denied again, nothing is sent or
// told to the others, and all are answered together; if it is accepted, the others follow.
func TestEvictionsWaitForTheOneThatWasDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d := newDenying()
		x := d.carrier(ctx)
		d.denies["kept"] = true
		wants := func(got []string, answers, asked []string) {
			t.Helper()
			if !slices.Equal(got, answers) {
				t.Errorf("the receipts are %q, want %q", got, answers)
			}
			if !slices.Equal(d.asked, asked) {
				t.Errorf("asked was %q, want %q", d.asked, asked)
			}
		}
		d.carries(ctx, x, func() { x.Execute(evictions(1, "urgent", "kept")) })
		again := func(statement uint64) func() {
			return func() { x.Execute(evictions(statement, "urgent", "worker", "kept", "other")) }
		}
		wants(d.carries(ctx, x, again(2)), []string{"kept failed 2", "other forgone", "worker forgone"},
			[]string{"tell kept", "delete kept"})
		d.carries(ctx, x, func() { x.Execute(evictions(3, "", "worker", "kept")) }) // for no pod: each by itself
		if !slices.Contains(d.asked, "delete worker") {
			t.Errorf("asked was %q, want the deletion of a pod that does not make room together with others", d.asked)
		}
		x.Receipts()
		d.denies["kept"] = false
		got := d.carries(ctx, x, again(4))
		slices.Sort(d.asked[2:])
		wants(got, []string{"kept done", "other done", "worker done"}, []string{"tell kept", "delete kept",
			"delete other", "delete worker", "tell other", "tell worker"})
	})
}

// A binding that is only tried is answered, and nothing else is asked.
func TestABindingIsTried(t *testing.T) {
	for name, c := range map[string]struct {
		answer error
		want   string
	}{
		"it would bind":      {nil, "p done"},
		"it refuses":         {apierrors.NewForbidden(podsResource, "p", errors.New("no")), "p failed"},
		"the pod is gone":    {apierrors.NewNotFound(podsResource, "p"), "p missing"},
		"it errs for long":   {apierrors.NewInternalError(errors.New("etcd")), "p failed"},
		"it cannot be asked": {apierrors.NewBadRequest(`admission webhook "w" does not support dry run`), "p done"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				d := newDenying()
				d.answer = func(int) error { return c.answer }
				x := d.carrier(ctx)
				trial := sched.Item{Kind: sched.BindPod, Statement: 1, Pod: ledger.Key{Namespace: "ns", Name: "p"}, UID: "life",
					Node: "n"}
				got := d.carries(ctx, x, func() { x.Try(trial) })
				if !slices.Equal(got, []string{c.want}) || len(d.asked) > 0 {
					t.Errorf("the receipts are %q, want %q; asked was %q", got, c.want, d.asked)
				}
			})
		})
	}
}

// A pod for which evictions wait for others is not bound elsewhere before: its queue has room for it only once the
// victims leave.
func TestABindingWaitsForEvictionsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d := newDenying()
		bound := 0
		d.answer = func(int) error { bound++; return nil }
		x := d.carrier(ctx)
		d.denies["kept"] = true
		d.carries(ctx, x, func() { x.Execute(evictions(1, "urgent", "kept")) })
		x.Receipts()
		for _, c := range []struct {
			denies bool
			want   []string
			bound  int
		}{
			{true, []string{"kept failed 2", "urgent failed", "worker forgone"}, 0},
			{false, []string{"kept done", "urgent done", "worker done"}, 1},
		} {
			d.denies["kept"] = c.denies
			got := d.carries(ctx, x, func() {
				x.Execute(evictions(2, "urgent", "worker", "kept"))
				x.Execute([]sched.Item{{ID: 999, Kind: sched.BindPod, Statement: 3, UID: "life", Node: "other",
					Pod: ledger.Key{Namespace: "ns", Name: "urgent"}}})
			})
			for range 10 {
				synctest.Wait()
				for _, r := range x.Receipts() {
					got = append(got, fmt.Sprint(r.Item.Pod.Name, " ", [...]string{"done", "failed"}[r.Outcome]))
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) || bound != c.bound {
				t.Errorf("the receipts are %q, want %q; %d bindings were sent, want %d", got, c.want, bound, c.bound)
			}
		}
	})
}
