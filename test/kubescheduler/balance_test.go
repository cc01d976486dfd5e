package kubescheduler

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"
)

// balance is kube-scheduler's score of balanced allocation as it was up to Kubernetes 1.35, and as Volcano has it: how
// alike the shares of resources are with the pod on the node. From 1.36 on it is how much more alike they become by the
// pod (docs/differences.md). What pods hold is what kube-scheduler's own figures of the node say.
func balance(p *corev1.Pod, n fwk.NodeInfo) float64 {
	asked := resourcehelper.PodRequests(p, resourcehelper.PodResourcesOptions{})
	held, has := n.GetRequested(), n.GetAllocatable()
	resources := [][3]int64{
		{held.GetMilliCPU(), asked.Cpu().MilliValue(), has.GetMilliCPU()},
		{held.GetMemory(), asked.Memory().Value(), has.GetMemory()},
	}
	if q, is := asked[gpu]; is && q.Value() > 0 {
		resources = append(resources, [3]int64{held.GetScalarResources()[gpu], q.Value(),
			has.GetScalarResources()[gpu]})
	}
	var shares []float64
	sum, any := 0.0, false
	for _, r := range resources {
		any = any || r[1] > 0
		if r[2] > 0 {
			shares = append(shares, min(1, float64(r[0]+r[1])/float64(r[2])))
			sum += shares[len(shares)-1]
		}
	}
	if !any {
		return 0
	}
	if len(shares) == 0 {
		return 100
	}
	mean, squares := sum/float64(len(shares)), 0.0
	for _, s := range shares {
		squares += (s - mean) * (s - mean)
	}
	return 100 * (1 - math.Sqrt(squares/float64(len(shares))))
}
