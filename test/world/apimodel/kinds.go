package apimodel

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is a kind of object that is served.
type Kind struct {
	schema.GroupVersionResource
	Kind       string
	Namespaced bool
	// Status: the status is a subresource.
	Status bool
	// Custom: it is a custom resource. The others have Go types, and strategic merge patches.
	Custom bool
	// Generation: changes of the spec are counted.
	Generation bool
	// Unconditional: an update may leave the version out.
	Unconditional bool
	// CreateOnUpdate: an update makes what is not there.
	CreateOnUpdate bool
	// Returned: a deletion answers with the object.
	Returned bool
	// Orphans: what its objects own stays where a deletion says nothing. Unowning: they own nothing.
	Orphans, Unowning bool

	definition *definition
	empty      map[string]any // an object that says nothing
}

// what a kind may have, for the table below.
const (
	namespaced = 1 << iota
	status
	custom
	generation
	unconditional
	createOnUpdate
	returned
	orphans
	unowning
)

func kind(group, version, resource, name string, has int) *Kind {
	return &Kind{GroupVersionResource: schema.GroupVersionResource{Group: group, Version: version, Resource: resource},
		Kind:       name,
		Namespaced: has&namespaced != 0, Status: has&status != 0, Custom: has&custom != 0, Generation: has&generation != 0,
		Unconditional: has&unconditional != 0, CreateOnUpdate: has&createOnUpdate != 0, Returned: has&returned != 0,
		Orphans: has&orphans != 0, Unowning: has&unowning != 0}
}

const (
	volcano = "scheduling.volcano.sh"
	devices = "resource.k8s.io"
	storage = "storage.k8s.io"
)

// Kinds are all kinds that are served: those that Ashlar reads or writes, and what owns pods.
func Kinds() []*Kind {
	return []*Kind{
		kind("", "v1", "namespaces", "Namespace", status|unconditional),
		kind("", "v1", "nodes", "Node", status|unconditional),
		kind("", "v1", "pods", "Pod", namespaced|status|generation|unconditional|returned),
		kind("", "v1", "events", "Event", namespaced|createOnUpdate|unconditional|unowning),
		kind("", "v1", "services", "Service", namespaced|status|unconditional|returned|createOnUpdate),
		kind("", "v1", "configmaps", "ConfigMap", namespaced|unconditional),
		kind("", "v1", "resourcequotas", "ResourceQuota", namespaced|status|unconditional|returned),
		kind("", "v1", "persistentvolumes", "PersistentVolume", status|unconditional|returned),
		kind("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", namespaced|status|unconditional|returned),
		kind("", "v1", "replicationcontrollers", "ReplicationController", namespaced|status|generation|unconditional),
		kind("apps", "v1", "replicasets", "ReplicaSet", namespaced|status|generation|unconditional),
		kind("apps", "v1", "statefulsets", "StatefulSet", namespaced|status|generation|unconditional),
		kind("batch", "v1", "jobs", "Job", namespaced|status|generation|unconditional|orphans),
		kind("coordination.k8s.io", "v1", "leases", "Lease", namespaced|createOnUpdate),
		kind("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", namespaced|status|generation),
		kind("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", unconditional|generation),
		kind(storage, "v1", "storageclasses", "StorageClass", unconditional|returned),
		kind(storage, "v1", "csinodes", "CSINode", returned),
		kind(storage, "v1", "csidrivers", "CSIDriver", returned),
		kind(storage, "v1", "csistoragecapacities", "CSIStorageCapacity", namespaced|unconditional),
		kind(storage, "v1", "volumeattachments", "VolumeAttachment", status|returned),
		kind(devices, "v1", "resourceclaims", "ResourceClaim", namespaced|status|unconditional|returned),
		kind(devices, "v1", "resourceslices", "ResourceSlice", generation|unconditional|returned),
		kind(devices, "v1", "deviceclasses", "DeviceClass", generation|unconditional|returned),
		kind(volcano, "v1beta1", "podgroups", "PodGroup", namespaced|custom|generation),
		kind(volcano, "v1beta1", "queues", "Queue", status|custom|generation),
		kind("batch.volcano.sh", "v1alpha1", "jobs", "Job", namespaced|status|custom|generation),
		kind("topology.volcano.sh", "v1alpha1", "hypernodes", "HyperNode", status|custom|generation),
		kind("nodeinfo.volcano.sh", "v1alpha1", "numatopologies", "Numatopology", custom|generation),
		kind("shard.volcano.sh", "v1alpha1", "nodeshards", "NodeShard", status|custom|generation),
		kind("ashlar.sh", "v1alpha1", "bookings", "Booking", status|custom|generation),
	}
}

// apiVersion is what its objects name.
func (k *Kind) apiVersion() string { return k.GroupVersion().String() }

// Path is where the objects of a kind are served, without a namespace for all of them; a name adds one object.
func (k *Kind) Path(namespace, name string, sub ...string) string {
	parts := []string{"", "apis", k.Group, k.Version}
	if k.Group == "" {
		parts = []string{"", "api", k.Version}
	}
	if k.Namespaced && namespace != "" {
		parts = append(parts, "namespaces", namespace)
	}
	parts = append(parts, k.Resource)
	if name != "" {
		parts = append(append(parts, name), sub...)
	}
	return strings.Join(parts, "/")
}
