package observe_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"ashlar.sh/internal/kube/observe"
)

// The API server's clock is an hour behind. A pod that is asked to leave has its grace from when that was seen,
// whatever is written to it afterwards; of one that was terminating before, only its deletionTimestamp is known.
func TestAPodHasItsGraceFromWhenItIsSeenToLeave(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	behind, grace := metav1.NewTime(now.Add(-time.Hour)), int64(30)
	pod := func(name string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: "uid-1", ResourceVersion: "1"},
			Spec: corev1.PodSpec{NodeName: "n"}}
	}
	before := pod("before")
	before.DeletionTimestamp, before.DeletionGracePeriodSeconds = &behind, &grace
	kube := fake.NewClientset(pod("asked"), before)
	w := watch(t, kube, observe.Options{Now: now.UnixNano})
	goneBy := func(name string) time.Duration {
		return time.Duration(w.Pod("ns", name).Fact().Rare().GoneBy - now.UnixNano())
	}
	asked := pod("asked")
	asked.DeletionTimestamp, asked.DeletionGracePeriodSeconds = &behind, &grace
	for n, label := range []string{"first", "second"} {
		asked.ResourceVersion, asked.Labels = string(rune('2'+n)), map[string]string{"l": label}
		if _, err := kube.CoreV1().Pods("ns").Update(t.Context(), asked.DeepCopy(), metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		await(t, "the pod to be seen", func() bool {
			p := w.Pod("ns", "asked").Fact()
			return p.Deleting && len(p.Labels) > 0 && p.Labels[0].Value == label
		})
		if got := goneBy("asked"); got != 30*time.Second {
			t.Errorf("at the %s write it is to be gone by %s, want 30s", label, got)
		}
	}
	if got := goneBy("before"); got != -time.Hour {
		t.Errorf("what left before is to be gone by %s, want an hour ago", got)
	}
}

// A pod has a day to leave, and is deleted once more with 30 s: an API server then sets its deletionTimestamp anew.
func TestAShortenedGraceCounts(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "uid-1", ResourceVersion: "1"},
		Spec: corev1.PodSpec{NodeName: "n"}}
	kube := fake.NewClientset(p)
	w := watch(t, kube, observe.Options{Now: now.UnixNano})
	for n, grace := range []int64{86_400, 30} {
		at := metav1.NewTime(now.Add(time.Duration(grace) * time.Second))
		p = p.DeepCopy()
		p.ResourceVersion, p.DeletionTimestamp, p.DeletionGracePeriodSeconds = string(rune('2'+n)), &at, &grace
		p.Labels = map[string]string{"l": p.ResourceVersion}
		if _, err := kube.CoreV1().Pods("ns").Update(t.Context(), p.DeepCopy(), metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		await(t, "the pod to be seen", func() bool {
			f := w.Pod("ns", "p").Fact()
			return f.Deleting && len(f.Labels) > 0 && f.Labels[0].Value == p.ResourceVersion
		})
		want := time.Duration(grace) * time.Second
		if got := time.Duration(w.Pod("ns", "p").Fact().Rare().GoneBy - now.UnixNano()); got != want {
			t.Errorf("it is to be gone by %s, want %s", got, want)
		}
	}
}
