package observe

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	volcanoinformers "volcano.sh/apis/pkg/client/informers/externalversions"

	"ashlar.sh/internal/kube/api"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// kind is one that can be watched.
type kind struct {
	name     model.Kind
	resource schema.GroupVersionResource
	// always: every cluster that can be scheduled has it, and without it nothing is
	// decided. The others are watched where the engine reads them and the API serves them.
	always   bool
	informer func(*Observer) cache.SharedIndexInformer
	strip    cache.TransformFunc // nil for pods: see Observer.pod
}

func of(group, version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: resource}
}

// kinds are all that there are facts of, in the order in which they are listed.
func kinds() []kind {
	core := func(get func(informers.SharedInformerFactory) cache.SharedIndexInformer) func(
		*Observer) cache.SharedIndexInformer {
		return func(w *Observer) cache.SharedIndexInformer { return get(w.discovery.core) }
	}
	volcano := func(get func(volcanoinformers.SharedInformerFactory) cache.SharedIndexInformer) func(
		*Observer) cache.SharedIndexInformer {
		return func(w *Observer) cache.SharedIndexInformer { return get(w.discovery.volcano) }
	}
	type f = informers.SharedInformerFactory
	type v = volcanoinformers.SharedInformerFactory
	type informer = cache.SharedIndexInformer
	return []kind{
		{model.KindNode, of("", "v1", "nodes"), true, core(func(x f) informer {
			return x.Core().V1().Nodes().Informer()
		}), stripNode},
		{model.KindPod, of("", "v1", "pods"), true, core(podInformer), nil},
		{model.KindPriorityClass, of("scheduling.k8s.io", "v1", "priorityclasses"), true,
			core(func(x f) informer { return x.Scheduling().V1().PriorityClasses().Informer() }), stripMeta},
		{model.KindPodGroup, of("scheduling.volcano.sh", "v1beta1", "podgroups"), true,
			volcano(func(x v) informer { return x.Scheduling().V1beta1().PodGroups().Informer() }), stripGroup},
		{model.KindQueue, of("scheduling.volcano.sh", "v1beta1", "queues"), true,
			volcano(func(x v) informer { return x.Scheduling().V1beta1().Queues().Informer() }), stripMeta},
		{model.KindQuota, of("", "v1", "resourcequotas"), false, core(func(x f) informer {
			return x.Core().V1().ResourceQuotas().Informer()
		}), stripMeta},
		{model.KindBudget, of("policy", "v1", "poddisruptionbudgets"), false,
			core(func(x f) informer { return x.Policy().V1().PodDisruptionBudgets().Informer() }), stripBudget},
		{model.KindNamespace, of("", "v1", "namespaces"), false, core(func(x f) informer {
			return x.Core().V1().Namespaces().Informer()
		}), stripMeta},
		{model.KindService, of("", "v1", "services"), false,
			core(func(x f) informer { return x.Core().V1().Services().Informer() }), stripService},
		{model.KindHyperNode, of("topology.volcano.sh", "v1alpha1", "hypernodes"), false,
			volcano(func(x v) informer { return x.Topology().V1alpha1().HyperNodes().Informer() }), stripMeta},
		{model.KindBooking, api.Version.WithResource(api.Resource), false,
			func(w *Observer) informer { return w.bookings.informer(w) }, stripMeta},
		{model.KindNUMA, of("nodeinfo.volcano.sh", "v1alpha1", "numatopologies"), false,
			volcano(func(x v) informer { return x.Nodeinfo().V1alpha1().Numatopologies().Informer() }), stripMeta},
		{translate.KindNodeShard, of("shard.volcano.sh", "v1alpha1", "nodeshards"), false,
			volcano(func(x v) informer { return x.Shard().V1alpha1().NodeShards().Informer() }), stripMeta},
		{translate.KindPersistentVolume, of("", "v1", "persistentvolumes"), false,
			core(func(x f) informer { return x.Core().V1().PersistentVolumes().Informer() }), stripStorage},
		{translate.KindPersistentVolumeClaim, of("", "v1", "persistentvolumeclaims"), false,
			core(func(x f) informer { return x.Core().V1().PersistentVolumeClaims().Informer() }), stripStorage},
		{translate.KindStorageClass, of("storage.k8s.io", "v1", "storageclasses"), false,
			core(func(x f) informer { return x.Storage().V1().StorageClasses().Informer() }), stripStorage},
		{translate.KindCSINode, of("storage.k8s.io", "v1", "csinodes"), false, core(func(x f) informer {
			return x.Storage().V1().CSINodes().Informer()
		}), stripMeta},
		{translate.KindCSIDriver, of("storage.k8s.io", "v1", "csidrivers"), false,
			core(func(x f) informer { return x.Storage().V1().CSIDrivers().Informer() }), stripMeta},
		{translate.KindCSIStorageCapacity, of("storage.k8s.io", "v1", "csistoragecapacities"), false,
			core(func(x f) informer { return x.Storage().V1().CSIStorageCapacities().Informer() }), stripMeta},
		{translate.KindVolumeAttachment, of("storage.k8s.io", "v1", "volumeattachments"), false,
			core(func(x f) informer { return x.Storage().V1().VolumeAttachments().Informer() }), stripStorage},
		{translate.KindResourceClaim, of("resource.k8s.io", "v1", "resourceclaims"), false,
			core(func(x f) informer { return x.Resource().V1().ResourceClaims().Informer() }), stripClaim},
		{translate.KindResourceSlice, of("resource.k8s.io", "v1", "resourceslices"), false,
			core(func(x f) informer { return x.Resource().V1().ResourceSlices().Informer() }), stripBare},
		{translate.KindDeviceClass, of("resource.k8s.io", "v1", "deviceclasses"), false,
			core(func(x f) informer { return x.Resource().V1().DeviceClasses().Informer() }), stripBare},
	}
}

// Kinds are the names of all kinds that can be watched.
func Kinds() (out []model.Kind) {
	for _, k := range kinds() {
		out = append(out, k.name)
	}
	return out
}
