package translate

import (
	"strings"
	"testing"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestPodsShareTheNamesThatTheyRepeat(t *testing.T) {
	pod := func() *corev1.Pod { // as if it were decoded: every string is a copy of its own
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: strings.Clone("team"), Name: "p",
			Annotations: map[string]string{"scheduling.k8s.io/group-name": strings.Clone("train")}},
			Spec: corev1.PodSpec{NodeName: strings.Clone("node-1")}}
	}
	o := Options{Specs: &Specs{}}
	a, b := Pod(pod(), o), Pod(pod(), o)
	for name, c := range map[string][2]string{"namespace": {a.Namespace, b.Namespace}, "PodGroup": {a.Group, b.Group},
		"node": {a.Node, b.Node}} {
		if c[0] != c[1] || c[0] == "" {
			t.Errorf("the %s is %q and %q", name, c[0], c[1])
		}
		if unsafe.StringData(c[0]) != unsafe.StringData(c[1]) {
			t.Errorf("the %s %q is held twice", name, c[0])
		}
	}
}

func TestAWordIsItselfWhateverWasSharedBefore(t *testing.T) {
	var w words
	for i := range 3 * placesOfWords { // every place is taken several times
		s := strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i%placesOfWords/97)
		if got := w.one(s); got != s {
			t.Fatalf("%q became %q", s, got)
		}
	}
}
