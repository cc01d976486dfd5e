package translate

import (
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched/model"
)

func ptr[T any](v T) *T { return &v }

// plain is what a pod with nothing set becomes.
func plain() *model.Pod {
	p := Pod(&corev1.Pod{}, Options{})
	return p
}

func annotated(kv ...string) corev1.Pod {
	p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{}}}
	for i := 0; i < len(kv); i += 2 {
		p.Annotations[kv[i]] = kv[i+1]
	}
	return p
}

func labelled(k, v string) corev1.Pod {
	return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{k: v}}}
}

// podFields is what each field of a pod changes in its fact.
var podFields = map[string]struct {
	pod  corev1.Pod
	want func(*model.Pod)
}{
	"nothing": {corev1.Pod{}, func(p *model.Pod) {}},
	"our scheduler": {corev1.Pod{Spec: corev1.PodSpec{SchedulerName: "volcano"}}, func(p *model.Pod) {
		p.Ours, p.Scheduler = true, "volcano"
	}},
	"another scheduler": {corev1.Pod{Spec: corev1.PodSpec{SchedulerName: "kueue"}}, func(p *model.Pod) {
		p.Ours, p.Scheduler = false, "kueue"
	}},
	"a PodGroup": {annotated("scheduling.k8s.io/group-name", "g"), func(p *model.Pod) {
		p.Group, p.Adopt = "g", model.Adopt{}
	}},
	"a PodGroup by Volcano's key": {annotated("scheduling.volcano.sh/group-name", "g"), func(p *model.Pod) {
		p.Group, p.Adopt = "g", model.Adopt{}
	}},
	"a PodGroup by label is none": {labelled("scheduling.k8s.io/group-name", "g"), func(p *model.Pod) {
		p.Labels = label("scheduling.k8s.io/group-name", "g")
	}},
	"a queue to be adopted into": {annotated("scheduling.volcano.sh/queue-name", "q"), func(p *model.Pod) {
		p.Adopt.Queue = "q"
	}},
	"a minimum to be adopted with": {annotated("scheduling.volcano.sh/group-min-member", "3"), func(p *model.Pod) {
		p.Adopt.MinMember = 3
	}},
	"a role by annotation": {annotated("volcano.sh/task-spec", "ps"), func(p *model.Pod) { p.Role = "ps" }},
	"a role by label": {labelled("volcano.sh/task-spec", "ps"), func(p *model.Pod) {
		p.Role, p.Labels = "ps", label("volcano.sh/task-spec", "ps")
	}},
	"an index": {corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "train-12"}}, func(p *model.Pod) {
		p.Name, p.Index = "train-12", 12
	}},
	"a number beyond all indices": {corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a-99999999999999999999"}},
		func(p *model.Pod) {
			p.Name = "a-99999999999999999999"
		}},
	"terminating": {corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Unix(1, 0)}}},
		func(p *model.Pod) {
			p.Deleting, p.Times = true, gone(1e9)
		}},
	"running on a node": {corev1.Pod{Spec: corev1.PodSpec{NodeName: "n"},
		Status: corev1.PodStatus{Phase: "Running"}}, func(p *model.Pod) {
		p.Node, p.Phase, p.Healthy = "n", model.PodRunning, true
	}},
	"nominated": {corev1.Pod{Status: corev1.PodStatus{NominatedNodeName: "n"}}, func(p *model.Pod) {
		p.Nominated = "n"
	}},
	"gated": {corev1.Pod{Spec: corev1.PodSpec{SchedulingGates: []corev1.PodSchedulingGate{{Name: "x"}}}},
		func(p *model.Pod) {
			p.Gated = true
		}},
	"at the gate of its queue": {gated(true, QueueGate), func(p *model.Pod) {
		p.Gated, p.QueueGate = true, model.QueueGateShut
	}},
	"behind another gate too":       {gated(true, QueueGate, "x"), func(p *model.Pod) { p.Gated = true }},
	"through the gate of its queue": {gated(true), func(p *model.Pod) { p.QueueGate = model.QueueGateOpen }},
	"through it, and behind another": {gated(true, "x"), func(p *model.Pod) {
		p.Gated, p.QueueGate = true, model.QueueGateOpen
	}},
	"at a gate that it does not want opened": {gated(false, QueueGate), func(p *model.Pod) {
		p.Gated = true
		fault("spec.schedulingGates",
			`scheduling.volcano.sh/queue-allocation-gate is taken off only where the annotation of that name is `+
				`"true": it stays`)(p)
	}},
	"a priority": {corev1.Pod{Spec: corev1.PodSpec{Priority: ptr(int32(0)),
		PriorityClassName: "c"}}, func(p *model.Pod) {
		p.HasPriority, p.PriorityClass = true, "c"
	}},
	"a priority class": {corev1.Pod{Spec: corev1.PodSpec{PriorityClassName: "c"}},
		func(p *model.Pod) {
			p.PriorityClass = "c"
		}},
	"a task's own priority": {annotated("volcano.sh/task-priority", "-7"), func(p *model.Pod) {
		p.HasTaskPriority, p.TaskPriority = true, -7
	}},
	"spared after its start": {
		corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"volcano.sh/cooldown-time": "10m"},
			Annotations: map[string]string{"volcano.sh/cooldown-time": "1h"}}}, func(p *model.Pod) {
			p.Times, p.Labels = rest(600e9), label("volcano.sh/cooldown-time", "10m")
		}},
	"spared by annotation": {
		corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"volcano.sh/cooldown-time": "1h"}}},
		func(p *model.Pod) {
			p.Times = rest(3600e9)
		}},
	"spared for no time that can be meant": {
		corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"volcano.sh/cooldown-time": "long"}}},
		fault("metadata.annotations[volcano.sh/cooldown-time]", `"long" is not a time such as 600s or 10m: none taken`)},
	"on any room lent by the hour": {
		corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"volcano.sh/revocable-zone": "*"}}}, lent},
	"on room lent in one zone: none": {
		corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"volcano.sh/revocable-zone": "rz1",
			"volcano.sh/preemptable": "true"}}}, func(p *model.Pod) {}},
	"marked preemptable": {
		corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"volcano.sh/preemptable": "true"}}}, lent},
	"of a PodGroup of Kubernetes' own": {
		corev1.Pod{Spec: corev1.PodSpec{SchedulingGroup: &corev1.PodSchedulingGroup{PodGroupName: ptr("workers")}}},
		fault("spec.schedulingGroup.podGroupName", `Kubernetes' own PodGroups are not read: "workers" has no effect; only `+
			"a PodGroup of scheduling.volcano.sh, named by the annotation scheduling.k8s.io/group-name, makes pods start "+
			"together")},
	"preempts no pod": {corev1.Pod{Spec: corev1.PodSpec{PreemptionPolicy: ptr(
		corev1.PreemptNever)}}, func(p *model.Pod) {
		p.PreemptNever, p.PreemptSet = true, true
	}},
	"not preemptable": {annotated("volcano.sh/preemptable", "false"), func(p *model.Pod) {
		p.Preemptable = false
	}},
	"not preemptable by label": {labelled("volcano.sh/preemptable", "false"), func(p *model.Pod) {
		p.Preemptable, p.Labels = false, label("volcano.sh/preemptable", "false")
	}},
	"preemptable is no truth value: not": {annotated("volcano.sh/preemptable", "perhaps"), func(p *model.Pod) {
		p.Preemptable = false
	}},
	"seen by its kubelet": {corev1.Pod{Status: corev1.PodStatus{StartTime: ptr(metav1.Unix(7, 0))}},
		func(p *model.Pod) {
			p.Started = 7e9
		}},
	"ready": {corev1.Pod{Status: corev1.PodStatus{Conditions: ready("True")}},
		func(p *model.Pod) {
			p.Healthy = true
		}},
	"running and not ready": {corev1.Pod{Status: corev1.PodStatus{Phase: "Running",
		Conditions: ready("False")}}, func(p *model.Pod) {
		p.Phase = model.PodRunning
	}},
	"no grace": {corev1.Pod{Spec: corev1.PodSpec{TerminationGracePeriodSeconds: ptr(
		int64(0))}}, func(p *model.Pod) {
		p.Grace = 0
	}},
	"a grace beyond all time": {corev1.Pod{Spec: corev1.PodSpec{TerminationGracePeriodSeconds: ptr(
		int64(1 << 62))}}, func(p *model.Pod) {
		p.Grace = (1<<31 - 1) * 1e9
	}},
	"a created time": {corev1.Pod{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Unix(5,
		0)}}, func(p *model.Pod) {
		p.Created = 5e9
	}},
	"a minimum that is no number": {annotated("scheduling.volcano.sh/group-min-member", "two"),
		fault("metadata.annotations[scheduling.volcano.sh/group-min-member]", `"two" is not a number of pods: 1 taken`)},
	"a minimum of zero": {annotated("scheduling.volcano.sh/group-min-member", "0"),
		fault("metadata.annotations[scheduling.volcano.sh/group-min-member]", `"0" is not a number of pods: 1 taken`)},
	"a task priority that is no number": {annotated("volcano.sh/task-priority", "1e3"),
		fault("metadata.annotations[volcano.sh/task-priority]", `"1e3" is not a priority: the pod's own taken`)},
	"a toleration with an unknown operator": {corev1.Pod{Spec: corev1.PodSpec{Tolerations: []corev1.Toleration{{Key: "k",
		Operator: "Near"}}}}, fault("spec.tolerations[0].operator", `"Near" is not known: the toleration is left out`)},
}

