package execute

import (
	"context"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched/ledger"
)

// Charge is the record of where a pod was let run, for the pod's status (persisted.ChargeCondition).
type Charge struct {
	Pod               ledger.Key
	UID, Text, Reason string
}

// WriteBy has the record written. It does not wait, and returns false when too much waits to be said. denied is set to
// whether the role of this scheduler forbids it, which is logged when it is found out.
func (r Charge) WriteBy(c *Executor, denied *atomic.Bool) bool {
	patch := conditions(r.UID, corev1.PodCondition{Type: persisted.ChargeCondition, Status: corev1.ConditionTrue,
		Reason: r.Reason, Message: r.Text, LastTransitionTime: metav1.Now()})
	return c.say(c.slow, func(ctx context.Context) error {
		_, err := c.options.Clients.Slow.CoreV1().Pods(r.Pod.Namespace).Patch(ctx, r.Pod.Name, types.StrategicMergePatchType,
			patch, metav1.PatchOptions{}, "status")
		switch forbidden := apierrors.IsForbidden(err); {
		case forbidden && denied.Swap(true), apierrors.IsNotFound(err), apierrors.IsConflict(err):
			// it was told; the pod is gone, or another by now
		case err != nil:
			klog.ErrorS(err, "Recording where a pod was let run", "pod", r.Pod)
		default:
			denied.Store(false)
		}
		return err
	})
}
