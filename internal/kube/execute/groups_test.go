package execute_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// groupOnServer is the PodGroup ns/g with versions as an API server has them.
type groupOnServer struct {
	mu      sync.Mutex
	group   schedulingv1beta1.PodGroup
	patches int
	// first is called with the first patch instead of doing it; do does it.
	first func(do func() error) error
}

func (g *groupOnServer) patch(text []byte) error {
	var patch struct {
		Metadata struct{ UID, ResourceVersion string }
		Status   struct {
			Phase schedulingv1beta1.PodGroupPhase
		}
	}
	if err := json.Unmarshal(text, &patch); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	do := func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if m := patch.Metadata; m.ResourceVersion != "" && m.ResourceVersion != g.group.ResourceVersion {
			return apierrors.NewConflict(schedulingv1beta1.Resource("podgroups"), "g",
				errors.New("the object has been modified"))
		}
		version, _ := strconv.Atoi(g.group.ResourceVersion)
		g.group.ResourceVersion, g.group.Status.Phase = fmt.Sprint(version+1), patch.Status.Phase
		return nil
	}
	g.mu.Lock()
	g.patches++
	first := g.patches == 1
	g.mu.Unlock()
	if first {
		return g.first(do)
	}
	return do()
}

func (g *groupOnServer) get() *schedulingv1beta1.PodGroup {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.group.DeepCopy()
}

// A phase never takes the place of one that was decided after it: not when the server is slow with the
// first, and not when the server does the first after it was given up and sent again.
func TestAPhaseThatComesLate(t *testing.T) {
	for name, first := range map[string]func(do func() error) error{
		"the server is slow": func(do func() error) error {
			<-time.After(5 * time.Second)
			return do()
		},
		"the server does it after it was given up": func(do func() error) error {
			time.AfterFunc(40*time.Second, func() { _ = do() })
			return context.DeadlineExceeded
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, g := newServer(), &groupOnServer{first: first}
				g.group = schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "g",
					ResourceVersion: "5"}}
				s.volcano.PrependReactor("patch", "podgroups", func(a k8stesting.Action) (bool, runtime.Object, error) {
					return true, &schedulingv1beta1.PodGroup{}, g.patch(a.(k8stesting.PatchAction).GetPatch())
				})
				s.volcano.PrependReactor("get", "podgroups", func(k8stesting.Action) (bool, runtime.Object, error) {
					return true, g.get(), nil
				})
				x := execute.New(t.Context(), execute.Options{
					PodGroup: func(string, string) *schedulingv1beta1.PodGroup { return g.get() },
					Clients: execute.Clients{Fast: []kubernetes.Interface{s.kube}, Slow: s.kube, Events: s.kube,
						Groups: s.volcano, Figures: s.volcano}})
				for i, phase := range []model.GroupPhase{model.GroupInqueue, model.GroupRunning} {
					x.Execute([]sched.Item{{ID: uint64(i + 1), Kind: sched.SetPhase, UID: "g", Phase: phase,
						Group: ledger.Key{Namespace: "ns", Name: "g"}}})
					<-time.After(time.Second)
				}
				<-time.After(time.Minute)
				x.Wait(t.Context())
				done := 0
				for _, r := range x.Receipts() {
					if r.Outcome == sched.Done {
						done++
					}
				}
				if got := g.get().Status.Phase; got != "Running" || done != 2 {
					t.Errorf("the phase is %s and %d are done, want Running and both", got, done)
				}
			})
		})
	}
}

// Where an admission policy refuses the annotation that tells a start, the status that was to be written with it is
// written without it.
func TestARefusedAnnotationTakesNoStatusWithIt(t *testing.T) {
	resource := schedulingv1beta1.Resource("podgroups")
	for name, refusal := range map[string]error{
		"forbidden": apierrors.NewForbidden(resource, "g", errors.New("no such annotation")),
		"invalid":   apierrors.NewInvalid(schedulingv1beta1.SchemeGroupVersion.WithKind("PodGroup").GroupKind(), "g", nil),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, g := newServer(), &groupOnServer{first: func(do func() error) error { return do() }}
				g.group = schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "g",
					ResourceVersion: "5"}}
				s.volcano.PrependReactor("patch", "podgroups", func(a k8stesting.Action) (bool, runtime.Object, error) {
					patch := a.(k8stesting.PatchAction).GetPatch()
					if bytes.Contains(patch, []byte(persisted.StartKey)) {
						return true, nil, refusal
					}
					return true, &schedulingv1beta1.PodGroup{}, g.patch(patch)
				})
				x := execute.New(t.Context(), execute.Options{
					PodGroup: func(string, string) *schedulingv1beta1.PodGroup { return g.get() },
					Clients: execute.Clients{Fast: []kubernetes.Interface{s.kube}, Slow: s.kube, Events: s.kube,
						Groups: s.volcano, Figures: s.volcano}})
				execute.WriteStart(x, ledger.Key{Namespace: "ns", Name: "g"}, "g", "soon")
				x.Execute([]sched.Item{{ID: 1, Kind: sched.SetPhase, UID: "g", Phase: model.GroupRunning,
					Group: ledger.Key{Namespace: "ns", Name: "g"}}})
				<-time.After(time.Minute)
				x.Wait(t.Context())
				r := x.Receipts()
				if got := g.get().Status.Phase; got != "Running" || len(r) != 1 || r[0].Outcome != sched.Done {
					t.Errorf("the phase is %q and the receipts are %v, want Running and one that is done", got, r)
				}
			})
		})
	}
}
