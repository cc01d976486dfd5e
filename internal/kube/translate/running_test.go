package translate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// odd is a resource of which the faults of this test speak: of the others all can be read.
const odd = "example.com/odd"

func one(name, amount string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceName(name): quantity.MustParse(amount)}
}

func affinityOf(p *corev1.Pod) *corev1.Affinity {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{}
	}
	return p.Spec.Affinity
}

func apartFrom(label, key string) corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{TopologyKey: key,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": label}}}
}

func required(p *corev1.Pod, terms ...corev1.PodAffinityTerm) {
	a := affinityOf(p)
	if a.PodAntiAffinity == nil {
		a.PodAntiAffinity = &corev1.PodAntiAffinity{}
	}
	list := &a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	*list = append(*list, terms...)
}

// faults are ways to have a pod set aside: each leaves what it asks for beside odd as it is.
var faults = map[string]func(p *corev1.Pod){
	"a number that is none": func(p *corev1.Pod) {
		affinityOf(p).
			NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: "gen", Operator: corev1.NodeSelectorOpGt, Values: []string{"v5"}}}}}}}
	},
	"many preferences": func(p *corev1.Pod) {
		a := affinityOf(p)
		a.PodAffinity = &corev1.PodAffinity{}
		for i := range 65 {
			a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = append(
				a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution,
				corev1.WeightedPodAffinityTerm{Weight: 1, PodAffinityTerm: apartFrom(fmt.Sprint("a", i), "zone")})
		}
	},
	"no topology key": func(p *corev1.Pod) { required(p, apartFrom("x", "")) },
	"a long selector": func(p *corev1.Pod) {
		t := apartFrom("x", "zone")
		t.LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "app", Operator: "NotIn",
			Values: strings.Split(strings.Repeat("v,", 2000)[:3999], ",")}}
		for i := range t.LabelSelector.MatchExpressions[0].Values {
			t.LabelSelector.MatchExpressions[0].Values[i] += fmt.Sprint(i)
		}
		required(p, t)
	},
	"an unknown operator": func(p *corev1.Pod) {
		t := apartFrom("x", "zone")
		t.LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Like"}}
		required(p, t)
	},
	"a spread by nothing": func(p *corev1.Pod) {
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints,
			corev1.TopologySpreadConstraint{TopologyKey: "zone"})
	},
	"a request below zero":         func(p *corev1.Pod) { asks(p, one(odd, "-1"), nil) },
	"a request above all":          func(p *corev1.Pod) { asks(p, one(odd, "1e30"), nil) },
	"a limit above all":            func(p *corev1.Pod) { asks(p, nil, one(odd, "1e999")) },
	"an overhead below zero":       func(p *corev1.Pod) { p.Spec.Overhead = one(odd, "-5") },
	"an allocation that cannot be": func(p *corev1.Pod) { p.Status.AllocatedResources = one(odd, "1e99") },
	"a container's one": func(p *corev1.Pod) {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses,
			corev1.ContainerStatus{Name: p.Spec.Containers[0].Name, AllocatedResources: one(odd, "-1e9")})
	},
	"limits of the whole pod": func(p *corev1.Pod) {
		p.Spec.Resources = &corev1.ResourceRequirements{Limits: one("memory", "1Pi"), Requests: corev1.ResourceList{}}
		for i := range p.Spec.Containers {
			delete(p.Spec.Containers[i].Resources.Requests, "memory")
		}
	},
}

func asks(p *corev1.Pod, requests, limits corev1.ResourceList) {
	p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: fmt.Sprint("c", len(p.Spec.Containers)),
		Resources: corev1.ResourceRequirements{Requests: requests, Limits: limits}})
}

// soundPod is a pod that runs on n1, with a host port, and that keeps those with app=rival away from
// its zone.
func soundPod(t *rapid.T) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "big", UID: "big"}}
	p.Spec.SchedulerName = rapid.SampledFrom([]string{"volcano", "default-scheduler"}).Draw(t, "scheduler")
	p.Spec.NodeName = "n1"
	p.Status.Phase = rapid.SampledFrom([]corev1.PodPhase{corev1.PodRunning, corev1.PodPending, corev1.PodUnknown}).Draw(t,
		"phase")
	for range rapid.IntRange(1, 3).Draw(t, "containers") {
		asks(p, corev1.ResourceList{
			"cpu":    *quantity.NewMilliQuantity(rapid.Int64Range(1, 5000).Draw(t, "cpu"), quantity.DecimalSI),
			"memory": *quantity.NewQuantity(rapid.Int64Range(1, 1<<40).Draw(t, "memory"), quantity.BinarySI)}, nil)
	}
	p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80}}
	required(p, apartFrom("rival", "zone"))
	return p
}

