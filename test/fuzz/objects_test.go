package fuzz

import (
	"encoding/json"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	nodeinfov1alpha1 "volcano.sh/apis/pkg/apis/nodeinfo/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	topologyv1alpha1 "volcano.sh/apis/pkg/apis/topology/v1alpha1"

	"ashlar.sh/internal/kube/translate"
)

// kinds are those that the engine is told of, each with an example that says much.
var kinds = []struct {
	new     func() metav1.Object
	example string
}{
	{func() metav1.Object { return &corev1.Pod{} }, `{"metadata":{"name":"p","labels":{"a":"b"},"annotations":
{"scheduling.k8s.io/group-name":"g","volcano.sh/task-spec":"worker","ashlar.sh/duration":"90s"}},"spec":
{"schedulingGates":[{"name":"x"}],"overhead":{"cpu":"1m"},"resources":{"requests":{"cpu":"2"}},"tolerations":
[{"key":"k","operator":"Exists"}],"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchExpressions":[{"key":"a","operator":"NotIn","values":
["b"]}]},"namespaceSelector":{}}]},"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
{"nodeSelectorTerms":[{"matchExpressions":[{"key":"n","operator":"Gt","values":["3"]}]}]}}},
"topologySpreadConstraints":[{"maxSkew":1,"minDomains":2,"topologyKey":"topology.kubernetes.io/zone",
"whenUnsatisfiable":"DoNotSchedule","labelSelector":{},"matchLabelKeys":["a"]}],"initContainers":[{"name":"i",
"restartPolicy":"Always","resources":{"requests":{"cpu":"1"}}}],"containers":[{"name":"c","image":"x:1","ports":
[{"hostPort":80,"protocol":"UDP"}],"resources":{"requests":{"cpu":"1500m","memory":"1Gi","x.y/z":"2"}}}],"volumes":
[{"name":"v","persistentVolumeClaim":{"claimName":"v"}}],"resourceClaims":[{"name":"r","resourceClaimName":"r"}]}}`},
	{func() metav1.Object { return &schedulingv1beta1.PodGroup{} }, `{"metadata":{"name":"g","annotations":
{"sla-waiting-time":"1h","volcano.sh/jdb-min-available":"50%"}},"spec":{"minMember":2,"queue":"hostile",
"minTaskMember":{"worker":1},"minResources":{"cpu":"3"},"networkTopology":{"mode":"hard","highestTierAllowed":2},
"subGroupPolicy":[{"name":"s","subGroupSize":2,"minSubGroups":1,"labelSelector":{"matchLabels":{"a":"b"}},
"matchLabelKeys":["a"]}]},"status":{"phase":"Inqueue","conditions":[{"type":"Scheduled","status":"True"}]}}`},
	{func() metav1.Object { return &schedulingv1beta1.Queue{} }, `{"metadata":{"name":"hostile","annotations":
{"volcano.sh/hierarchy":"root/a","volcano.sh/hierarchy-weights":"1/2","ashlar.sh/min-runtime":"5m"}},"spec":
{"weight":3,"parent":"root","capability":{"cpu":"9"},"guarantee":{"resource":{"cpu":"1"}},"deserved":{"cpu":"2"},
"reclaimable":true,"affinity":
{"nodeGroupAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":["a"]}}}}`},
	{func() metav1.Object { return &topologyv1alpha1.HyperNode{} }, `{"metadata":{"name":"s0"},"spec":{"tier":1,
"members":[{"type":"Node","selector":{"regexMatch":{"pattern":"^n[0-9]+$"}}},{"type":"HyperNode","selector":
{"exactMatch":{"name":"s1"}}},{"type":"Node","selector":{"labelMatch":{"matchLabels":{"a":"b"}}}}]}}`},
	{func() metav1.Object { return &nodeinfov1alpha1.Numatopology{} }, `{"metadata":{"name":"n1"},"spec":{"policies":
{"CPUManagerPolicy":"static","TopologyManagerPolicy":"single-numa-node"},"numares":{"cpu":{"allocatable":"0-3",
"capacity":8}},"cpuDetail":{"0":{"numa":0,"socket":0,"core":0}},"resReserved":{"cpu":"1"}}}`},
	{func() metav1.Object { return &corev1.Node{} }, `{"metadata":{"name":"n3","labels":{"a":"b"}},"spec":{"taints":
[{"key":"k","effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"4","pods":"9"},"images":[{"names":["x:1"],
"sizeBytes":9}]}}`},
	{func() metav1.Object { return &policyv1.PodDisruptionBudget{} }, `{"metadata":{"name":"b"},"spec":{"minAvailable":
"50%","selector":{"matchLabels":{"a":"b"}}},"status":{"disruptionsAllowed":1}}`},
	{func() metav1.Object { return &corev1.ResourceQuota{} }, `{"metadata":{"name":"q"},"spec":{"hard":{"cpu":"4",
"count/pods":"3"}},"status":{"hard":{"cpu":"4"},"used":{"cpu":"1"}}}`},
	{func() metav1.Object { return &corev1.Service{} }, `{"metadata":{"name":"s"},"spec":{"selector":{"a":"b"}}}`},
	{func() metav1.Object { return &corev1.Namespace{} }, `{"metadata":{"name":"hostile","labels":{"a":"b"}}}`},
	{func() metav1.Object { return &schedulingv1.PriorityClass{} }, `{"metadata":{"name":"low"},"value":-5,
"globalDefault":true,"preemptionPolicy":"Never"}`},
	{func() metav1.Object { return &corev1.PersistentVolume{} }, `{"metadata":{"name":"v"},"spec":{"capacity":
{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"storageClassName":"c","csi":{"driver":"d","volumeHandle":"h"},
"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":
["n1"]}]}]}}},"status":{"phase":"Available"}}`},
	{func() metav1.Object { return &corev1.PersistentVolumeClaim{} }, `{"metadata":{"name":"v"},"spec":
{"storageClassName":"c","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"selector":
{"matchExpressions":[{"key":"a","operator":"Exists"}]}}}`},
	{func() metav1.Object { return &storagev1.StorageClass{} }, `{"metadata":{"name":"c"},"provisioner":"p",
"volumeBindingMode":"WaitForFirstConsumer","allowedTopologies":[{"matchLabelExpressions":[{"key":"a","values":
["b"]}]}]}`},
	{func() metav1.Object { return &resourcev1.ResourceClaim{} }, `{"metadata":{"name":"r"},"spec":{"devices":{"requests":
[{"name":"r","firstAvailable":[{"name":"s","deviceClassName":"gpu","count":2,"allocationMode":"ExactCount","selectors":
[{"cel":{"expression":"device.driver == 'd'"}}]}]}],"constraints":[{"matchAttribute":"d/a"}],"config":[{"opaque":
{"driver":"d","parameters":{"a":1}}}]}},"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}}`},
	{func() metav1.Object { return &resourcev1.ResourceSlice{} }, `{"metadata":{"name":"s"},"spec":{"driver":"d",
"nodeName":"n1","pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[{"name":"d0","attributes":{"a":
{"string":"x"}},"capacity":{"m":{"value":"1Gi"}},"taints":[{"key":"k","effect":"NoSchedule"}]}]}}`},
	{func() metav1.Object { return &resourcev1.DeviceClass{} }, `{"metadata":{"name":"gpu"},"spec":
{"extendedResourceName":"x.y/z","selectors":[{"cel":{"expression":
"device.capacity['d'].m.isGreaterThan(quantity('1'))"}}]}}`},
}

