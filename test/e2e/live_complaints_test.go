package e2e

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A user that describes a queue with an impossible field, or a pod without its PodGroup, reads there
// what is wrong.
func TestLiveWhatIsWrongIsSaidWhereItIsWrong(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	bad := object("Queue", ns+"-bad", map[string]any{"weight": int64(1), "capability": map[string]any{"cpu": "-5"}})
	queues := shared.dynamic.Resource(queueResource)
	if _, err := queues.Create(t.Context(), bad, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = queues.Delete(context.Background(), bad.GetName(), metav1.DeleteOptions{}) })
	live(t, ns)
	orphan := member(ns, "nowhere", 0, "1")
	orphan.Spec.SchedulerName = ns
	create(t, orphan)

	var said []corev1.Event
	eventually(t, "the queue to say that its capability is negative", func(ctxless) (bool, error) {
		said = events(t, metav1.NamespaceDefault, "Queue", bad.GetName(), "Problem")
		return len(said) > 0, nil
	}, func() string { return "no event" })
	if got := said[0].Message; !strings.Contains(got, "spec.capability.cpu") || !strings.Contains(got, "-5") {
		t.Errorf("the queue says %q, want the field and the amount", got)
	}
	var condition corev1.PodCondition
	eventually(t, "the pod to say that its PodGroup is not there", func(ctxless) (bool, error) {
		for _, c := range list(t, ns, "nowhere")[0].Status.Conditions {
			if c.Type == corev1.PodScheduled {
				condition = c
				return true, nil
			}
		}
		return false, nil
	}, func() string { return "no condition PodScheduled" })
	if condition.Reason != "PodGroupNotFound" || !strings.Contains(condition.Message, "PodGroup nowhere") {
		t.Errorf("the pod says %s: %q, want PodGroupNotFound and the PodGroup's name", condition.Reason, condition.Message)
	}
}
