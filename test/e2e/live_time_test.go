package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/internal/loop"
)

const plansInSeconds = `
actions: "enqueue, allocate, backfill"
configurations:
- name: backfill
  arguments: {backfill.resolution: 1s}
tiers:
- plugins: [{name: priority}, {name: gang}]
- plugins: [{name: predicates}, {name: proportion}, {name: nodeorder}]
`

// timed makes a pod of cpus that may run for so many seconds at most (0: for ever), and ends after a time ("": never).
func timed(ns, name, cpu string, limit int64, ends string) *corev1.Pod {
	p := pod(ns, name)
	p.Spec.SchedulerName = ns
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse(cpu)
	grace := int64(1)
	if p.Spec.TerminationGracePeriodSeconds = &grace; limit > 0 {
		p.Spec.ActiveDeadlineSeconds = &limit
	}
	if p.Annotations = map[string]string{}; ends != "" {
		p.Annotations["ashlar.sh/duration"] = ends
	}
	return p
}

// inGroup has a pod name its PodGroup.
func inGroup(p *corev1.Pod, group string) *corev1.Pod {
	p.Annotations["scheduling.k8s.io/group-name"] = group
	return p
}

// plansStarts is a namespace with a node of eight cpus, a fifo queue, and a scheduler that plans starts to the second.
// limit is for how many seconds the pod busy may run: what a test does before its end takes some six seconds, and ever
// longer the busier the machine is, as the first pod does.
func plansStarts(t *testing.T) (ns string, limit int64) {
	t.Helper()
	ns = namespace(t)
	at := address(t)
	node(t, ns, "8")
	q := object("Queue", ns, map[string]any{"weight": int64(1), "dequeueStrategy": "fifo"})
	queues := shared.dynamic.Resource(queueResource)
	if _, err := queues.Create(t.Context(), q, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = queues.Delete(context.Background(), ns, metav1.DeleteOptions{}) })
	conf := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	if err := os.WriteFile(conf, []byte(plansInSeconds), 0o600); err != nil {
		t.Fatal(err)
	}
	live(t, ns, func(o *loop.Options) {
		o.ConfigFile, o.DefaultQueue = conf, ns
		o.Read = loop.ReadAPI{Address: at, Estimates: time.Second}
	})
	began := time.Now()
	create(t, timed(ns, "first", "50m", 0, "1s"))
	awaitPhase(t, ns, "first", corev1.PodSucceeded)
	return ns, max(20, int64(6*time.Since(began).Seconds()))
}