// Any JSON of any kind, beside a pod that could use what it describes.
func FuzzObject(f *testing.F) {
	for i, k := range kinds {
		f.Add(uint8(i), k.example)
	}
	f.Fuzz(func(t *testing.T, kind uint8, text string) {
		o := kinds[int(kind)%len(kinds)].new()
		if len(text) > 1<<20 || json.Unmarshal([]byte(text), o) != nil || o.GetName() == "" {
			t.Skip()
		}
		w := newWorld(t)
		switch o := o.(type) {
		case *corev1.Pod:
			humble(o)
		case *schedulingv1beta1.PodGroup:
			o.Spec.PriorityClassName = ""
		case *schedulingv1.PriorityClass:
			o.Value = min(o.Value, 0)
		}
		if o.GetNamespace() == honest {
			t.Skip() // its own tenant may do what it likes
		}
		if o.GetNamespace() == "" && !wide(o) {
			o.SetNamespace(hostile)
		}
		o.SetUID("of-the-fuzzer")
		w.tell(o)
		user := w.pod(hostile)
		user.Name, user.UID = "user", "user"
		user.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "v"}}}}
		claim := "r"
		user.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "r", ResourceClaimName: &claim}}
		w.tell(user)
		plain := w.pod(hostile)
		plain.Name, plain.UID, plain.Labels = "plain", "plain", map[string]string{"a": "b"}
		w.tell(plain)
		w.decide()
		if gone, ok := translate.Gone(o); ok {
			gone.Version = w.n + 1
			w.e.Apply(gone)
			w.decide()
		}
	})
}

