package execute_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// Claims cannot be written, and twenty of them are to be given back every minute. No binding waits for that.
func TestGivingBackHoldsUpNoBinding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		api, m := willing()
		m.make(api.kube)
		m.readable("")
		m.before = func(int) error { return apierrors.NewInternalError(errors.New("failed calling webhook")) }
		const n = 20
		for k := range n {
			name := fmt.Sprint("old", k)
			m.claims[name] = before(name)
		}
		api.answer = func(int) error { return nil }
		x := api.carrierWith(ctx, m)
		for range 31 {
			for k := range n {
				name := fmt.Sprint("old", k)
				x.GiveBack(devices.Leftover{Pod: ledger.Key{Namespace: "ns", Name: "p0"}, UID: "p0",
					Claimed: devices.Claimed{Name: name, UID: name}})
			}
			<-time.After(time.Minute)
		}
		began := time.Now()
		x.Execute([]sched.Item{{ID: 1, Statement: 1, Kind: sched.BindPod, Node: "n", UID: "p0",
			Pod: ledger.Key{Namespace: "ns", Name: "p0"}}})
		outcomes(x, 1)
		if took := time.Since(began); took > time.Minute {
			t.Errorf("a plain binding waited %s behind claims that are given back", took)
		}
		if n := x.InFlight(); n > 20 {
			t.Errorf("%d requests are under way or wait, want each claim once", n)
		}
	})
}

// A pod gets a device of a claim that is left, which then cannot be given back. The pod is not bound with it, and what
// is said of that is true.
func TestADeviceOfAClaimThatIsLeftIsGivenOnce(t *testing.T) {
	for _, how := range []string{"another pod uses it", "it is unmarked"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api, m := willing()
				m.make(api.kube)
				c := before("old") // g7 for p0
				if how == "another pod uses it" {
					heldBy(c, c.Status.Allocation, "q")
				} else {
					c.Annotations = nil
				}
				m.claims["old"] = c
				gives, _ := json.Marshal(gpus("g7"))
				x := api.carrierWith(t.Context(), m)
				x.Execute([]sched.Item{bindWith(1, "p0", makes(devices.Writes{Left: []devices.Claimed{{Name: "old", UID: "old"}},
					Claims: []devices.Write{{Special: ofP0, Allocation: gives}}}))})
				outcomes(x, 1)
				x.Wait(t.Context())
				has := 0
				for _, s := range m.all() {
					if strings.HasPrefix(s, "g7") {
						has++
					}
				}
				if has > 1 {
					t.Errorf("%d claims have g7: %q", has, m.all())
				}
			})
		})
	}
}

// Another pod comes to use the claim that is made for one, before that is bound, and the watch is late. The pod is
// answered only once the engine has seen the claim: until then its device looks free.
func TestWhatAnotherPodUsesIsSeenBeforeItsPodIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const late = 30 * time.Second
		api, m := willing()
		m.make(api.kube)
		m.readable("")
		m.unseen, m.keeps = true, false
		m.after = func(n int) error {
			for _, c := range m.claims {
				if n == 2 { // the finalizer and the devices are written
					heldBy(c, c.Status.Allocation, "q")
				}
			}
			return nil
		}
		x := api.carrierWith(t.Context(), m)
		began := time.Now()
		time.AfterFunc(late, func() { m.alone(func() { m.unseen = false }) })
		became, took := bindMade(x, 0), time.Since(began)
		if became != sched.Failed || took < late {
			t.Errorf("the binding became %v after %s, want that it fails once the claim is seen, after %s", became, took, late)
		}
		if got, want := m.all(), []string{"g0 for p0 q kept"}; !slices.Equal(got, want) {
			t.Errorf("the claims stand as %q, want %q", got, want)
		}
	})
}

// The mark is taken off a claim that was made for a pod, in a moment in which no claim can be written. Nothing but this
// process knows of the claim: it is given back once that is possible.
func TestAnUnmarkedClaimIsGivenBackOnceThatIsPossible(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		keeps bool // the pod's status, so that its binding is tried
		lasts time.Duration
	}{
		"the server fails for a minute":  {apierrors.NewInternalError(errors.New("etcd")), true, time.Minute},
		"it refuses for an hour":         {apierrors.NewForbidden(claimsResource, "", errors.New("no")), true, time.Hour},
		"before the binding":             {apierrors.NewForbidden(claimsResource, "", errors.New("no")), false, time.Minute},
		"it fails, and before a binding": {apierrors.NewInternalError(errors.New("etcd")), false, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api, m := willing()
				m.keeps = c.keeps
				m.make(api.kube)
				m.readable("")
				var down time.Time
				spoil := func() {
					down = time.Now().Add(c.lasts)
					for _, c := range m.claims {
						c.Annotations = nil
					}
				}
				api.answer = func(int) error {
					m.alone(spoil)
					return apierrors.NewBadRequest("no")
				}
				m.after = func(n int) error {
					if n == 2 && !c.keeps { // the finalizer and the devices are written
						spoil()
					}
					return nil
				}
				m.before = func(int) error {
					if time.Now().Before(down) {
						return c.err
					}
					return nil
				}
				x := api.carrierWith(t.Context(), m)
				bindMade(x, 0)
				x.Wait(t.Context())
				if got := m.all(); !slices.Equal(got, []string{"g0 for p0 kept"}) {
					t.Errorf("at first the claim stands as %q", got)
				}
				<-time.After(c.lasts + 3*time.Minute)
				if got := m.all(); !slices.Equal(got, []string{"for kept"}) {
					t.Errorf("in the end the claim stands as %q, want it without devices", got)
				}
			})
		})
	}
}

// The lease is not held in the moment in which a binding fails. Nothing is sent then; the claim that was made for the
// pod is given back once the lease is held again.
func TestAClaimIsGivenBackOnceTheLeaseIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, m := willing()
		m.make(api.kube)
		m.readable("")
		var lost atomic.Bool
		api.answer = func(int) error {
			lost.Store(true)
			m.alone(func() {
				for _, c := range m.claims {
					c.Annotations = nil
				}
			})
			return apierrors.NewBadRequest("no")
		}
		x := execute.New(t.Context(), execute.Options{Storage: m, Leading: func() bool { return !lost.Load() },
			Clients: execute.Clients{Fast: []kubernetes.Interface{api.kube}, Slow: api.kube, Events: api.kube,
				Groups: api.volcano, Figures: api.volcano}})
		bindMade(x, 0)
		x.Wait(t.Context())
		if got := m.all(); !slices.Equal(got, []string{"g0 for p0 kept"}) {
			t.Errorf("without the lease the claim stands as %q", got)
		}
		lost.Store(false)
		<-time.After(2 * time.Minute)
		if got := m.all(); !slices.Equal(got, []string{"for kept"}) {
			t.Errorf("in the end the claim stands as %q, want it without devices", got)
		}
	})
}
