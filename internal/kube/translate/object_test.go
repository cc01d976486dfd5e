package translate

import (
	"math"
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	topologyv1alpha1 "volcano.sh/apis/pkg/apis/topology/v1alpha1"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

func TestNode(t *testing.T) {
	taint := func(key, value string, effect corev1.TaintEffect) corev1.Taint {
		return corev1.Taint{Key: key, Value: value, Effect: effect}
	}
	tests := map[string]struct {
		node corev1.Node
		want model.Node
	}{
		"labels and taints in order": {
			corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"z": "1", "a": "2"}},
				Spec: corev1.NodeSpec{Unschedulable: true, Taints: []corev1.Taint{taint("k", "", "NoSchedule"),
					taint("k", "", "NoExecute"), taint("a", "v", "NoSchedule")}}},
			model.Node{Meta: model.Meta{Name: "n"}, Labels: []model.Label{{Key: "a", Value: "2"}, {Key: "z", Value: "1"}},
				Unschedulable: true,
				Taints: []model.Taint{{Key: "a", Value: "v", Effect: "NoSchedule"}, {Key: "k", Effect: "NoExecute"},
					{Key: "k", Effect: "NoSchedule"}}}},
		"the capacity is allocatable where nothing else is said": {
			corev1.Node{Status: corev1.NodeStatus{Capacity: list("cpu", "8", "pods", "10")}},
			model.Node{Capacity: resource.List{{Name: "cpu", Value: 8000}, {Name: "pods", Value: 10}},
				Allocatable: resource.List{{Name: "cpu", Value: 8000}, {Name: "pods", Value: 10}}}},
		"a node that does not say how many pods it takes": {
			corev1.Node{Status: corev1.NodeStatus{Allocatable: list("zoo.io/x", "1", "cpu", "8")}},
			model.Node{Meta: model.Meta{Faults: []model.Fault{{Field: "status.allocatable.pods",
				Message: "is missing: 110 taken, as a kubelet would"}}},
				Allocatable: resource.List{{Name: "cpu", Value: 8000}, {Name: "pods", Value: 110},
					{Name: "zoo.io/x", Value: 1000}}}},
		"absurd quantities cost it those resources alone": {
			corev1.Node{Status: corev1.NodeStatus{Allocatable: list("cpu", "-4", "memory", "1Pi", "pods", "10")}},
			model.Node{Meta: model.Meta{Faults: []model.Fault{
				{Field: "status.allocatable.cpu", Message: "-4 is negative: 0 taken"},
				{Field: "status.allocatable.memory", Message: "1Pi is more than the bound of 256Ti: 256Ti taken"}}},
				Allocatable: resource.List{{Name: "cpu", Value: 0}, {Name: "memory", Value: 1 << 48}, {Name: "pods", Value: 10}}}},
		"a resource that is counted in bytes": {
			corev1.Node{Status: corev1.NodeStatus{Allocatable: list("sgx.intel.com/epc", "549755813888", "pods", "10")}},
			model.Node{Allocatable: resource.List{{Name: "pods", Value: 10},
				{Name: "sgx.intel.com/epc", Value: 549755813888000}}}},
		"what its agent lends is added": {
			lending("volcano.sh/oversubscription-cpu", "1500", "volcano.sh/oversubscription-memory", "1.5e3"),
			machine(3500, 2500)},
		"nothing is lent while offline jobs are evicted": {
			lending("volcano.sh/oversubscription-cpu", "1500", "volcano.sh/offline-job-evicting", "true"),
			machine(2000, 1000)},
		"what cannot be lent is not": {
			lending("volcano.sh/oversubscription-cpu", "-1", "volcano.sh/oversubscription-memory", "9e99"),
			machine(2000, 1000,
				model.Fault{Field: "metadata.annotations[volcano.sh/oversubscription-cpu]", Message: `"-1" is negative: 0 taken`},
				model.Fault{Field: "metadata.annotations[volcano.sh/oversubscription-memory]",
					Message: `"9e99" is more than the bound of 256Ti: 0 taken`})},
		"what is no number is not lent": {
			lending("volcano.sh/oversubscription-cpu", "2 cores", "volcano.sh/oversubscription-memory", "NaN",
				"volcano.sh/offline-job-evicting", "perhaps"),
			machine(2000, 1000,
				model.Fault{Field: "metadata.annotations[volcano.sh/oversubscription-cpu]",
					Message: `"2 cores" is not a number: 0 taken`},
				model.Fault{Field: "metadata.annotations[volcano.sh/oversubscription-memory]",
					Message: `"NaN" is not a number: 0 taken`})},
		"more than can be counted is not lent": {
			lending("volcano.sh/oversubscription-memory", "1e999"),
			machine(2000, 1000,
				model.Fault{Field: "metadata.annotations[volcano.sh/oversubscription-memory]",
					Message: `"1e999" is more than the bound of 256Ti: 0 taken`})},
		"with what is lent a node has no more than may be": {
			lending("volcano.sh/oversubscription-cpu", "281474976710656"), machine(1<<48, 1000)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Node(&tt.node); !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got\n%+v\nwant\n%+v", *got, tt.want)
			}
		})
	}
}

