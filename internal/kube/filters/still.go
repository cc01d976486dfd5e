package filters

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
)

// quiet is the logger of everything here: the trace says what was decided and why.
var quiet klog.Logger

// standstill makes Kubernetes' plugin over informers that are never started. What the
// binder would write arrives at w.
func standstill(f informers.SharedInformerFactory, w *writes) (*volumebinding.VolumeBinding, error) {
	core, storage := f.Core().V1(), f.Storage().V1()
	capacity := volumebinding.CapacityCheck{
		CSIDriverInformer:          storage.CSIDrivers(),
		CSIStorageCapacityInformer: storage.CSIStorageCapacities(),
	}
	binder, err := volumebinding.NewVolumeBinder(quiet, client{w: w},
		feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate),
		core.Pods(), core.Nodes(), storage.CSINodes(), core.PersistentVolumeClaims(),
		ordered{core.PersistentVolumes()}, storage.StorageClasses(), capacity, 0)
	if err != nil {
		return nil, err
	}
	return &volumebinding.VolumeBinding{Binder: binder, PVCLister: core.PersistentVolumeClaims().Lister()}, nil
}

// ordered offers volumes in the order of their names: of several that are equally good
// the binder takes the first, and a store lists in the order of a map.
type ordered struct {
	coreinformers.PersistentVolumeInformer
}

func (o ordered) Informer() cache.SharedIndexInformer {
	return orderedInformer{o.PersistentVolumeInformer.Informer()}
}

type orderedInformer struct{ cache.SharedIndexInformer }

func (o orderedInformer) GetIndexer() cache.Indexer {
	return orderedIndexer{o.SharedIndexInformer.GetIndexer()}
}

type orderedIndexer struct{ cache.Indexer }

func (o orderedIndexer) ByIndex(index, value string) ([]any, error) {
	out, err := o.Indexer.ByIndex(index, value)
	slices.SortFunc(out, func(a, b any) int {
		return cmp.Compare(a.(*corev1.PersistentVolume).Name, b.(*corev1.PersistentVolume).Name)
	})
	return out, err
}

// writes is what the binder would have the API server write.
type writes struct {
	volumes []*corev1.PersistentVolume
	claims  []*corev1.PersistentVolumeClaim
}

// client is an API server that only listens. The binder calls no other method of it.
type client struct {
	kubernetes.Interface
	w *writes
}

func (c client) CoreV1() corev1client.CoreV1Interface { return coreClient{w: c.w} }

type coreClient struct {
	corev1client.CoreV1Interface
	w *writes
}

func (c coreClient) PersistentVolumes() corev1client.PersistentVolumeInterface {
	return volumeClient{w: c.w}
}

func (c coreClient) PersistentVolumeClaims(string) corev1client.PersistentVolumeClaimInterface {
	return claimClient{w: c.w}
}

type volumeClient struct {
	corev1client.PersistentVolumeInterface
	w *writes
}

func (c volumeClient) Update(_ context.Context, v *corev1.PersistentVolume,
	_ metav1.UpdateOptions) (*corev1.PersistentVolume, error) {
	c.w.volumes = append(c.w.volumes, v)
	return v, nil
}

type claimClient struct {
	corev1client.PersistentVolumeClaimInterface
	w *writes
}

func (c claimClient) Update(_ context.Context, p *corev1.PersistentVolumeClaim,
	_ metav1.UpdateOptions) (*corev1.PersistentVolumeClaim, error) {
	c.w.claims = append(c.w.claims, p)
	return p, nil
}
