package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/loop"
)

// The contracts are objects of the shape in which operators create them (contracts/*.yaml), in
// the order in which they do, and what their users then notice. The operators do not run.

// contract is a cluster with so many cores, a queue and a scheduler of the test's own.
func contract(t *testing.T, cores string) (ns string) {
	t.Helper()
	ns = namespace(t)
	node(t, ns+"-a", cores)
	queue(t, ns)
	live(t, ns)
	return ns
}

// submitFile makes the objects of a file, in order, with NAMESPACE as the test's namespace, queue and
// scheduler.
func submitFile(t *testing.T, ns, file string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("contracts", file+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte("NAMESPACE"), []byte(ns))
	docs := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		o := &unstructured.Unstructured{}
		if err := docs.Decode(&o.Object); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		kind := o.GroupVersionKind()
		resource := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version,
			Resource: strings.ToLower(kind.Kind) + "s"}
		if _, err := shared.dynamic.Resource(resource).Namespace(ns).Create(t.Context(), o,
			metav1.CreateOptions{}); err != nil {
			t.Fatalf("%s: %s %s: %v", file, kind.Kind, o.GetName(), err)
		}
	}
}

// awaitPhaseOf waits until a PodGroup's phase is one of those.
func awaitPhaseOf(t *testing.T, ns, name string, phases ...schedulingv1beta1.PodGroupPhase) {
	t.Helper()
	eventually(t, fmt.Sprintf("PodGroup %s to be one of %v", name, phases), func(ctxless) (bool, error) {
		for _, p := range phases {
			if group(t, ns, name).Status.Phase == p {
				return true, nil
			}
		}
		return false, nil
	}, func() string { return describe(group(t, ns, name)) })
}

// rewrite has an operator write a PodGroup as it wants it, and returns its spec then.
func rewrite(t *testing.T, ns, name string, change func(spec map[string]any)) map[string]any {
	t.Helper()
	groups := shared.dynamic.Resource(podGroupResource).Namespace(ns)
	var spec map[string]any
	eventually(t, "the operator to write PodGroup "+name, func(ctx context.Context) (bool, error) {
		g, err := groups.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		spec = g.Object["spec"].(map[string]any)
		change(spec)
		_, err = groups.Update(ctx, g, metav1.UpdateOptions{})
		if reasonOf(err) == metav1.StatusReasonConflict {
			return false, nil
		}
		return err == nil, err
	}, func() string { return "conflicts" })
	return spec
}

// specStays checks that a PodGroup's spec is what an operator wrote: it compares and writes again.
func specStays(t *testing.T, ns, name string, want map[string]any) {
	t.Helper()
	g, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g.Object["spec"], want) {
		t.Errorf("the spec of PodGroup %s is %v, want %v: it is the operator's", name, g.Object["spec"], want)
	}
}

// noneOf checks, once a pod made later for the same queue runs, that none of those pods has a node: the scheduler has
// had its chance.
func noneOf(t *testing.T, ns, prefix string) {
	t.Helper()
	p := pod(ns, "later")
	p.Spec.SchedulerName = ns
	p.Annotations = map[string]string{schedulingv1beta1.QueueNameAnnotationKey: ns}
	create(t, p)
	awaitRunning(t, ns, "later", 1)
	if n := bound(list(t, ns, prefix)); n != 0 {
		t.Errorf("%d pods of %s are bound before their gang is whole, want none", n, prefix)
	}
	if err := shared.kube.CoreV1().Pods(ns).Delete(t.Context(), "later",
		metav1.DeleteOptions{GracePeriodSeconds: new(int64)}); err != nil {
		t.Fatal(err)
	}
}

