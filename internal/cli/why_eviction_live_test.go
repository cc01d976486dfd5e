//go:build !simulator

package cli

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What became of a pod names it once: the sentence on the pod begins with its name.
func TestWhatBecameOfAPodNamesItOnce(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p"}, Status: corev1.PodStatus{
		Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Message: "a/p: none of 2 nodes takes it: 2 lack cpu"}}}}
	if got, want := became(pod), "a/p: it waits: none of 2 nodes takes it: 2 lack cpu"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
