package kubescheduler

import (
	"fmt"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// draw makes one random cluster. All it draws follows from its seed.
type draw struct {
	*rand.Rand
	likely  map[string]int // in percent, by feature: each cluster has a mix of its own
	nodes   []string
	claims  []string // of volumes, namespace/name
	devices []string // resource claims, namespace/name
	objects cluster
	waiting bool // pods are drawn that wait: of resources that devices meet, one on a node would have a claim
}

// cluster is the objects of one, as the API server has them.
type cluster []runtime.Object

// of returns the objects of one type.
func of[T runtime.Object](c cluster) (out []T) {
	for _, o := range c {
		if t, ok := o.(T); ok {
			out = append(out, t)
		}
	}
	return out
}

// drawCluster returns the cluster of a seed.
func drawCluster(seed uint64) cluster {
	d := &draw{Rand: rand.New(rand.NewPCG(seed, 14)), likely: map[string]int{}}
	d.add(&corev1.Namespace{ObjectMeta: d.meta("", "here", map[string]string{"team": "a",
		corev1.LabelMetadataName: "here"})})
	d.add(&corev1.Namespace{ObjectMeta: d.meta("", "there", map[string]string{"team": d.from("a", "b"),
		corev1.LabelMetadataName: "there"})})
	for i := range 1 + d.upTo(8) {
		d.nodes = append(d.nodes, fmt.Sprint("n", i))
	}
	for _, name := range d.nodes {
		d.add(d.node(name))
	}
	if d.percent(50) {
		d.storage()
	}
	if d.percent(35) {
		d.devicesOfCluster()
	}
	if d.has("services") {
		d.add(&corev1.Service{ObjectMeta: d.meta("here", "web", nil), Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}}})
	}
	d.owners()
	for i := range d.upTo(12) {
		d.add(d.placed(fmt.Sprint("p", i)))
	}
	d.waiting = true
	for i := range 1 + d.upTo(3) {
		d.addPod(func() *corev1.Pod { return d.pod(fmt.Sprint("w", i)) })
	}
	return d.objects
}

// add adds an object that the API server would take; others are left out.
func (d *draw) add(o runtime.Object) bool {
	if !admitted(o) {
		return false
	}
	d.objects = append(d.objects, o)
	return true
}

// addPod draws a pod until the API server would take it.
func (d *draw) addPod(draw func() *corev1.Pod) {
	for range 20 {
		if d.add(draw()) {
			return
		}
	}
}

// upTo is a number from 0 to most.
func (d *draw) upTo(most int) int { return d.IntN(most + 1) }

// percent is true in so many of a hundred cases.
func (d *draw) percent(p int) bool { return d.IntN(100) < p }

// has says whether something has a feature; how likely that is differs between clusters.
func (d *draw) has(feature string) bool {
	p, known := d.likely[feature]
	if !known {
		p = []int{0, 0, 10, 25, 50}[d.upTo(4)]
		d.likely[feature] = p
	}
	return d.percent(p)
}

// often is has for what is compared only where both nodes and pods have it.
func (d *draw) often(feature string) bool {
	if _, known := d.likely[feature]; !known {
		d.likely[feature] = []int{0, 30, 60, 80}[d.upTo(3)]
	}
	return d.has(feature)
}

func (d *draw) from(list ...string) string { return list[d.IntN(len(list))] }

// some returns each of a list with even chances, in the list's order; at least one.
func (d *draw) some(list ...string) []string {
	out := slices.DeleteFunc(slices.Clone(list), func(string) bool { return d.percent(50) })
	if len(out) == 0 {
		return []string{d.from(list...)}
	}
	return out
}

func (d *draw) meta(namespace, name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels, UID: types.UID("uid-" + name),
		ResourceVersion: "1", CreationTimestamp: metav1.Unix(1_700_000_000, 0)}
}

func (d *draw) quantity(list ...string) resource.Quantity { return resource.MustParse(d.from(list...)) }

func pointer[T any](v T) *T { return &v }