// What runs holds its requests, ports and distance, whatever else of it cannot be meant; nothing
// else is bound into them.
func TestWhatRunsHoldsItsRoomWhateverIsWrongWithIt(t *testing.T) {
	kinds := make([]string, 0, len(faults))
	for name := range faults {
		kinds = append(kinds, name)
	}
	slices.Sort(kinds)
	rapid.Check(t, func(t *rapid.T) {
		pod := soundPod(t)
		want := translate.Pod(pod, translate.Options{}).Spec.Requests
		for _, kind := range rapid.SliceOfNDistinct(rapid.SampledFrom(kinds), 1, 3, rapid.ID).Draw(t, "faults") {
			faults[kind](pod)
		}
		w := newRoom(t)
		w.tell(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{"zone": "a"}},
			Status: corev1.NodeStatus{Allocatable: asList(want)}})
		w.tell(pod)
		if fact := w.e.Facts(); !slices.ContainsFunc(fact, func(f model.Fact) bool {
			if f.Ref.Kind != model.KindPod {
				return false
			}
			_, aside := f.Object.Common().SetAside()
			return aside
		}) {
			t.Fatal("nothing is wrong with the pod")
		}
		w.tell(waiting("small", one("cpu", "1m"), nil, 0))
		if bound := w.decide(); len(bound) > 0 {
			t.Errorf("bound on a full node: %v", bound)
		}
		l := w.e.Ledger()
		n, _ := l.Nodes.Find("n1")
		for _, a := range want {
			d, known := l.Dims.Lookup(a.Name)
			if !known || l.Nodes.Used(d, n) < a.Value {
				t.Errorf("%s: less is used than %d", a.Name, a.Value)
			}
		}
		// With room to spare, for want of a port and for want of distance.
		for _, more := range want {
			w.add(more)
		}
		w.tell(waiting("port", nil, nil, 80))
		w.tell(waiting("rival", nil, map[string]string{"app": "rival"}, 0))
		w.tell(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{"zone": "a"}},
			Status: corev1.NodeStatus{Allocatable: asList(w.twice)}})
		if bound := w.decide(); !slices.Equal(bound, []string{"small"}) {
			t.Errorf("bound %v, want small alone", bound)
		}
		for _, found := range w.e.Audit() {
			t.Errorf("audit: %s", found)
		}
	})
}

// room is an engine that is told of objects as a cluster's.
type room struct {
	t       *rapid.T
	e       *sched.Engine
	version int
	twice   resource.List
}

func newRoom(t *rapid.T) *room {
	e, err := sched.New(policy.Profile{Actions: []string{"allocate", "backfill"},
		Tiers: [][]policy.Choice{{{Plugin: "gang"}, {Plugin: "predicates"}, {Plugin: "proportion"}}}})
	if err != nil {
		t.Fatal(err)
	}
	r := &room{t: t, e: e}
	e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: "default"}, Version: 1,
		Object: &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1, Reclaimable: true}})
	return r
}

func (r *room) tell(o metav1.Object) {
	r.version++
	o.SetResourceVersion(fmt.Sprint(r.version))
	f, ok := translate.Fact(o, translate.Options{})
	if !ok {
		r.t.Fatalf("%T has no part in scheduling", o)
	}
	r.e.Apply(f)
}

func (r *room) add(a resource.Amount) {
	r.twice = append(r.twice, resource.Amount{Name: a.Name, Value: 2*a.Value + 10_000})
}

func (r *room) decide() (bound []string) {
	plan, _, _ := r.e.Decide(int64(r.version) * 1e9)
	for _, i := range plan.Items {
		if i.Kind == sched.BindPod {
			bound = append(bound, i.Pod.Name)
		}
	}
	return bound
}

func asList(amounts resource.List) corev1.ResourceList {
	out := corev1.ResourceList{}
	for _, a := range amounts {
		switch a.Name {
		case resource.PodsName:
			out[corev1.ResourcePods] = quantity.MustParse("110")
		case resource.CPUName:
			out[corev1.ResourceCPU] = *quantity.NewMilliQuantity(a.Value, quantity.DecimalSI)
		default:
			out[corev1.ResourceName(a.Name)] = *quantity.NewQuantity(a.Value, quantity.BinarySI)
		}
	}
	return out
}

func waiting(name string, requests corev1.ResourceList, labels map[string]string, port int32) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, UID: types.UID(name), Labels: labels}}
	p.Spec.SchedulerName = "volcano"
	asks(p, requests, nil)
	if port > 0 {
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: port}}
	}
	return p
}
