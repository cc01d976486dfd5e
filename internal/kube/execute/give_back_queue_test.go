package execute_test

import (
	"context"
	"errors"
	"fmt"
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
