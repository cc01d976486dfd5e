package execute_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// unanswered has the requests that change claims lost for 40 s, from the nth on. The first of them is carried out after
// 45 s all the same, if the first claim is what it was then.
func unanswered(s *shop, nth int, carryOut func(c *resourcev1.ResourceClaim)) {
	s.claims = map[string]*resourcev1.ResourceClaim{"a": deviceClaim("a"), "b": deviceClaim("b")}
	for _, c := range s.claims {
		c.Finalizers = []string{resourcev1.Finalizer}
	}
	began := time.Now()
	s.after = func(int) error { return nil }
	s.before = func(n int) error {
		if n == nth {
			was := s.claims["a"].ResourceVersion
			time.AfterFunc(45*time.Second, func() {
				s.alone(func() {
					if c := s.claims["a"].DeepCopy(); c.ResourceVersion == was {
						carryOut(c)
						c.ResourceVersion += "0"
						s.claims["a"] = c
					}
				})
			})
		}
		if n >= nth && time.Since(began) < 40*time.Second {
			return context.DeadlineExceeded
		}
		return nil
	}
}

// An API server that does not answer may carry a request out later: until that is certain, no other pod gets the
// devices that the request gives.
func TestDevicesThatMayBeGivenLateAreGivenToNoOtherPod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, s := newServer(), &shop{}
		unanswered(s, 1, func(c *resourcev1.ResourceClaim) { heldBy(c, gpus("g0"), "p0") })
		s.serve(api.kube)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		x := api.carrierWith(ctx, uids{s})
		x.Execute([]sched.Item{bindWith(1, "p0", wants("a", gpus("g0"), nil))})
		if outcomes(x, 1)["p0"] != sched.Done { // the engine lets another have its device
			x.Execute([]sched.Item{bindWith(2, "p1", wants("b", gpus("g0"), nil))})
			outcomes(x, 1)
		}
		<-time.After(time.Minute)
		s.alone(func() {
			if a, b := stands(s.claims["a"]), stands(s.claims["b"]); a != "g0 for p0 kept" || b != "for kept" {
				t.Errorf("the claims stand as %q and %q: the device was given twice, or not at all", a, b)
			}
		})
		x.WaitForStatuses(ctx)
	})
}

// So it may take devices back later: no pod is bound with them before that is certain.
func TestDevicesThatMayBeTakenBackLateAreNoPodsToBindWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, s := newServer(), &shop{}
		unanswered(s, 2, func(c *resourcev1.ResourceClaim) { c.Status = resourcev1.ResourceClaimStatus{} })
		s.claims["b"] = heldBy(s.claims["b"], gpus("g9"), "other")
		s.serve(api.kube)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		x := api.carrierWith(ctx, uids{s})
		x.Execute([]sched.Item{bindWith(1, "p0", wants("a", gpus("g0"), nil)),
			bindWith(1, "p1", wants("b", gpus("g1"), nil))})
		outcomes(x, 2) // the claim of the second is another's, so that the devices of the first are taken back
		x.Execute([]sched.Item{bindWith(2, "p0", wants("a", nil, gpus("g0")))})
		outcomes(x, 1)
		<-time.After(time.Minute)
		s.alone(func() {
			if a := stands(s.claims["a"]); api.posts.Load() > 0 && a != "g0 for p0 kept" {
				t.Errorf("the pod is bound, and its claim stands as %q", a)
			}
		})
		x.WaitForStatuses(ctx)
	})
}

