package e2e

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"ashlar.sh/internal/loop"
)

// The API server takes annotations that are no UTF-8 from a client that speaks protobuf, and as long as all annotations
// of a pod may be. Pods that name a PodGroup or a queue so wait, and are told that there is none; others are bound,
// nothing panics, and what monitoring reads stays short.
func TestWordsThatAreNoNamesHurtOnlyTheirOwner(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "110")
	queue(t, ns)
	byProtobuf := copyConfig()
	byProtobuf.ContentType = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(byProtobuf)
	if err != nil {
		t.Fatal(err)
	}
	at := address(t)
	live(t, ns, func(o *loop.Options) { o.Addresses.Metrics = at })
	const group, inQueue = "scheduling.k8s.io/group-name", "scheduling.volcano.sh/queue-name"
	hostile := map[string]map[string]string{
		"group":      {group: "\xff"},
		"queue":      {inQueue: "\xff"},
		"both":       {group: "\xff", inQueue: "\xfe"},
		"long-group": {group: strings.Repeat("g", 120<<10), inQueue: strings.Repeat("q", 120<<10)},
		"long-queue": {inQueue: strings.Repeat("q", 240<<10)},
	}
	for name, annotations := range hostile {
		p := pod(ns, name)
		p.Spec.SchedulerName, p.Annotations = ns, annotations
		if _, err := client.CoreV1().Pods(ns).Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
			t.Fatalf("the API server refuses the pod %s: %v", name, err)
		}
	}
	for name := range hostile {
		told := ""
		eventually(t, "the pod "+name+" to be told why it waits", func(context.Context) (bool, error) {
			for _, c := range get(t, ns, name).Status.Conditions {
				if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
					told = c.Message
				}
			}
			return told != "", nil
		}, func() string { return "nothing" })
		if !strings.Contains(told, "not exist") || len(told) > 250 {
			t.Errorf("the pod %s is told %.300q", name, told)
		}
	}
	submit(t, ns, ns, "fine", 2, 2, "1")
	awaitRunning(t, ns, "fine", 2)
	page := fetch("http://" + at + "/metrics")
	if !strings.Contains(page, "\nashlar_panics_total 0\n") {
		t.Error("something panicked")
	}
	for line := range strings.Lines(page) {
		if len(line) > 1024 {
			t.Errorf("a line of metrics has %d bytes: %.100s", len(line), line)
		}
	}
}
