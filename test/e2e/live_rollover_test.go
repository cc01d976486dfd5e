package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	"volcano.sh/apis/pkg/client/clientset/versioned"
)

// volcanosPod makes the pod that Volcano's chart runs its scheduler in, which elects no leader. What
// it returns has that pod be gone.
func (w world) volcanosPod() (goes func()) {
	w.t.Helper()
	const system = "volcano-system"
	w.try("make the namespace of Volcano", func(ctx context.Context) error {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: system}}
		_, err := w.kube.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{})
		return err
	})
	pods, ctx := w.kube.CoreV1().Pods(system), w.t.Context()
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "volcano-scheduler-" + w.ns,
			Labels: map[string]string{"app": "volcano-scheduler"}},
		Spec: corev1.PodSpec{SchedulerName: "none", Containers: []corev1.Container{{Name: "volcano-scheduler",
			Image: "docker.io/volcanosh/vc-scheduler:v1.14.0", Args: []string{"--logtostderr", "--scheduler-name=" + w.ns,
				"--scheduler-conf=/volcano.scheduler/volcano-scheduler.conf", "--leader-elect=false", "-v=3", "2>&1"}}}}}
	made, err := pods.Create(ctx, p, metav1.CreateOptions{})
	if err == nil {
		made.Status.Phase = corev1.PodRunning
		_, err = pods.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	now := int64(0)
	goes = func() { _ = pods.Delete(context.Background(), p.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}) }
	w.t.Cleanup(goes) // a test that failed has not done it
	return goes
}

// withoutALease is the program in Volcano's place with the flags of its chart, which elect no leader.
func (w world) withoutALease() *instance {
	w.t.Helper()
	conf := filepath.Join(w.t.TempDir(), "volcano-scheduler.conf")
	if err := os.WriteFile(conf, []byte(stockWithEvictions), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return w.start("ours", program(w.t, thisVersion, "vc-scheduler"), []string{"--logtostderr", "--scheduler-conf=" + conf,
		"--enable-healthz=true", "--healthz-address=127.0.0.1:0", "--enable-metrics=true", "--listen-address=127.0.0.1:0",
		"--leader-elect=false", "--kube-api-qps=2000", "--kube-api-burst=2000", "--schedule-period=1s",
		"--node-worker-threads=20", "-v=3", "2>&1"}, nil)
}

// Volcano's chart elects no leader, so that a rolling update starts the new scheduler beside the old
// one. It waits until that has ended, and then knows what that bound last, though its watch does not
// show it yet: nothing is put where the other put something.
func TestLiveSwapWithoutALease(t *testing.T) {
	program(t, thisVersion, "vc-scheduler") // it takes a while to build
	w := sharedWorld(t)
	a, b := w.ns+"-a", w.ns+"-b"
	node(t, a, "4")
	w.queue()
	seen := w.watch(map[string]int64{a: 4, b: 4}, faultyMembers)
	end := w.volcanosPod()
	groups, err := versioned.NewForConfig(w.config)
	if err != nil {
		t.Fatal(err)
	}
	v := &volcano{w: w, groups: groups}
	ours := w.withoutALease()
	ours.awaitSaid("this one begins when that pod has ended")

	w.gang("first", faultyMembers) // older than the other: ours would begin with it
	w.gang("second", faultyMembers)
	letGo := ours.proxy.HoldWatches("pods")
	for i := range faultyMembers {
		v.bind(fmt.Sprint("second-", i), a)
	}
	awaitRunning(t, w.ns, "second-", faultyMembers)
	v.group("second", schedulingv1beta1.PodGroupRunning, volcanoStarted)
	ours.mu.Lock()
	if ours.writes+len(ours.taken) > 0 {
		t.Errorf("it wrote %d times and bound %d pods while Volcano acts", ours.writes, len(ours.taken))
	}
	ours.mu.Unlock()

	end()
	awaitCondition(t, w.ns, "first", schedulingv1beta1.PodGroupUnschedulableType)
	holds(3*time.Second, func() {
		if n := bound(list(t, w.ns, "first-")); n > 0 {
			t.Fatalf("%d pods are bound to a node that is full", n)
		}
	})
	letGo()
	node(t, b, "4")
	awaitRunning(t, w.ns, "first-", faultyMembers)
	ours.signal(syscall.SIGTERM)
	if err := ours.awaitEnd(); err != nil {
		t.Errorf("asked to end, it ended with %v", err)
	}
	seen.testify(2 * faultyMembers)
}
