package execute

import (
	"errors"
	"slices"
	"sync"
	"time"

	"ashlar.sh/sched"
)

// poolsUnderWay are the pools of devices of which claims are being given some. Once a pod is seen to be gone, the
// engine lets other pods have its devices, while the request that gives them to its claim may still be under way. So a
// statement waits for those that give devices of the same pools to pods that are gone: they fail, and take back what
// they gave. kube-scheduler counts the devices of a binding as taken until the binding is over, too.
type poolsUnderWay struct {
	mu     sync.Mutex
	of     map[*poolsOf]struct{}
	failed int // how many statements could not take back what they gave
}

// poolsOf are the pools of a statement, and its pods.
type poolsOf struct {
	pools []pool
	items []sched.Item
}

type pool struct{ driver, name string }

// begin notes that the claims of a statement begin to get devices. It waits first while that is under way for pods that
// are gone. The obstacle says why the statement cannot begin.
func (dc *deviceClaims) begin(list []*reservation, items []sched.Item, until time.Time) (*poolsOf, *obstacle) {
	one := &poolsOf{poolsIn(list), items}
	if len(one.pools) == 0 {
		return one, nil
	}
	failed := dc.failedSoFar()
	for pause := lookAgain / 16; ; pause = min(2*pause, lookAgain) {
		if gone := dc.gone(items); gone != nil {
			return nil, gone
		}
		if dc.enter(one) {
			if dc.failedSoFar() != failed { // it was decided before that was seen
				dc.leave(one)
				return nil, &obstacle{items[0], sched.Failed, "devices",
					errors.New("devices of its pools could not be taken back from a pod that is gone")}
			}
			return one, nil
		}
		late := errors.New("devices of its pools are being taken back from a pod that is gone")
		if err := dc.x.requests.wait(pause, until, late); err != nil {
			return nil, &obstacle{items[0], sched.Failed, "devices", err}
		}
	}
}

// notUndone notes that a statement could not take back what it gave. What waits is decided anew: the engine has seen by
// now what is given.
func (dc *deviceClaims) notUndone() {
	dc.underWay.mu.Lock()
	defer dc.underWay.mu.Unlock()
	dc.underWay.failed++
}

func (dc *deviceClaims) failedSoFar() int {
	dc.underWay.mu.Lock()
	defer dc.underWay.mu.Unlock()
	return dc.underWay.failed
}

// enter adds a statement, and returns false where it has to wait.
func (dc *deviceClaims) enter(one *poolsOf) bool {
	dc.underWay.mu.Lock()
	defer dc.underWay.mu.Unlock()
	for other := range dc.underWay.of { // order-free: whether there is one
		if slices.ContainsFunc(one.pools, func(p pool) bool { return slices.Contains(other.pools, p) }) &&
			dc.gone(other.items) != nil {
			return false
		}
	}
	if dc.underWay.of == nil {
		dc.underWay.of = map[*poolsOf]struct{}{}
	}
	dc.underWay.of[one] = struct{}{}
	return true
}

// leave notes that the claims of a statement have their devices, and the engine has seen that, or that they do not.
func (dc *deviceClaims) leave(one *poolsOf) {
	dc.underWay.mu.Lock()
	defer dc.underWay.mu.Unlock()
	delete(dc.underWay.of, one)
}

// gone is the first of some pods that cannot be bound any more, as an obstacle; nil: none.
func (dc *deviceClaims) gone(items []sched.Item) *obstacle {
	return gone(dc.x.options.Storage, items, "devices")
}

// poolsIn are the pools of the devices that claims are to be given, each once.
func poolsIn(list []*reservation) (out []pool) {
	for _, r := range list {
		if r.devices == nil {
			continue
		}
		for i := range r.devices.Devices.Results {
			d := &r.devices.Devices.Results[i]
			if p := (pool{d.Driver, d.Pool}); !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}
