package loop

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
)

// What the API server says is gone is asked of it less and less often while the watch shows it still: it has other
// schedulers and users to answer.
func TestWhatIsGoneIsNotAskedForAgainAndAgain(t *testing.T) {
	for name, c := range map[string]struct {
		verb, resource string
		make           func(w *living)
	}{
		"a pod that is to be bound": {"create", "pods", func(w *living) {
			w.group("g", 1, noOwner)
			w.pods("g", 0, 1, "1")
		}},
		"a gang":            {"create", "pods", func(w *living) { w.gangOf4() }},
		"a pod at the gate": {"patch", "pods", func(w *living) { w.gated("g") }},
		"a PodGroup that is admitted": {"patch", "podgroups", func(w *living) {
			w.group("g", 2, "batch.volcano.sh/v1alpha1")
		}},
		"a pod that is to be evicted": {"delete", "pods", func(w *living) {
			w.ranked("old", "low", 1, "8")
			w.after(5 * time.Second)
			w.ranked("urgent", "high", 1, "8")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTimeWith(t, 1, pressed, func(w *living) {
				n := 0
				server := &w.kube.Fake
				if c.resource == "podgroups" {
					server = &w.volcano.Fake
				}
				w.answers(server, c.verb, c.resource, func(a k8stesting.Action) (bool, runtime.Object, error) {
					if a.GetSubresource() == "status" {
						return false, nil, nil // conditions have a pace of their own
					}
					n++
					return true, nil, apierrors.NewNotFound(podsKind.GroupResource(), "g-0")
				})
				c.make(w)
				w.after(time.Minute)
				if n == 0 || n > 4*12 {
					t.Errorf("it was asked for %d times in a minute, want some twelve times for each object", n)
				}
			})
		})
	}
}
