package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/loop"
)

// A member beyond the minimum that finds the cluster full tells autoscalers so, though
// its gang runs; one in a full queue does not, since no node would help.
func TestLiveOnlyWhatANodeCuresIsUnschedulable(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	capped := object("Queue", ns+"-capped", map[string]any{"weight": int64(1), "capability": map[string]any{"cpu": "1"}})
	queues := shared.dynamic.Resource(queueResource)
	if _, err := queues.Create(t.Context(), capped, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = queues.Delete(context.Background(), capped.GetName(), metav1.DeleteOptions{}) })
	live(t, ns)
	submit(t, ns, ns+"-capped", "capped", 2, 1, "1")
	awaitRunning(t, ns, "capped", 1)
	submit(t, ns, ns, "full", 4, 1, "1")
	awaitRunning(t, ns, "full", 3)

	reason := func(prefix string) (why string) {
		for _, p := range list(t, ns, prefix) {
			for _, c := range p.Status.Conditions {
				if p.Spec.NodeName == "" && c.Type == corev1.PodScheduled {
					why = c.Reason
				}
			}
		}
		return why
	}
	eventually(t, "both to say why they wait", func(ctxless) (bool, error) {
		return reason("capped") != "" && reason("full") != "", nil
	}, func() string { return reason("capped") + " and " + reason("full") })
	if got := reason("full"); got != corev1.PodReasonUnschedulable {
		t.Errorf("the pod that finds no room says %q, want Unschedulable", got)
	}
	if got := reason("capped"); got == corev1.PodReasonUnschedulable {
		t.Error("the pod in a queue at its capability says Unschedulable: an autoscaler would add nodes for nothing")
	}
}

// A configuration takes effect when its file changes, by a kubelet's swap of symlinks.
func TestLiveTheConfigurationIsReadAgain(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	dir := t.TempDir()
	mount(t, dir, "v1", "actions: \"enqueue\"\ntiers:\n- plugins:\n  - name: gang\n  - name: proportion\n")
	live(t, ns, func(o *loop.Options) { o.ConfigFile = filepath.Join(dir, "volcano-scheduler.conf") })
	submit(t, ns, ns, "solo", 1, 1, "1")
	eventually(t, "the job to be let in", func(ctxless) (bool, error) {
		return group(t, ns, "solo").Status.Phase == "Inqueue", nil
	}, func() string { return describe(group(t, ns, "solo")) })

	mount(t, dir, "v2", "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: proportion\n"+
		"  - name: predicates\n")
	awaitRunning(t, ns, "solo", 1)
}

// mount replaces a configuration as a kubelet does with a ConfigMap's: the file is a
// link into ..data, and ..data is a link that is swapped.
func mount(t *testing.T, dir, version, text string) {
	t.Helper()
	data := filepath.Join(dir, version)
	for _, err := range []error{
		os.Mkdir(data, 0o700),
		os.WriteFile(filepath.Join(data, "volcano-scheduler.conf"), []byte(text), 0o600),
		os.Symlink(version, filepath.Join(dir, "..next")),
		os.Rename(filepath.Join(dir, "..next"), filepath.Join(dir, "..data")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if version == "v1" {
		if err := os.Symlink(filepath.Join("..data", "volcano-scheduler.conf"),
			filepath.Join(dir, "volcano-scheduler.conf")); err != nil {
			t.Fatal(err)
		}
	}
}

// A pod is taken care of though its name was another pod's a moment ago, again and again.
func TestLiveANameThatIsUsedAgain(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	live(t, ns)
	zero := int64(0)
	for i := range 5 {
		p := pod(ns, "again")
		p.Spec.SchedulerName = ns
		create(t, p)
		awaitRunning(t, ns, "again", 1)
		if err := shared.kube.CoreV1().Pods(ns).Delete(t.Context(), "again",
			metav1.DeleteOptions{GracePeriodSeconds: &zero}); err != nil {
			t.Fatal(err)
		}
		eventually(t, fmt.Sprintf("life %d to be gone", i), func(ctxless) (bool, error) {
			return len(list(t, ns, "again")) == 0, nil
		},
			func() string { return "it is there" })
	}
}
