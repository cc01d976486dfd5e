package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/internal/loop"
	"ashlar.sh/test/e2e/faults"
)

// rogue is a tenant of the test's scheduler who writes whatever it may in a namespace of its own.
type rogue struct {
	world
	own string // its namespace, and queue
	n   int    // how often it raged
}

// A tenant forges, wipes and clashes in its own namespace while a scheduler runs, while none does, and when the next
// one begins. Another tenant's pods run on and its next gang starts each time, in the same queue and in another.
// Writes are answered by a bounded number of writes, and once the tenant is quiet nothing is written any more.
func TestHostileTenantAtATakeOver(t *testing.T) {
	w := sharedWorld(t)
	r := &rogue{world: w, own: namespace(t)}
	node(t, w.ns+"-a", "40")
	weighted(t, w.ns, 1)
	foreign(t, w.ns, object("Queue", r.own, map[string]any{"weight": int64(1), "capability": map[string]any{"cpu": "12"}}))
	conf := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	if err := os.WriteFile(conf, []byte(stockWithEvictions), 0o600); err != nil {
		t.Fatal(err)
	}
	proxy, err := faults.Start(w.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	var writes atomic.Int64
	proxy.Inject(faults.Write, 1, 0, func(rw http.ResponseWriter, req *http.Request, pass http.HandlerFunc) {
		writes.Add(1)
		pass(rw, req)
	})
	begin := func() func() {
		return w.schedule(proxy.Config(), func(o *loop.Options) { o.ConfigFile, o.Stranded = conf, 2*time.Second })
	}
	stop := begin()
	r.gang(w.ns, w.ns, "steady", 4)
	r.gang(w.ns, r.own, "beside", 2)
	r.gang(r.own, r.own, "own", 3)
	awaitRunning(t, w.ns, "steady-", 4)
	awaitRunning(t, w.ns, "beside-", 2)
	awaitRunning(t, r.own, "own-", 3)
	before := lifetimes(t, w.ns)
	starts := func(when string) {
		t.Helper()
		for queue, name := range map[string]string{w.ns: "next-a", r.own: "next-b"} {
			name = fmt.Sprintf("%s-%s", name, strings.ReplaceAll(when, " ", "-"))
			r.gang(w.ns, queue, name, 2)
			awaitRunning(t, w.ns, name+"-", 2)
			for i := range 2 {
				r.must(w.kube.CoreV1().Pods(w.ns).Delete(t.Context(), fmt.Sprintf("%s-%d", name, i), now()))
			}
		}
		after := lifetimes(t, w.ns)
		for name, uid := range before {
			if after[name] != uid {
				t.Fatalf("%s: %s is gone\n%s", when, name, situation(t, w.kube, w.dynamic))
			}
		}
		if n := bound(list(t, r.own, "own-")); n < 3 {
			t.Errorf("%s: %d of its own pods have a node, want the three that had one", when, n)
		}
	}
	r.rage()
	starts("while a scheduler runs")
	stop()
	r.rage()
	stop = begin()
	starts("after a start")
	stop()
	again := begin()
	for range 20 { // while the next one takes over
		r.rage()
	}
	starts("after a take-over")
	began := writes.Load()
	for i := range 100 {
		r.flips(i)
	}
	starts("while it writes without end")
	if n := writes.Load() - began; n > 1000 {
		t.Errorf("for 100 writes of a tenant and two gangs the scheduler wrote %d times", n)
	}
	w.await("see nothing written for ten seconds", func(ctx context.Context) error {
		is := writes.Load()
		pause := time.NewTimer(8 * time.Second)
		select {
		case <-pause.C:
		case <-ctx.Done():
		}
		if n := writes.Load() - is; n > 0 {
			return fmt.Errorf("%d writes", n)
		}
		return nil
	})
	again()
}

func (r *rogue) must(err error) {
	r.t.Helper()
	if ignoreNotFound(err) != nil {
		r.t.Fatal(err)
	}
}

// gang makes a gang of pods of one core in some namespace and queue, with minResources.
func (r *rogue) gang(ns, queue, name string, members int) {
	r.t.Helper()
	g := object("PodGroup", name, map[string]any{"minMember": int64(members), "queue": queue,
		"minResources": map[string]any{"cpu": fmt.Sprint(members)}})
	foreign(r.t, ns, g)
	for i := range members {
		p := member(ns, name, i, "1")
		p.Spec.SchedulerName = r.ns
		create(r.t, p)
	}
}

func lifetimes(t *testing.T, ns string) map[string]types.UID {
	t.Helper()
	out := map[string]types.UID{}
	for _, p := range append(list(t, ns, "steady-"), list(t, ns, "beside-")...) {
		out[p.Name] = p.UID
	}
	return out
}

func (r *rogue) patch(name string, to map[string]any) {
	r.t.Helper()
	text, err := json.Marshal(to)
	r.must(err)
	_, err = r.dynamic.Resource(podGroupResource).Namespace(r.own).Patch(r.t.Context(), name, types.MergePatchType, text,
		metav1.PatchOptions{})
	r.must(err)
}

// flips writes another nonsense into its PodGroup each time.
func (r *rogue) flips(i int) {
	r.t.Helper()
	phases := []string{"Pending", "Inqueue", "Running", "Unknown", "Completed"}
	r.patch("own", map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{persisted.RefusedBindsKey: fmt.Sprint("no record ", i)}},
		"spec": map[string]any{"minMember": 1 + i%3*1_000_000, "queue": []string{r.own, r.ns, "no-queue"}[i%3],
			"minResources": map[string]any{"cpu": fmt.Sprint(3 + i%2*1_000_000)}},
		"status": map[string]any{"phase": phases[i%5], "running": i, "conditions": []any{}}})
}

