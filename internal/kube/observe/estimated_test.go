package observe_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	fakediscovery "k8s.io/client-go/discovery/fake"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	metadatafake "k8s.io/client-go/metadata/fake"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched/model"
)

// vcjob is a Volcano Job that says how long it runs, with its name as its UID.
func vcjob(name, estimate string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
		"metadata": map[string]any{"namespace": "ns", "name": name, "uid": name},
		"spec":     map[string]any{"runningEstimate": estimate}}}
}

// groupOf is the PodGroup of the Volcano Job of its name, with a UID for that Job.
func groupOf(name string, job types.UID, change func(*schedulingv1beta1.PodGroup)) *schedulingv1beta1.PodGroup {
	yes := true
	g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: "group-" + job,
		ResourceVersion: "1", Annotations: map[string]string{},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch.volcano.sh/v1alpha1", Kind: "Job", Name: name, UID: job,
			Controller: &yes}}}}
	if change != nil {
		change(g)
	}
	return g
}

// A PodGroup of a Volcano Job comes at once, and again with what the Job says of how long its pods run. What the
// PodGroup says itself holds, one that is done is not asked for, and a Job that was made anew speaks for its own alone.
func TestHowLongAVolcanoJobRuns(t *testing.T) {
	kube := fake.NewClientset()
	kube.Discovery().(*fakediscovery.FakeDiscovery).Resources = []*metav1.APIResourceList{{
		GroupVersion: "batch.volcano.sh/v1alpha1",
		APIResources: []metav1.APIResource{{Name: "jobs", Kind: "Job", Namespaced: true}}}}
	groups := volcano.NewSimpleClientset(
		groupOf("train", "train", nil), groupOf("lies", "lies", nil), groupOf("absurd", "absurd", nil),
		groupOf("anew", "earlier", nil),
		groupOf("done", "done", func(g *schedulingv1beta1.PodGroup) { g.Status.Phase = schedulingv1beta1.PodGroupCompleted }),
		groupOf("says", "says", func(g *schedulingv1beta1.PodGroup) { g.Annotations["ashlar.sh/duration"] = "5m" }))
	jobs := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), vcjob("train", "20m"), vcjob("lies", "-20m"),
		vcjob("absurd", "99999999h"), vcjob("done", "1h"), vcjob("says", "1h"), vcjob("anew", "1h"))
	w := watchBoth(t, kube, groups, observe.Options{Jobs: jobs,
		Metadata: metadatafake.NewSimpleMetadataClient(metadatafake.NewTestScheme())})
	seen := map[string]*model.PodGroup{}
	await(t, "what the Jobs say", func() bool {
		facts, _ := w.Drain()
		for _, f := range facts {
			if g, is := f.Object.(*model.PodGroup); is {
				seen[g.Name] = g
			}
		}
		return len(seen) == 6 && seen["train"].Estimate != 0 && len(seen["lies"].Faults)+len(seen["absurd"].Faults) == 2
	})
	if got := time.Duration(seen["train"].Estimate); got != 20*time.Minute {
		t.Errorf("train runs for %s by its Job, want 20m", got)
	}
	for name, want := range map[string]string{"lies": `"-20m" is not how long a pod runs`,
		"absurd": `"99999999h" is not`} {
		if g := seen[name]; g.Estimate != 0 || !strings.Contains(g.Faults[0].Message, want) ||
			g.Faults[0].Field != "spec.runningEstimate of its Job" || g.Faults[0].Fatal {
			t.Errorf("%s runs for %d with %+v, want a Problem with %s", name, g.Estimate, g.Faults, want)
		}
	}
	for _, name := range []string{"anew", "done"} {
		if g := seen[name]; g.Estimate != 0 {
			t.Errorf("%s has an estimate of %d, want none", name, g.Estimate)
		}
	}
	if guess, source := seen["says"].Guess(); time.Duration(guess) != 5*time.Minute || source != model.TimeDeclared {
		t.Errorf("says runs for %d by %s, want 5m declared", guess, source)
	}
	for _, f := range w.All() {
		if g, is := f.Object.(*model.PodGroup); is && g.Name == "train" && g.Estimate != seen["train"].Estimate {
			t.Error("an engine made anew is not told what the Job says")
		}
	}
	for _, a := range jobs.Actions() {
		if name := a.(interface{ GetName() string }).GetName(); name == "done" {
			t.Errorf("the Job of a PodGroup that is done was read")
		}
	}
}
