package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// volcanoLacks is what Volcano says of a gang of four that ran and lacks a member for which there
// is no room.
var volcanoLacks = volcanoSays(schedulingv1beta1.PodGroupUnschedulableType, schedulingv1beta1.NotEnoughResourcesReason,
	"1/4 tasks in gang unschedulable: pod group is not ready, 1 Pending, 3 Running, 4 minAvailable; "+
		"Pending: 1 Unschedulable")

// swapped is a busy cluster on which Volcano's scheduler and this one take turns.
type swapped struct {
	world
	owner   *corev1.ConfigMap // of all pods, as a Job is: whoever deletes them may believe that they come again
	bounded string            // a queue of four cores
	a, b, c string            // the nodes

	short, leaves, full, large, victim, later gangOfJob // those that the test does something to
}

// gangOfJob is a PodGroup with its pods, as Volcano's controllers make them for a Job with one task.
type gangOfJob struct {
	name, queue, class string
	members, cores     int
	change             func(*corev1.Pod)
}

func (s swapped) make(ctx context.Context, j gangOfJob) error {
	cores, pods := fmt.Sprint(j.members*j.cores), fmt.Sprint(j.members)
	group := object("PodGroup", j.name, map[string]any{
		"minMember": int64(j.members), "queue": j.queue, "priorityClassName": j.class,
		"minTaskMember": map[string]any{"w": int64(j.members)},
		"minResources":  map[string]any{"cpu": cores, "requests.cpu": cores, "pods": pods, "count/pods": pods}})
	group.Object["status"] = map[string]any{"phase": string(schedulingv1beta1.PodGroupPending)}
	groups := s.dynamic.Resource(podGroupResource).Namespace(s.ns)
	if _, err := groups.Create(ctx, group, metav1.CreateOptions{}); err != nil {
		return err
	}
	for i := range j.members {
		if _, err := s.kube.CoreV1().Pods(s.ns).Create(ctx, s.member(j, i), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func (s swapped) member(j gangOfJob, i int) *corev1.Pod {
	p := member(s.ns, j.name, i, fmt.Sprint(j.cores))
	p.Spec.SchedulerName, p.Spec.PriorityClassName = s.ns, j.class
	kind := corev1.SchemeGroupVersion.WithKind("ConfigMap")
	p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(s.owner, kind)}
	for key, value := range map[string]string{"job-name": j.name, "queue-name": j.queue, "job-version": "0",
		"task-index": fmt.Sprint(i), "task-spec": "w"} {
		p.Annotations["volcano.sh/"+key] = value
	}
	if j.change != nil {
		j.change(p)
	}
	return p
}

// runs is a gang that Volcano has bound to a node and that runs there.
func (s swapped) runs(v *volcano, j gangOfJob, node string) {
	s.t.Helper()
	s.must(s.make(s.t.Context(), j))
	for i := range j.members {
		v.bind(fmt.Sprintf("%s-%d", j.name, i), node)
	}
	awaitRunning(s.t, s.ns, j.name+"-", j.members)
	v.group(j.name, schedulingv1beta1.PodGroupRunning, volcanoStarted)
}

func (s swapped) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// loses has a member of a gang go and come anew, as a Job's controller makes it.
func (s swapped) loses(j gangOfJob, i int) {
	s.t.Helper()
	name := fmt.Sprintf("%s-%d", j.name, i)
	s.goes(name)
	j.change = nil
	_, err := s.kube.CoreV1().Pods(s.ns).Create(s.t.Context(), s.member(j, i), metav1.CreateOptions{})
	s.must(err)
}

// preempts has Volcano evict a victim for a job of its size that is worth more, and nominate that
// to the victim's node.
func (s swapped) preempts(v *volcano, name, victim, node string) {
	s.t.Helper()
	s.must(s.make(s.t.Context(), gangOfJob{name: name, queue: s.ns, class: s.ns, members: 1, cores: 2}))
	s.told(victim + "-0")
	v.group(name, schedulingv1beta1.PodGroupInqueue, volcanoWaits)
	says := "can possibly be assigned to " + node + ", once resource is released and minAvailable is satisfied"
	v.pod(name+"-0", "Schedulable", says, node)
}

// heldBack is on pods of which the test says when they have gone.
const heldBack = "e2e.ashlar.sh/held-back"

// holdBack holds the first member of a gang back.
func holdBack(p *corev1.Pod) {
	if strings.HasSuffix(p.Name, "-0") {
		p.Finalizers = []string{heldBack}
	}
}

// told tells a pod to go, which one that is held back does not do.
func (s swapped) told(name string) {
	s.t.Helper()
	s.must(s.kube.CoreV1().Pods(s.ns).Delete(s.t.Context(), name, metav1.DeleteOptions{}))
}

// goes has a pod be gone, whether it was told to go or not.
func (s swapped) goes(name string) {
	s.t.Helper()
	pods := s.kube.CoreV1().Pods(s.ns)
	_, err := pods.Patch(s.t.Context(), name, types.MergePatchType,
		[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	s.must(err)
	zero := int64(0)
	_ = pods.Delete(s.t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: &zero}) // it may be gone already
	s.await("see "+name+" gone", func(ctx context.Context) error {
		if _, err := pods.Get(ctx, name, metav1.GetOptions{}); metav1.StatusReasonNotFound != reasonOf(err) {
			return fmt.Errorf("it is there (%s)", reasonOf(err))
		}
		return nil
	})
}

// ends has the pods of a gang succeed.
func (s swapped) ends(j gangOfJob) {
	s.t.Helper()
	for i := range j.members {
		_, err := s.kube.CoreV1().Pods(s.ns).Patch(s.t.Context(), fmt.Sprintf("%s-%d", j.name, i), types.MergePatchType,
			[]byte(`{"status":{"phase":"Succeeded"}}`), metav1.PatchOptions{}, "status")
		s.must(err)
	}
}

// stream makes a job of one pod, which runs for a second, three times a second. What it returns
// ends that and says how many there were.
func (s swapped) stream() (end func() int) {
	ctx, cancel := context.WithCancel(context.Background())
	made := make(chan int, 1)
	go func() {
		n := 0
		defer func() { made <- n }()
		tick := time.NewTicker(300 * time.Millisecond)
		defer tick.Stop()
		for ; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			small := gangOfJob{name: fmt.Sprintf("small-%03d", n), queue: s.ns, members: 1, cores: 1}
			small.change = func(p *corev1.Pod) { p.Annotations["ashlar.sh/duration"] = "1s" }
			err := s.make(context.WithoutCancel(ctx), small)
			if err != nil {
				s.t.Errorf("make a small job: %v", err)
				return
			}
		}
	}()
	end = sync.OnceValue(func() int { cancel(); return <-made })
	s.t.Cleanup(func() { end() })
	return end
}

// chart is the program in Volcano's place as its chart calls it, on standby, with a bound on half a
// gang that is soon over. It must not delete a pod.
func (s swapped) chart(name, conf string) *instance {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "volcano-scheduler.conf")
	s.must(os.WriteFile(path, []byte(conf), 0o600))
	args := append(s.electing(), "--logtostderr", "--scheduler-conf="+path, "--enable-healthz=true",
		"--healthz-address=127.0.0.1:0", "--enable-metrics=true", "--listen-address=127.0.0.1:0", "--kube-api-qps=2000",
		"--kube-api-burst=2000", "--schedule-period=1s", "--node-worker-threads=20", "--percentage-nodes-to-find=100",
		"--feature-gates=SchedulingGatesQueueAdmission=true", "--ignored-provisioners=local",
		"--scheduler-sharding-mode=none", "--stranded-gang-timeout=2s", "-v=3", "2>&1")
	i := s.start(name, program(s.t, thisVersion, "vc-scheduler"), args, harmless)
	i.awaitStandby()
	return i
}

// awaitMembers waits until so many of a gang's pods are bound.
func (s swapped) awaitMembers(name string, want int) {
	s.t.Helper()
	eventually(s.t, fmt.Sprintf("%d of %s to be bound", want, name), func(ctxless) (bool, error) {
		return bound(list(s.t, s.ns, name+"-")) == want, nil
	}, func() string { return fmt.Sprint(bound(list(s.t, s.ns, name+"-"))) })
}

// places is on which node each pod is that was not told to go, by its name and UID.
func (s swapped) places() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	for _, p := range list(s.t, s.ns, "") {
		if p.Spec.NodeName != "" && p.DeletionTimestamp == nil {
			out[p.Name+" "+string(p.UID)] = p.Spec.NodeName
		}
	}
	return out
}

