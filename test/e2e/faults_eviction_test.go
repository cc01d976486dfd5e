package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/loop"
	"ashlar.sh/test/e2e/faults"
)

// A deletion that fails is not a victim gone: it is repeated, the job it is for is placed once the
// room is there, and nobody else is evicted instead.
func TestFaultsAnEvictionThatFails(t *testing.T) {
	deletion := func(r *http.Request) bool {
		return r.Method == http.MethodDelete && strings.Contains(r.URL.Path, "/pods/")
	}
	words := func(r *http.Request) bool {
		return r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/status") && strings.Contains(r.URL.Path, "/pods/")
	}
	for name, i := range map[string]struct {
		matches func(*http.Request) bool
		most    int
		fault   faults.Fault
	}{
		"the server errs":                {deletion, 4, faults.Refuse(500, metav1.StatusReasonInternalError, 0)},
		"the request is lost":            {deletion, 4, faults.Lose},
		"it is done, the answer is lost": {deletion, 4, faults.LoseAnswer},
		"the reason cannot be written":   {words, 4, faults.Refuse(500, metav1.StatusReasonInternalError, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			w := sharedWorld(t)
			w.queue()
			node(t, w.ns+"-a", "4")
			priority(t, w.ns+"-high", 1000)
			p, err := faults.Start(w.config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.Close)
			met := p.Inject(i.matches, 1, i.most, i.fault)
			file := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
			conf := "actions: \"enqueue, allocate, preempt\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n  - name: conformance\n- plugins:\n  - name: predicates\n  - name: nodeorder\n"
			if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
				t.Fatal(err)
			}
			w.schedule(p.Config(), func(o *loop.Options) { o.ConfigFile = file })
			w.victims(4)
			w.awaitBound(4)

			urgent := object("PodGroup", "urgent", map[string]any{"minMember": int64(2), "queue": w.ns, "priorityClassName": w.ns + "-high"})
			if _, err := w.dynamic.Resource(podGroupResource).Namespace(w.ns).Create(t.Context(), urgent, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			for m := range 2 {
				pod := member(w.ns, "urgent", m, "1")
				pod.Spec.SchedulerName, pod.Spec.PriorityClassName = w.ns, w.ns+"-high"
				create(t, pod)
			}
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

// victims makes one-pod jobs that may be evicted.
func (w world) victims(n int) {
	w.t.Helper()
	for i := range n {
		name := fmt.Sprint("victim-", string(letters[i]))
		w.gangOf(name, 1, func(p *corev1.Pod) { p.Annotations["volcano.sh/preemptable"] = "true" })
	}
}
