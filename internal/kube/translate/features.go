package translate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"
	declared "k8s.io/component-helpers/nodedeclaredfeatures"
)

// kubernetes is the version of the libraries here. Features that all nodes have from some version on are not declared
// by later ones, and are not needed of them.
var kubernetes = version.MajorMinor(1, 36)

// NeededFeatures returns those of the features that a node declares which some pod can need, sorted.
func NeededFeatures(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	names, err := declared.DefaultFramework.Unmap(declared.DefaultFramework.TryMap(slices.Sorted(slices.Values(list))))
	if err != nil || len(names) == 0 {
		return nil
	}
	return names
}

// features are those that a node has to declare before it can take a pod, sorted (kube-scheduler's
// NodeDeclaredFeatures): a kubelet without one of them rejects the pod.
func features(s *corev1.PodSpec) []string {
	need, err := declared.DefaultFramework.InferForPodScheduling(&declared.PodInfo{Spec: s}, kubernetes)
	if err != nil || need.IsEmpty() {
		return nil
	}
	names, err := declared.DefaultFramework.Unmap(need)
	if err != nil {
		return nil
	}
	return names
}
