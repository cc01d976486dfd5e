package e2e

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/internal/loop"
)

// volcano stands for Volcano's scheduler as the API server sees it: it holds the Lease under an
// identity of that form, and binds and writes statuses as that does, whole. What it does is the
// test's to say: it decides nothing.
type volcano struct {
	w       world
	groups  versioned.Interface
	leading chan struct{}
	stop    func() // as Volcano ends: without releasing the Lease
}

// volcano begins to lead as soon as no other scheduler does.
func (w world) volcano() *volcano {
	w.t.Helper()
	v := &volcano{w: w, leading: make(chan struct{})}
	var err error
	if v.groups, err = versioned.NewForConfig(w.config); err != nil {
		w.t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		w.t.Fatal(err)
	}
	identity := host + "_" + string(uuid.NewUUID())
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "volcano"},
			Client: w.kube.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: identity}},
		LeaseDuration: 3 * patience / 2, RenewDeadline: patience, RetryPeriod: 500 * time.Millisecond, // until stop
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) {
			close(v.leading)
		}, OnStoppedLeading: func() {}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); elector.Run(ctx) }()
	v.stop = sync.OnceFunc(func() {
		cancel()
		<-ended
		w.runsOutSoon(identity)
	})
	w.t.Cleanup(v.stop)
	return v
}

// runsOutSoon has a Lease that is not renewed any more run out in three seconds. As long as it was held a busy machine
// had more time than that to renew it.
func (w world) runsOutSoon(holder string) {
	leases, ctx := w.kube.CoordinationV1().Leases(w.ns), context.Background()
	lease, err := leases.Get(ctx, "volcano", metav1.GetOptions{})
	if err != nil || lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != holder {
		return // it was not had
	}
	soon := int32(3)
	lease.Spec.LeaseDurationSeconds = &soon
	if _, err := leases.Update(ctx, lease, metav1.UpdateOptions{}); err != nil {
		w.t.Error(err)
	}
}

func (v *volcano) awaitLeading() {
	v.w.t.Helper()
	select {
	case <-v.leading:
	case <-time.After(patience):
		v.w.t.Fatal("Volcano does not get the Lease")
	}
}

// bind binds a pod; Volcano repeats the pod's annotations.
func (v *volcano) bind(name, node string) {
	v.w.t.Helper()
	pods := v.w.kube.CoreV1().Pods(v.w.ns)
	p, err := pods.Get(v.w.t.Context(), name, metav1.GetOptions{})
	if err == nil {
		err = pods.Bind(v.w.t.Context(), &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: node},
			ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.UID, Annotations: p.Annotations}},
			metav1.CreateOptions{})
	}
	if err != nil {
		v.w.t.Fatal(err)
	}
}

// group writes a PodGroup whole, with another status: its phase, how many of its pods run, and of
// each condition the kind and what Volcano says with it.
func (v *volcano) group(name string, phase schedulingv1beta1.PodGroupPhase,
	conditions ...schedulingv1beta1.PodGroupCondition) {
	v.w.t.Helper()
	groups := v.groups.SchedulingV1beta1().PodGroups(v.w.ns)
	v.w.try("write PodGroup "+name, func(ctx context.Context) error {
		g, err := groups.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		g.Status.Phase, g.Status.Conditions, g.Status.Running = phase, conditions, 0
		for _, p := range list(v.w.t, v.w.ns, name+"-") {
			if p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil {
				g.Status.Running++
			}
		}
		_, err = groups.Update(ctx, g, metav1.UpdateOptions{})
		return err
	})
}

// volcanoSays is a condition of a PodGroup: its transition is known by the session's ID.
func volcanoSays(kind schedulingv1beta1.PodGroupConditionType, reason,
	message string) schedulingv1beta1.PodGroupCondition {
	return schedulingv1beta1.PodGroupCondition{Type: kind, Status: corev1.ConditionTrue,
		TransitionID:       string(uuid.NewUUID()),
		LastTransitionTime: metav1.Now(), Reason: reason, Message: message}
}

var (
	volcanoStarted = volcanoSays(schedulingv1beta1.PodGroupScheduled, "tasks in gang are ready to be scheduled", "")
	volcanoWaits   = volcanoSays(schedulingv1beta1.PodGroupUnschedulableType, schedulingv1beta1.NotEnoughResourcesReason,
		"4/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable; Pending: 4 Unschedulable")
)