// trainWaits makes the PodGroup of a gang of two that is to be told when it starts: last of all, since a start that is
// not known while its pods are made stays told for a minute.
func trainWaits(t *testing.T, ns string) {
	t.Helper()
	train := object("PodGroup", "train", map[string]any{"minMember": int64(2), "queue": ns})
	train.SetAnnotations(map[string]string{persisted.TellStart: "true"})
	if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(), train,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// toldStart waits for what train is told: to start when a pod is over that has to end at a time.
func toldStart(t *testing.T, ns string, ends time.Time) (told persisted.Start) {
	t.Helper()
	eventually(t, "the PodGroup to be told its start", func(context.Context) (ok bool, err error) {
		told, ok = persisted.ReadStart(group(t, ns, "train").Annotations[persisted.StartKey])
		return ok && !told.Latest.IsZero(), nil
	}, func() string { return group(t, ns, "train").Annotations[persisted.StartKey] })
	if e, l := told.Earliest.Sub(ends), told.Latest.Sub(ends); e < 0 || l > 4*time.Second || told.Source != "enforced" {
		t.Errorf("it was told to start %s to %s after the end of the pod that it waits for (%s), want 1 s to 3 s, enforced",
			e, l, told.Source)
	}
	return told
}

// endsAtLimit ends the pod busy when it has to end, as its kubelet does.
func endsAtLimit(t *testing.T, ns string, ends time.Time) {
	t.Helper()
	eventually(t, "the limit of busy to be over", func(context.Context) (bool, error) {
		return !time.Now().Before(ends), nil
	}, func() string { return time.Until(ends).String() })
	ended := []byte(`{"status":{"phase":"Failed","reason":"DeadlineExceeded"}}`)
	if _, err := shared.kube.CoreV1().Pods(ns).Patch(t.Context(), "busy", types.MergePatchType, ended,
		metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
}

// busyUntil makes the pod busy, and returns when it has to end.
func busyUntil(t *testing.T, busy *corev1.Pod) time.Time {
	t.Helper()
	create(t, busy)
	began := awaitPhase(t, busy.Namespace, busy.Name, corev1.PodRunning).Status.StartTime.Time
	return began.Add(time.Duration(*busy.Spec.ActiveDeadlineSeconds) * time.Second)
}

// A gang waits for a pod that ends. Its start is planned, and told on its PodGroup; a job that has ended by then passes
// it, one that might run on does not; and it starts when it was told.
func TestLiveAPlannedStartIsKept(t *testing.T) {
	ns, limit := plansStarts(t)
	ends := busyUntil(t, timed(ns, "busy", "6", limit, ""))
	for _, name := range []string{"train-0", "train-1"} {
		create(t, inGroup(timed(ns, name, "4", 600, "4s"), "train"))
	}
	trainWaits(t, ns)
	told := toldStart(t, ns, ends)
	// Jobs that are made in the same second go by their names: all of these come after train.
	create(t, timed(ns, "unlimited", "2", 0, "5s"))
	create(t, timed(ns, "very-short", "2", 3, "1s"))
	awaitPhase(t, ns, "very-short", corev1.PodSucceeded)
	for _, p := range list(t, ns, "train-") {
		if p.Status.NominatedNodeName != "" {
			t.Errorf("%s is nominated for %s: its room is not there yet", p.Name, p.Status.NominatedNodeName)
		}
	}
	if train := list(t, ns, "train-"); bound(train) != 0 || get(t, ns, "unlimited").Spec.NodeName != "" {
		t.Fatalf("%d pods of train and %q are bound although the job before them runs", bound(train),
			get(t, ns, "unlimited").Spec.NodeName)
	}
	endsAtLimit(t, ns, ends)
	first := awaitPhase(t, ns, "train-0", corev1.PodSucceeded).Status.StartTime.Time
	if first.Before(told.Earliest.Add(-time.Second)) || first.After(told.Latest.Add(3*time.Second)) {
		t.Errorf("it started at %s, was told %s to %s", first, told.Earliest, told.Latest)
	}
	if last := awaitPhase(t, ns, "unlimited", corev1.PodSucceeded).Status.StartTime.Time; last.Before(first) {
		t.Errorf("the job that might run on started at %s, before the one that it came after (%s)", last, first)
	}
}

// What the last two runs of a template took is the guess for the next one, and a Volcano Job says itself how long it
// runs: both are told with where they are from.
func TestLiveHowLongJobsRun(t *testing.T) {
	ns, at := namespace(t), address(t)
	node(t, ns, "8")
	ofVolcano(t, vcJobResource, "Job")
	tenant := serviceAccount(t, ns, "tenant")
	mayView(t, ns, "tenant")
	live(t, ns, func(o *loop.Options) { o.Read = loop.ReadAPI{Address: at, Estimates: time.Second} })

	for name, runs := range map[string]string{"run-1": "2s", "run-2": "6s"} {
		create(t, timed(ns, name, "1", 0, runs))
		awaitPhase(t, ns, name, corev1.PodSucceeded)
	}
	create(t, timed(ns, "run-3", "1", 0, ""))
	job := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
		"metadata": map[string]any{"name": "train"}, "spec": map[string]any{"runningEstimate": "20m"}}}
	job, err := shared.dynamic.Resource(vcJobResource).Namespace(ns).Create(t.Context(), job, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g := object("PodGroup", "train", map[string]any{"minMember": int64(1)})
	g.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(job, job.GroupVersionKind())})
	if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(), g,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	create(t, inGroup(timed(ns, "train-0", "2", 0, ""), "train"))

	type runTime struct{ Expected, Source string }
	seen := map[string]runTime{}
	user := apiUserWith(t, at, tenant)
	text := ""
	eventually(t, "how long the jobs run", func(context.Context) (bool, error) {
		var code int
		if code, text = user.get("/v1/jobs?namespace=" + ns); code != 200 {
			return false, nil
		}
		var list struct {
			Items []struct {
				Name    string
				RunTime runTime
			}
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return false, err
		}
		for _, j := range list.Items {
			seen[j.Name] = j.RunTime
		}
		return seen["train"] == runTime{"20m0s", "runningEstimate"} && seen["run-3"].Source == "predicted", nil
	}, func() string { return text })
	took, err := time.ParseDuration(seen["run-3"].Expected)
	if err != nil || took%time.Second != 0 && !strings.Contains(seen["run-3"].Expected, ".5") || took < 3*time.Second {
		t.Errorf("the next run is expected to take %s, want the mean of the last two, some four seconds, or twice that",
			seen["run-3"].Expected)
	}
}
