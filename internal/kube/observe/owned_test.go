package observe_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes/fake"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched/model"
)

// jobs is an API server's Job train, which is read once open is closed.
type jobs struct {
	open  chan struct{}
	reads chan string
	*metadatafake.FakeMetadataClient
}

func newJobs(kube *fake.Clientset) jobs {
	kube.Discovery().(*fakediscovery.FakeDiscovery).Resources = []*metav1.APIResourceList{{GroupVersion: "batch/v1",
		APIResources: []metav1.APIResource{{Name: "jobs", Kind: "Job", Namespaced: true}}}}
	j := jobs{make(chan struct{}), make(chan string, 10), metadatafake.NewSimpleMetadataClient(
		metadatafake.NewTestScheme())}
	j.PrependReactor("get", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		j.reads <- a.(clienttesting.GetAction).GetName()
		<-j.open
		return true, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "train", UID: "t",
				Annotations: map[string]string{
					schedulingv1beta1.QueueNameAnnotationKey: "research", schedulingv1beta1.VolcanoGroupMinMemberAnnotationKey: "3"}}},
			nil
	})
	return j
}

// ofTrain is a pod of the Job train.
func ofTrain(name string, change func(*corev1.Pod)) *corev1.Pod {
	yes := true
	p := pod(name, map[string]string{})
	p.UID += "-" + p.UID
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "train", UID: "t",
		Controller: &yes}}
	if change != nil {
		change(p)
	}
	return p
}

// adopted are the last facts of pods by name, and how many there were of each.
func adopted(w *observe.Observer) (pods map[string]*model.Pod, times map[string]int) {
	pods, times = map[string]*model.Pod{}, map[string]int{}
	facts, _ := w.Drain()
	for _, f := range facts {
		if p, ok := f.Object.(*model.Pod); ok {
			pods[p.Name] = p
			times[p.Name]++
		}
	}
	return pods, times
}

