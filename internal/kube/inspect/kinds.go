package inspect

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// kind is one that is listed. list is for one namespace, or for all with "".
type kind struct {
	name       string // as kubectl names it
	costs      string // what is not known without it
	namespaced bool
	essential  bool // without all of it no decision can be made anew
	list       func(ctx context.Context, namespace string, o metav1.ListOptions) (runtime.Object, error)
}

// lister makes a list function of a client's.
func lister[L runtime.Object](of func(namespace string) func(context.Context, metav1.ListOptions) (L, error)) func(
	context.Context, string, metav1.ListOptions) (runtime.Object, error) {
	return func(ctx context.Context, namespace string, o metav1.ListOptions) (runtime.Object, error) {
		list, err := of(namespace)(ctx, o)
		if err != nil {
			return nil, err
		}
		return list, nil
	}
}

// anywhere is lister for kinds without a namespace.
func anywhere[L runtime.Object](of func(context.Context, metav1.ListOptions) (L, error)) func(
	context.Context, string, metav1.ListOptions) (runtime.Object, error) {
	return lister(func(string) func(context.Context, metav1.ListOptions) (L, error) { return of })
}

// waves are the kinds in the order in which they are read.
func (c Clients) waves() [][]kind {
	core, volcano := c.Kube.CoreV1(), c.Volcano
	return [][]kind{
		{{"pods", "which pods wait, and what pods hold of nodes and queues", true, true,
			lister(func(ns string) func(context.Context, metav1.ListOptions) (*podList, error) {
				return core.Pods(ns).List
			})}},
		{
			{"podgroups.scheduling.volcano.sh", "which gangs there are, and the least that each needs", true, true,
				lister(func(ns string) func(context.Context, metav1.ListOptions) (*podGroupList, error) {
					return volcano.SchedulingV1beta1().PodGroups(ns).List
				})},
			{"persistentvolumeclaims", "where volumes allow pods to be", true, false,
				lister(func(ns string) func(context.Context, metav1.ListOptions) (*claimList, error) {
					return core.PersistentVolumeClaims(ns).List
				})},
			{"resourceclaims.resource.k8s.io", "where resource claims allow pods to be", true, false,
				lister(func(ns string) func(context.Context, metav1.ListOptions) (*deviceClaimList, error) {
					return c.Kube.ResourceV1().ResourceClaims(ns).List
				})},
			{"poddisruptionbudgets.policy", "which pods a budget keeps from being evicted", true, false,
				lister(func(ns string) func(context.Context, metav1.ListOptions) (*budgetList, error) {
					return c.Kube.PolicyV1().PodDisruptionBudgets(ns).List
				})},
			{"resourcequotas", "what quotas of namespaces keep jobs from being admitted", true, false,
				lister(func(ns string) func(context.Context, metav1.ListOptions) (*quotaList, error) {
					return core.ResourceQuotas(ns).List
				})},
			{"services", "how pods of a service are spread by default", true, false,
				lister(func(ns string) func(context.Context, metav1.ListOptions) (*serviceList, error) {
					return core.Services(ns).List
				})},
			{"csistoragecapacities.storage.k8s.io", "where there is room for new volumes", true, false,
				lister(func(ns string) func(context.Context, metav1.ListOptions) (*capacityList, error) {
					return c.Kube.StorageV1().CSIStorageCapacities(ns).List
				})},
		},
		{
			{"queues.scheduling.volcano.sh", "what queues hold, deserve and may have", false, true,
				anywhere(volcano.SchedulingV1beta1().Queues().List)},
			{"priorityclasses.scheduling.k8s.io", "which jobs go before others, and may evict", false, false,
				anywhere(c.Kube.SchedulingV1().PriorityClasses().List)},
			{"namespaces", "which namespaces the affinity terms of pods select", false, false,
				anywhere(core.Namespaces().List)},
			{"hypernodes.topology.volcano.sh", "which nodes are near each other", false, false,
				anywhere(volcano.TopologyV1alpha1().HyperNodes().List)},
			{"bookings.ashlar.sh", "which nodes are booked in advance", false, false, anywhere(c.bookings)},
			{"numatopologies.nodeinfo.volcano.sh", "which NUMA nodes have cpus", false, false,
				anywhere(volcano.NodeinfoV1alpha1().Numatopologies().List)},
			{"persistentvolumes", "where volumes allow pods to be", false, false,
				anywhere(core.PersistentVolumes().List)},
			{"storageclasses.storage.k8s.io", "where volumes allow pods to be", false, false,
				anywhere(c.Kube.StorageV1().StorageClasses().List)},
			{"csinodes.storage.k8s.io", "how many volumes each node takes", false, false,
				anywhere(c.Kube.StorageV1().CSINodes().List)},
			{"csidrivers.storage.k8s.io", "how drivers provision volumes", false, false,
				anywhere(c.Kube.StorageV1().CSIDrivers().List)},
			{"volumeattachments.storage.k8s.io", "how many volumes each node takes", false, false,
				anywhere(c.Kube.StorageV1().VolumeAttachments().List)},
			{"resourceslices.resource.k8s.io", "which devices nodes have", false, false,
				anywhere(c.Kube.ResourceV1().ResourceSlices().List)},
			{"deviceclasses.resource.k8s.io", "which devices resource claims ask for", false, false,
				anywhere(c.Kube.ResourceV1().DeviceClasses().List)},
		},
		{{"nodes", "which nodes there are, and what room they have", false, true, anywhere(core.Nodes().List)}},
	}
}