// lending is a node of 2 cores, 1000 bytes and 10 pods, with annotations.
func lending(annotations ...string) corev1.Node {
	has := list("cpu", "2", "memory", "1000", "pods", "10")
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{}},
		Status: corev1.NodeStatus{Capacity: has, Allocatable: has}}
	for i := 0; i < len(annotations); i += 2 {
		n.Annotations[annotations[i]] = annotations[i+1]
	}
	return n
}

// machine is such a node with other amounts.
func machine(cpu, memory int64, faults ...model.Fault) model.Node {
	has := resource.List{{Name: "cpu", Value: cpu}, {Name: "memory", Value: memory}, {Name: "pods", Value: 10}}
	return model.Node{Meta: model.Meta{Faults: faults}, Capacity: has, Allocatable: has}
}

func TestPodGroup(t *testing.T) {
	tests := map[string]struct {
		group schedulingv1beta1.PodGroup
		want  model.PodGroup
	}{
		"all of it": {
			schedulingv1beta1.PodGroup{Spec: schedulingv1beta1.PodGroupSpec{MinMember: 3, Queue: "q", PriorityClassName: "c",
				MinTaskMember: map[string]int32{"worker": 2, "ps": 1}, MinResources: ptr(list("cpu", "3"))},
				Status: schedulingv1beta1.PodGroupStatus{Phase: "Inqueue"}},
			model.PodGroup{MinMember: 3, Queue: "q", PriorityClass: "c", Phase: model.GroupInqueue, HasMin: true,
				MinTaskMember: []model.RoleMin{{Role: "ps", Min: 1}, {Role: "worker", Min: 2}},
				MinResources:  resource.List{{Name: "cpu", Value: 3000}}}},
		"a minimum of nothing is a minimum": {
			schedulingv1beta1.PodGroup{Spec: schedulingv1beta1.PodGroupSpec{MinResources: &corev1.ResourceList{}}},
			model.PodGroup{HasMin: true, MinResources: resource.List{}}},
		"minimums below zero": {
			schedulingv1beta1.PodGroup{Spec: schedulingv1beta1.PodGroupSpec{MinMember: -2,
				MinTaskMember: map[string]int32{"ps": -1}}},
			model.PodGroup{MinTaskMember: []model.RoleMin{{Role: "ps"}}, Meta: model.Meta{Faults: []model.Fault{
				{Field: "spec.minMember", Message: "-2 is below 0: 0 taken"},
				{Field: "spec.minTaskMember.ps", Message: "-1 is below 0: 0 taken"}}}}},
		"more than a cluster can have": {
			schedulingv1beta1.PodGroup{Spec: schedulingv1beta1.PodGroupSpec{MinResources: ptr(list("memory", "4Ei"))}},
			model.PodGroup{HasMin: true, MinResources: resource.List{}, Meta: model.Meta{Faults: []model.Fault{
				{Field: "spec.minResources.memory", Message: "4Ei is more than the bound of 1Ei", Fatal: true}}}}},
		"a field of tomorrow": {
			schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{
				{Manager: "kubelet"}, {FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:queue":{},"f:topologyAffinity":{}}}`)}}}},
			model.PodGroup{Meta: model.Meta{Faults: []model.Fault{{Field: "spec.topologyAffinity",
				Message: "it has no effect: pods are kept apart by anti-affinity of their own"}}}}},
		"a phase of tomorrow": {
			schedulingv1beta1.PodGroup{Status: schedulingv1beta1.PodGroupStatus{Phase: "Dreaming"}},
			model.PodGroup{Meta: model.Meta{Faults: []model.Fault{
				{Field: "status.phase", Message: `"Dreaming" is not a phase of a PodGroup: Pending taken`}}}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := PodGroup(&tt.group); !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got\n%+v\nwant\n%+v", *got, tt.want)
			}
		})
	}
}

// queues is what becomes of a queue as written.
var queues = map[string]struct {
	queue schedulingv1beta1.Queue
	want  model.Queue
}{
	"all of it": {
		schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 3, Priority: 7, Parent: "p",
			Reclaimable: ptr(false),
			Capability:  list("cpu", "10", "memory", "0"), Deserved: list("cpu", "5"),
			Guarantee: schedulingv1beta1.Guarantee{Resource: list("cpu", "2", "nvidia.com/gpu", "1")}},
			Status: schedulingv1beta1.QueueStatus{State: "Closing"}},
		model.Queue{Weight: 3, Priority: 7, Parent: "p", State: model.QueueClosing,
			Capability: resource.List{{Name: "cpu", Value: 10000}, {Name: "memory", Value: 0}},
			Deserved:   resource.List{{Name: "cpu", Value: 5000}},
			Guarantee:  resource.List{{Name: "cpu", Value: 2000}, {Name: "nvidia.com/gpu", Value: 1000}}}},
	"an empty state is open and reclaimable is the default": {
		schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 1}},
		model.Queue{Weight: 1, Reclaimable: true}},
	"promises to its pods": {
		schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
			"ashlar.sh/min-runtime": "90s", "ashlar.sh/max-evictions-per-minute": "0"}},
			Spec: schedulingv1beta1.QueueSpec{Weight: 1}},
		model.Queue{Weight: 1, Reclaimable: true, MinRuntime: ptr(int64(90e9)), MaxEvictions: ptr(int64(0))}},
	"promises with errors": {
		schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
			"ashlar.sh/min-runtime": "-1s", "ashlar.sh/max-evictions-per-minute": "few"}},
			Spec: schedulingv1beta1.QueueSpec{Weight: 1}},
		model.Queue{Weight: 1, Reclaimable: true, Meta: model.Meta{Faults: []model.Fault{
			{Field: "metadata.annotations[ashlar.sh/min-runtime]",
				Message: `"-1s" is not a time to run such as 90s or 1h30m: it is left out`},
			{Field: "metadata.annotations[ashlar.sh/max-evictions-per-minute]",
				Message: `"few" is not a number of pods: it is left out`}}}}},
	"an affinity to groups of nodes": {
		schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 1, Affinity: &schedulingv1beta1.Affinity{
			NodeGroupAffinity: &schedulingv1beta1.NodeGroupAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution:  []string{"silver", "gold", "gold"},
				PreferredDuringSchedulingIgnoredDuringExecution: []string{"silver", "gold", "silver"}},
			NodeGroupAntiAffinity: &schedulingv1beta1.NodeGroupAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution:  []string{"tin", "lead"},
				PreferredDuringSchedulingIgnoredDuringExecution: []string{"lead"}}}}},
		model.Queue{Weight: 1, Reclaimable: true, Groups: &model.NodeGroups{Required: []string{"gold", "silver"},
			Preferred: []string{"silver", "gold"}, Forbidden: []string{"lead", "tin"}, Avoided: []string{"lead"}}}},
	"an affinity that names nothing is none": {
		schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 1, Affinity: &schedulingv1beta1.Affinity{
			NodeGroupAffinity: &schedulingv1beta1.NodeGroupAffinity{}}}},
		model.Queue{Weight: 1, Reclaimable: true}},
	"limits by group of nodes": {
		limitedQueue(`{"silver":{"memory":"1Gi","cpu":2},"gold":{"cpu":"500m"},"lead":{}}`),
		model.Queue{Weight: 1, Reclaimable: true, Limits: &model.GroupLimits{Of: []model.GroupLimit{
			{Group: "gold", Most: resource.List{{Name: "cpu", Value: 500}}},
			{Group: "silver", Most: resource.List{{Name: "cpu", Value: 2000}, {Name: "memory", Value: 1 << 30}}}}}}},
	"limits of no group are none": {limitedQueue(`{}`), model.Queue{Weight: 1, Reclaimable: true}},
	"limits that cannot be read": {
		limitedQueue(`{"gold":{"cpu":"many"}}`),
		model.Queue{Weight: 1, Reclaimable: true, Limits: &model.GroupLimits{Unreadable: true},
			Meta: model.Meta{Faults: []model.Fault{
				{Field: "metadata.annotations[volcano.sh/nodegroup-resource-limits]",
					Message: `"{\"gold\":{\"cpu\":\"many\"}}" is not as {"GROUP":{"cpu":"2"}}: with plugin nodegroup no node ` +
						`takes its jobs`}}}}},
	"a limit below nothing is nothing": {
		limitedQueue(`{"gold":{"cpu":"-1"}}`),
		model.Queue{Weight: 1, Reclaimable: true, Limits: &model.GroupLimits{Of: []model.GroupLimit{
			{Group: "gold", Most: resource.List{{Name: "cpu", Value: 0}}}}}, Meta: model.Meta{Faults: []model.Fault{
			{Field: "metadata.annotations[volcano.sh/nodegroup-resource-limits].gold.cpu",
				Message: "-1 is negative: 0 taken"}}}}},
	"a state of tomorrow is unknown": {
		schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 1},
			Status: schedulingv1beta1.QueueStatus{State: "Ajar"}},
		model.Queue{Weight: 1, Reclaimable: true, State: model.QueueUnknown}},
	"jobs in the order that is built": {
		schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 1, DequeueStrategy: "traverse"}},
		model.Queue{Weight: 1, Reclaimable: true}},
	"jobs strictly in their order": {
		schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 1, DequeueStrategy: "fifo"}},
		model.Queue{Weight: 1, Reclaimable: true, FIFO: true}},
	"jobs in an order of tomorrow": {
		schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 1, DequeueStrategy: "lifo"}},
		model.Queue{Weight: 1, Reclaimable: true, Meta: model.Meta{Faults: []model.Fault{{Field: "spec.dequeueStrategy",
			Message: `"lifo" is not known: traverse taken`}}}}},
	"a weight of nothing": {
		schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: -3}},
		model.Queue{Weight: 1, Reclaimable: true, Meta: model.Meta{Faults: []model.Fault{
			{Field: "spec.weight", Message: "-3 is below 1: 1 taken"}}}}},
	"a guarantee above the capability": {
		schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 1, Capability: list("cpu", "10"),
			Guarantee: schedulingv1beta1.Guarantee{Resource: list("cpu", "20", "memory", "1Gi")}}},
		model.Queue{Weight: 1, Reclaimable: true, Capability: resource.List{{Name: "cpu", Value: 10000}},
			Guarantee: resource.List{{Name: "cpu", Value: 10000}, {Name: "memory", Value: 1 << 30}},
			Meta: model.Meta{Faults: []model.Fault{
				{Field: "spec.guarantee.resource.cpu", Message: "20 is above the capability of 10: 10 taken"}}}}},
	"a number of pods, which queues do not share": {
		schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 1, Capability: list("cpu", "10", "pods", "2"),
			Deserved: list("pods", "1")}},
		model.Queue{Weight: 1, Reclaimable: true, Capability: resource.List{{Name: "cpu", Value: 10000}},
			Deserved: resource.List{},
			Meta: model.Meta{Faults: []model.Fault{
				{Field: "spec.capability.pods",
					Message: "2 has no effect: queues share no numbers of pods; a ResourceQuota bounds those of a namespace"},
				{Field: "spec.deserved.pods",
					Message: "1 has no effect: queues share no numbers of pods; a ResourceQuota bounds those of a namespace"}}}}},
	"an absurd capability": {
		schedulingv1beta1.Queue{Spec: schedulingv1beta1.QueueSpec{Weight: 1, Capability: list("cpu", "1e18")}},
		model.Queue{Weight: 1, Reclaimable: true, Capability: resource.List{}, Meta: model.Meta{Faults: []model.Fault{
			{Field: "spec.capability.cpu", Message: "1e18 is more than the bound of 1152921504606846976m", Fatal: true}}}}},
}