func TestFieldsOfAPod(t *testing.T) {
	for name, tt := range podFields {
		t.Run(name, func(t *testing.T) {
			want := plain()
			tt.want(want)
			if got := Pod(&tt.pod, Options{}); !reflect.DeepEqual(got, want) {
				t.Errorf("got\n%+v\nwant\n%+v", got, want)
			}
		})
	}
}

func gated(asked bool, gates ...string) (p corev1.Pod) {
	if asked {
		p.Annotations = map[string]string{QueueGate: "true"}
	}
	for _, g := range gates {
		p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: g})
	}
	return p
}

func lent(p *model.Pod) {
	s := *p.Spec
	s.Revocable = true
	p.Spec = &s
}

func label(k, v string) []model.Label { return []model.Label{{Key: k, Value: v}} }

func ready(status corev1.ConditionStatus) []corev1.PodCondition {
	return []corev1.PodCondition{{Type: "Initialized", Status: "True"}, {Type: corev1.PodReady, Status: status}}
}

func fault(field, message string) func(*model.Pod) {
	return func(p *model.Pod) { p.Faults = []model.Fault{{Field: field, Message: message}} }
}

// The API server writes every pod's schedulerName; files written by hand leave it out.
func TestAnEmptyPodIsPreemptableAndOurs(t *testing.T) {
	want := &model.Pod{Ours: true, Index: -1, Preemptable: true, Grace: 30e9, Adopt: model.Adopt{MinMember: 1}}
	got := plain()
	want.Spec = got.Spec
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestOptionsOfAPod(t *testing.T) {
	controlled := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", OwnerReferences: []metav1.OwnerReference{
			{Kind: "Deployment", Name: "other"},
			{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-5f", UID: "r1", Controller: ptr(true)},
		}},
		Spec: corev1.PodSpec{SchedulerName: "mine"},
	}
	if p := Pod(controlled, Options{}); p.Owner != "web-5f" || p.OwnerID != "ReplicaSet.apps/r1" || p.Ours ||
		p.Opaque != nil {
		t.Errorf("owner %q, ours %t, opaque %v", p.Owner, p.Ours, p.Opaque)
	}
	var specs Specs
	o := Options{Schedulers: []string{"volcano", "mine"}, DefaultQueue: "dq", Specs: &specs,
		TopOwner: func(ns string, ref *metav1.OwnerReference) Owner {
			if ns+ref.Kind+ref.Name != "nsReplicaSetweb-5f" {
				t.Errorf("the owner of %s %s in %s is asked for", ref.Kind, ref.Name, ns)
			}
			return Owner{schema.GroupKind{Group: "apps", Kind: "Deployment"}, "web", "d1"}
		}}
	p := Pod(controlled, o)
	if p.Owner != "web" || p.OwnerID != "Deployment.apps/d1" || !p.Ours || p.Adopt.Queue != "dq" || p.Opaque != nil {
		t.Errorf("owner %q, ours %t, queue %q, opaque %v", p.Owner, p.Ours, p.Adopt.Queue, p.Opaque)
	}
	if again := Pod(controlled.DeepCopy(), o); again.Spec != p.Spec {
		t.Error("equal specs are not shared")
	}
	controlled.Labels = map[string]string{"app": "web", "tier": "front"}
	if a, b := Pod(controlled, o), Pod(controlled.DeepCopy(), o); len(a.Labels) != 2 || &a.Labels[0] != &b.Labels[0] {
		t.Error("equal labels are not shared")
	}
	other := controlled.DeepCopy()
	other.Spec.NodeSelector = map[string]string{"a": "b"}
	if Pod(other, o).Spec == p.Spec {
		t.Error("different specs are shared")
	}
}

