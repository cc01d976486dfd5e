// Package e2e tests Ashlar against a real control plane: etcd, kube-apiserver,
// kube-controller-manager and kwok, which plays the kubelets.
//
// One control plane serves many tests, one after the other, so each test has a namespace of its own
// and names its cluster-wide objects after it. When all tests run, some processes share them out,
// each with a control plane of its own (lanes_test.go). The tests run wherever Go does; only ASHLAR_SKIP_E2E=1
// leaves them out. What the first run builds takes minutes: see test/controlplane/README.md.
package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"ashlar.sh/test/chromium"
	"ashlar.sh/test/e2e/cluster"
)

// patience is how long a test waits for what should happen within a second or two, on a machine
// on which the API server has time: a wait lasts for leastLooks at least, of which a minute has a
// thousand there, and a machine that several share may need longer for. What heals itself only
// after a minute is not waited for anywhere else.
const (
	patience     = time.Minute
	leastLooks   = 400
	mostPatience = 4 * patience
)

// waits looks until holds is true, errs, or patience is over.
func waits(ctx context.Context, holds wait.ConditionWithContextFunc) error {
	ctx, cancel := context.WithTimeout(ctx, mostPatience)
	defer cancel()
	began, looks := time.Now(), 0
	return wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		done, err := holds(ctx)
		if looks++; !done && err == nil && looks >= leastLooks && time.Since(began) > patience {
			err = context.DeadlineExceeded
		}
		return done, err
	})
}

// shared is the control plane of all tests, with clients to it.
var shared struct {
	*cluster.Cluster
	kube    kubernetes.Interface
	dynamic dynamic.Interface
}

func TestMain(m *testing.M) {
	if mark := os.Getenv(childMark); mark != "" {
		err := klogs()
		if err == nil {
			err = scheduleAsChild(mark)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv("ASHLAR_SKIP_E2E") == "1" {
		fmt.Println("e2e: left out, for ASHLAR_SKIP_E2E=1")
		return
	}
	flag.Parse()
	if flag.Lookup("test.list").Value.String() != "" {
		m.Run()
		return
	}
	if os.Getenv(laneMark) != "" {
		go endWithParent()
	} else if n, err := lanes(); err != nil || n > 1 {
		code := 1
		if err == nil {
			code, err = inLanes(n)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
		}
		os.Exit(code)
	}
	done, err := logs()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	code, err := run(m)
	done(code == 0 && err == nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// run starts the control plane, runs the tests and ends it. It is an error if a program of the
// control plane did not last until then.
func run(m *testing.M) (code int, err error) {
	ctx := context.Background()
	flags, forget, err := audited()
	if err != nil {
		return 1, err
	}
	defer forget()
	c, err := cluster.Start(ctx, cluster.Options{ControllerManager: true, Kwok: true, Flags: flags})
	if err != nil {
		return 1, err
	}
	defer func() {
		if stopped := c.Stop(); err == nil {
			err = stopped
		}
	}()
	if err := c.InstallCRDs(ctx); err != nil {
		return 1, err
	}
	shared.Cluster = c
	if shared.kube, err = kubernetes.NewForConfig(c.Config); err != nil {
		return 1, err
	}
	if shared.dynamic, err = dynamic.NewForConfig(c.Config); err != nil {
		return 1, err
	}
	defer forgetPrograms()
	defer chromium.Stop()
	return m.Run(), nil
}

// namespace makes a namespace for the test.
func namespace(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}
	ns, err := shared.kube.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	concerns(t, ns.Name)
	t.Cleanup(func() { emptied(ns.Name) })
	return ns.Name
}

// emptied deletes the pods and PodGroups of a namespace: the schedulers of later tests would tell what is wrong with
// them. Nothing depends on it that a test asserts, so it is not waited for, and may fail.
func emptied(ns string) {
	ctx := context.Background()
	_ = shared.dynamic.Resource(podGroupResource).Namespace(ns).DeleteCollection(ctx, metav1.DeleteOptions{},
		metav1.ListOptions{})
	_ = shared.kube.CoreV1().Pods(ns).DeleteCollection(ctx, now(), metav1.ListOptions{})
}

// node makes a node of so many cores, waits until kwok has made it Ready and the controller manager
// has lifted the taints it came with, and deletes it with the test.
func node(t *testing.T, name, cpu string) {
	t.Helper()
	nodes := shared.kube.CoreV1().Nodes()
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(cpu),
		corev1.ResourceMemory: resource.MustParse("64Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	_, err := nodes.Create(t.Context(), &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     corev1.NodeStatus{Capacity: room, Allocatable: room},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := nodes.Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	var seen *corev1.Node
	eventually(t, "node "+name+" to be Ready and without taints", func(ctx context.Context) (bool, error) {
		seen, err = nodes.Get(ctx, name, metav1.GetOptions{})
		return err == nil && ready(seen) && len(seen.Spec.Taints) == 0, err
	}, func() string {
		return fmt.Sprintf("conditions %v, taints %v", seen.Status.Conditions, seen.Spec.Taints)
	})
}

func ready(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// eventually polls holds until it is true. It ends the test if that errs or takes longer than
// patience, with what is seen then.
func eventually(t *testing.T, what string, holds wait.ConditionWithContextFunc, seen func() string) {
	t.Helper()
	if err := waits(t.Context(), holds); err != nil {
		t.Fatalf("waited for %s: %v; seen last: %s\n%s", what, err, seen(), situation(t, shared.kube, shared.dynamic))
	}
}
