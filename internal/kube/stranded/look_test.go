package stranded_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	metadatafake "k8s.io/client-go/metadata/fake"
	k8stesting "k8s.io/client-go/testing"
	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	busv1alpha1 "volcano.sh/apis/pkg/apis/bus/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/stranded"
)

// owner is how an object that controls pods is called here.
var owner = metav1.ObjectMeta{Namespace: "ns", Name: "owner", UID: "owner"}

func number(n int32) *int32 { return &n }

func yes(v bool) *bool { return &v }

// member is a pod of gang g that a controller of a kind has, on a node.
func member(name, version, kind string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name),
		Annotations: map[string]string{"scheduling.k8s.io/group-name": "g"}}, Spec: corev1.PodSpec{NodeName: "n"}}
	if kind != "" {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: version, Kind: kind, Name: "owner", UID: "owner",
			Controller: yes(true)}}
	}
	return p
}

// reader reads from a server that has gang g and some objects.
func reader(t *testing.T, objects ...runtime.Object) *stranded.Reader {
	t.Helper()
	scheme := metadatafake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "g"}}
	var core, theirs, metas []runtime.Object
	for _, o := range objects {
		switch o := o.(type) {
		case *batchv1alpha1.Job:
			theirs = append(theirs, o)
		case *metav1.PartialObjectMetadata:
			metas = append(metas, o)
		case *schedulingv1beta1.PodGroup:
			group = o
		default:
			core = append(core, o)
		}
	}
	return &stranded.Reader{Kube: fake.NewClientset(core...),
		Volcano:  volcano.NewSimpleClientset(append(theirs, group)...),
		Metadata: metadatafake.NewSimpleMetadataClient(scheme, metas...)}
}

// protected is why the members of a gang must stay, by name; of those that are not bound nothing.
func protected(t *testing.T, r *stranded.Reader) map[string]string {
	t.Helper()
	s, err := r.Look(t.Context(), "ns", "g")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, m := range s.Members {
		out[m.Name] = m.Protected
	}
	return out
}

// controllerCase is an owner of two pods, and what its answer says when they are not made anew.
type controllerCase struct {
	kind string
	is   runtime.Object
	says string // "": they are made anew
}

