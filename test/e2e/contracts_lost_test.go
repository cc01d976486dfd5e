package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// narrow makes a queue that may hold so many cores.
func narrow(t *testing.T, name, cores string) {
	t.Helper()
	queue(t, name)
	queues := shared.dynamic.Resource(queueResource)
	q, err := queues.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q.Object["spec"].(map[string]any)["capability"] = map[string]any{"cpu": cores}
	if _, err := queues.Update(t.Context(), q, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// rival submits a gang of two that waits for the queue's room, and may not have it.
func rival(t *testing.T, ns string) {
	t.Helper()
	group := object("PodGroup", "rival", map[string]any{"minMember": int64(2), "queue": ns,
		"minResources": map[string]any{"cpu": "2"}})
	if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(), group,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		p := member(ns, "rival", i, "1")
		p.Spec.SchedulerName = ns
		create(t, p)
	}
	awaitCondition(t, ns, "rival", schedulingv1beta1.PodGroupUnschedulableType)
}

// outside checks that the rival was not let in.
func outside(t *testing.T, ns string) {
	t.Helper()
	if n, phase := bound(list(t, ns, "rival")), group(t, ns, "rival").Status.Phase; n != 0 ||
		phase != schedulingv1beta1.PodGroupPending {
		t.Errorf("%d pods of the rival are bound and its phase is %s, want none and Pending: the room is the gang's", n,
			phase)
	}
}

// lose deletes a pod at once, and returns what an operator would make in its place.
func lose(t *testing.T, ns, name string) *corev1.Pod {
	t.Helper()
	pods := shared.kube.CoreV1().Pods(ns)
	was, err := pods.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := pods.Delete(t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}); err != nil {
		t.Fatal(err)
	}
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Annotations: was.Annotations,
		Labels: was.Labels}, Spec: was.Spec}
	p.Spec.NodeName, p.Spec.Priority, p.Spec.PreemptionPolicy = "", nil, nil
	return p
}

// A gang that loses a member in a queue that is nearly full has it back as soon as its operator
// makes another, though a rival of the same priority has waited for longer than that: for
// the patterns of MPIJob, LeaderWorkerSet and JobSet.
func TestContractALostMemberComesBack(t *testing.T) {
	named := func(name string) func(string) string { return func(string) string { return name } }
	for name, c := range map[string]struct {
		file, group, prefix string
		members             int
		lost                func(ns string) string // the name of the pod that is lost
		makes               bool                   // a controller of Kubernetes' makes another
	}{
		"MPIJob": {file: "mpi", group: "pi", prefix: "pi-", members: 3, lost: named("pi-worker-1")},
		"LeaderWorkerSet": {file: "leaderworkerset", group: "serve-0-5c8d", prefix: "serve-0", members: 3,
			lost: named("serve-0-2")},
		"JobSet": {file: "jobset-group", group: "sweep", prefix: "sweep-", members: 4, makes: true,
			lost: func(ns string) string { return list(t, ns, "sweep-workers")[0].Name }},
	} {
		t.Run(name, func(t *testing.T) {
			ns := namespace(t)
			priority(t, ns+"-high", 1000)
			node(t, ns+"-a", "12")
			narrow(t, ns, fmt.Sprint(c.members+1))
			live(t, ns)
			submitFile(t, ns, c.file)
			awaitRunning(t, ns, c.prefix, c.members)
			rival(t, ns)
			again := lose(t, ns, c.lost(ns))
			if !c.makes {
				awaitPhaseOf(t, ns, c.group, schedulingv1beta1.PodGroupUnknown)
				create(t, again)
			}
			awaitRunning(t, ns, c.prefix, c.members)
			awaitPhaseOf(t, ns, c.group, schedulingv1beta1.PodGroupRunning)
			outside(t, ns)
		})
	}
}

// An autoscaler raises the minimum of a cluster that runs, in a queue that is nearly full, before
// it makes the worker: what runs keeps its room, and the worker comes.
func TestContractKubeRayGrowsInAFullQueue(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "12")
	narrow(t, ns, "5")
	live(t, ns)
	submitFile(t, ns, "kuberay-1")
	submitFile(t, ns, "kuberay-2-submitter")
	awaitRunning(t, ns, "count", 4)
	rival(t, ns)
	rewrite(t, ns, "ray-count-pg", func(spec map[string]any) {
		spec["minMember"], spec["minResources"] = int64(5), map[string]any{"cpu": "5"}
	})
	awaitPhaseOf(t, ns, "ray-count-pg", schedulingv1beta1.PodGroupUnknown)
	submitFile(t, ns, "kuberay-3-worker")
	awaitRunning(t, ns, "count", 5)
	awaitPhaseOf(t, ns, "ray-count-pg", schedulingv1beta1.PodGroupRunning)
	outside(t, ns)
}

// If a member of a gang is deleted, and a pod of higher priority takes the room, the gang is Unknown
// and shows how many run within five seconds; Volcano's job controller acts upon that.
func TestLiveAGangThatLosesAMemberIsUnknown(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	priority(t, ns+"-high", 1000)
	live(t, ns)
	submit(t, ns, ns, "train", 4, 4, "1")
	awaitRunning(t, ns, "train", 4)
	awaitPhaseOf(t, ns, "train", schedulingv1beta1.PodGroupRunning)
	urgent := pod(ns, "urgent")
	urgent.Spec.SchedulerName, urgent.Spec.PriorityClassName = ns, ns+"-high"
	urgent.Annotations = map[string]string{schedulingv1beta1.QueueNameAnnotationKey: ns}
	urgent.Spec.Containers[0].Resources.Requests = member(ns, "", 0, "1").Spec.Containers[0].Resources.Requests
	create(t, urgent)

	again := lose(t, ns, "train-3")
	began := time.Now()
	var shown time.Duration
	eventually(t, "the PodGroup to say that it is Unknown and three run", func(context.Context) (bool, error) {
		s := group(t, ns, "train").Status
		shown = time.Since(began)
		return s.Phase == schedulingv1beta1.PodGroupUnknown && s.Running == 3, nil
	}, func() string { return describe(group(t, ns, "train")) })
	if shown > 5*time.Second {
		t.Errorf("that took %v, want at most 5s", shown)
	}
	awaitRunning(t, ns, "urgent", 1)
	create(t, again)
	waits := awaitCondition(t, ns, "train", schedulingv1beta1.PodGroupUnschedulableType)
	if waits.Status != corev1.ConditionTrue {
		t.Errorf("its condition is %+v, want that it lacks a member", waits)
	}
	if n := bound(list(t, ns, "train")); n != 3 {
		t.Errorf("%d of its pods are bound, want 3: the room is another's", n)
	}
	if err := shared.kube.CoreV1().Pods(ns).Delete(t.Context(), "urgent",
		metav1.DeleteOptions{GracePeriodSeconds: new(int64)}); err != nil {
		t.Fatal(err)
	}
	awaitRunning(t, ns, "train", 4)
	began = time.Now()
	eventually(t, "the PodGroup to say that four run", func(context.Context) (bool, error) {
		s := group(t, ns, "train").Status
		shown = time.Since(began)
		return s.Phase == schedulingv1beta1.PodGroupRunning && s.Running == 4, nil
	}, func() string { return describe(group(t, ns, "train")) })
	if shown > 5*time.Second {
		t.Errorf("that took %v, want at most 5s", shown)
	}
}