func TestQueue(t *testing.T) {
	for name, tt := range queues {
		t.Run(name, func(t *testing.T) {
			if got := Queue(&tt.queue); !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got\n%+v\nwant\n%+v", *got, tt.want)
			}
		})
	}
}

// limitedQueue is a queue with limits by group of nodes.
func limitedQueue(limits string) schedulingv1beta1.Queue {
	return schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
		"volcano.sh/nodegroup-resource-limits": limits}}, Spec: schedulingv1beta1.QueueSpec{Weight: 1}}
}

func TestPriorityClass(t *testing.T) {
	got := PriorityClass(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000,
		GlobalDefault: true, PreemptionPolicy: ptr(corev1.PreemptNever)})
	want := &model.PriorityClass{Meta: model.Meta{Name: "high"}, Value: 1000, GlobalDefault: true, PreemptNever: true}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestFactsOfEveryKind(t *testing.T) {
	m := metav1.ObjectMeta{Namespace: "ns", Name: "x", UID: "u", ResourceVersion: "42"}
	tests := map[model.Kind]any{
		model.KindNode:            &corev1.Node{ObjectMeta: m},
		model.KindPod:             &corev1.Pod{ObjectMeta: m},
		model.KindPodGroup:        &schedulingv1beta1.PodGroup{ObjectMeta: m},
		model.KindQueue:           &schedulingv1beta1.Queue{ObjectMeta: m},
		model.KindPriorityClass:   &schedulingv1.PriorityClass{ObjectMeta: m},
		KindPersistentVolume:      &corev1.PersistentVolume{ObjectMeta: m},
		KindPersistentVolumeClaim: &corev1.PersistentVolumeClaim{ObjectMeta: m},
		model.KindNamespace:       &corev1.Namespace{ObjectMeta: m},
		KindStorageClass:          &storagev1.StorageClass{ObjectMeta: m},
		model.KindService:         &corev1.Service{ObjectMeta: m},
		model.KindBudget:          &policyv1.PodDisruptionBudget{ObjectMeta: m},
		KindCSINode:               &storagev1.CSINode{ObjectMeta: m},
		KindCSIDriver:             &storagev1.CSIDriver{ObjectMeta: m},
		KindCSIStorageCapacity:    &storagev1.CSIStorageCapacity{ObjectMeta: m},
		model.KindHyperNode:       &topologyv1alpha1.HyperNode{ObjectMeta: m},
	}
	for kind, obj := range tests {
		f, ok := Fact(obj, Options{DefaultQueue: "dq"})
		want := model.Fact{Ref: model.Ref{Kind: kind, Namespace: "ns", Name: "x"}, UID: "u", Version: 42, Object: f.Object}
		if !ok || f != want || f.Object == nil {
			t.Errorf("%s: %+v", kind, f)
		}
		if o, opaque := f.Object.(*model.Opaque); opaque && (o.Content != obj || o.Name != "x") {
			t.Errorf("%s: content %v", kind, o)
		}
		if g, ok := f.Object.(*model.PodGroup); ok && g.Queue != "dq" {
			t.Errorf("queue of a PodGroup that names none: %q", g.Queue)
		}
		want.Object = nil
		if gone, ok := Gone(obj); !ok || gone != want {
			t.Errorf("%s gone: %+v", kind, gone)
		}
	}
	if _, ok := Fact(&corev1.Secret{}, Options{}); ok {
		t.Error("a Secret has no part in scheduling")
	}
	if f, _ := Fact(&corev1.Node{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "x"}}, Options{}); f.Version != 0 {
		t.Errorf("version %d", f.Version)
	}
}

func TestATimeBeyondThoseThatCanBeCountedIsTheLastOrTheFirst(t *testing.T) {
	for year, want := range map[int]int64{1: math.MinInt64, 1600: math.MinInt64, 1970: 0, 2100: 4102444800e9,
		9999: math.MaxInt64} {
		if got := instant(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)); got != want {
			t.Errorf("the year %d begins at %d, want %d", year, got, want)
		}
	}
}