func controllerCases() map[string]controllerCase {
	at := func(change func(*metav1.ObjectMeta)) metav1.ObjectMeta {
		m := *owner.DeepCopy()
		change(&m)
		return m
	}
	replicas := func(m metav1.ObjectMeta, wanted *int32, there int32) runtime.Object {
		return &appsv1.ReplicaSet{ObjectMeta: m, Spec: appsv1.ReplicaSetSpec{Replicas: wanted},
			Status: appsv1.ReplicaSetStatus{Replicas: there}}
	}
	job := func(spec batchv1.JobSpec, status batchv1.JobStatus) runtime.Object {
		return &batchv1.Job{ObjectMeta: owner, Spec: spec, Status: status}
	}
	vcjob := func(spec batchv1alpha1.JobSpec, status batchv1alpha1.JobStatus) runtime.Object {
		return &batchv1alpha1.Job{ObjectMeta: owner, Spec: spec, Status: status}
	}
	on := func(action busv1alpha1.Action, events ...busv1alpha1.Event) []batchv1alpha1.LifecyclePolicy {
		return []batchv1alpha1.LifecyclePolicy{{Action: action, Events: events}}
	}
	named := func(version, kind string) runtime.Object {
		return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: kind}, ObjectMeta: owner}
	}
	running := batchv1alpha1.JobStatus{State: batchv1alpha1.JobState{Phase: batchv1alpha1.Running}}
	const rs, vc, batch = "apps/v1 ReplicaSet", "batch.volcano.sh/v1alpha1 Job", "batch/v1 Job"
	return map[string]controllerCase{
		"a ReplicaSet":                    {rs, replicas(owner, number(2), 2), ""},
		"one that says nothing":           {rs, replicas(owner, nil, 2), ""},
		"one that has more than it wants": {rs, replicas(owner, number(1), 2), "has 2 pods and wants 1"},
		"one that is being deleted": {rs, replicas(at(func(m *metav1.ObjectMeta) {
			m.DeletionTimestamp = &metav1.Time{}
			m.Finalizers = []string{"x"}
		}), number(2), 2), "is being deleted"},
		"one that is gone": {rs, nil, "is gone"},
		"another of its name": {rs, replicas(at(func(m *metav1.ObjectMeta) {
			m.UID = "second"
		}), number(2), 2), "another has its name"},
		"a StatefulSet": {"apps/v1 StatefulSet", &appsv1.StatefulSet{ObjectMeta: owner}, ""},
		"a ReplicationController": {"v1 ReplicationController", &corev1.ReplicationController{ObjectMeta: owner},
			""},
		"a RayCluster":                 {"ray.io/v1 RayCluster", named("ray.io/v1", "RayCluster"), ""},
		"a PyTorchJob":                 {"kubeflow.org/v1 PyTorchJob", named("kubeflow.org/v1", "PyTorchJob"), ""},
		"an MPIJob of either operator": {"kubeflow.org/v2beta1 MPIJob", named("kubeflow.org/v2beta1", "MPIJob"), ""},
		"a DaemonSet":                  {"apps/v1 DaemonSet", named("apps/v1", "DaemonSet"), ""},
		"an unknown kind":              {"example.com/v1 Thing", named("example.com/v1", "Thing"), "not known to make"},
		"a pod, as Spark's driver":     {"v1 Pod", &corev1.Pod{ObjectMeta: owner}, "not known to make"},
		"an API version that is none":  {"a/b/c Thing", nil, "not known to make"},
		"a Job":                        {batch, job(batchv1.JobSpec{}, batchv1.JobStatus{}), ""},
		"a Job of which some have failed": {batch, job(batchv1.JobSpec{}, batchv1.JobStatus{Failed: 5}),
			"would count 7 failures of 6"},
		"a Job that allows just so many": {batch, job(batchv1.JobSpec{BackoffLimit: number(2)}, batchv1.JobStatus{}), ""},
		"a Job that allows none": {batch, job(batchv1.JobSpec{BackoffLimit: number(0)}, batchv1.JobStatus{}),
			"2 failures of 0"},
		"a Job that is suspended": {batch, job(batchv1.JobSpec{Suspend: yes(true)}, batchv1.JobStatus{}),
			"suspended"},
		"a Job that counts by index": {batch, job(batchv1.JobSpec{BackoffLimitPerIndex: number(9)},
			batchv1.JobStatus{}), "by index"},
		"a Job with rules for failures": {batch, job(batchv1.JobSpec{PodFailurePolicy: &batchv1.PodFailurePolicy{}},
			batchv1.JobStatus{}), "rules"},
		"a Job that is over": {batch, job(batchv1.JobSpec{},
			batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}}),
			"is over (Failed)"},
		"a vcjob": {vc, vcjob(batchv1alpha1.JobSpec{}, running), ""},
		"a vcjob that starts anew": {vc, vcjob(batchv1alpha1.JobSpec{Policies: on(busv1alpha1.RestartJobAction,
			busv1alpha1.PodEvictedEvent)}, running), ""},
		"a vcjob that has often": {vc, vcjob(batchv1alpha1.JobSpec{Policies: on(busv1alpha1.RestartJobAction,
			busv1alpha1.PodEvictedEvent)}, batchv1alpha1.JobStatus{RetryCount: 2}), "2 times of 3"},
		"a vcjob with a task that ends it": {vc, vcjob(
			batchv1alpha1.JobSpec{Tasks: []batchv1alpha1.TaskSpec{{Policies: on(busv1alpha1.TerminateJobAction,
				busv1alpha1.AnyEvent)}}}, running), "TerminateJob"},
		"a vcjob that failures abort": {vc, vcjob(batchv1alpha1.JobSpec{Policies: on(busv1alpha1.AbortJobAction,
			busv1alpha1.PodFailedEvent)}, running), "AbortJob"},
		"a vcjob that an exit code ends": {vc, vcjob(
			batchv1alpha1.JobSpec{Policies: []batchv1alpha1.LifecyclePolicy{{Action: busv1alpha1.CompleteJobAction,
				ExitCode: number(143)}}}, running), "CompleteJob"},
		"a vcjob with rules of other things": {vc, vcjob(batchv1alpha1.JobSpec{Policies: on(busv1alpha1.CompleteJobAction,
			busv1alpha1.TaskCompletedEvent)}, running), ""},
		"a vcjob that is restarting": {vc, vcjob(batchv1alpha1.JobSpec{},
			batchv1alpha1.JobStatus{State: batchv1alpha1.JobState{Phase: batchv1alpha1.Restarting}}), "is Restarting"},
	}
}

