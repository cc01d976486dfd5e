package execute_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"ashlar.sh/internal/kube/devices"
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