// rage does once what a tenant may do that means others harm.
func (r *rogue) rage() {
	r.t.Helper()
	r.n++
	ctx, at := r.t.Context(), fmt.Sprint(r.n)
	theirs, err := r.dynamic.Resource(podGroupResource).Namespace(r.ns).Get(ctx, "steady", metav1.GetOptions{})
	r.must(err)
	nodes, err := r.kube.CoreV1().Nodes().Get(ctx, r.ns+"-a", metav1.GetOptions{})
	r.must(err)
	yes := true
	owners := []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: nodes.Name, UID: nodes.UID, Controller: &yes,
		BlockOwnerDeletion: &yes}}
	r.flips(r.n)
	forged := persisted.RefusedBinds{UID: string(theirs.GetUID()), Tries: 1 << 30, Next: time.Now().Add(1e6 * time.Hour),
		Pod: "steady-0", Never: &persisted.NeverComplete{MinMember: 4}}.Text()
	clash := object("PodGroup", "steady", map[string]any{"minMember": int64(4), "queue": r.ns,
		"minResources": map[string]any{"cpu": "1000000"}, "priorityClassName": "system-node-critical"})
	clash.SetAnnotations(map[string]string{persisted.RefusedBindsKey: forged, "volcano.sh/preemptable": "false",
		"ashlar.sh/whatever": strings.Repeat("x", 100_000)})
	clash.SetFinalizers([]string{"example.com/never"})
	clash.Object["status"] = map[string]any{"phase": "Inqueue", "conditions": []any{map[string]any{
		"type": "Scheduled", "status": "True", "transitionID": at, "lastTransitionTime": "2000-01-01T00:00:00Z"}}}
	clashes := r.dynamic.Resource(podGroupResource).Namespace(r.own)
	r.must(clashes.Delete(ctx, "steady", metav1.DeleteOptions{}))
	if _, err := clashes.Patch(ctx, "steady", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`),
		metav1.PatchOptions{}); err != nil {
		r.must(err)
	}
	foreign(r.t, r.own, clash)
	for i, change := range []func(*corev1.Pod){
		func(p *corev1.Pod) { p.OwnerReferences = owners },
		func(p *corev1.Pod) { p.Annotations["scheduling.k8s.io/group-name"] = "steady" },
		func(p *corev1.Pod) { p.Annotations = map[string]string{"scheduling.volcano.sh/queue-name": r.own} },
		func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("1e15") },
		func(p *corev1.Pod) { p.Finalizers = []string{"example.com/never"} },
		func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/never"}} },
	} {
		p := member(r.own, "own", 100*r.n+i, "1m") // what it holds in earnest is not what is tested
		p.Spec.SchedulerName = r.ns
		change(p)
		create(r.t, p)
		if len(p.Finalizers) > 0 {
			r.must(r.kube.CoreV1().Pods(r.own).Delete(ctx, p.Name, now()))
			r.t.Cleanup(func() {
				_, _ = r.kube.CoreV1().Pods(r.own).Patch(context.Background(), p.Name, types.MergePatchType,
					[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}) // it may be gone
			})
		}
	}
	all := intstr.FromString("100%")
	_, err = r.kube.PolicyV1().PodDisruptionBudgets(r.own).Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "all-" + at},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &all, Selector: &metav1.LabelSelector{}}},
		metav1.CreateOptions{})
	r.must(err)
	for i := range 20 {
		_, err := r.kube.CoreV1().Events(r.own).Create(ctx, &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Name: fmt.Sprintf("spam-%s-%d", at, i)},
			InvolvedObject: corev1.ObjectReference{Kind: "PodGroup", Namespace: r.own, Name: "steady", UID: theirs.GetUID()},
			Reason:         "Evict", Message: strings.Repeat("y", 900), Source: corev1.EventSource{Component: "volcano"}},
			metav1.CreateOptions{})
		r.must(err)
	}
}