func gone(by int64) *model.Times { return &model.Times{GoneBy: by} }

func rest(cooldown int64) *model.Times { return &model.Times{Cooldown: cooldown} }

// A text that can be the name of no object becomes one that is short and UTF-8, and that no object can have either. A
// name that an object can have stays as it is.
func TestAWordThatIsNoNameNamesNothing(t *testing.T) {
	const group, inQueue = "scheduling.k8s.io/group-name", "scheduling.volcano.sh/queue-name"
	long := strings.Repeat("g", 253)
	controls := true
	for text, want := range map[string]string{"a": "a", long: long, "": "", "\xff": "\uFFFD", "a\xff\xfeb": "a\uFFFDb",
		long + "g": long[:64] + "…", strings.Repeat("\xff", 300): "…",
		strings.Repeat("é", 127): strings.Repeat("é", 32) + "…"} {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{group: text, inQueue: text},
			OwnerReferences: []metav1.OwnerReference{{Kind: "Owner", Name: text, Controller: &controls}}}}
		got := Pod(p, Options{})
		if got.Group != want || got.Adopt.Queue != want || got.Owner != want || GroupOf(p) != want {
			t.Errorf("%.20q: the PodGroup is %q, the queue %q, the owner %q, want %q", text, got.Group, got.Adopt.Queue,
				got.Owner, want)
		}
		delete(p.Annotations, group)
		if got := Pod(p, Options{}); got.Adopt.Queue != want {
			t.Errorf("%.20q: the queue of a pod without a PodGroup is %q, want %q", text, got.Adopt.Queue, want)
		}
		said := Owned(got, LacksQueue|LacksMinMember, Said{Queue: text, MinMember: "1", Job: Owner{Name: text}})
		if text != "" && said.Adopt.Queue != want || said.Owner != want {
			t.Errorf("%.20q: by its owner the queue is %q, and the owner %q, want %q", text, said.Adopt.Queue, said.Owner, want)
		}
		g := &schedulingv1beta1.PodGroup{Spec: schedulingv1beta1.PodGroupSpec{Queue: text}}
		if got := PodGroup(g).Queue; got != want {
			t.Errorf("%.20q: the queue of a PodGroup is %q, want %q", text, got, want)
		}
	}
}