// stay says that what ran before is still there, where it was.
func (s swapped) stay(before map[string]string) {
	s.t.Helper()
	now := s.places()
	for pod, node := range before {
		if now[pod] != node {
			s.t.Fatalf("%s ran on %s and is on %q now", pod, node, now[pod])
		}
	}
}

// newSwapped is the cluster without pods: three nodes, a queue and one that is bounded.
func newSwapped(t *testing.T) swapped {
	t.Helper()
	s := swapped{world: sharedWorld(t)}
	s.a, s.b, s.c, s.bounded = s.ns+"-a", s.ns+"-b", s.ns+"-c", s.ns+"-bounded"
	node(t, s.a, "22")
	node(t, s.b, "8")
	node(t, s.c, "4")
	s.queue()
	queues := s.dynamic.Resource(queueResource)
	four := object("Queue", s.bounded, map[string]any{"weight": int64(1), "capability": map[string]any{"cpu": "4"}})
	_, err := queues.Create(t.Context(), four, metav1.CreateOptions{})
	s.must(err)
	t.Cleanup(func() { s.must(queues.Delete(context.Background(), s.bounded, metav1.DeleteOptions{})) })
	classes := s.kube.SchedulingV1().PriorityClasses()
	high := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: s.ns}, Value: 1000}
	_, err = classes.Create(t.Context(), high, metav1.CreateOptions{})
	s.must(err)
	t.Cleanup(func() { s.must(classes.Delete(context.Background(), s.ns, metav1.DeleteOptions{})) })
	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}
	s.owner, err = s.kube.CoreV1().ConfigMaps(s.ns).Create(t.Context(), owner, metav1.CreateOptions{})
	s.must(err)
	s.short, s.leaves, s.full = s.four("short", s.ns), s.four("leaves", s.ns), s.four("full", s.bounded)
	s.leaves.change = holdBack
	s.large = gangOfJob{name: "large", queue: s.ns, members: 1, cores: 17}
	s.victim, s.later = s.two("victim"), s.two("later")
	return s
}

