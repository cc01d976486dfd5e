//go:build !simulator

package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

func member(name, group string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name,
		Annotations: map[string]string{schedulingv1beta1.KubeGroupNameAnnotationKey: group}}}
}

func event(kind, name, message string) *corev1.Event {
	return &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: kind + name}, Reason: "Says",
		InvolvedObject: corev1.ObjectReference{Kind: kind, Namespace: "team", Name: name}, Message: message}
}

// byEvents is the history of job team/train, or why there is none.
func byEvents(t *testing.T, refused string, objects ...runtime.Object) string {
	t.Helper()
	kube := fake.NewClientset(objects...)
	if refused != "" {
		kube.PrependReactor("list", refused, func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: refused}, "", errors.New("no"))
		})
	}
	p := liveQuestions{questions{Process{Now: func() time.Time { return time.Unix(0, 0) }}}}
	h, err := p.historyByEvents(t.Context(), kube, &source{namespace: "team"}, "train")
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	if err := h.Text(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The events of job train-big are not taken for those of job train.
func TestEventsOfAJobWithALongerName(t *testing.T) {
	const uid = "0f8fad5b-d9cb-469f-a165-70867728950e"
	text := byEvents(t, "", member("train-big-0", "train-big"), member("train-big-1", "train-big"),
		member("train-worker-0", "train-"+uid), event("Pod", "train-big-0", "of the other"),
		event("Pod", "train-big-7", "of the other, gone"), event("Pod", "train-worker-0", "of its own"),
		event("Pod", "train-old-0", "of its own, gone"), event("PodGroup", "train", "of the group"),
		event("PodGroup", "train-"+uid, "of the group of its Job"))
	for _, want := range []string{"of its own\n", "of its own, gone", "of the group\n", "of the group of its Job"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not tell %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "other") {
		t.Errorf("it tells of another job:\n%s", text)
	}
}

// Without the right to list pods the events alone are told; without that to list events it is said which right is
// missing.
func TestAHistoryWithoutRights(t *testing.T) {
	text := byEvents(t, "pods", event("Pod", "train-0", "it began"))
	if !strings.Contains(text, "it began") || !strings.Contains(text, "no right to list pods") {
		t.Errorf("without the right to list pods:\n%s", text)
	}
	if text := byEvents(t, "events"); !strings.Contains(text, "no right to list events in namespace team") ||
		strings.Contains(text, "no cluster") {
		t.Errorf("without the right to list events: %s", text)
	}
}
