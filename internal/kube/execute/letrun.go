package execute

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/record"
	"ashlar.sh/sched/ledger"
)

// LetRun is the record of where a pod was let run, for the pod's status (record.LetRunType).
type LetRun struct {
	Pod       ledger.Key
	UID, Text string
}

// WriteBy has the record written. It does not wait, and returns false when too much waits to be said.
func (r LetRun) WriteBy(c *Executor) bool {
	patch := conditions(r.UID, corev1.PodCondition{Type: record.LetRunType, Status: corev1.ConditionTrue,
		Reason: "QueueKept", Message: r.Text, LastTransitionTime: metav1.Now()})
	return c.say(c.slow, func(ctx context.Context) error {
		_, err := c.options.Clients.Slow.CoreV1().Pods(r.Pod.Namespace).Patch(ctx, r.Pod.Name, types.StrategicMergePatchType,
			patch, metav1.PatchOptions{}, "status")
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) { // it is gone, or another pod by now
			klog.ErrorS(err, "Recording where a pod was let run", "pod", r.Pod)
		}
		return err
	})
}
