package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/e2e/faults"
)

// gangOfOwner is what an owner says of its pods: they start so many together, in a queue.
func gangOfOwner(queue string, least int) map[string]string {
	return map[string]string{"scheduling.volcano.sh/queue-name": queue,
		"scheduling.volcano.sh/group-min-member": fmt.Sprint(least)}
}

// template is of pods of the test's own scheduler that say nothing of queue or gang.
func template(ns, name, cpu string) corev1.PodTemplateSpec {
	p := pod(ns, name)
	p.Spec.SchedulerName, p.Spec.RestartPolicy = ns, corev1.RestartPolicyNever
	p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}}, Spec: p.Spec}
}

// job makes a Job; Kubernetes' own controller makes its pods.
func job(t *testing.T, ns, name string, pods int32, cpu string, annotations map[string]string,
	above ...metav1.OwnerReference) {
	t.Helper()
	_, err := shared.kube.BatchV1().Jobs(ns).Create(t.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations, OwnerReferences: above},
		Spec:       batchv1.JobSpec{Parallelism: &pods, Completions: &pods, Template: template(ns, name, cpu)}},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

func webDeployment(t *testing.T, ns, name string, replicas int32, cpu string, annotations map[string]string) {
	t.Helper()
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
			Template: template(ns, name, cpu)}}
	d.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyAlways
	if _, err := shared.kube.AppsV1().Deployments(ns).Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