// wide says that an object has no namespace.
func wide(o metav1.Object) bool {
	switch o.(type) {
	case *corev1.Node, *schedulingv1beta1.Queue, *topologyv1alpha1.HyperNode, *nodeinfov1alpha1.Numatopology,
		*corev1.Namespace, *schedulingv1.PriorityClass, *corev1.PersistentVolume, *storagev1.StorageClass,
		*resourcev1.ResourceSlice, *resourcev1.DeviceClass:
		return true
	}
	return false
}

// keys are the annotations and labels that are read of pods, PodGroups, queues and nodes.
var keys = []string{"scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name",
	"scheduling.volcano.sh/group-min-member", "scheduling.volcano.sh/queue-name", "volcano.sh/numa-topology-policy",
	"volcano.sh/preemptable", "volcano.sh/revocable-zone", "volcano.sh/cooldown-time", "sla-waiting-time",
	"volcano.sh/sla-waiting-time", "volcano.sh/jdb-min-available", "volcano.sh/jdb-max-unavailable",
	"volcano.sh/task-spec", "volcano.sh/task-priority", "ashlar.sh/duration", "ashlar.sh/refused-binds",
	"scheduling.volcano.sh/queue-allocation-gate", "ashlar.sh/min-runtime", "ashlar.sh/max-evictions-per-minute",
	"volcano.sh/hierarchy", "volcano.sh/hierarchy-weights", "volcano.sh/oversubscription-cpu",
	"volcano.sh/oversubscription-memory", "volcano.sh/offline-job-evicting", "volcano.sh/nodegroup-resource-limits",
	"volcano.sh/nodegroup-name", "ashlar.sh/user"}

// Any text as the value of each annotation and label that is read: of a pod, its PodGroup, its queue and a node.
func FuzzAnnotations(f *testing.F) {
	for _, v := range []string{"", "g", "true", "90s", "1h30m", "-1", "9223372036854775808", "50%", "best-effort",
		"root/a/b", "1/2", "rz1,rz2", "0.5", "\x00", "{\"uid\":\"u\",\"tries\":1}", "default"} {
		for i := range keys {
			f.Add(uint8(i), v, uint8(7))
		}
	}
	f.Fuzz(func(t *testing.T, key uint8, value string, on uint8) {
		if len(value) > 256<<10 {
			t.Skip()
		}
		w := newWorld(t)
		k := keys[int(key)%len(keys)]
		mark := func(bit uint8, o metav1.Object) metav1.Object {
			if on&bit == 0 {
				return o
			}
			all := o.GetAnnotations()
			if all == nil {
				all = map[string]string{}
			}
			all[k] = value
			o.SetAnnotations(all)
			o.SetLabels(map[string]string{k: value})
			return o
		}
		w.tell(mark(8, w.queue(hostile)))
		w.tell(mark(2, w.group(hostile)))
		p := w.pod(hostile)
		if on&16 != 0 {
			delete(p.Annotations, schedulingv1beta1.KubeGroupNameAnnotationKey)
		}
		w.tell(mark(1, p))
		n := &corev1.Node{ObjectMeta: named("", "n4")}
		w.tell(mark(4, n))
		w.decide()
	})
}

// Any amount of any resource: what a pod requests, what limits it, what its PodGroup and a node say.
func FuzzAmounts(f *testing.F) {
	for _, s := range []string{"1", "0", "-1", "1e309", "1Ei", "9223372036854775807", "0.0000000001", "1e-400", "8E",
		"1.5Gi", "00000000000000000000001"} {
		f.Add("cpu", s, "1")
		f.Add("nvidia.com/gpu", "2", s)
	}
	f.Add("requests.x", "1", "1")
	f.Add("deviceclass.resource.kubernetes.io/gpu", "1", "1")
	f.Add("hugepages-2Mi", "3", "2")
	f.Fuzz(func(t *testing.T, name, amount, other string) {
		if len(amount)+len(other)+len(name) > 4096 {
			t.Skip()
		}
		list := func(text string) corev1.ResourceList {
			encoded, err := json.Marshal(map[string]string{name: text})
			if err != nil {
				t.Skip()
			}
			var out corev1.ResourceList
			if json.Unmarshal(encoded, &out) != nil {
				t.Skip()
			}
			return out
		}
		w := newWorld(t)
		p := w.pod(hostile)
		p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: list(amount), Limits: list(other)}
		p.Spec.Overhead = list(other)
		p.Spec.InitContainers = slices.Clone(p.Spec.Containers)
		p.Spec.Resources = &corev1.ResourceRequirements{Requests: list(other)}
		g := w.group(hostile)
		minimum := list(amount)
		g.Spec.MinResources = &minimum
		n := &corev1.Node{ObjectMeta: named("", "n4")}
		n.Status.Allocatable, n.Status.Capacity = list(amount), list(other)
		q := &corev1.ResourceQuota{ObjectMeta: named(hostile, "q")}
		q.Status.Hard, q.Status.Used = list(other), list(amount)
		for _, o := range []metav1.Object{n, g, q, p} {
			w.tell(o)
		}
		w.decide()
	})
}