// A claim that cannot be read any more holds up its pods, and those that wait for its devices, for some minutes.
func TestAClaimThatCannotBeReadIsNotAwaitedForEver(t *testing.T) {
	unread := func(t *testing.T, begin func(*shop)) time.Duration {
		api, s := newServer(), &shop{claims: map[string]*resourcev1.ResourceClaim{"a": deviceClaim("a")}}
		s.after = func(int) error { return nil }
		s.before = func(int) error { return context.DeadlineExceeded }
		begin(s)
		s.serve(api.kube)
		api.kube.PrependReactor("get", "resourceclaims", func(k8stesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewInternalError(errors.New("it cannot be decrypted"))
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		x, began := api.carrierWith(ctx, uids{s}), time.Now()
		x.Execute([]sched.Item{bindWith(1, "p0", wants("a", gpus("g0"), nil))})
		if got := outcomes(x, 1)["p0"]; got != sched.Failed {
			t.Errorf("the outcome is %v, want that it failed", got)
		}
		x.WaitForStatuses(ctx)
		return time.Since(began)
	}
	synctest.Test(t, func(t *testing.T) {
		if took := unread(t, func(*shop) {}); took < time.Minute || took > 10*time.Minute {
			t.Errorf("the pod failed after %v, want some minutes: its claim may be written late", took)
		}
	})
	synctest.Test(t, func(t *testing.T) { // nothing was written: there is nothing to await
		if took := unread(t, func(s *shop) { heldBy(s.claims["a"], gpus("g0"), "p0") }); took > time.Minute {
			t.Errorf("the pod failed after %v, want within a minute: nothing was sent", took)
		}
	})
}

// bindWith is a binding that needs something first.
func bindWith(statement uint64, pod string, chosen ledger.Chosen) sched.Item {
	return sched.Item{ID: statement, Statement: statement, Kind: sched.BindPod, Node: "n", UID: pod,
		Pod: ledger.Key{Namespace: "ns", Name: pod}, Chosen: chosen}
}

// A pod's status that names the claim which was made for it may be written late, too: once the pod is bound it names no
// claim of an earlier try, which is deleted.
func TestAStatusThatMayBeWrittenLateNamesNoClaimThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, m := willing()
		m.make(api.kube)
		began, late := time.Now(), false
		api.kube.PrependReactor("patch", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
			if time.Since(began) > 40*time.Second {
				return false, nil, nil
			}
			if !late {
				late = true
				pod := &corev1.Pod{}
				_ = json.Unmarshal(a.(k8stesting.PatchAction).GetPatch(), pod)
				time.AfterFunc(45*time.Second, func() {
					m.alone(func() { m.said = pod.Status.ExtendedResourceClaimStatus.ResourceClaimName + " c" })
				})
			}
			return true, nil, context.DeadlineExceeded
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		x := api.carrierWith(ctx, m)
		gives, _ := json.Marshal(gpus("g0"))
		one := makes(devices.Writes{Claims: []devices.Write{{Special: ofP0, Allocation: gives}}})
		x.Execute([]sched.Item{bindWith(1, "p0", one)})
		outcomes(x, 1)
		x.Execute([]sched.Item{bindWith(2, "p0", one)})
		if got := outcomes(x, 1); got["p0"] != sched.Done {
			t.Fatalf("the outcomes are %v", got)
		}
		<-time.After(time.Minute)
		m.namesOneThatIs(t)
		x.WaitForStatuses(ctx)
	})
}

// Nor is it written late where the next try of the same binding was answered: the request that had no answer names a
// version that the pod does not have any more.
func TestAStatusThatIsWrittenAgainIsNotWrittenLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, m := willing()
		api.answer = func(n int) error {
			if n == 1 {
				return apierrors.NewBadRequest("no")
			}
			return nil
		}
		m.make(api.kube)
		m.readable("")
		late := false
		api.kube.PrependReactor("patch", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
			if late {
				return false, nil, nil
			}
			late = true
			pod := &corev1.Pod{}
			_ = json.Unmarshal(a.(k8stesting.PatchAction).GetPatch(), pod)
			time.AfterFunc(45*time.Second, func() { m.alone(func() { _ = m.says(pod) }) })
			return true, nil, context.DeadlineExceeded
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		x := api.carrierWith(ctx, m)
		gives, _ := json.Marshal(gpus("g0"))
		one := makes(devices.Writes{Claims: []devices.Write{{Special: ofP0, Allocation: gives}}})
		for n, want := range []sched.Outcome{sched.Failed, sched.Done} {
			x.Execute([]sched.Item{bindWith(uint64(n+1), "p0", one)})
			if got := outcomes(x, 1); got["p0"] != want {
				t.Fatalf("binding %d: the outcomes are %v, want %d", n+1, got, want)
			}
			x.Wait(ctx)
		}
		<-time.After(time.Minute)
		m.namesOneThatIs(t)
		x.WaitForStatuses(ctx)
	})
}

// namesOneThatIs checks that the pod's status names the one claim that is there.
func (m *maker) namesOneThatIs(t *testing.T) {
	t.Helper()
	m.alone(func() {
		if name, _, _ := strings.Cut(m.said, " "); m.claims[name] == nil || len(m.claims) != 1 {
			t.Errorf("of %d claims the status names %s, which is not there", len(m.claims), name)
		}
	})
}
