package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/test/e2e/cluster"
)

var vcjobResource = schema.GroupVersionResource{Group: "batch.volcano.sh", Version: "v1alpha1", Resource: "jobs"}

// volcanoed is a cluster with Volcano's own CRDs and controllers. Which scheduler runs is the test's to say.
type volcanoed struct {
	world
	dir string // of Volcano's programs
}

// newVolcanoed has two nodes of eight cores.
func newVolcanoed(t *testing.T) volcanoed {
	t.Helper()
	dir, err := cluster.Volcano(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, c := privateWorldOf(t, cluster.Options{ControllerManager: true, Kwok: true},
		func(ctx context.Context, c *cluster.Cluster) error { return c.InstallVolcanosCRDs(ctx, dir) })
	v := volcanoed{world: w, dir: dir}
	v.node("a", "8")
	v.node("b", "8")
	v.await("have nodes that are ready", func(ctx context.Context) error {
		nodes, err := v.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		for _, n := range nodes.Items {
			if !ready(&n) || len(n.Spec.Taints) > 0 {
				return fmt.Errorf("%s is not", n.Name)
			}
		}
		return err
	})
	v.controllers(c.Kubeconfig)
	return v
}

// controllers runs Volcano's controllers as its chart does.
func (v volcanoed) controllers(kubeconfig string) {
	v.t.Helper()
	path := filepath.Join(v.t.TempDir(), "controllers.log")
	log, err := os.Create(path)
	if err != nil {
		v.t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(v.dir, "vc-controller-manager"), "--logtostderr", "--enable-healthz=true",
		"--healthz-address=127.0.0.1:0", "--enable-metrics=true", "--listen-address=127.0.0.1:0", "--leader-elect=false",
		"--scheduler-name="+v.ns, "--kube-api-qps=50", "--kube-api-burst=100", "--worker-threads=3",
		"--worker-threads-for-gc=5", "--worker-threads-for-podgroup=5", "-v=4", "--kubeconfig="+kubeconfig)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }() // it is killed
	v.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		log.Close()
		if text, _ := os.ReadFile(path); v.t.Failed() {
			v.t.Logf("the log of Volcano's controllers:\n%s", text[max(0, len(text)-8000):])
		}
	})
}

// flags are those of the scheduler in Volcano's chart.
func (v volcanoed) flags() []string {
	v.t.Helper()
	conf := filepath.Join(v.t.TempDir(), "volcano-scheduler.conf")
	stock := strings.Replace(stockWithEvictions, ", reclaim, preempt", "", 1)
	if err := os.WriteFile(conf, []byte(stock), 0o600); err != nil {
		v.t.Fatal(err)
	}
	return []string{"--logtostderr", "--scheduler-conf=" + conf, "--enable-healthz=true",
		"--healthz-address=127.0.0.1:0", "--enable-metrics=true", "--listen-address=127.0.0.1:0", "--leader-elect=false",
		"--kube-api-qps=2000", "--kube-api-burst=2000", "--schedule-period=1s", "--node-worker-threads=20", "-v=3"}
}

// volcanos is Volcano's scheduler.
func (v volcanoed) volcanos(name string) *instance {
	v.t.Helper()
	return v.start(name, filepath.Join(v.dir, "vc-scheduler"), v.flags(), nil)
}

// ours is this scheduler in its place. It has no pod deleted.
func (v volcanoed) ours(name string) *instance {
	v.t.Helper()
	path := program(v.t, thisVersion, "vc-scheduler")
	return v.start(name, path, append(v.flags(), "--stranded-gang-timeout=2s"), harmless)
}

// harmless fails on a request that ends a pod.
func harmless(r *http.Request) error {
	if podDeletion(r) || strings.HasSuffix(r.URL.Path, "/eviction") {
		return errors.New("it has a pod deleted")
	}
	return nil
}

// end asks a scheduler to end.
func (v volcanoed) end(i *instance) {
	v.t.Helper()
	i.signal(syscall.SIGTERM)
	_ = i.awaitEnd() // Volcano's ends with an error
}

