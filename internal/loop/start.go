package loop

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/klog/v2"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	"volcano.sh/apis/pkg/client/clientset/versioned"

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

// makeQueues makes the queues that every cluster has, where they are missing.
func makeQueues(ctx context.Context, api versioned.Interface, def string) error {
	for _, name := range []string{model.RootQueue, def} {
		reclaimable := name != model.RootQueue
		q := &schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: schedulingv1beta1.QueueSpec{Weight: 1, Reclaimable: &reclaimable}}
		if _, err := api.SchedulingV1beta1().Queues().Get(ctx, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			if err != nil {
				return fmt.Errorf("look for queue %s: %w", name, err)
			}
			continue
		}
		_, err := api.SchedulingV1beta1().Queues().Create(ctx, q, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("make queue %s: %w", name, err)
		}
	}
	return nil
}