// four is a gang of four pods of a core each.
func (s swapped) four(name, queue string) gangOfJob {
	return gangOfJob{name: name, queue: queue, members: 4, cores: 1}
}

// two is a job of one pod, of two cores, of which the test says when it has gone.
func (s swapped) two(name string) gangOfJob {
	return gangOfJob{name: name, queue: s.ns, members: 1, cores: 2, change: holdBack}
}

// busy makes a gang in each state that Volcano leaves them in, as it and its controllers write them.
func (s swapped) busy(v *volcano) {
	s.t.Helper()
	s.runs(v, s.short, s.a)
	s.loses(s.short, 0)
	v.group("short", schedulingv1beta1.PodGroupUnknown, volcanoStarted, volcanoLacks)
	s.runs(v, s.leaves, s.b)
	s.told("leaves-0")
	s.runs(v, s.full, s.b)
	s.must(s.make(s.t.Context(), s.four("queued", s.bounded)))
	s.must(s.make(s.t.Context(), s.four("waits", s.ns)))
	v.group("waits", schedulingv1beta1.PodGroupInqueue, volcanoWaits)
	s.runs(v, s.victim, s.c)
	s.runs(v, s.later, s.c)
	s.preempts(v, "urgent", "victim", s.c)
	s.must(s.make(s.t.Context(), s.four("half", s.ns)))
	v.group("half", schedulingv1beta1.PodGroupInqueue, volcanoStarted) // it says so before it binds
	v.bind("half-0", s.a)
	v.bind("half-1", s.a)
	s.runs(v, s.large, s.a) // no node has room any more
	v.queue("32")
}