// vcjob makes a job of Volcano's with one task.
func (v volcanoed) vcjob(name string, members int, cpu string, change func(spec, template map[string]any)) {
	v.t.Helper()
	template := map[string]any{"metadata": map[string]any{"annotations": map[string]any{}},
		"spec": map[string]any{"restartPolicy": "Never", "terminationGracePeriodSeconds": int64(0),
			"containers": []any{map[string]any{"name": "c", "image": "i",
				"resources": map[string]any{"requests": map[string]any{"cpu": cpu}}}}}}
	spec := map[string]any{"schedulerName": v.ns, "queue": "default", "minAvailable": int64(members), "maxRetry": int64(3),
		"tasks": []any{map[string]any{"name": "w", "replicas": int64(members), "template": template}}}
	if change != nil {
		change(spec, template)
	}
	job := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
		"metadata": map[string]any{"name": name}, "spec": spec}}
	if _, err := v.dynamic.Resource(vcjobResource).Namespace(v.ns).Create(v.t.Context(), job,
		metav1.CreateOptions{}); err != nil {
		v.t.Fatal(err)
	}
}

// endsAfter has the pods of a job end after a while.
func endsAfter(d string) func(spec, template map[string]any) {
	return func(_, template map[string]any) {
		_ = unstructured.SetNestedField(template, d, "metadata", "annotations", "ashlar.sh/duration") // it is a map
	}
}

// awaitJob waits until Volcano's controller says that a job is in a phase.
func (v volcanoed) awaitJob(name, phase string) {
	v.t.Helper()
	v.await("read that job "+name+" is "+phase, func(ctx context.Context) error {
		job, err := v.dynamic.Resource(vcjobResource).Namespace(v.ns).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if is := field(job, "status", "state", "phase"); is != phase {
			return fmt.Errorf("it is %s", is)
		}
		return nil
	})
}

// where are the nodes of the pods of a job that run, by name and UID.
func (v volcanoed) where(prefixes ...string) map[string]string {
	v.t.Helper()
	pods, err := v.kube.CoreV1().Pods(v.ns).List(v.t.Context(), metav1.ListOptions{})
	if err != nil {
		v.t.Fatal(err)
	}
	out := map[string]string{}
	for _, p := range pods.Items {
		for _, prefix := range prefixes {
			if strings.HasPrefix(p.Name, prefix) && p.DeletionTimestamp == nil && p.Status.Phase == corev1.PodRunning {
				out[p.Name+" "+string(p.UID)] = p.Spec.NodeName
			}
		}
	}
	return out
}

// awaitRun waits until so many pods of a job run.
func (v volcanoed) awaitRun(prefix string, want int) {
	v.t.Helper()
	v.await(fmt.Sprintf("see %d of %s run", want, prefix), func(context.Context) error {
		if n := len(v.where(prefix)); n != want {
			return fmt.Errorf("%d do", n)
		}
		return nil
	})
}

// cordon says whether the nodes take pods.
func (v volcanoed) cordon(is bool) {
	v.t.Helper()
	for _, name := range []string{"a", "b"} {
		if _, err := v.kube.CoreV1().Nodes().Patch(v.t.Context(), name, types.StrategicMergePatchType,
			fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, is), metav1.PatchOptions{}); err != nil {
			v.t.Fatal(err)
		}
	}
}

// loses deletes a pod.
func (v volcanoed) loses(pod string) {
	v.t.Helper()
	zero := int64(0)
	if err := v.kube.CoreV1().Pods(v.ns).Delete(v.t.Context(), pod,
		metav1.DeleteOptions{GracePeriodSeconds: &zero}); err != nil {
		v.t.Fatal(err)
	}
}

