package filters

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// fact translates an object as the live scheduler does. Versions are what the test says.
func fact(t testing.TB, o metav1.Object) model.Fact {
	t.Helper()
	f, ok := translate.Fact(o, translate.Options{})
	if !ok {
		t.Fatalf("%T is translated into no fact", o)
	}
	return f
}

// gone is the fact that an object went.
func gone(t testing.TB, o metav1.Object) model.Fact {
	f := fact(t, o)
	f.Object = nil
	f.Version++
	return f
}

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1"}
}

func in(namespace, name string) metav1.ObjectMeta {
	m := named(name)
	m.Namespace = namespace
	return m
}

func node(name string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: named(name)}
	n.Labels = map[string]string{corev1.LabelHostname: name}
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourcePods: resource.MustParse("110")}
	return n
}

// class waits for the first consumer; provisioner "" makes no volumes.
func class(name, provisioner string) *storagev1.StorageClass {
	if provisioner == "" {
		provisioner = "kubernetes.io/no-provisioner"
	}
	mode := storagev1.VolumeBindingWaitForFirstConsumer
	return &storagev1.StorageClass{ObjectMeta: named(name), Provisioner: provisioner, VolumeBindingMode: &mode}
}

// localVolume is a volume of a class that only one node reaches.
func localVolume(name, class, node, size string) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{ObjectMeta: named(name)}
	v.Spec.StorageClassName = class
	v.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
	v.Spec.Local = &corev1.LocalVolumeSource{Path: "/disk"}
	v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}}}}
	v.Status.Phase = corev1.VolumeAvailable
	return v
}

func claim(name, class string) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: in("ns", name)}
	c.Spec.StorageClassName = &class
	c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	c.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	return c
}

// pod asks for a CPU and names claims.
func pod(name string, claims ...string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: in("ns", name)}
	p.Spec.SchedulerName = translate.DefaultScheduler
	p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}}}}
	for _, c := range claims {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: c, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: c}}})
	}
	return p
}

// member makes a pod one of a gang.
func member(gang string, p *corev1.Pod) *corev1.Pod {
	p.Annotations = map[string]string{schedulingv1beta1.KubeGroupNameAnnotationKey: gang}
	return p
}

func gangOf(name string, n int32) *schedulingv1beta1.PodGroup {
	return &schedulingv1beta1.PodGroup{ObjectMeta: in("ns", name),
		Spec: schedulingv1beta1.PodGroupSpec{MinMember: n, Queue: "default"}}
}

// world is an engine with the plugin, and the plugin.
type world struct {
	t testing.TB
	e *sched.Engine
	v *Volumes
}

func newWorld(t testing.TB, objects ...metav1.Object) *world {
	t.Helper()
	w := &world{t: t}
	catch := Predicates()
	build := catch.New
	catch.New = func(c policy.Choice, l *ledger.Ledger) (any, error) {
		made, err := build(c, l)
		if g, ok := made.(policy.Parts); ok {
			w.v = g[1].(*Volumes)
		}
		return made, err
	}
	profile := policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"},
		Tiers: [][]policy.Choice{{{Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "nodeorder"}}}}
	var err error
	if w.e, err = sched.New(profile, sched.WithPlugin(catch)); err != nil {
		t.Fatal(err)
	}
	w.e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: model.DefaultQueue},
		Object: &model.Queue{Meta: model.Meta{Name: model.DefaultQueue}, Weight: 1}})
	w.tell(objects...)
	return w
}

func (w *world) tell(objects ...metav1.Object) {
	w.t.Helper()
	for _, o := range objects {
		w.e.Apply(fact(w.t, o))
	}
}

// decide runs a cycle and returns its binds, "pod on node", sorted. Every cycle leaves
// the books in order.
func (w *world) decide() string {
	w.t.Helper()
	plan, _, _ := w.e.Decide(1)
	var out []string
	for _, i := range plan.Items {
		if i.Kind == sched.BindPod {
			out = append(out, i.Pod.Name+" on "+i.Node)
		}
	}
	if found := w.e.Audit(); found != nil {
		w.t.Errorf("audit: %s", strings.Join(found, "\n"))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// why is the reason code and text at the root of why a job waits.
func (w *world) why(job string) (code, text string) {
	for _, j := range w.e.Report().Jobs {
		if j.Name == job {
			r := j.Reason.Root()
			return string(r.Code), r.Text
		}
	}
	return "no such job", job
}

// chosen lists what is taken, as "volume=claim" or "claim=node", sorted.
func chosen(v *Volumes) string {
	var out []string
	for p, choices := range v.chosen { // order-free: sorted below
		for c := range choices {
			out = append(out, strings.TrimPrefix(p.key, "ns/")+"="+strings.TrimPrefix(c.to, "ns/"))
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
