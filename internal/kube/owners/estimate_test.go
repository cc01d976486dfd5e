package owners

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	metadatafake "k8s.io/client-go/metadata/fake"

	"ashlar.sh/internal/kube/translate"
)

// What a Volcano Job says of how long it runs is read as it is written, and what controls the Job is not asked.
func TestWhatAVolcanoJobSaysOfItsRunTime(t *testing.T) {
	job := func(spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
			"metadata": map[string]any{"namespace": "ns", "name": "train", "uid": "train",
				"ownerReferences": []any{map[string]any{"apiVersion": "flow.volcano.sh/v1alpha1", "kind": "JobFlow", "name": "flow",
					"uid": "flow", "controller": true}},
				"annotations": map[string]any{queueKey: "research"}},
			"spec": spec}}
	}
	for name, c := range map[string]struct {
		spec map[string]any
		want string
	}{
		"an estimate":        {map[string]any{"runningEstimate": "20m"}, "20m"},
		"nothing":            {map[string]any{}, ""},
		"nonsense is kept":   {map[string]any{"runningEstimate": "banana"}, "banana"},
		"an empty text, too": {map[string]any{"runningEstimate": ""}, `""`},
		"no text at all":     {map[string]any{"runningEstimate": int64(7)}, "7"},
		"what is very long": {map[string]any{"runningEstimate": strings.Repeat("9", 1<<20)},
			strings.Repeat("9", longestName)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer()
			s.discovery.Resources = append(s.discovery.Resources, &metav1.APIResourceList{
				GroupVersion: "batch.volcano.sh/v1alpha1",
				APIResources: []metav1.APIResource{{Name: "jobs", Kind: "Job", Namespaced: true}}})
			jobs := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), job(c.spec))
			heads := metadatafake.NewSimpleMetadataClient(metadatafake.NewTestScheme())
			synctest.Test(t, func(t *testing.T) {
				r := New(Options{Discovery: s.discovery, Metadata: heads, Jobs: jobs, Answered: func(*Owner) {}})
				ctx, cancel := context.WithCancel(t.Context())
				go r.Run(ctx)
				o := r.Of("ns", ref("batch.volcano.sh/v1alpha1", "Job", "train"))
				if got, want := says(t, r, o), (translate.Said{Queue: "research", Estimate: c.want}); got != want {
					t.Errorf("it says %+v, want %+v", got, want)
				}
				<-time.After(time.Minute)
				if n := len(jobs.Actions()) + len(heads.Actions()); n != 1 {
					t.Errorf("%d reads, want one", n)
				}
				cancel()
				synctest.Wait()
			})
		})
	}
}
