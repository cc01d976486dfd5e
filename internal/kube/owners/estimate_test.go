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
	"k8s.io/apimachinery/pkg/runtime/schema"
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

// A Kubernetes Job that is suspended and resumed has a deadline that counts from its new start. It is read again when a
// pod of it comes after it was read, and only then.
func TestTheDeadlineOfAJobThatIsResumed(t *testing.T) {
	job := func(suspended bool, start string) *unstructured.Unstructured {
		status := map[string]any{}
		if start != "" {
			status["startTime"] = start
		}
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch/v1", "kind": "Job",
			"metadata": map[string]any{"namespace": "ns", "name": "train", "uid": "train"},
			"spec":     map[string]any{"activeDeadlineSeconds": int64(600), "suspend": suspended}, "status": status}}
	}
	const minute = int64(time.Minute)
	instant := func(text string) int64 {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return at.UnixNano()
	}
	for name, c := range map[string]struct {
		was, is             *unstructured.Unstructured
		wasSince, isSince   string
		wasLimit, isMinutes int64
	}{
		"after it ran": {job(false, "2026-01-01T10:00:00Z"), job(false, "2026-01-01T12:00:00Z"),
			"2026-01-01T10:00:00Z", "2026-01-01T12:00:00Z", 10, 10},
		"read while it was suspended": {job(true, ""), job(false, "2026-01-01T12:00:00Z"), "",
			"2026-01-01T12:00:00Z", 0, 10},
		"suspended since": {job(false, "2026-01-01T10:00:00Z"), job(true, ""), "2026-01-01T10:00:00Z", "", 10, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer()
			jobs := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), c.was)
			heads := metadatafake.NewSimpleMetadataClient(metadatafake.NewTestScheme())
			synctest.Test(t, func(t *testing.T) {
				r := New(Options{Discovery: s.discovery, Metadata: heads, Jobs: jobs, Answered: func(*Owner) {}})
				ctx, cancel := context.WithCancel(t.Context())
				go r.Run(ctx)
				named := ref("batch/v1", "Job", "train")
				r.Renew("ns", named) // no pod that lacks anything named it: it need not be known
				o := r.Of("ns", named)
				said := func(limit int64, since string) translate.Said {
					out := translate.Said{JobLimit: limit * minute}
					if since != "" {
						out.JobSince = instant(since)
					}
					return out
				}
				if got, want := says(t, r, o), said(c.wasLimit, c.wasSince); got != want {
					t.Errorf("at first it says %+v, want %+v", got, want)
				}
				of := schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
				if _, err := jobs.Resource(of).Namespace("ns").Update(ctx, c.is, metav1.UpdateOptions{}); err != nil {
					t.Fatal(err)
				}
				cancel()
				synctest.Wait()
				r.Renew("ns", named)
				r.Renew("ns", named) // two pods came, before it is read
				ctx, cancel = context.WithCancel(t.Context())
				go r.Run(ctx)
				synctest.Wait()
				if got, want := says(t, r, o), said(c.isMinutes, c.isSince); got != want {
					t.Errorf("once a pod came it says %+v, want %+v", got, want)
				}
				<-time.After(time.Minute)
				reads := 0
				for _, a := range jobs.Actions() {
					if a.GetVerb() == "get" {
						reads++
					}
				}
				if reads != 2 {
					t.Errorf("it was read %d times, want twice", reads)
				}
				cancel()
				synctest.Wait()
			})
		})
	}
}

// Jobs are read anew in turn, those of each namespace in its turn: one with many keeps no other from it.
func TestJobsOfNamespacesAreReadAnewInTurn(t *testing.T) {
	r := New(Options{})
	begin := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	for i, of := range []string{"many", "many", "many", "few", "many", "fresh"} {
		o := r.Of(of, ref("batch/v1", "Job", of+string(rune('0'+i))))
		o.knowledge, o.read = Final, begin.Add(time.Duration(i)*time.Second)
	}
	r.Of("few", ref("batch/v1", "Job", "unread"))
	r.Of("few", ref("apps/v1", "ReplicaSet", "other")).knowledge = Final
	got := ""
	for _, o := range r.ReadBefore(begin.Add(5 * time.Second)) {
		got += o.name + " "
	}
	if want := "many0 few3 many1 many2 many4 "; got != want {
		t.Errorf("the order is %q, want %q", got, want)
	}
}
