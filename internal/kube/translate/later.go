package translate

import corev1 "k8s.io/api/core/v1"

const notYet = "is not heeded in this version: what it asks for may be missed"

// later names what a pod asks of its place that no filter looks at yet, so that
// nothing is left out in silence (decision 28).
func (f *faults) later(p *corev1.Pod) {
	if a := p.Spec.Affinity; a != nil {
		if a.PodAffinity != nil {
			f.taken("spec.affinity.podAffinity", notYet)
		}
		if a.PodAntiAffinity != nil {
			f.taken("spec.affinity.podAntiAffinity", notYet)
		}
	}
	if len(p.Spec.TopologySpreadConstraints) > 0 {
		f.taken("spec.topologySpreadConstraints", notYet)
	}
}
