package manifest

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	nodeinfov1alpha1 "volcano.sh/apis/pkg/apis/nodeinfo/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	topologyv1alpha1 "volcano.sh/apis/pkg/apis/topology/v1alpha1"

	"ashlar.sh/internal/kube/api"
)

// kind is one that has a part in scheduling.
type kind struct {
	group, version, name string
	cluster              bool // its objects belong to no namespace
	make                 func() metav1.Object
}

// apiVersion is how a manifest names the kind's group and version.
func (k *kind) apiVersion() string {
	if k.group == "" {
		return k.version
	}
	return k.group + "/" + k.version
}

var kinds = []kind{
	{"", "v1", "Node", true, func() metav1.Object { return new(corev1.Node) }},
	{"", "v1", "Pod", false, func() metav1.Object { return new(corev1.Pod) }},
	{"", "v1", "Namespace", true, func() metav1.Object { return new(corev1.Namespace) }},
	{"", "v1", "ResourceQuota", false, func() metav1.Object { return new(corev1.ResourceQuota) }},
	{"", "v1", "Service", false, func() metav1.Object { return new(corev1.Service) }},
	{"", "v1", "ConfigMap", false, func() metav1.Object { return new(corev1.ConfigMap) }},
	{"", "v1", "PersistentVolume", true, func() metav1.Object { return new(corev1.PersistentVolume) }},
	{"", "v1", "PersistentVolumeClaim", false, func() metav1.Object { return new(corev1.PersistentVolumeClaim) }},
	{"scheduling.k8s.io", "v1", "PriorityClass", true, func() metav1.Object { return new(schedulingv1.PriorityClass) }},
	{"storage.k8s.io", "v1", "StorageClass", true, func() metav1.Object { return new(storagev1.StorageClass) }},
	{"resource.k8s.io", "v1", "ResourceClaim", false, func() metav1.Object { return new(resourcev1.ResourceClaim) }},
	{"resource.k8s.io", "v1", "ResourceClaimTemplate", false, func() metav1.Object {
		return new(resourcev1.ResourceClaimTemplate)
	}},
	{"resource.k8s.io", "v1", "ResourceSlice", true, func() metav1.Object { return new(resourcev1.ResourceSlice) }},
	{"resource.k8s.io", "v1", "DeviceClass", true, func() metav1.Object { return new(resourcev1.DeviceClass) }},
	{"policy", "v1", "PodDisruptionBudget", false, func() metav1.Object { return new(policyv1.PodDisruptionBudget) }},
	{"apps", "v1", "Deployment", false, func() metav1.Object { return new(appsv1.Deployment) }},
	{"apps", "v1", "StatefulSet", false, func() metav1.Object { return new(appsv1.StatefulSet) }},
	{"apps", "v1", "ReplicaSet", false, func() metav1.Object { return new(appsv1.ReplicaSet) }},
	{"batch", "v1", "Job", false, func() metav1.Object { return new(batchv1.Job) }},
	{"batch", "v1", "CronJob", false, func() metav1.Object { return new(batchv1.CronJob) }},
	{"scheduling.volcano.sh", "v1beta1", "Queue", true, func() metav1.Object {
		// The API server writes this default; 0 given is something else.
		return &schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 1}}
	}},
	{"scheduling.volcano.sh", "v1beta1", "PodGroup", false, func() metav1.Object {
		return new(schedulingv1beta1.PodGroup)
	}},
	{"batch.volcano.sh", "v1alpha1", "Job", false, func() metav1.Object { return new(batchv1alpha1.Job) }},
	{"batch.volcano.sh", "v1alpha1", "CronJob", false, func() metav1.Object { return new(batchv1alpha1.CronJob) }},
	{"topology.volcano.sh", "v1alpha1", "HyperNode", true, func() metav1.Object {
		return new(topologyv1alpha1.HyperNode)
	}},
	{api.Version.Group, api.Version.Version, "Booking", true, func() metav1.Object { return new(api.Booking) }},
	{"nodeinfo.volcano.sh", "v1alpha1", "Numatopology", true, func() metav1.Object {
		return new(nodeinfov1alpha1.Numatopology)
	}},
}

// skipped lists, by group, the other kinds of the groups in which an unknown kind is an
// error; in all other groups unknown kinds are skipped.
var skipped = map[string][]string{
	"": {"Binding", "ComponentStatus", "Endpoints", "Event", "LimitRange", "PodTemplate",
		"ReplicationController", "Secret", "ServiceAccount"},
	"apps":                  {"ControllerRevision", "DaemonSet"},
	"batch":                 {},
	"scheduling.k8s.io":     {"PodGroup", "Workload"},
	"policy":                {"Eviction", "PodSecurityPolicy"},
	"storage.k8s.io":        {"CSIDriver", "CSINode", "CSIStorageCapacity", "VolumeAttachment", "VolumeAttributesClass"},
	"resource.k8s.io":       {"DeviceTaintRule", "ResourcePoolStatusRequest"},
	"scheduling.volcano.sh": {},
	"batch.volcano.sh":      {},
	"topology.volcano.sh":   {},
	"nodeinfo.volcano.sh":   {},
	api.Version.Group:       {},
	"bus.volcano.sh":        {"Command"},
	"flow.volcano.sh":       {"JobFlow", "JobTemplate"},
}

// strangers are the groups of Volcano that have no part in scheduling here. Any other
// group that ends like Volcano's is a misspelling.
var strangers = []string{"config.volcano.sh", "datadependency.volcano.sh", "shard.volcano.sh", "training.volcano.sh"}

// lookUp finds a kind; nil without a complaint for one that is skipped.
func lookUp(apiVersion, name string) (*kind, string) {
	group, version, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		group, version = "", apiVersion
	}
	others, served := skipped[group]
	if !served {
		if strings.HasSuffix(group, "volcano.sh") && !slices.Contains(strangers, group) {
			return nil, fmt.Sprintf("unknown group %s%s", shown(group), didYouMean(group, servedGroups()))
		}
		if !grouped {
			return nil, fmt.Sprintf("unknown apiVersion %s", shown(apiVersion))
		}
		return nil, ""
	}
	for i := range kinds {
		k := &kinds[i]
		if k.group != group || k.name != name {
			continue
		}
		if k.version != version {
			return nil, fmt.Sprintf("apiVersion %s has no %s here, only %s has", shown(apiVersion), name, k.apiVersion())
		}
		return k, ""
	}
	if slices.Contains(others, name) {
		return nil, ""
	}
	return nil, fmt.Sprintf("unknown kind %s in apiVersion %s%s", shown(name), shown(apiVersion),
		meant(group, name, others))
}

// meant guesses the kind that was meant: the same name in another group, or a near one
// in this.
func meant(group, name string, others []string) string {
	for i := range kinds {
		if kinds[i].name == name {
			return fmt.Sprintf(" (did you mean apiVersion %s?)", kinds[i].apiVersion())
		}
	}
	var candidates []string
	for i := range kinds {
		if kinds[i].group == group {
			candidates = append(candidates, kinds[i].name)
		}
	}
	return didYouMean(name, append(candidates, others...))
}

func servedGroups() []string {
	var out []string
	for g := range skipped {
		out = append(out, g)
	}
	slices.Sort(out)
	return out
}