// pod writes a pod's status whole: why it waits, and the node it was nominated to, if any.
func (v *volcano) pod(name, reason, message, nominated string) {
	v.w.t.Helper()
	pods := v.w.kube.CoreV1().Pods(v.w.ns)
	v.w.try("write pod "+name, func(ctx context.Context) error {
		p, err := pods.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		p.Status.NominatedNodeName = nominated
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled,
			Status: corev1.ConditionFalse,
			Reason: reason, Message: message, LastTransitionTime: metav1.Now()})
		_, err = pods.UpdateStatus(ctx, p, metav1.UpdateOptions{})
		return err
	})
}

// queue writes what a queue holds by Volcano's count.
func (v *volcano) queue(cpu string) {
	v.w.t.Helper()
	queues := v.groups.SchedulingV1beta1().Queues()
	v.w.try("write the queue", func(ctx context.Context) error {
		q, err := queues.Get(ctx, v.w.ns, metav1.GetOptions{})
		if err != nil {
			return err
		}
		q.Status = schedulingv1beta1.QueueStatus{State: schedulingv1beta1.QueueStateOpen, Pending: 1, Inqueue: 1, Running: 1,
			Allocated: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu),
				"example.com/none": resource.MustParse("3")}}
		_, err = queues.UpdateStatus(ctx, q, metav1.UpdateOptions{})
		return err
	})
}

// understands says that Volcano knows every phase and condition it finds.
func (v *volcano) understands() {
	v.w.t.Helper()
	all, err := v.groups.SchedulingV1beta1().PodGroups(v.w.ns).List(v.w.t.Context(), metav1.ListOptions{})
	if err != nil {
		v.w.t.Fatal(err)
	}
	for _, g := range all.Items {
		if !slices.Contains([]schedulingv1beta1.PodGroupPhase{schedulingv1beta1.PodGroupPending,
			schedulingv1beta1.PodGroupInqueue,
			schedulingv1beta1.PodGroupRunning, schedulingv1beta1.PodGroupUnknown, schedulingv1beta1.PodGroupCompleted},
			g.Status.Phase) {
			v.w.t.Errorf("PodGroup %s has phase %q", g.Name, g.Status.Phase)
		}
		for _, c := range g.Status.Conditions {
			if c.Type != schedulingv1beta1.PodGroupScheduled && c.Type != schedulingv1beta1.PodGroupUnschedulableType {
				v.w.t.Errorf("PodGroup %s has a condition %q", g.Name, c.Type)
			}
		}
	}
}

// inVolcanosPlace is the program as Volcano's chart calls it, with a configuration of which it
// does not know everything.
func (w world) inVolcanosPlace(name string) *instance {
	w.t.Helper()
	return w.start(name, program(w.t, thisVersion, "vc-scheduler"),
		append(w.electing(), "--logtostderr", "--scheduler-conf="+newerConfFile(w.t),
			"--enable-healthz=true", "--healthz-address=127.0.0.1:0", "--enable-metrics=true", "--listen-address=127.0.0.1:0",
			"--kube-api-qps=2000", "--node-worker-threads=20", "--feature-gates=SchedulingGatesQueueAdmission=true",
			"--a-flag-of-the-next=1",
			"-v=2", "2>&1"), nil)
}

// Volcano says that a gang is scheduled, and only then binds it. Where it ended in between and
// there is no room for the rest, that looks the same as a gang that ran and lost members: it
// stays as it is.
func TestVersionsAGangThatVolcanoLeftHalf(t *testing.T) {
	w := sharedWorld(t)
	node(t, w.ns+"-a", "3")
	w.queue()
	owner, err := w.kube.CoreV1().ConfigMaps(w.ns).Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	v := w.volcano()
	v.awaitLeading()
	w.gangOf("train", faultyMembers, func(p *corev1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner,
			corev1.SchemeGroupVersion.WithKind("ConfigMap"))}
	})
	v.group("train", schedulingv1beta1.PodGroupInqueue, volcanoStarted)
	v.bind("train-0", w.ns+"-a")
	v.bind("train-1", w.ns+"-a")
	v.stop()
	w.schedule(w.config, func(o *loop.Options) { o.Stranded = time.Second })
	awaitCondition(t, w.ns, "train", schedulingv1beta1.PodGroupUnschedulableType)
	holds(5*time.Second, func() {
		if n := bound(list(t, w.ns, "train")); n != 2 {
			t.Fatalf("%d members of four are bound, want the two that Volcano bound", n)
		}
	})
}

