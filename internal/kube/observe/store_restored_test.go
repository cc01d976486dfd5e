package observe_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"ashlar.sh/internal/kube/observe"
)

// A pod that is seen in an older version than before was put back; one that goes on, or is made again, was not.
func TestAStoreThatWasPutBackIsNoticed(t *testing.T) {
	for what, next := range map[string]struct {
		version  string
		uid      types.UID
		restored bool
	}{
		"a newer version": {"12", "a", false},
		"an older one":    {"7", "a", true},
		"a later life":    {"12", "b", false},
		"an earlier life": {"7", "b", true},
		"no number":       {"seven", "a", false},
	} {
		t.Run(what, func(t *testing.T) {
			was := pod("p", nil)
			was.UID, was.ResourceVersion = "a", "9"
			kube := fake.NewClientset(node("1", nil), was)
			w := watch(t, kube, observe.Options{Adopt: true})
			await(t, "the pod", func() bool { return w.Pod("ns", "p") != nil })
			is := pod("p", map[string]string{"seen": "again"})
			is.UID, is.ResourceVersion = next.uid, next.version
			if _, err := kube.CoreV1().Pods("ns").Update(t.Context(), is, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			await(t, "the update", func() bool { return w.StoreRestored() || w.Pod("ns", "p").GetResourceVersion() != "9" })
			if next.restored {
				await(t, "the notice", w.StoreRestored)
			} else if w.StoreRestored() {
				t.Error("it is held to have been put back")
			}
		})
	}
}
