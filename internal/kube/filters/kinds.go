package filters

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"ashlar.sh/sched/model"
)

// The kinds of facts that Volumes reads; their Content is a pointer to the typed object
// of core/v1 or storage.k8s.io/v1.
const (
	Claim              model.Kind = "PersistentVolumeClaim"
	Volume             model.Kind = "PersistentVolume"
	StorageClass       model.Kind = "StorageClass"
	CSINode            model.Kind = "CSINode"
	CSIDriver          model.Kind = "CSIDriver"
	CSIStorageCapacity model.Kind = "CSIStorageCapacity"
	VolumeAttachment   model.Kind = "VolumeAttachment"
)

// stores are what the binder reads, by kind.
func stores(f informers.SharedInformerFactory) map[model.Kind]cache.Indexer {
	core, storage := f.Core().V1(), f.Storage().V1()
	return map[model.Kind]cache.Indexer{
		Claim:              core.PersistentVolumeClaims().Informer().GetIndexer(),
		Volume:             core.PersistentVolumes().Informer().GetIndexer(),
		StorageClass:       storage.StorageClasses().Informer().GetIndexer(),
		CSINode:            storage.CSINodes().Informer().GetIndexer(),
		CSIDriver:          storage.CSIDrivers().Informer().GetIndexer(),
		CSIStorageCapacity: storage.CSIStorageCapacities().Informer().GetIndexer(),
		VolumeAttachment:   storage.VolumeAttachments().Informer().GetIndexer(),
	}
}

// fits says that a fact's content is the typed object of its kind and name.
func fits(p place, content any) (ok bool) {
	switch p.kind {
	case Claim:
		_, ok = content.(*corev1.PersistentVolumeClaim)
	case Volume:
		_, ok = content.(*corev1.PersistentVolume)
	case StorageClass:
		_, ok = content.(*storagev1.StorageClass)
	case CSINode:
		_, ok = content.(*storagev1.CSINode)
	case CSIDriver:
		_, ok = content.(*storagev1.CSIDriver)
	case CSIStorageCapacity:
		_, ok = content.(*storagev1.CSIStorageCapacity)
	case VolumeAttachment:
		_, ok = content.(*storagev1.VolumeAttachment)
	}
	if !ok {
		return false
	}
	name, err := cache.MetaNamespaceKeyFunc(content)
	return err == nil && name == p.key
}
