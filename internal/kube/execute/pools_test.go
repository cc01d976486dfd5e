package execute_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// A pod goes while a claim of its own gets a device, and the engine lets another pod have that device. At no moment do
// two claims have it: not while it is unknown whether the first request was carried out, nor if that request was lost
// and would be sent again.
func TestADeviceOfAPodThatGoesIsGivenOnce(t *testing.T) {
	lost := context.DeadlineExceeded
	for name, c := range map[string]struct {
		request bool // the request is lost, not its answer
		patches int  // of both claims: two each if all goes well
	}{
		"the answer is lost":  {patches: 5},
		"the request is lost": {request: true, patches: 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api, goes := newServer(), make(chan struct{})
				s := &shop{claims: map[string]*resourcev1.ResourceClaim{"a": deviceClaim("a"), "b": deviceClaim("b")}}
				s.before = func(n int) error {
					if n == 2 && c.request {
						s.gone = true
						close(goes)
						return lost
					}
					return nil
				}
				s.after = func(n int) error {
					has := func(claim string) bool { return strings.HasPrefix(stands(s.claims[claim]), "g0") }
					if has("a") && has("b") {
						t.Errorf("both claims have the device after request %d", n)
					}
					if n == 2 && !c.request {
						s.gone = true
						close(goes)
						return lost
					}
					return nil
				}
				s.serve(api.kube)
				began := time.Now()
				api.kube.PrependReactor("get", "resourceclaims", func(k8stesting.Action) (bool, runtime.Object, error) {
					if time.Since(began) < 10*time.Second {
						return true, nil, apierrors.NewInternalError(errors.New("etcd"))
					}
					return false, nil, nil
				})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				x := api.carrierWith(ctx, uids{s})
				x.Execute([]sched.Item{bindOne(1, "p0", "a")})
				<-goes
				x.Execute([]sched.Item{bindOne(2, "p1", "b")})
				if got := outcomes(x, 2); got["p0"] != sched.Missing || got["p1"] != sched.Done {
					t.Errorf("the outcomes are %v", got)
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				if a, b := stands(s.claims["a"]), stands(s.claims["b"]); a != "for kept" || b != "g0 for p1 kept" {
					t.Errorf("the claims stand as %q and %q", a, b)
				}
				if s.patches != c.patches {
					t.Errorf("%d patches were sent, want %d", s.patches, c.patches)
				}
			})
		})
	}
}

// carrierWith is a carrier that sees volumes, claims and pods by storage.
func (s *server) carrierWith(ctx context.Context, storage execute.Storage) *execute.Executor {
	return execute.New(ctx, execute.Options{Storage: storage,
		Clients: execute.Clients{Fast: []kubernetes.Interface{s.kube}, Slow: s.kube, Events: s.kube, Groups: s.volcano,
			Figures: s.volcano}})
}

// outcomes waits for the receipts of so many pods, and returns what became of each, by uid.
func outcomes(x *execute.Executor, pods int) map[string]sched.Outcome {
	out := map[string]sched.Outcome{}
	for len(out) < pods {
		<-x.Wake()
		for _, r := range x.Receipts() {
			out[r.Item.UID] = r.Outcome
		}
	}
	return out
}

// So it is where the device cannot be taken back: the binding of the other pod, decided before that was seen, fails.
func TestADeviceThatCannotBeTakenBackIsGivenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, goes := newServer(), make(chan struct{})
		s := &shop{claims: map[string]*resourcev1.ResourceClaim{"a": deviceClaim("a"), "b": deviceClaim("b")}}
		s.before = func(n int) error {
			if n > 2 {
				return apierrors.NewForbidden(schema.GroupResource{Resource: "resourceclaims"}, "a", errors.New("not now"))
			}
			return nil
		}
		s.after = func(n int) error {
			if n == 2 {
				s.gone = true
				close(goes)
			}
			return nil
		}
		s.serve(api.kube)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		x := api.carrierWith(ctx, uids{s})
		x.Execute([]sched.Item{bindOne(1, "p0", "a")})
		<-goes
		x.Execute([]sched.Item{bindOne(2, "p1", "b")})
		if got := outcomes(x, 2); got["p0"] != sched.Missing || got["p1"] != sched.Failed {
			t.Errorf("the outcomes are %v", got)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if a, b := stands(s.claims["a"]), stands(s.claims["b"]); a != "g0 for p0 kept" || strings.HasPrefix(b, "g0") {
			t.Errorf("the claims stand as %q and %q", a, b)
		}
	})
}

// bindOne binds a pod with one device of a claim.
func bindOne(statement uint64, pod, claim string) sched.Item {
	return sched.Item{ID: statement, Statement: statement, Kind: sched.BindPod, Node: "n", UID: pod,
		Pod: ledger.Key{Namespace: "ns", Name: pod}, Chosen: wants(claim, gpus("g0"), nil)}
}
