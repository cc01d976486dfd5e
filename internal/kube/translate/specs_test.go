package translate

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/test/heap"
)

// A tenant makes pods and deletes them, each with labels, a selector or annotations of another content, as large as the
// API server takes them. What is kept to be shared of pods that are gone stays within its bound.
func TestWhatIsSharedOfPodsThatAreGoneIsBounded(t *testing.T) {
	many := func(i, size int) map[string]string {
		out := map[string]string{}
		for k := range size / 100 {
			out[fmt.Sprintf("%d-%d", i, k)] = strings.Repeat("v", 50)
		}
		return out
	}
	const pods, size = 300, 1 << 18
	for name, c := range map[string]struct {
		pod  func(i int) *corev1.Pod
		most int64
	}{
		"labels": {func(i int) *corev1.Pod {
			return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: many(i, size)}}
		}, 3 * mostBytesOfSets},
		"selectors": {func(i int) *corev1.Pod {
			return &corev1.Pod{Spec: corev1.PodSpec{NodeSelector: many(i, size)}}
		}, 3 * mostBytesOfSpecs},
		"names": {func(i int) *corev1.Pod {
			return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
				"scheduling.k8s.io/group-name": fmt.Sprint(i) + strings.Repeat("g", size),
				"volcano.sh/task-spec":         fmt.Sprint(i) + strings.Repeat("r", size)}}}
		}, placesOfWords * LongestWord},
	} {
		t.Run(name, func(t *testing.T) {
			o, before := Options{Specs: &Specs{}}, heap.InUse()
			for i := range pods {
				Pod(c.pod(i), o)
			}
			if held := heap.InUse() - before; held > c.most {
				t.Errorf("of %d pods that are gone %d MiB are held, more than %d", pods, held>>20, c.most>>20)
			}
			runtime.KeepAlive(o)
		})
	}
}

// A template may be large: its pods share its spec and labels all the same.
func TestPodsOfALargeTemplateShareIt(t *testing.T) {
	selector := map[string]string{}
	for i := range 1000 {
		selector[fmt.Sprint(i)] = strings.Repeat("v", 50)
	}
	o := Options{Specs: &Specs{}}
	pod := func() *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: selector},
			Spec: corev1.PodSpec{NodeSelector: selector}}
	}
	a, b := Pod(pod(), o), Pod(pod(), o)
	if a.Spec != b.Spec || &a.Labels[0] != &b.Labels[0] {
		t.Error("two pods of one template have two copies of it")
	}
}