// Volcano's scheduler and this one take turns by the image alone, twice to and fro. Each finds
// what the other left in the middle of its work: gangs half bound, admitted, waiting with reasons and
// nominations, a queue's figures. While one leads the other writes nothing; no pod is bound twice,
// every gang is whole in the end.
func TestVersionsVolcanoAndBack(t *testing.T) {
	w := sharedWorld(t)
	a, b := w.ns+"-a", w.ns+"-b"
	node(t, a, "12")
	w.queue()
	seen := w.watch(map[string]int64{a: 12, b: 8}, faultyMembers)
	first := w.volcano()
	first.awaitLeading()
	ours := w.inVolcanosPlace("first")
	ours.awaitStandby()

	w.gang("half", faultyMembers)
	w.gang("pending", faultyMembers) // older, or of the same second and first by name: it goes before waits
	w.gangOf("waits", faultyMembers, func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("2")
	})
	first.group("half", schedulingv1beta1.PodGroupRunning, volcanoStarted) // it says so before it binds
	first.bind("half-0", a)
	first.bind("half-1", a)
	first.group("waits", schedulingv1beta1.PodGroupInqueue, volcanoWaits)
	first.pod("waits-0", "Unschedulable", "0/1 nodes are unavailable: 1 Insufficient cpu.", "")
	first.pod("waits-1", "Schedulable", "can possibly be assigned to "+a+
		", once resource is released and minAvailable is satisfied", a)
	first.group("pending", schedulingv1beta1.PodGroupPending)
	first.queue("17")
	ours.mu.Lock()
	if ours.writes+len(ours.taken) > 0 {
		t.Errorf("it wrote %d times and bound %d pods while Volcano leads", ours.writes, len(ours.taken))
	}
	ours.mu.Unlock()

	first.stop() // the Lease runs out
	w.awaitBound(2 * faultyMembers)
	for name, phase := range map[string]schedulingv1beta1.PodGroupPhase{"half": schedulingv1beta1.PodGroupRunning,
		"pending": schedulingv1beta1.PodGroupRunning, "waits": schedulingv1beta1.PodGroupInqueue} {
		awaitPhaseOf(t, w.ns, name, phase)
	}
	w.await("read why the gang waits in our words, once, and what the queue holds", func(context.Context) error {
		c, held := condition(group(t, w.ns, "waits"), schedulingv1beta1.PodGroupUnschedulableType), allocated(t, w.ns)
		if n := len(group(t, w.ns, "waits").Status.Conditions); n != 1 ||
			c.Reason != schedulingv1beta1.NotEnoughResourcesReason || c.TransitionID == volcanoWaits.TransitionID ||
			held != "8" {
			return fmt.Errorf("%d conditions, %+v, the queue holds %s", n, c, held)
		}
		return nil
	})
	for word, line := range unknownToIt {
		if !containsAll(ours.said(), line, word) {
			t.Errorf("the log has no warning of %s with its line %s:\n%s", word, line, ours.said())
		}
	}

	second := w.volcano()
	ours.hold(1)
	w.gang("more", faultyMembers)
	ours.awaitHeld()
	ours.signal(syscall.SIGTERM)
	ours.letGo()
	if err := ours.awaitEnd(); err != nil {
		t.Errorf("asked to end, it ended with %v", err)
	}
	second.awaitLeading()
	w.awaitBound(3 * faultyMembers)
	second.understands()
	next := w.inVolcanosPlace("second")
	next.awaitStandby()
	node(t, b, "8")
	second.group("waits", schedulingv1beta1.PodGroupInqueue, volcanoStarted)
	second.bind("waits-2", b)
	second.stop()
	w.awaitBound(4 * faultyMembers)
	awaitPhaseOf(t, w.ns, "waits", schedulingv1beta1.PodGroupRunning)

	third := w.volcano()
	next.signal(syscall.SIGTERM)
	if err := next.awaitEnd(); err != nil {
		t.Errorf("asked to end, it ended with %v", err)
	}
	third.awaitLeading()
	third.understands()
	seen.testify(4 * faultyMembers)
	once(t, []*instance{ours, next}, 4*faultyMembers-3)
}