var jobSets = schema.GroupVersionResource{Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"}

// jobSet makes a JobSet without its controller; Jobs may refer to it.
func jobSet(t *testing.T, ns, name string, annotations map[string]string) metav1.OwnerReference {
	t.Helper()
	crd := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apiextensions.k8s.io/v1",
		"kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "jobsets.jobset.x-k8s.io", "annotations": map[string]any{
			"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/jobset"}},
		"spec": map[string]any{"group": jobSets.Group, "scope": "Namespaced",
			"names": map[string]any{"plural": jobSets.Resource, "singular": "jobset", "kind": "JobSet",
				"listKind": "JobSetList"},
			"versions": []any{map[string]any{"name": jobSets.Version, "served": true, "storage": true, "schema": map[string]any{
				"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}}}
	crds := shared.dynamic.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"})
	if _, err := crds.Create(t.Context(), crd, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	set := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet"}}
	set.SetName(name)
	set.SetAnnotations(annotations)
	var made *unstructured.Unstructured
	eventually(t, "a JobSet to be taken", func(ctx ctxless) (ok bool, err error) {
		made, err = shared.dynamic.Resource(jobSets).Namespace(ns).Create(ctx, set, metav1.CreateOptions{})
		return err == nil, nil
	}, func() string { return "it was not" })
	return *metav1.NewControllerRef(made, schema.GroupVersionKind{Group: jobSets.Group, Version: jobSets.Version,
		Kind: "JobSet"})
}

// A Job says on itself, not in its template, that its pods start together and in which queue.
func TestLiveAJobSaysWhatItsPodsAre(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "2")
	queue(t, ns)
	live(t, ns)
	job(t, ns, "train", 3, "1", gangOfOwner(ns, 3))
	awaitPods(t, ns, "train", 3)
	job(t, ns, "alone", 1, "1", nil)
	awaitRunning(t, ns, "alone", 1) // so the others were looked at, and two of three would have fitted
	noneOf(t, ns, "train")
	node(t, ns+"-b", "2")
	awaitRunning(t, ns, "train", 3)
	eventually(t, "the queue to hold the three and not the one", func(ctxless) (bool, error) {
		return allocated(t, ns) == "3", nil
	},
		func() string { return allocated(t, ns) })
}

// So does a Deployment; its pods belong to its ReplicaSets.
func TestLiveADeploymentSaysWhatItsPodsAre(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "1")
	queue(t, ns)
	live(t, ns)
	webDeployment(t, ns, "web", 2, "1", gangOfOwner(ns, 2))
	awaitPods(t, ns, "web", 2)
	noneOf(t, ns, "web") // one of two would fit
	node(t, ns+"-b", "2")
	awaitRunning(t, ns, "web", 2)
	eventually(t, "the queue to hold them", func(ctxless) (bool, error) { return allocated(t, ns) == "2", nil },
		func() string { return allocated(t, ns) })
}

// What a JobSet says is of all its Jobs' pods: none starts before all can.
func TestLiveAJobSetSaysWhatItsJobsPodsAre(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "3")
	queue(t, ns)
	live(t, ns)
	set := jobSet(t, ns, "sweep", gangOfOwner(ns, 4))
	job(t, ns, "sweep-a", 2, "1", nil, set)
	job(t, ns, "sweep-b", 2, "1", nil, set)
	awaitPods(t, ns, "sweep", 4)
	noneOf(t, ns, "sweep") // those of one Job would fit
	node(t, ns+"-b", "2")
	awaitRunning(t, ns, "sweep", 4)
}

// ownerRead matches what is asked of Jobs.
func ownerRead(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/apis/batch/v1/") &&
		strings.Contains(r.URL.Path, "/jobs/")
}

// Where a Job may not be read its pods are what they say themselves, at once.
func TestLiveAnOwnerThatMayNotBeRead(t *testing.T) {
	w := sharedWorld(t)
	node(t, w.ns+"-a", "2")
	w.queue()
	p, err := faults.Start(w.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	refused := p.Inject(ownerRead, 1, 0, faults.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, 0))
	w.schedule(p.Config())
	job(t, w.ns, "first", 1, "1", gangOfOwner(w.ns, 3))
	awaitRunning(t, w.ns, "first", 1)
	job(t, w.ns, "second", 1, "1", gangOfOwner(w.ns, 3))
	awaitRunning(t, w.ns, "second", 1)
	if n := refused.Met(); n != 1 {
		t.Errorf("%d reads of Jobs, want one: it was refused", n)
	}
}

// An API server that is slow to say what a Job says keeps that Job's pods waiting for a
// moment, and no other pod.
func TestLiveAnOwnerThatIsReadSlowly(t *testing.T) {
	w := sharedWorld(t)
	node(t, w.ns+"-a", "4")
	w.queue()
	p, err := faults.Start(w.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	slow := p.Inject(ownerRead, 1, 0, faults.Delay(patience))
	w.schedule(p.Config())
	began := time.Now()
	job(t, w.ns, "slow", 2, "1", gangOfOwner(w.ns, 2))
	w.await("ask for the Job", func(ctxless) error {
		if slow.Met() == 0 {
			return fmt.Errorf("no pod has")
		}
		return nil
	})
	submit(t, w.ns, w.ns, "quick", 2, 2, "1")
	awaitRunning(t, w.ns, "quick", 2)
	if n := bound(list(t, w.ns, "slow")); n != 0 && time.Since(began) < 5*time.Second {
		t.Errorf("after %v %d pods of the Job are bound, want them to wait for it", time.Since(began), n)
	}
	awaitRunning(t, w.ns, "slow", 2)
}

// awaitPods waits until so many pods with names that begin so are there.
func awaitPods(t *testing.T, ns, prefix string, want int) {
	t.Helper()
	got := 0
	eventually(t, fmt.Sprintf("%d pods of %s to be there", want, prefix), func(ctxless) (bool, error) {
		got = len(list(t, ns, prefix))
		return got == want, nil
	}, func() string { return fmt.Sprint(got) })
}

// owned makes pods with owners of each kind that deploy/ lets the scheduler read.
func owned(t *testing.T, ns string) {
	t.Helper()
	label := map[string]string{"only": ns}
	patch := fmt.Sprintf(`{"metadata":{"labels":{"only":%q}}}`, ns)
	if _, err := shared.kube.CoreV1().Nodes().Patch(t.Context(), ns+"-a", types.MergePatchType, []byte(patch),
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	webDeployment(t, ns, "owned-deployment", 1, "50m", nil)
	one, always := int32(1), corev1.RestartPolicyAlways
	stateful := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "owned-stateful"},
		Spec: appsv1.StatefulSetSpec{Replicas: &one,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "owned-stateful"}},
			Template: template(ns, "owned-stateful", "50m")}}
	stateful.Spec.Template.Spec.RestartPolicy = always
	daemon := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "owned-daemon"}, Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "owned-daemon"}},
		Template: template(ns, "owned-daemon", "50m")}}
	daemon.Spec.Template.Spec.RestartPolicy, daemon.Spec.Template.Spec.NodeSelector = always, label
	cron := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "nightly"},
		Spec: batchv1.CronJobSpec{Schedule: "0 0 1 1 *", Suspend: new(bool),
			JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: template(ns, "nightly", "50m")}}}}
	apps := shared.kube.AppsV1()
	_, errStateful := apps.StatefulSets(ns).Create(t.Context(), stateful, metav1.CreateOptions{})
	_, errDaemon := apps.DaemonSets(ns).Create(t.Context(), daemon, metav1.CreateOptions{})
	made, errCron := shared.kube.BatchV1().CronJobs(ns).Create(t.Context(), cron, metav1.CreateOptions{})
	if err := errors.Join(errStateful, errDaemon, errCron); err != nil {
		t.Fatal(err)
	}
	job(t, ns, "owned-nightly", 1, "50m", nil, *metav1.NewControllerRef(made,
		batchv1.SchemeGroupVersion.WithKind("CronJob")))
	job(t, ns, "owned-set", 1, "50m", nil, jobSet(t, ns, "set", nil))
	job(t, ns, "owned-job", 1, "50m", nil)
}