// Volcano's scheduler and this one take turns by the Lease, to and fro, while small jobs arrive.
// The first finds gangs in every state that Volcano leaves them in: half bound, short of one member,
// with one that leaves, waiting for room, behind a full queue, and nominated to the room of a
// victim that leaves. Nothing that runs is deleted or moves, and all that can run runs in the end.
func TestLiveSwapUnderLoad(t *testing.T) {
	program(t, thisVersion, "vc-scheduler") // before small jobs arrive: it takes a while to build
	s := newSwapped(t)
	least := map[string]int{"short": 4, "leaves": 4, "full": 4, "queued": 4, "waits": 4, "half": 4}
	seen := s.watchGangs(map[string]int64{s.a: 22, s.b: 8, s.c: 4},
		func(p *corev1.Pod) int { return max(1, least[gangOf(p)]) })
	first := s.volcano()
	first.awaitLeading()
	s.busy(first)
	end := s.stream()
	before := s.places()

	ours := s.chart("first", strings.Replace(stockWithEvictions, ", reclaim, preempt", "", 1))
	ours.mu.Lock()
	if ours.writes+len(ours.taken) > 0 {
		t.Errorf("it wrote %d times and bound %d pods while Volcano leads", ours.writes, len(ours.taken))
	}
	ours.mu.Unlock()
	first.stop() // the Lease runs out
	for _, name := range []string{"half", "short"} {
		s.awaitWaits(name)
	}
	holds(5*time.Second, func() { s.stay(before) })
	s.ends(s.large)
	for _, name := range []string{"half", "short", "leaves", "waits"} {
		s.awaitMembers(name, 4)
	}
	s.loses(s.victim, 0)
	s.awaitMembers("urgent", 1)
	s.awaitMembers("victim", 1)
	holds(3*time.Second, func() { s.stay(before) })
	if n := bound(list(t, s.ns, "queued-")); n > 0 {
		t.Errorf("%d members of the gang behind a full queue are bound", n)
	}

	second := s.volcano()
	ours.signal(syscall.SIGTERM)
	if err := ours.awaitEnd(); err != nil {
		t.Errorf("asked to end, it ended with %v", err)
	}
	second.awaitLeading()
	second.understands()
	s.ends(s.full)
	second.group("full", schedulingv1beta1.PodGroupCompleted, volcanoStarted)
	s.loses(s.leaves, 0)
	second.group("leaves", schedulingv1beta1.PodGroupUnknown, volcanoStarted, volcanoLacks)
	s.preempts(second, "more-urgent", "later", s.c)
	before = s.places()
	next := s.chart("second", stockWithEvictions)
	second.stop()
	s.awaitMembers("leaves", 4)
	s.awaitMembers("queued", 4)
	s.loses(s.later, 0)
	s.awaitMembers("more-urgent", 1)
	holds(3*time.Second, func() { s.stay(before) })
	s.awaitAtRest(end() + s.full.members + s.large.members)
	all := list(t, s.ns, "")
	seen.testify(len(all))
	once(t, []*instance{ours, next}, len(all))
}

// awaitWaits waits until this scheduler says why a gang waits, by the code of a reason and not by a
// session.
func (s swapped) awaitWaits(name string) {
	s.t.Helper()
	s.await("read why "+name+" waits", func(context.Context) error {
		c := condition(group(s.t, s.ns, name), schedulingv1beta1.PodGroupUnschedulableType)
		if c.Status != corev1.ConditionTrue || strings.Contains(c.TransitionID, "-") {
			return fmt.Errorf("it says %+v", c)
		}
		return nil
	})
}

// awaitAtRest waits until so many pods have succeeded and no other waits.
func (s swapped) awaitAtRest(succeed int) {
	s.t.Helper()
	s.await("see every small job end and nothing wait", func(context.Context) error {
		ended := 0
		for _, p := range list(s.t, s.ns, "") {
			if p.Spec.NodeName == "" {
				return fmt.Errorf("%s waits", p.Name)
			} else if p.Status.Phase == corev1.PodSucceeded {
				ended++
			}
		}
		if ended != succeed {
			return fmt.Errorf("%d of %d have ended", ended, succeed)
		}
		return nil
	})
}
