package translate

import (
	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/sched/model"
)

// Service translates a Service: which pods it selects. Its type makes no difference, as in kube-scheduler.
func Service(s *corev1.Service) *model.Service {
	return &model.Service{Meta: meta(&s.ObjectMeta), Selector: labels(s.Spec.Selector)}
}