// Any term of a selector: of nodes, of pods near which a pod is to be, or of those over which it is spread.
func FuzzSelectors(f *testing.F) {
	for _, op := range []string{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equal", ""} {
		f.Add("kubernetes.io/hostname", op, "n1", "kubernetes.io/hostname", int32(1), true)
		f.Add("a", op, "9223372036854775808", "topology.kubernetes.io/zone", int32(-3), false)
	}
	f.Fuzz(func(t *testing.T, key, op, value, topology string, skew int32, hard bool) {
		if len(key)+len(value)+len(topology) > 64<<10 {
			t.Skip()
		}
		w := newWorld(t)
		p := w.pod(hostile)
		p.Labels = map[string]string{key: value}
		pods := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key,
			Operator: metav1.LabelSelectorOperator(op), Values: []string{value}}}}
		nodes := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key,
			Operator: corev1.NodeSelectorOperator(op), Values: []string{value}}}}
		term := corev1.PodAffinityTerm{LabelSelector: pods, TopologyKey: topology, NamespaceSelector: pods,
			MatchLabelKeys: []string{key}, MismatchLabelKeys: []string{topology}}
		weighted := []corev1.WeightedPodAffinityTerm{{Weight: skew, PodAffinityTerm: term}}
		p.Spec.Affinity = &corev1.Affinity{
			NodeAffinity: &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
				{Weight: skew, Preference: nodes}}},
			PodAffinity:     &corev1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weighted},
			PodAntiAffinity: &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weighted}}
		unsatisfiable := corev1.ScheduleAnyway
		if hard {
			unsatisfiable = corev1.DoNotSchedule
			p.Spec.NodeSelector = map[string]string{key: value}
			p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{nodes}}
			p.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = []corev1.PodAffinityTerm{term}
			p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution = []corev1.PodAffinityTerm{term}
		}
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: skew, MinDomains: &skew,
			TopologyKey: topology, WhenUnsatisfiable: unsatisfiable, LabelSelector: pods, MatchLabelKeys: []string{key}}}
		p.Spec.Tolerations = []corev1.Toleration{{Key: key, Operator: corev1.TolerationOperator(op), Value: value}}
		w.tell(p)
		other := w.pod(hostile)
		other.Name, other.UID, other.Spec.Affinity = "other", "other", p.Spec.Affinity
		w.tell(other)
		w.decide()
	})
}

// Any CEL expression as a selector of devices, in a claim and in a class.
func FuzzDeviceSelectors(f *testing.F) {
	for _, s := range []string{"true", "device.driver == 'd'", "device.attributes['d'].a == 'x'", "1/0 == 0",
		"device.capacity['d'].m.compareTo(quantity('1Gi')) >= 0", "[1,2,3].all(x, [1,2,3].all(y, x < y))",
		"'a'.matches('(a+)+$')",
		"device.attributes['d'].v.isGreaterThan(semver('1.0.0'))", "cel.bind(a, 1, a == 1)", "("} {
		f.Add(s, int64(1), false)
		f.Add(s, int64(9), true)
	}
	f.Fuzz(func(t *testing.T, expression string, count int64, ofClass bool) {
		if len(expression) > 20<<10 {
			t.Skip()
		}
		w := newWorld(t)
		cel := []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}}
		class := &resourcev1.DeviceClass{ObjectMeta: named("", "gpu")}
		exactly := &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu", Count: count,
			AllocationMode: resourcev1.DeviceAllocationModeExactCount}
		if ofClass {
			class.Spec.Selectors = cel
		} else {
			exactly.Selectors = cel
		}
		node, text := "n1", "x"
		devices := []resourcev1.Device{{Name: "d0", Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"a": {StringValue: &text}}}, {Name: "d1"}}
		claim := &resourcev1.ResourceClaim{ObjectMeta: named(hostile, "r")}
		claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "r", Exactly: exactly}}
		p := w.pod(hostile)
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "r", ResourceClaimName: &claim.Name}}
		for _, o := range []metav1.Object{class, &resourcev1.ResourceSlice{ObjectMeta: named("", "s"),
			Spec: resourcev1.ResourceSliceSpec{Driver: "d", NodeName: &node, Devices: devices,
				Pool: resourcev1.ResourcePool{Name: "p", Generation: 1, ResourceSliceCount: 1}}}, claim, p} {
			w.tell(o)
		}
		w.decide()
	})
}