// Some controllers make deleted pods anew, some do not, and of some it is not known.
func TestWhichControllersMakePodsAnew(t *testing.T) {
	for name, c := range controllerCases() {
		t.Run(name, func(t *testing.T) {
			version, kind, _ := strings.Cut(c.kind, " ")
			objects := []runtime.Object{member("a", version, kind), member("b", version, kind)}
			if c.is != nil {
				objects = append(objects, c.is)
			}
			for pod, says := range protected(t, reader(t, objects...)) {
				if pod == "owner" {
					continue
				}
				if (says == "") != (c.says == "") || !strings.Contains(says, c.says) {
					t.Errorf("%s is protected since %q, want %q", pod, says, c.says)
				}
			}
		})
	}
}

// Marks of a pod, and of its gang, are heeded; whatever is no truth value protects.
func TestMarksSpareMembers(t *testing.T) {
	set := &appsv1.StatefulSet{ObjectMeta: owner}
	for value, kept := range map[string]bool{"false": true, "no": true, "": true, "true": false} {
		pod, label := member("a", "apps/v1", "StatefulSet"), member("b", "apps/v1", "StatefulSet")
		pod.Annotations["volcano.sh/preemptable"] = value
		label.Labels = map[string]string{"volcano.sh/preemptable": value}
		group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "g",
			Annotations: map[string]string{"volcano.sh/preemptable": value}}}
		got := protected(t, reader(t, set, pod, label, member("c", "apps/v1", "StatefulSet")))
		if (got["a"] != "") != kept || (got["b"] != "") != kept || got["c"] != "" {
			t.Errorf("marked %q the members are protected since %v, want the marked ones: %t", value, got, kept)
		}
		if got := protected(t, reader(t, set, group, member("c", "apps/v1", "StatefulSet"))); (got["c"] != "") != kept {
			t.Errorf("with a gang marked %q its member is protected since %v, want %t", value, got, kept)
		}
	}
}

// A gang is read past its finished members and others' pods; what cannot be read is an error,
// or a reason to stay.
func TestAGangIsReadWhole(t *testing.T) {
	waits, leaves, over, other := member("waits", "", ""), member("leaves", "", ""), member("over", "", ""),
		member("other", "", "")
	waits.Spec.NodeName, over.Status.Phase = "", corev1.PodSucceeded
	leaves.DeletionTimestamp, leaves.Finalizers = &metav1.Time{}, []string{"x"}
	other.Annotations["scheduling.k8s.io/group-name"] = "another"
	r := reader(t, waits, leaves, over, other, member("bare", "", ""), member("owned", "apps/v1", "StatefulSet"))
	r.Kube.(*fake.Clientset).PrependReactor("get", "statefulsets", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(appsv1.Resource("statefulsets"), "owner", errors.New("no"))
	})
	s, err := r.Look(t.Context(), "ns", "g")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, m := range s.Members {
		got[m.Name] = fmt.Sprint(m.Bound, m.Leaving, " ", m.Protected)
	}
	want := map[string]string{"waits": "false false ", "leaves": "true true ", "bare": "true false it has no controller",
		"owned": "true false its controller StatefulSet owner could not be read: statefulsets.apps \"owner\" is forbidden"}
	for name, start := range want {
		if !strings.HasPrefix(got[name], start) {
			t.Errorf("%s is read as %q, want %q", name, got[name], start)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d members are read, want %d: %v", len(got), len(want), got)
	}
	r.Kube.(*fake.Clientset).PrependReactor("list", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("no answer")
	})
	if _, err := r.Look(t.Context(), "ns", "g"); err == nil {
		t.Error("a gang is read although its pods are not")
	}
}
