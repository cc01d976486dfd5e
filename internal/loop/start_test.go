package loop

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"
)

// Where the API server takes no queue, jobs of the default queue wait for it, and are told so; those of other queues
// start. Once it takes the queues, all start.
func TestAQueueThatCannotBeMadeHoldsOnlyItsJobs(t *testing.T) {
	for name, refusal := range map[string]error{
		"the role has no right to make it": apierrors.NewForbidden(queuesKind.GroupResource(), "default", nil),
		"a webhook does not answer":        apierrors.NewInternalError(errors.New("failed calling webhook")),
	} {
		t.Run(name, func(t *testing.T) {
			var refused atomic.Bool
			refused.Store(true)
			inVirtualTimeWith(t, 1, func(w *living) {
				for _, name := range []string{"root", "default"} {
					w.must(w.groups.Delete(queuesKind, "", name))
				}
				w.must(w.groups.Create(queuesKind, &schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: "team",
					UID: types.UID("team")}, Spec: schedulingv1beta1.QueueSpec{Weight: 1}}, ""))
				w.answers(&w.volcano.Fake, "create", "queues", func(k8stesting.Action) (bool, runtime.Object, error) {
					return refused.Load(), nil, refusal
				})
				w.group("waits", 1, "")
				w.pods("waits", 0, 1, "1")
				w.group("runs", 1, "")
				w.regroup("runs", func(g *schedulingv1beta1.PodGroup) { g.Spec.Queue = "team" })
				w.pods("runs", 0, 1, "1")
			}, func(w *living) {
				w.after(10 * time.Second)
				if w.bound("runs") != 1 || w.bound("waits") != 0 {
					t.Errorf("of the job in team %d pods are bound and of that in default %d, want 1 and 0", w.bound("runs"),
						w.bound("waits"))
				}
				if told := w.waitsFor("waits"); !strings.Contains(told, "queue default") {
					t.Errorf("it is told %q, want that it names the queue default", told)
				}
				refused.Store(false)
				w.after(time.Minute)
				if w.bound("waits") != 1 {
					t.Errorf("a minute after queues are taken again it does not run: %s", w.waitsFor("waits"))
				}
			})
		})
	}
}

// A queue that is refused keeps the other one from nothing.
func TestTheDefaultQueueIsMadeWhereRootIsRefused(t *testing.T) {
	api := volcano.NewSimpleClientset()
	api.PrependReactor("create", "queues", func(a k8stesting.Action) (bool, runtime.Object, error) {
		q, is := a.(k8stesting.CreateAction).GetObject().(*schedulingv1beta1.Queue)
		return is && q.Name == "root", nil, apierrors.NewForbidden(queuesKind.GroupResource(), "root", nil)
	})
	if err := makeQueues(t.Context(), api, "default"); err == nil || !strings.Contains(err.Error(), "make queue root") {
		t.Errorf("error %v, want that it names root", err)
	}
	if _, err := api.SchedulingV1beta1().Queues().Get(t.Context(), "default", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}