// The operator waits for the phase, makes the pods one after the other, and rewrites the spec at
// every sync; the gang starts when its third pod is there, and ends with its PodGroup gone.
func TestContractTrainingOperator(t *testing.T) {
	ns := contract(t, "4")
	submitFile(t, ns, "training-operator-1-group")
	awaitPhaseOf(t, ns, "mnist", schedulingv1beta1.PodGroupInqueue)
	submitFile(t, ns, "training-operator-2-pods")
	noneOf(t, ns, "mnist")
	spec := rewrite(t, ns, "mnist", func(spec map[string]any) { spec["minResources"] = map[string]any{"cpu": "3"} })
	submitFile(t, ns, "training-operator-3-pods")
	awaitRunning(t, ns, "mnist", 3)
	awaitPhaseOf(t, ns, "mnist", schedulingv1beta1.PodGroupRunning)
	specStays(t, ns, "mnist", spec)

	if err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Delete(t.Context(), "mnist",
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	submitFile(t, ns, "argo") // one of two finds room: the pods of the job that ended still hold theirs
	awaitRunning(t, ns, "flow", 1)
	if n := bound(list(t, ns, "mnist")); n != 3 {
		t.Errorf("%d of 3 pods are left after their PodGroup was deleted, want all: that is the operator's to do", n)
	}
}

// Pods and PodGroup arrive together; of two jobs that want the same room the one with the higher
// priority starts, though it came last.
func TestContractTrainer(t *testing.T) {
	ns := namespace(t)
	priority(t, ns+"-high", 1000)
	node(t, ns+"-a", "4") // takes a moment, in which the API server learns of the priority class
	queue(t, ns)
	submitFile(t, ns, "trainer-rival")
	submitFile(t, ns, "trainer")
	live(t, ns)
	awaitRunning(t, ns, "train", 3)
	awaitCondition(t, ns, "rival", schedulingv1beta1.PodGroupUnschedulableType)
	if n := bound(list(t, ns, "rival")); n != 0 {
		t.Errorf("%d pods of the job with the lower priority are bound, want none", n)
	}
}

func priority(t *testing.T, name string, value int32) {
	t.Helper()
	classes := shared.kube.SchedulingV1().PriorityClasses()
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
	if _, err := classes.Create(t.Context(), class, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := classes.Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// Head and workers start together; the submitter joins beyond the minimum; the autoscaler raises
// the minimum of a cluster that runs; at the end it is 0 and nothing is asked for any more.
func TestContractKubeRay(t *testing.T) {
	ns := contract(t, "8")
	submitFile(t, ns, "kuberay-1")
	awaitRunning(t, ns, "count", 3)
	submitFile(t, ns, "kuberay-2-submitter")
	awaitRunning(t, ns, "count", 4)
	rewrite(t, ns, "ray-count-pg", func(spec map[string]any) {
		spec["minMember"], spec["minResources"] = int64(4), map[string]any{"cpu": "5"}
	})
	submitFile(t, ns, "kuberay-3-worker")
	awaitRunning(t, ns, "count", 5)
	spec := rewrite(t, ns, "ray-count-pg", func(spec map[string]any) {
		spec["minMember"], spec["minResources"] = int64(0), map[string]any{}
	})
	noMore := pod(ns, "next") // of another job: the scheduler goes on
	noMore.Spec.SchedulerName = ns
	create(t, noMore)
	awaitRunning(t, ns, "next", 1)
	if n := bound(list(t, ns, "count")); n != 5 {
		t.Errorf("%d of 5 pods are left once the minimum is 0, want all", n)
	}
	specStays(t, ns, "ray-count-pg", spec)
}

// The driver starts alone, once there is room for all; the executors join a PodGroup that runs.
func TestContractSpark(t *testing.T) {
	ns := contract(t, "2")
	submitFile(t, ns, "spark-1-driver")
	noneOf(t, ns, "pi-driver") // it would fit; its executors would not
	if phase := group(t, ns, "spark-pi-pg").Status.Phase; phase == schedulingv1beta1.PodGroupInqueue {
		t.Error("the PodGroup is let in while the cluster is smaller than its minResources")
	}
	node(t, ns+"-b", "2")
	awaitRunning(t, ns, "pi-driver", 1)
	awaitPhaseOf(t, ns, "spark-pi-pg", schedulingv1beta1.PodGroupRunning)
	submitFile(t, ns, "spark-2-executors")
	awaitRunning(t, ns, "pi-", 3)
}

// Launcher and workers start together with the priority of their policy, and the spec stays.
func TestContractMPI(t *testing.T) {
	ns := namespace(t)
	priority(t, ns+"-high", 1000)
	node(t, ns+"-a", "3")
	queue(t, ns)
	live(t, ns)
	submitFile(t, ns, "mpi")
	awaitRunning(t, ns, "pi", 3)
	spec := rewrite(t, ns, "pi", func(spec map[string]any) { spec["queue"] = ns })
	awaitPhaseOf(t, ns, "pi", schedulingv1beta1.PodGroupRunning)
	specStays(t, ns, "pi", spec)
}

// The operator makes pods at the phase Inqueue or Running.
func TestContractPaddle(t *testing.T) {
	ns := contract(t, "3")
	submitFile(t, ns, "paddle-1-group")
	awaitPhaseOf(t, ns, "ctr", schedulingv1beta1.PodGroupInqueue, schedulingv1beta1.PodGroupRunning)
	submitFile(t, ns, "paddle-2-pods")
	awaitRunning(t, ns, "ctr", 3)
	eventually(t, "the queue to say what it holds", func(ctxless) (bool, error) { return allocated(t, ns) == "3", nil },
		func() string { return allocated(t, ns) })
}

// Each group of a LeaderWorkerSet is a gang: with room for one and a half, one runs. With
// LeaderReady the leader starts first, and its workers have the room that was asked for.
func TestContractLeaderWorkerSet(t *testing.T) {
	ns := contract(t, "5")
	submitFile(t, ns, "leaderworkerset")
	awaitRunning(t, ns, "serve-", 3)
	eventually(t, "the other group to say why it waits", func(ctxless) (bool, error) {
		waits := 0
		for _, name := range []string{"serve-0-5c8d", "serve-1-5c8d"} {
			for _, c := range group(t, ns, name).Status.Conditions {
				if c.Type == schedulingv1beta1.PodGroupUnschedulableType && c.Status == corev1.ConditionTrue {
					waits++
				}
			}
		}
		return waits == 1, nil
	}, func() string { return describe(group(t, ns, "serve-0-5c8d")) + describe(group(t, ns, "serve-1-5c8d")) })
	if n := bound(list(t, ns, "serve-")); n != 3 {
		t.Errorf("%d pods of two groups of three are bound in a cluster of five, want 3", n)
	}
	node(t, ns+"-b", "4")
	awaitRunning(t, ns, "serve-", 6)
	submitFile(t, ns, "leaderworkerset-ready-1")
	awaitRunning(t, ns, "serve-2", 1)
	submitFile(t, ns, "leaderworkerset-ready-2")
	awaitRunning(t, ns, "serve-2", 3)
}

// A JobSet makes no PodGroup: each child Job is for itself, in the default queue, unless its pods
// name a queue and a minimum. The Jobs' pods are made by Kubernetes' own controller.
func TestContractJobSet(t *testing.T) {
	ns := contract(t, "3")
	submitFile(t, ns, "jobset-1-driver")
	awaitRunning(t, ns, "sweep-driver", 1) // pods of both Jobs may come in any order
	submitFile(t, ns, "jobset-2-workers")
	eventually(t, "the workers to be made", func(ctxless) (bool, error) {
		return len(list(t, ns, "sweep-workers")) == 3, nil
	}, func() string { return "" })
	noneOf(t, ns, "sweep-workers") // two of three would fit
	node(t, ns+"-b", "1")
	awaitRunning(t, ns, "sweep-workers", 3)
	eventually(t, "the queue to hold the workers and not the driver", func(ctxless) (bool, error) {
		return allocated(t, ns) == "3", nil
	},
		func() string { return allocated(t, ns) })
}

// A workflow's steps are plain pods: each starts for itself, and where Volcano's controllers make
// the PodGroups (never adopting), it is left alone until it has one.
func TestContractArgo(t *testing.T) {
	ns := contract(t, "4")
	submitFile(t, ns, "argo")
	awaitRunning(t, ns, "flow-", 2)

	patient := namespace(t)
	queue(t, patient)
	live(t, patient, func(o *loop.Options) { o.Adopt = loop.AdoptNever })
	submitFile(t, patient, "argo")
	submit(t, patient, patient, "grouped", 1, 1, "1")
	awaitRunning(t, patient, "grouped", 1)
	if n := bound(list(t, patient, "flow-")); n != 0 {
		t.Errorf("%d pods without a PodGroup are bound, want none: their controller has not given them one yet", n)
	}
}