// resumes has Volcano's controller resume a job, as vcctl does.
func (v volcanoed) resumes(name string) {
	v.t.Helper()
	job, err := v.dynamic.Resource(vcjobResource).Namespace(v.ns).Get(v.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		v.t.Fatal(err)
	}
	owner := map[string]any{"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": name,
		"uid": string(job.GetUID()), "controller": true}
	command := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "bus.volcano.sh/v1alpha1",
		"kind": "Command", "metadata": map[string]any{"generateName": name + "-", "ownerReferences": []any{owner}},
		"target": owner, "action": "ResumeJob"}}
	if _, err := v.dynamic.Resource(commandResource).Namespace(v.ns).Create(v.t.Context(), command,
		metav1.CreateOptions{}); err != nil {
		v.t.Fatal(err)
	}
}

// ordinary makes a Job of Kubernetes', for whose pods Volcano's controllers make PodGroups.
func (v volcanoed) ordinary(name string, pods int32) {
	v.t.Helper()
	cpu := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m")}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: batchv1.JobSpec{Parallelism: &pods,
		Completions: &pods, Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{SchedulerName: v.ns,
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "c", Image: "i",
				Resources: corev1.ResourceRequirements{Requests: cpu}}}}}}}
	if _, err := v.kube.BatchV1().Jobs(v.ns).Create(v.t.Context(), job, metav1.CreateOptions{}); err != nil {
		v.t.Fatal(err)
	}
}

// stays says that what ran before still runs where it did.
func (v volcanoed) stays(before map[string]string, prefixes ...string) {
	v.t.Helper()
	if now := v.where(prefixes...); !maps.Equal(now, before) {
		v.t.Fatalf("these ran: %v\nnow these do: %v", before, now)
	}
}

// The image of the scheduler is replaced on a cluster that Volcano runs, by its own programs as its chart calls them,
// and put back later. What runs stays, a gang that lacks a member too; what waits starts when there is room; Volcano's
// controllers act on the phases that this scheduler writes: a policy on Unknown aborts the job, and it can be resumed.
func TestLiveInVolcanosPlaceBesideItsControllers(t *testing.T) {
	program(t, thisVersion, "vc-scheduler") // before time counts
	v := newVolcanoed(t)
	first := v.volcanos("volcano-1")
	v.vcjob("steady", 4, "1", nil)
	v.vcjob("guarded", 4, "2", func(spec, _ map[string]any) {
		spec["policies"] = []any{map[string]any{"event": "Unknown", "action": "AbortJob"}}
	})
	v.awaitJob("steady", "Running")
	v.awaitJob("guarded", "Running")
	v.ordinary("plain", 2)
	v.awaitRun("plain-", 2)
	v.vcjob("waits", 5, "1", nil) // three cores are left
	v.awaitJob("waits", "Pending")
	v.cordon(true)
	v.loses("steady-w-0")
	kept := []string{"steady-", "guarded-", "plain-"}
	v.awaitRun("steady-", 3)
	before := v.where(kept...)

	v.end(first)
	second := v.ours("ashlar")
	holds(5*time.Second, func() { v.stays(before, kept...) }) // twice the time after which half a gang is released
	v.cordon(false)
	v.awaitRun("steady-", 4)
	before = v.where(kept...)
	v.vcjob("short", 1, "500m", endsAfter("1s"))
	v.awaitJob("short", "Completed")
	v.stays(before, kept...)
	if n := len(v.where("waits-")); n > 0 {
		t.Errorf("%d pods run of a gang for which there is no room", n)
	}

	v.cordon(true)
	v.loses("guarded-w-0")
	v.awaitJob("guarded", "Aborted") // the policy on Unknown
	v.cordon(false)
	v.awaitJob("waits", "Running") // in its room
	v.ordinary("simple", 2)
	v.awaitRun("simple-", 2)
	jobs := v.dynamic.Resource(vcjobResource).Namespace(v.ns)
	if err := jobs.Delete(t.Context(), "waits", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	v.resumes("guarded")
	v.awaitJob("guarded", "Running")
	kept = []string{"steady-", "guarded-", "plain-", "simple-"}
	before = v.where(kept...)
	holds(3*time.Second, func() { v.stays(before, kept...) })

	v.end(second)
	third := v.volcanos("volcano-2")
	v.vcjob("last", 1, "500m", endsAfter("1s"))
	v.awaitJob("last", "Completed")
	v.stays(before, kept...)
	v.end(third)
}
