package observe_test

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	fakediscovery "k8s.io/client-go/discovery/fake"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	metadatafake "k8s.io/client-go/metadata/fake"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched/model"
)

// editedJob is a Kubernetes Job of which pods wait, and what is told of its deadline.
type editedJob struct {
	*testing.T
	w      *observe.Observer
	kube   *fake.Clientset
	groups *volcano.Clientset
	jobs   *dynamicfake.FakeDynamicClient
	limits map[string]time.Duration // by pod or PodGroup
	told   int                      // facts
}

// start is when the Job began.
var start = time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)

// with is the Job with a deadline; 0: it has none.
func with(deadline time.Duration) *unstructured.Unstructured {
	spec := map[string]any{}
	if deadline != 0 {
		spec["activeDeadlineSeconds"] = int64(deadline / time.Second)
	}
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch/v1", "kind": "Job",
		"metadata": map[string]any{"namespace": "ns", "name": "train", "uid": "t"}, "spec": spec,
		"status": map[string]any{"startTime": start.Format(time.RFC3339)}}}
}

func newEditedJob(t *testing.T) *editedJob {
	t.Helper()
	x := &editedJob{T: t, limits: map[string]time.Duration{}}
	x.kube = fake.NewClientset(
		ofTrain("plain", nil),
		ofTrain("says", func(p *corev1.Pod) {
			p.Annotations[schedulingv1beta1.QueueNameAnnotationKey] = "own"
			p.Annotations[schedulingv1beta1.VolcanoGroupMinMemberAnnotationKey] = "2"
		}),
		ofTrain("grouped", func(p *corev1.Pod) { p.Annotations[schedulingv1beta1.KubeGroupNameAnnotationKey] = "g" }))
	x.kube.Discovery().(*fakediscovery.FakeDiscovery).Resources = []*metav1.APIResourceList{{GroupVersion: "batch/v1",
		APIResources: []metav1.APIResource{{Name: "jobs", Kind: "Job", Namespaced: true}}}}
	x.groups = volcano.NewSimpleClientset(groupOf("owned", "t", func(g *schedulingv1beta1.PodGroup) {
		g.OwnerReferences[0].APIVersion, g.OwnerReferences[0].Name = "batch/v1", "train"
	}))
	x.jobs = dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), with(0))
	x.w = watchBoth(t, x.kube, x.groups, observe.Options{Adopt: true, Jobs: x.jobs,
		Metadata: metadatafake.NewSimpleMetadataClient(metadatafake.NewTestScheme())})
	return x
}

// pass lets time pass, and takes in what is told.
func (x *editedJob) pass(d time.Duration) {
	for range d / time.Second {
		<-time.After(time.Second)
		synctest.Wait()
		facts, _ := x.w.Drain()
		for _, f := range facts {
			switch o := f.Object.(type) {
			case *model.Pod:
				x.limits[o.Name] = time.Duration(o.Rare().JobLimit)
				x.told++
			case *model.PodGroup:
				x.limits[o.Name] = 0
				if x.told++; o.JobEnds != 0 {
					x.limits[o.Name] = time.Unix(0, o.JobEnds).Sub(start)
				}
			}
		}
	}
}

func (x *editedJob) edit(deadline time.Duration) {
	x.Helper()
	of := schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
	all := x.jobs.Resource(of).Namespace("ns")
	if _, err := all.Update(x.Context(), with(deadline), metav1.UpdateOptions{}); err != nil {
		x.Fatal(err)
	}
}

// runs has all that waits run.
func (x *editedJob) runs() {
	x.Helper()
	for _, name := range []string{"plain", "says", "grouped"} {
		p, err := x.kube.CoreV1().Pods("ns").Get(x.Context(), name, metav1.GetOptions{})
		if err != nil {
			x.Fatal(err)
		}
		p.Spec.NodeName, p.Status.Phase, p.ResourceVersion = "n", corev1.PodRunning, "9"
		if _, err := x.kube.CoreV1().Pods("ns").Update(x.Context(), p, metav1.UpdateOptions{}); err != nil {
			x.Fatal(err)
		}
	}
	all := x.groups.SchedulingV1beta1().PodGroups("ns")
	g, err := all.Get(x.Context(), "owned", metav1.GetOptions{})
	if err != nil {
		x.Fatal(err)
	}
	g.Status.Phase, g.ResourceVersion = schedulingv1beta1.PodGroupRunning, "9"
	if _, err := all.Update(x.Context(), g, metav1.UpdateOptions{}); err != nil {
		x.Fatal(err)
	}
}

// A deadline of a Kubernetes Job is known of each pod of it that waits, whatever the pod says of its queue and gang.
// One that is added, changed or removed while they wait is noticed; no pod is told of anew where nothing has changed,
// and a Job of which no pod waits is not read again.
func TestADeadlineThatIsEdited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newEditedJob(t)
		x.pass(10 * time.Second)
		for _, step := range []struct {
			name    string
			changes bool
			to      time.Duration
		}{
			{"none", false, 0},
			{"one is added", true, 10 * time.Minute},
			{"nothing changes", false, 10 * time.Minute},
			{"it is changed", true, time.Minute},
			{"it is removed", true, 0},
		} {
			if x.told = 0; step.changes {
				x.edit(step.to)
			}
			x.pass(40 * time.Second)
			want := map[string]time.Duration{"plain": step.to, "says": step.to, "grouped": step.to, "owned": step.to}
			if !maps.Equal(x.limits, want) {
				t.Errorf("%s: the deadlines are %v, want %v", step.name, x.limits, want)
			}
			if !step.changes && x.told != 0 {
				t.Errorf("%s: %d facts were told anew", step.name, x.told)
			}
		}
		x.runs()
		x.pass(time.Minute)
		x.jobs.ClearActions()
		x.pass(3 * time.Minute)
		if n := len(x.jobs.Actions()); n != 0 {
			t.Errorf("a Job of which no pod waits was read %d times", n)
		}
	})
}
