package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/klog/v2"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/internal/crash"
	"ashlar.sh/sched/model"
)

// awaitKinds returns when the API serves PodGroup and Queue, or ctx ends.
func awaitKinds(ctx context.Context, api discovery.DiscoveryInterface) error {
	said := false
	for {
		missing := []string{"podgroups", "queues"}
		list, err := api.ServerResourcesForGroupVersion(schedulingv1beta1.SchemeGroupVersion.String())
		if err == nil {
			for _, r := range list.APIResources {
				missing = slices.DeleteFunc(missing, func(name string) bool { return name == r.Name })
			}
		}
		if err == nil && len(missing) == 0 {
			return nil
		}
		if !said {
			said = true
			klog.InfoS("Waiting for the API server to serve Volcano's kinds: are its CRDs installed?",
				"groupVersion", schedulingv1beta1.SchemeGroupVersion, "missing", missing, "err", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// makeQueues makes the queues that every cluster has, where they are missing. One that cannot be made does not keep the
// other from being made.
func makeQueues(ctx context.Context, api versioned.Interface, def string) error {
	return errors.Join(makeQueue(ctx, api, model.RootQueue), makeQueue(ctx, api, def))
}

func makeQueue(ctx context.Context, api versioned.Interface, name string) error {
	_, err := api.SchedulingV1beta1().Queues().Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		return nil
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("look for queue %s: %w", name, err)
	}
	reclaimable := name != model.RootQueue
	q := &schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: schedulingv1beta1.QueueSpec{Weight: 1, Reclaimable: &reclaimable}}
	_, err = api.SchedulingV1beta1().Queues().Create(ctx, q, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make queue %s: %w", name, err)
	}
	return nil
}

// longestWithoutQueues is how long it takes at most until queues that could not be made are made again.
const longestWithoutQueues = 10 * time.Second

// makeQueuesLater makes the queues that could not be made, after pauses that grow, until ctx ends. Meanwhile the jobs
// of such a queue wait for it, and others do not.
func (bg *background) makeQueuesLater(ctx context.Context, err error) {
	pause, told := time.Second, ""
	for err != nil {
		if err.Error() != told {
			told = err.Error()
			klog.ErrorS(err, "A queue that every cluster has cannot be made: its jobs wait until it can, or somebody makes it")
		}
		if !waitUntil(ctx, time.Now().Add(pause)) {
			return
		}
		pause = min(2*pause, longestWithoutQueues)
		brief, cancel := context.WithTimeout(ctx, briefly)
		if panicked := crash.Handler(bg.l.panicked).Recover("making queues", func() {
			err = makeQueues(brief, bg.l.volcano, bg.l.o.DefaultQueue)
		}); panicked != nil {
			err = panicked
		}
		cancel()
	}
	klog.InfoS("The queues that every cluster has are there", "queues", []string{model.RootQueue, bg.l.o.DefaultQueue})
}