// A pod waits for its owner's word; one that has a node is there at once, and is told of
// anew; what has finished follows. What a pod says itself holds.
func TestAnOwnersWord(t *testing.T) {
	kube := fake.NewClientset(
		ofTrain("waits", nil),
		ofTrain("says", func(p *corev1.Pod) { p.Annotations[schedulingv1beta1.QueueNameAnnotationKey] = "own" }),
		ofTrain("runs", func(p *corev1.Pod) { p.Spec.NodeName, p.Status.Phase = "n", corev1.PodRunning }),
		ofTrain("done", func(p *corev1.Pod) { p.Spec.NodeName, p.Status.Phase = "n", corev1.PodSucceeded }),
		ofTrain("grouped", func(p *corev1.Pod) { p.Annotations[schedulingv1beta1.KubeGroupNameAnnotationKey] = "g" }),
		ofTrain("others", func(p *corev1.Pod) { p.Spec.SchedulerName = "other" }),
	)
	train := newJobs(kube)
	w := watch(t, kube, observe.Options{Adopt: true, Metadata: train})
	before, _ := adopted(w)
	for _, name := range []string{"runs", "done", "grouped", "others"} {
		if p := before[name]; p == nil || p.Adopt.Queue != "" || p.Adopt.MinMember > 1 {
			t.Errorf("before its owner is heard pod %s is %+v, want it as it says itself", name, p)
		}
	}
	if len(before) != 4 {
		t.Errorf("the pods are %v, want those that are not decided on", before)
	}
	close(train.open)
	var after map[string]*model.Pod
	await(t, "the owner to be heard", func() bool {
		pods, times := adopted(w)
		for name, n := range times {
			if n != 1 {
				t.Errorf("there are %d facts of pod %s, want one", n, name)
			}
		}
		after = pods
		return len(after) > 0
	})
	want := map[string]model.Adopt{"waits": {Queue: "research", MinMember: 3}, "says": {Queue: "own", MinMember: 3},
		"runs": {Queue: "research", MinMember: 3}, "done": {Queue: "research", MinMember: 3}}
	if len(after) != len(want) {
		t.Errorf("told of anew are %v, want the owner's pods", after)
	}
	for name, adopt := range want {
		if p := after[name]; p == nil || p.Adopt != adopt || p.Owner != "train" {
			t.Errorf("pod %s is %+v, want %+v", name, p, adopt)
		}
	}
	if len(train.reads) != 1 {
		t.Errorf("the owner was read %d times, want once", len(train.reads))
	}
	for _, f := range w.All() {
		if p, ok := f.Object.(*model.Pod); ok && want[p.Name].MinMember != 0 && p.Adopt != want[p.Name] {
			t.Errorf("an engine made anew is told %+v of pod %s, want %+v", p.Adopt, p.Name, want[p.Name])
		}
	}
	runs := ofTrain("waits", func(p *corev1.Pod) { p.Spec.NodeName, p.ResourceVersion = "n", "6" })
	if _, err := kube.CoreV1().Pods("ns").Update(t.Context(), runs, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if facts := drained(t, w); facts[0].Object.(*model.Pod).Adopt != want["waits"] {
		t.Errorf("once it is bound it is %+v, want the owner's word to hold", facts[0].Object)
	}
}

// A pod that is bound by somebody else, or deleted, while it waits does not wait for that
// to be known.
func TestAPodThatNeedNotWaitAnyMore(t *testing.T) {
	kube := fake.NewClientset(ofTrain("bound", nil), ofTrain("gone", nil))
	train := newJobs(kube)
	defer close(train.open)
	w := watch(t, kube, observe.Options{Adopt: true, Metadata: train})
	if pods, _ := adopted(w); len(pods) != 0 {
		t.Fatalf("the pods are %v, want none yet", pods)
	}
	bound := ofTrain("bound", func(p *corev1.Pod) { p.Spec.NodeName, p.ResourceVersion = "n", "6" })
	if _, err := kube.CoreV1().Pods("ns").Update(t.Context(), bound, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if facts := drained(t, w); len(facts) != 1 || facts[0].Object.(*model.Pod).Node != "n" {
		t.Errorf("the facts are %+v, want that it has a node", facts)
	}
	if err := kube.CoreV1().Pods("ns").Delete(t.Context(), "gone", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if facts := drained(t, w); len(facts) != 1 || facts[0].Object != nil {
		t.Errorf("the facts are %+v, want that it is gone", facts)
	}
}

// Where pods are not adopted no owner is read.
func TestNoOwnerIsReadWithoutAdoption(t *testing.T) {
	kube := fake.NewClientset(ofTrain("p", nil))
	train := newJobs(kube)
	close(train.open)
	w := watch(t, kube, observe.Options{Metadata: train})
	if facts, _ := w.Drain(); len(facts) == 0 || len(train.reads) != 0 {
		t.Errorf("%d facts and %d reads, want the pod as it is", len(facts), len(train.reads))
	}
}

// A pod that names no PodGroup is not decided on while a controller may be making it one; with
// no such controller it is there a few seconds later, and the next one at once.
func TestAPodWaitsForItsPodGroup(t *testing.T) {
	kube := fake.NewClientset()
	w := watch(t, kube, observe.Options{Adopt: true, AwaitGroups: true})
	drain := func() (names []string) {
		pods, _ := adopted(w)
		for name := range pods {
			names = append(names, name)
		}
		return names
	}
	create := func(name string) {
		if _, err := kube.CoreV1().Pods("ns").Create(t.Context(), ofTrain(name, nil), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	create("first")
	create("grouped")
	await(t, "both pods to be seen", func() bool { return w.Pod("ns", "first") != nil && w.Pod("ns", "grouped") != nil })
	if names := drain(); len(names) != 0 {
		t.Fatalf("decided on is %v, want nothing while PodGroups may come", names)
	}
	grouped := ofTrain("grouped", func(p *corev1.Pod) {
		p.Annotations[schedulingv1beta1.KubeGroupNameAnnotationKey], p.ResourceVersion = "g", "7"
	})
	if _, err := kube.CoreV1().Pods("ns").Update(t.Context(), grouped, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	var names []string
	await(t, "the pod with a PodGroup", func() bool { names = append(names, drain()...); return len(names) > 0 })
	if len(names) != 1 || names[0] != "grouped" {
		t.Errorf("decided on is %v, want the pod that has its PodGroup alone", names)
	}
	names = nil
	await(t, "the pod that gets none", func() bool { names = append(names, drain()...); return len(names) > 0 })
	if len(names) != 1 || names[0] != "first" {
		t.Errorf("decided on is %v, want the pod that waited long enough", names)
	}
}
