package e2e

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/loop"
	"ashlar.sh/test/e2e/faults"
)

// A deletion that fails is not a victim gone: it is repeated, the job it is for is placed once the
// room is there, and no other pod is evicted instead.
func TestFaultsAnEvictionThatFails(t *testing.T) {
	words := func(r *http.Request) bool {
		return r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/status") &&
			strings.Contains(r.URL.Path, "/pods/")
	}
	for name, i := range map[string]struct {
		matches func(*http.Request) bool
		most    int
		fault   faults.Fault
	}{
		"the server errs":                {deletesPod, 4, faults.Refuse(500, metav1.StatusReasonInternalError, 0)},
		"the request is lost":            {deletesPod, 4, faults.Lose},
		"it is done, the answer is lost": {deletesPod, 4, faults.LoseAnswer},
		"the reason cannot be written":   {words, 4, faults.Refuse(500, metav1.StatusReasonInternalError, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := preempting(t)
			met := p.Inject(i.matches, 1, i.most, i.fault)
			w.victims(4, nil)
			w.urgent(2)
			awaitRunning(t, w.ns, "urgent", 2)
			if left := len(list(t, w.ns, "victim")); left != 2 {
				t.Errorf("%d of 4 pods with a lower priority are left, want 2: the urgent job needs room for two", left)
			}
			if met.Met() == 0 {
				t.Error("no request met the fault: the test shows nothing")
			}
		})
	}
}

// A deletion that the server errs on for ever is given up: its pod is left alone, and another
// leaves instead of it.
func TestFaultsAnEvictionThatAlwaysFails(t *testing.T) {
	w, p := preempting(t)
	var mu sync.Mutex
	first := ""
	met := p.Inject(func(r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if first == "" && deletesPod(r) {
			first = r.URL.Path
		}
		return deletesPod(r) && r.URL.Path == first
	}, 1, math.MaxInt, faults.Refuse(500, metav1.StatusReasonInternalError, 0))
	w.victims(4, nil)
	w.urgent(2)
	awaitRunning(t, w.ns, "urgent", 2)
	left := list(t, w.ns, "victim")
	mu.Lock()
	defer mu.Unlock()
	kept := slices.ContainsFunc(left, func(p corev1.Pod) bool {
		return strings.HasSuffix(first, "/"+p.Name) && p.DeletionTimestamp == nil
	})
	if len(left) != 2 || !kept {
		t.Errorf("%d of 4 victims are left, the one that cannot be deleted among them: %v; want 2, true", len(left), kept)
	}
	if met.Met() < 2 {
		t.Error("it was not asked for again: the test shows nothing")
	}
}

// Victims that a finalizer keeps hold their room: whom it is for waits, and nobody else is
// evicted instead of them; once they are gone it starts.
func TestFaultsVictimsThatAFinalizerKeeps(t *testing.T) {
	w, _ := preempting(t)
	free := func() {
		for _, p := range list(t, w.ns, "victim") {
			if len(p.Finalizers) > 0 {
				_, _ = w.kube.CoreV1().Pods(w.ns).Patch(context.Background(), p.Name, types.MergePatchType,
					[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}) // at the end they may be gone already
			}
		}
	}
	t.Cleanup(free)
	w.victims(4, func(p *corev1.Pod) { p.Finalizers = []string{"ashlar.sh/keeps"} })
	w.urgent(2)
	leaving := func() (n int) {
		for _, p := range list(t, w.ns, "victim") {
			if p.DeletionTimestamp != nil {
				n++
			}
		}
		return n
	}
	eventually(t, "two victims to be leaving", func(ctxless) (bool, error) {
		return leaving() == 2, nil
	}, func() string { return fmt.Sprint(leaving()) })
	w.gangOf("after", 1, func(*corev1.Pod) {}) // once it has been told that it waits, the others were looked at again
	awaitCondition(t, w.ns, "after", "Unschedulable")
	if n := leaving(); n != 2 {
		t.Errorf("%d victims are leaving, want 2", n)
	}
	if n := bound(list(t, w.ns, "urgent")); n != 0 {
		t.Errorf("%d urgent pods are bound, and no victim has left", n)
	}
	free()
	awaitRunning(t, w.ns, "urgent", 2)
	if n := len(list(t, w.ns, "victim")); n != 2 {
		t.Errorf("%d of 4 victims are left, want 2", n)
	}
}

func deletesPod(r *http.Request) bool {
	return r.Method == http.MethodDelete && strings.Contains(r.URL.Path, "/pods/")
}

// preempting is a world with a node for four pods and, behind a proxy, a scheduler that evicts
// for priority.
func preempting(t *testing.T) (world, *faults.Proxy) {
	t.Helper()
	w := sharedWorld(t)
	w.queue()
	node(t, w.ns+"-a", "4")
	priority(t, w.ns+"-high", 1000)
	p, err := faults.Start(w.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	file := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	conf := "actions: \"enqueue, allocate, preempt\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n" +
		"  - name: conformance\n- plugins:\n  - name: predicates\n  - name: nodeorder\n"
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	w.schedule(p.Config(), func(o *loop.Options) { o.ConfigFile = file })
	return w, p
}

// victims makes one-pod jobs that may be evicted, and waits until they are bound.
func (w world) victims(n int, change func(*corev1.Pod)) {
	w.t.Helper()
	for i := range n {
		name := fmt.Sprint("victim-", string(letters[i]))
		w.gangOf(name, 1, func(p *corev1.Pod) {
			p.Annotations["volcano.sh/preemptable"] = "true"
			if change != nil {
				change(p)
			}
		})
	}
	w.awaitBound(n)
}

// urgent makes a gang with a priority above the victims'.
func (w world) urgent(members int) {
	w.t.Helper()
	urgent := object("PodGroup", "urgent", map[string]any{"minMember": int64(members), "queue": w.ns,
		"priorityClassName": w.ns + "-high"})
	if _, err := w.dynamic.Resource(podGroupResource).Namespace(w.ns).Create(w.t.Context(), urgent,
		metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	for m := range members {
		pod := member(w.ns, "urgent", m, "1")
		pod.Spec.SchedulerName, pod.Spec.PriorityClassName = w.ns, w.ns+"-high"
		create(w.t, pod)
	}
}
