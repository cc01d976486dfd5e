package fuzz

import (
	"encoding/json"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// slowest is how long a cycle of so small a world may take, with the race and coverage that a fuzzer adds.
const slowest = 20 * time.Second

// profile has every action that a cluster may have, and a plugin that reads each thing that an object may say.
var profile = policy.Profile{
	Actions: []string{"enqueue", "allocate", "backfill", "preempt", "reclaim", "gangpreempt", "gangreclaim", "shuffle"},
	Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}, {Plugin: "pdb"}, {Plugin: "cdp"}, {Plugin: "tdm"}},
		{{Plugin: "overcommit"}, {Plugin: "fairshare", Arguments: policy.Arguments{"fairshare.by": "user"}},
			{Plugin: "drf"}, {Plugin: "predicates"}, {Plugin: "capacity", Hierarchy: true},
			{Plugin: "nodeorder"}, {Plugin: "numa-aware"}, {Plugin: "network-topology-aware"}, {Plugin: "nodegroup"},
			{Plugin: "resourcequota"}, {Plugin: "sla"}, {Plugin: "minruntime"}, {Plugin: "joborder"}},
	},
}

// world is an engine with two nodes, and with a gang of another tenant that runs.
type world struct {
	t *testing.T
	e *sched.Engine
	n uint64
}

// The tenants: whatever hostile writes, honest keeps its pods.
const (
	honest  = "honest"
	hostile = "hostile"
)

func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("uid-" + namespace + name),
		CreationTimestamp: metav1.Unix(1, 0)}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	e, err := sched.New(profile, sched.WithPlugin(filters.Predicates()), sched.WithPlugin(filters.Capacity()))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, e: e}
	for _, name := range []string{"n1", "n2"} {
		n := &corev1.Node{ObjectMeta: named("", name)}
		n.Labels = map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: "z",
			"volcano.sh/nodegroup-name": "a"}
		n.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8"),
			corev1.ResourceMemory: resource.MustParse("32Gi"), corev1.ResourcePods: resource.MustParse("20")}
		w.tell(n)
	}
	for _, name := range []string{"root", "default", honest, hostile} {
		w.tell(w.queue(name))
	}
	for _, ns := range []string{honest, hostile} {
		g := w.group(ns)
		g.Spec.MinMember = 2
		w.tell(g)
	}
	pods := map[string]*corev1.Pod{}
	for _, name := range []string{"a", "b"} {
		p := w.pod(honest)
		p.Name, p.UID = name, types.UID("honest-"+name)
		w.tell(p)
		pods[name] = p
	}
	for _, i := range w.decide() {
		if i.Kind == sched.BindPod {
			pods[i.Pod.Name].Spec.NodeName, pods[i.Pod.Name].Status.Phase = i.Node, corev1.PodRunning
			w.tell(pods[i.Pod.Name])
		}
	}
	if pods["a"].Spec.NodeName == "" || pods["b"].Spec.NodeName == "" {
		t.Fatal("the honest gang does not run: nothing is shown")
	}
	return w
}

// queue is one that deserves half of the nodes, and may use them.
func (w *world) queue(name string) *schedulingv1beta1.Queue {
	q := &schedulingv1beta1.Queue{ObjectMeta: named("", name)}
	q.Spec.Weight = 1
	q.Spec.Affinity = &schedulingv1beta1.Affinity{NodeGroupAffinity: &schedulingv1beta1.NodeGroupAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []string{"a"}}}
	if name != "root" {
		q.Spec.Deserved = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("5")}
	}
	return q
}

// group is the one that a tenant's pods name.
func (w *world) group(ns string) *schedulingv1beta1.PodGroup {
	return &schedulingv1beta1.PodGroup{ObjectMeta: named(ns, "g"),
		Spec: schedulingv1beta1.PodGroupSpec{MinMember: 1, Queue: ns}}
}

func (w *world) pod(ns string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: named(ns, "p")}
	p.Annotations = map[string]string{schedulingv1beta1.KubeGroupNameAnnotationKey: "g"}
	p.Spec.SchedulerName = translate.DefaultScheduler
	p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}}}}
	return p
}

// tell gives the engine an object as a watch would.
func (w *world) tell(o metav1.Object) {
	w.t.Helper()
	w.n++
	f, known := translate.Fact(o, translate.Options{})
	if !known {
		return
	}
	f.Version = w.n
	w.e.Apply(f)
}

// decide runs some cycles, says that all they decide was done, and checks what always holds. It returns what was
// decided.
func (w *world) decide() (all []sched.Item) {
	w.t.Helper()
	for cycle := range 3 {
		began := time.Now()
		plan, _, _ := w.e.Decide(int64(time.Duration(cycle+1) * time.Second))
		if took := time.Since(began); took > slowest {
			w.t.Fatalf("a cycle took %v", took)
		}
		if wrong := w.e.Audit(); wrong != nil {
			w.t.Fatalf("the books are not in order: %v", wrong)
		}
		for _, i := range plan.Items {
			if i.Kind == sched.EvictPod && i.Pod.Namespace == honest {
				w.t.Fatalf("another tenant's pod is evicted: %+v", i)
			}
			if i.Kind == sched.BindPod && i.Node != "n1" && i.Node != "n2" && !w.has(i.Node) {
				w.t.Fatalf("a pod is bound to a node that is not there: %+v", i)
			}
			w.e.Receive(sched.Receipt{Item: i, Outcome: sched.Done})
		}
		all = append(all, plan.Items...)
	}
	report := explain.New(w.e.Report(), explain.Summary{}, nil)
	if _, err := json.Marshal(report); err != nil {
		w.t.Fatalf("what is decided cannot be told: %v", err)
	}
	return all
}

func (w *world) has(node string) bool {
	_, there := w.e.Ledger().Fact(model.Ref{Kind: model.KindNode, Name: node})
	return there
}

// humble takes from a pod of hostile what would let it evict others by right.
func humble(p *corev1.Pod) {
	p.Namespace, p.Spec.Priority, p.Spec.PriorityClassName = hostile, nil, ""
	if p.Spec.SchedulerName == "" {
		p.Spec.SchedulerName = translate.DefaultScheduler
	}
}

// The examples are taken as they are meant: what they describe is used, so that what is made of them reaches far.
func TestTheExamplesReachTheEngine(t *testing.T) {
	w := newWorld(t)
	for _, k := range kinds {
		o := k.new()
		if err := json.Unmarshal([]byte(k.example), o); err != nil {
			t.Fatalf("%T: %v", o, err)
		}
		f, known := translate.Fact(o, translate.Options{})
		if !known {
			t.Errorf("%T is no fact", o)
		} else if c := f.Object.Common(); len(c.Faults) > 0 {
			t.Errorf("%T has faults: %v", o, c.Faults)
		}
	}
	p := w.pod(hostile)
	w.tell(p)
	if items := w.decide(); len(items) == 0 {
		t.Error("a plain pod of the other tenant is not bound")
	}
}
