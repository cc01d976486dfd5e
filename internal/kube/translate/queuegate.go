package translate

import (
	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/sched/model"
)

// QueueGate is Volcano's key for the gate that a pod's queue opens: of the annotation by
// which a pod asks for it, and of the scheduling gate that its webhook then puts there.
const QueueGate = "scheduling.volcano.sh/queue-allocation-gate"

// queueGate is the state of a pod's queue gate. Without the annotation the scheduler is not asked
// to remove the gate, and as long as the pod has other gates, removing it would not help.
func (f *faults) queueGate(p *corev1.Pod) model.QueueGate {
	asked, has := p.Annotations[QueueGate] == "true", false
	for _, g := range p.Spec.SchedulingGates {
		has = has || g.Name == QueueGate
	}
	switch {
	case has && !asked:
		f.taken("spec.schedulingGates", "%s is taken off only where the annotation of that name is \"true\": it stays",
			QueueGate)
		return model.NoQueueGate
	case !asked || has && len(p.Spec.SchedulingGates) > 1:
		return model.NoQueueGate
	case has:
		return model.QueueGateShut
	default:
		return model.QueueGateOpen
	}
}
