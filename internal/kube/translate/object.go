package translate

import (
	"math"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	nodeinfov1alpha1 "volcano.sh/apis/pkg/apis/nodeinfo/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	topologyv1alpha1 "volcano.sh/apis/pkg/apis/topology/v1alpha1"

	"ashlar.sh/internal/kube/api"
	"ashlar.sh/sched/model"
)

// DefaultScheduler is the schedulerName of the pods to schedule when Options names none.
const DefaultScheduler = "volcano"

// Options is what translation needs to know beside the object. The zero value works.
type Options struct {
	// Schedulers are the schedulerNames that are ours; empty: DefaultScheduler.
	Schedulers []string
	// DefaultQueue stands in for a queue that is not named; "" leaves that to the engine.
	DefaultQueue string
	// TopOwner resolves a pod's controller to the top of its chain of controllers; nil: the
	// direct controller is the top.
	TopOwner func(namespace string, controller *metav1.OwnerReference) Owner
	// OwnerSays returns an annotation of a pod's controller, or of the nearest one above it
	// that has it; it is called for annotations that a pod to be adopted does not have. nil:
	// only the pod's own annotations count.
	OwnerSays func(namespace string, controller *metav1.OwnerReference, key string) (string, bool)
	// Specs lets pods share equal specs, labels and names; nil: each pod has its own.
	Specs *Specs
}

// The kinds that travel as model.Opaque.
const (
	KindPersistentVolume      model.Kind = "PersistentVolume"
	KindPersistentVolumeClaim model.Kind = "PersistentVolumeClaim"
	KindStorageClass          model.Kind = "StorageClass"
	KindCSINode               model.Kind = "CSINode"
	KindCSIDriver             model.Kind = "CSIDriver"
	KindCSIStorageCapacity    model.Kind = "CSIStorageCapacity"
	KindVolumeAttachment      model.Kind = "VolumeAttachment"
	KindNodeShard             model.Kind = "NodeShard"
	KindResourceClaim         model.Kind = "ResourceClaim"
	KindResourceSlice         model.Kind = "ResourceSlice"
	KindDeviceClass           model.Kind = "DeviceClass"
)

// Fact translates an object of any kind that has a part in scheduling; false for others.
// The kinds that only PluginStates understand become model.Opaque around the object itself.
func Fact(obj any, o Options) (model.Fact, bool) {
	kind, m := identify(obj)
	if kind == "" {
		return model.Fact{}, false
	}
	f := fact(kind, m)
	switch obj := obj.(type) {
	case *corev1.Node:
		f.Object = Node(obj)
	case *corev1.Pod:
		p := Pod(obj, o)
		f.Ref.Namespace = p.Namespace // the shared copy
		f.Object = p
	case *schedulingv1beta1.PodGroup:
		g := PodGroup(obj)
		if g.Queue == "" {
			g.Queue = o.DefaultQueue
		}
		f.Object = g
	case *schedulingv1beta1.Queue:
		f.Object = Queue(obj)
	case *schedulingv1.PriorityClass:
		f.Object = PriorityClass(obj)
	case *corev1.ResourceQuota:
		f.Object = Quota(obj)
	case *policyv1.PodDisruptionBudget:
		f.Object = Budget(obj)
	case *corev1.Namespace:
		f.Object = Namespace(obj)
	case *topologyv1alpha1.HyperNode:
		f.Object = HyperNode(obj)
	case *nodeinfov1alpha1.Numatopology:
		f.Object = NUMA(obj)
	case *corev1.Service:
		f.Object = Service(obj)
	case *api.Booking:
		f.Object = Booking(obj)
	default:
		f.Object = &model.Opaque{Meta: meta(m), Content: obj}
	}
	return f, true
}

// Gone is the fact that an object is no more; false for kinds that have no part in
// scheduling. Its version is the object's last, so that it beats what was known.
func Gone(obj any) (model.Fact, bool) {
	kind, m := identify(obj)
	if kind == "" {
		return model.Fact{}, false
	}
	return fact(kind, m), true
}

