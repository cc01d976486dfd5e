package cold

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const volcano = "scheduling.volcano.sh/v1beta1"

const queue = `{"apiVersion":"` + volcano +
	`","kind":"Queue","metadata":{"name":"default","uid":"q","resourceVersion":"1"},
"spec":{"weight":1},"status":{"state":"Open"}}`

func podGroup(members int) string {
	return fmt.Sprintf(`{"apiVersion":"`+volcano+`","kind":"PodGroup","metadata":{"name":"job-`+number+
		`","namespace":"bench",`+
		`"uid":"3f2b`+number+`-7a55-4b1c-9d0e-5f6a7b8c9d0e","resourceVersion":"2`+number+
		`","creationTimestamp":"2026-01-02T03:04:05Z"},`+
		`"spec":{"minMember":%d,"queue":"default"},"status":{"phase":"Running","running":%d}}`, members, members)
}

var (
	born   = metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	labels = map[string]string{"app.kubernetes.io/name": "train", "app.kubernetes.io/managed-by": "operator",
		"batch.kubernetes.io/job-name": "job-" + job, "volcano.sh/job-name": "job-" + job, "volcano.sh/queue-name": "default"}
)

// managed is the managedFields of an object, as every object of a cluster has them.
func managed(managers ...string) (out []metav1.ManagedFieldsEntry) {
	fields := `{"f:metadata":{"f:annotations":{".":{},"f:scheduling.k8s.io/group-name":{}},"f:labels":{".":{},` +
		`"f:app.kubernetes.io/name":{}},` +
		`"f:ownerReferences":{".":{},"k:{\"uid\":\"3f2b\"}":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},` +
		`"f:command":{},"f:env":{},"f:image":{},` +
		`"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{},"f:requests":{}}}},"f:dnsPolicy":{},` +
		`"f:restartPolicy":{},"f:schedulerName":{}}}`
	for _, m := range managers {
		wrote := &metav1.FieldsV1{}
		wrote.SetRawString(fields)
		out = append(out, metav1.ManagedFieldsEntry{Manager: m, Operation: metav1.ManagedFieldsOperationUpdate,
			APIVersion: "v1", Time: &born,
			FieldsType: "FieldsV1", FieldsV1: wrote})
	}
	return out
}

// pod is one that runs, in its first version, with what a cluster's pods have: a token's volume, an environment,
// conditions, statuses, managed fields.
func pod(members int) *corev1.Pod {
	yes, seconds := true, int64(300)
	amounts := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m"),
		corev1.ResourceMemory: resource.MustParse("1Gi")}
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "job-" + job + "-worker-" + number, Namespace: "bench",
			UID:             types.UID("7d1c" + number + "-1b2c-4d3e-8f90-a1b2c3d4e5f6"),
			ResourceVersion: "1" + number, CreationTimestamp: born, Labels: labels,
			Annotations: map[string]string{"kubectl.kubernetes.io/default-container": "main"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "job-" + job, UID: "u",
				Controller: &yes}},
			ManagedFields: managed("kube-controller-manager", "kubelet")},
		Spec: corev1.PodSpec{SchedulerName: "volcano", NodeName: "node-" + place, ServiceAccountName: "default",
			RestartPolicy: corev1.RestartPolicyNever,
			Volumes: []corev1.Volume{{Name: "kube-api-access",
				VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
					Sources: []corev1.VolumeProjection{
						{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}}}}}}},
			Containers: []corev1.Container{{Name: "main", Image: "registry.example.com/train:v17",
				Command: []string{"python", "-m", "train", "--epochs=90"},
				Env: []corev1.EnvVar{{Name: "RANK", Value: "0"},
					{Name: "MASTER_ADDR", Value: "job-" + job + "-master-0"}, {Name: "WORLD_SIZE", Value: "20"}},
				VolumeMounts: []corev1.VolumeMount{{Name: "kube-api-access", ReadOnly: true,
					MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}},
				Resources:              corev1.ResourceRequirements{Requests: amounts, Limits: amounts},
				TerminationMessagePath: "/dev/termination-log", ImagePullPolicy: corev1.PullIfNotPresent}},
			Tolerations: []corev1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists,
				Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds},
				{Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute,
					TolerationSeconds: &seconds}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.0.0.1", HostIP: "10.1.0.1", StartTime: &born,
			QOSClass: corev1.PodQOSGuaranteed,
			ContainerStatuses: []corev1.ContainerStatus{{Name: "main", Ready: true, Image: "registry.example.com/train:v17",
				ImageID:     "registry.example.com/train@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
				ContainerID: "containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
				State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: born}}}}},
	}
	if members > 1 {
		p.Annotations["scheduling.k8s.io/group-name"] = "job-" + job
	} else {
		p.OwnerReferences = nil
	}
	for _, c := range []corev1.PodConditionType{corev1.PodInitialized, corev1.PodReady, corev1.ContainersReady,
		corev1.PodScheduled} {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: c, Status: corev1.ConditionTrue,
			LastTransitionTime: born})
	}
	p.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	return p
}

// waiting is a pod of its own that no node has yet.
func waiting() *corev1.Pod {
	p := pod(1)
	p.Spec.NodeName, p.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	return p
}

// later is a pod in a later version, of which there are nine, and in a phase.
func later(p *corev1.Pod, version int, phase corev1.PodPhase) *corev1.Pod {
	p.ResourceVersion, p.Status.Phase = fmt.Sprint(version)+number, phase
	return p
}

// node is one with room for all pods, and with the images and conditions that nodes tell of.
func node() *corev1.Node {
	room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64"),
		corev1.ResourceMemory: resource.MustParse("256Gi"), corev1.ResourcePods: resource.MustParse("110")}
	n := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: "node-" + number, UID: types.UID("a0b1" + number +
			"-1b2c-4d3e-8f90-a1b2c3d4e5f6"),
			ResourceVersion: "3" + number, CreationTimestamp: born, ManagedFields: managed("kubelet", "kube-controller-manager"),
			Labels: map[string]string{corev1.LabelHostname: "node-" + number, corev1.LabelArchStable: "amd64",
				corev1.LabelOSStable: "linux", corev1.LabelTopologyZone: "zone-1", corev1.LabelInstanceTypeStable: "gpu-8"}},
		Status: corev1.NodeStatus{Capacity: room, Allocatable: room}}
	for i := range 30 {
		n.Status.Images = append(n.Status.Images,
			corev1.ContainerImage{Names: []string{fmt.Sprintf(
				"registry.example.com/image-%d@sha256:0123456789abcdef0123456789abcdef", i)}, SizeBytes: 1 << 30})
	}
	for _, c := range []corev1.NodeConditionType{corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure,
		corev1.NodePIDPressure} {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: c, Status: corev1.ConditionFalse,
			LastHeartbeatTime: born, LastTransitionTime: born})
	}
	return n
}
