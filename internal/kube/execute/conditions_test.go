package execute_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched/ledger"
)

// podOnServer is the pod ns/p with versions as an API server has them: each write gives it a new one,
// and a patch with another one is refused.
type podOnServer struct {
	mu   sync.Mutex
	pod  corev1.Pod
	hold chan struct{} // the first patch arrives when it is closed; nil: at once
	lose int           // answers to patches that are lost after the patch was done
}

// change is a write by somebody else.
func (p *podOnServer) change(how func(*corev1.Pod)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(how)
}

func (p *podOnServer) write(how func(*corev1.Pod)) {
	version, _ := strconv.Atoi(p.pod.ResourceVersion)
	how(&p.pod)
	p.pod.ResourceVersion = fmt.Sprint(version + 1)
}

// patch does what an API server does with a patch of the pod's status.
func (p *podOnServer) patch(text []byte) error {
	var patch struct {
		Metadata struct{ UID, ResourceVersion string }
		Status   struct{ Conditions []corev1.PodCondition }
	}
	if err := json.Unmarshal(text, &patch); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	p.mu.Lock()
	hold := p.hold
	p.hold = nil
	p.mu.Unlock()
	if hold != nil {
		<-hold
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := patch.Metadata; m.UID != string(p.pod.UID) || m.ResourceVersion != "" &&
		m.ResourceVersion != p.pod.ResourceVersion {
		return apierrors.NewConflict(podsResource, "p", errors.New("the object has been modified"))
	}
	p.write(func(pod *corev1.Pod) { pod.Status.Conditions = patch.Status.Conditions })
	if p.lose > 0 {
		p.lose--
		return context.DeadlineExceeded
	}
	return nil
}

// newPodOnServer has a server serve a pod that waits.
func newPodOnServer(s *server) *podOnServer {
	p := &podOnServer{pod: corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "life",
		ResourceVersion: "5"}}}
	s.kube.PrependReactor("get", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return true, p.pod.DeepCopy(), nil
	})
	s.kube.PrependReactor("patch", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
		return true, &corev1.Pod{}, p.patch(a.(k8stesting.PatchAction).GetPatch())
	})
	return p
}

// says is the reason that the pod shows for not being scheduled, "scheduled" if it says that it is.
func (p *podOnServer) says() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue {
			return "scheduled"
		} else if c.Type == corev1.PodScheduled {
			return c.Reason
		}
	}
	return ""
}

// bind is what a binding does to a pod.
func bind(p *corev1.Pod) {
	p.Spec.NodeName = "n"
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
}

var waitsP = execute.Waiting{Pod: ledger.Key{Namespace: "ns", Name: "p"}, UID: "life", Version: "5",
	Reason: "Unschedulable", Message: "no room"}

// A condition that comes late is written to the pod that waits, whatever else changed of it, and not
// to one that was bound, is leaving, or is another pod of the name.
func TestAConditionThatComesLate(t *testing.T) {
	now := metav1.Now()
	for name, c := range map[string]struct {
		version   string
		meanwhile func(*corev1.Pod)
		want      string
	}{
		"it was written with no change":   {"5", func(*corev1.Pod) {}, "Unschedulable"},
		"its version is not known":        {"0", func(*corev1.Pod) {}, "Unschedulable"},
		"it was nominated":                {"5", func(p *corev1.Pod) { p.Status.NominatedNodeName = "n" }, "Unschedulable"},
		"it was bound":                    {"5", bind, "scheduled"},
		"it was bound before it was seen": {"", bind, "scheduled"},
		"it is leaving":                   {"5", func(p *corev1.Pod) { p.DeletionTimestamp = &now }, ""},
		"another pod has its name":        {"5", func(p *corev1.Pod) { p.UID = "next" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				p, x, w := newPodOnServer(s), s.carrier(t.Context()), waitsP
				w.Version = c.version
				if seen := c.version == "5"; seen {
					hold := make(chan struct{})
					p.hold = hold
					x.PodCondition(w)
					synctest.Wait() // the patch is on its way
					p.change(c.meanwhile)
					close(hold)
				} else {
					p.change(c.meanwhile)
					x.PodCondition(w)
				}
				x.WaitForStatuses(t.Context())
				if got := p.says(); got != c.want {
					t.Errorf("the pod says %q, want %q", got, c.want)
				}
			})
		})
	}
}

// Of two conditions for a pod the newer one holds, though the older one has to be sent again.
func TestTheNewerConditionOfAPodHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		p, hold := newPodOnServer(s), make(chan struct{})
		p.hold = hold
		x, newer := s.carrier(t.Context()), waitsP
		newer.Reason, newer.Version = "SchedulerError", "6"
		x.PodCondition(waitsP)
		synctest.Wait() // the older one is on its way
		p.change(func(p *corev1.Pod) { p.Status.NominatedNodeName = "n" })
		x.PodCondition(newer)
		close(hold)
		x.WaitForStatuses(t.Context())
		if got := p.says(); got != "SchedulerError" {
			t.Errorf("the pod says %q, want the newer reason", got)
		}
	})
}

// A condition with a lost answer is written though its own first try changed the pod's version.
func TestAConditionWithALostAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		p := newPodOnServer(s)
		p.lose = 1
		x, began := s.carrier(t.Context()), time.Now()
		x.PodCondition(waitsP)
		x.WaitForStatuses(t.Context())
		if got := p.says(); got != "Unschedulable" || time.Since(began) > 10*time.Second || x.Dropped() != 0 {
			t.Errorf("after %v the pod says %q and %d are dropped, want its reason and none", time.Since(began), got,
				x.Dropped())
		}
	})
}