// identify names the kind of an object; "" for a kind without a part in scheduling.
func identify(obj any) (model.Kind, *metav1.ObjectMeta) {
	switch obj := obj.(type) {
	case *corev1.Node:
		return model.KindNode, &obj.ObjectMeta
	case *corev1.Pod:
		return model.KindPod, &obj.ObjectMeta
	case *schedulingv1beta1.PodGroup:
		return model.KindPodGroup, &obj.ObjectMeta
	case *schedulingv1beta1.Queue:
		return model.KindQueue, &obj.ObjectMeta
	case *schedulingv1.PriorityClass:
		return model.KindPriorityClass, &obj.ObjectMeta
	case *corev1.ResourceQuota:
		return model.KindQuota, &obj.ObjectMeta
	case *corev1.PersistentVolume:
		return KindPersistentVolume, &obj.ObjectMeta
	case *corev1.PersistentVolumeClaim:
		return KindPersistentVolumeClaim, &obj.ObjectMeta
	case *corev1.Service:
		return model.KindService, &obj.ObjectMeta
	case *corev1.Namespace:
		return model.KindNamespace, &obj.ObjectMeta
	case *storagev1.StorageClass:
		return KindStorageClass, &obj.ObjectMeta
	case *storagev1.CSINode:
		return KindCSINode, &obj.ObjectMeta
	case *storagev1.CSIDriver:
		return KindCSIDriver, &obj.ObjectMeta
	case *storagev1.CSIStorageCapacity:
		return KindCSIStorageCapacity, &obj.ObjectMeta
	case *storagev1.VolumeAttachment:
		return KindVolumeAttachment, &obj.ObjectMeta
	case *resourcev1.ResourceClaim:
		return KindResourceClaim, &obj.ObjectMeta
	case *resourcev1.ResourceSlice:
		return KindResourceSlice, &obj.ObjectMeta
	case *resourcev1.DeviceClass:
		return KindDeviceClass, &obj.ObjectMeta
	case *policyv1.PodDisruptionBudget:
		return model.KindBudget, &obj.ObjectMeta
	case *nodeinfov1alpha1.Numatopology:
		return model.KindNUMA, &obj.ObjectMeta
	case *topologyv1alpha1.HyperNode:
		return model.KindHyperNode, &obj.ObjectMeta
	case *api.Booking:
		return model.KindBooking, &obj.ObjectMeta
	}
	return "", nil
}

// Empty is a new object of a kind that travels as model.Opaque, nil of any other: into it
// one that was written down can be read.
func Empty(kind model.Kind) any {
	switch kind {
	case KindPersistentVolume:
		return &corev1.PersistentVolume{}
	case KindPersistentVolumeClaim:
		return &corev1.PersistentVolumeClaim{}
	case KindStorageClass:
		return &storagev1.StorageClass{}
	case KindCSINode:
		return &storagev1.CSINode{}
	case KindCSIDriver:
		return &storagev1.CSIDriver{}
	case KindCSIStorageCapacity:
		return &storagev1.CSIStorageCapacity{}
	case KindVolumeAttachment:
		return &storagev1.VolumeAttachment{}
	case KindResourceClaim:
		return &resourcev1.ResourceClaim{}
	case KindResourceSlice:
		return &resourcev1.ResourceSlice{}
	case KindDeviceClass:
		return &resourcev1.DeviceClass{}
	}
	return nil
}

func fact(kind model.Kind, m *metav1.ObjectMeta) model.Fact {
	return model.Fact{
		Ref:     model.Ref{Kind: kind, Namespace: m.Namespace, Name: m.Name},
		UID:     string(m.UID),
		Version: Version(m.ResourceVersion),
	}
}

// Version is a resourceVersion as a number; 0 when absent or not one.
func Version(text string) uint64 {
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return v
}

func meta(m *metav1.ObjectMeta) model.Meta {
	out := model.Meta{Namespace: m.Namespace, Name: m.Name, UID: string(m.UID)}
	if !m.CreationTimestamp.IsZero() {
		out.Created = instant(m.CreationTimestamp.Time)
	}
	return out
}

// instant is a time in nanoseconds since the epoch; one beyond those that can be counted so is the
// last of them, or the first.
func instant(t time.Time) int64 {
	const most = math.MaxInt64 / int64(time.Second)
	switch s := t.Unix(); {
	case s >= most:
		return math.MaxInt64
	case s <= -most:
		return math.MinInt64
	default:
		return t.UnixNano()
	}
}
