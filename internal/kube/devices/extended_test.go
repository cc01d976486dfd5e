package devices_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/sched/trace"
)

const extended = "example.com/gpu"

// standing is a class with an extended resource that stands for its devices; age is when it was made.
func standing(name string, age int64) *resourcev1.DeviceClass {
	c, as := class(name), extended
	c.Spec.ExtendedResourceName, c.CreationTimestamp = &as, metav1.Time{Time: time.Unix(age, 0)}
	return c
}

func asks(name, of string) *corev1.Pod {
	p := pod(name)
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceName(of)] = resource.MustParse("2")
	return p
}

func offers(n *corev1.Node, amount string) *corev1.Node {
	n.Status.Allocatable[extended] = resource.MustParse(amount)
	return n
}

// A pod that asks for an extended resource for which only a device class stands waits, and the reason names the class.
func TestAnExtendedResourceThatOnlyAClassStandsFor(t *testing.T) {
	const implicit = resourcev1.ResourceDeviceClassPrefix + "gpu"
	for name, c := range map[string]struct {
		objects []metav1.Object
		asks    string
		class   string // "": the resource is any other
	}{
		"the class says so":                    {[]metav1.Object{standing("gpu", 1)}, extended, "gpu"},
		"its own name says so":                 {[]metav1.Object{class("gpu")}, implicit, "gpu"},
		"the newest of two":                    {[]metav1.Object{standing("a", 1), standing("b", 2)}, extended, "b"},
		"the first by name of two equally old": {[]metav1.Object{standing("b", 1), standing("a", 1)}, extended, "a"},
		"no class does":                        {[]metav1.Object{class("gpu")}, extended, ""},
		"there is no class of that name":       {[]metav1.Object{class("other")}, implicit, ""},
		"a node has the resource, and too few": {[]metav1.Object{standing("gpu", 1), offers(node("n2"), "1")}, extended, ""},
		"a node has the resource, and none now": {
			[]metav1.Object{standing("gpu", 1), offers(node("n2"), "0")}, extended, "gpu"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldOf(t, profile("enqueue", "allocate", "backfill", "preempt"),
				append(c.objects, node("n1"), slice("n1", 4), asks("p", c.asks))...)
			if got := binds(t, w.decide()); got != "" {
				t.Errorf("bound was %q, want nothing", got)
			}
			r := w.why("p")
			if c.class == "" {
				if r.Code != trace.NotEnoughResources {
					t.Errorf("it waits because %+v, want what no node has", r)
				}
				return
			}
			if r.Code != trace.ResourceOfClass || r.Text != c.class || len(r.Shorts) != 1 || r.Shorts[0].Dim != c.asks ||
				r.Shorts[0].Need == 0 {
				t.Errorf("it waits because %+v, want class %s", r, c.class)
			}
		})
	}
}

// It goes on when a node offers the resource, by a device plugin, or when no class stands for it any more.
func TestAnExtendedResourceIsANodesOwn(t *testing.T) {
	w := newWorld(t, standing("gpu", 1), node("n1"), slice("n1", 4), asks("p", extended))
	w.decide()
	if r := w.why("p"); r.Code != trace.ResourceOfClass {
		t.Fatalf("it waits because %+v", r)
	}
	w.e.Apply(gone(t, standing("gpu", 1)))
	w.decide()
	if r := w.why("p"); r.Code != trace.NotEnoughResources {
		t.Errorf("without the class it waits because %+v", r)
	}
	again := standing("gpu", 1)
	again.ResourceVersion = "5"
	w.tell(again, offers(node("n2"), "4"))
	if got := binds(t, w.decide()); got != "p on n2" {
		t.Errorf("bound was %q, want p on the node that has the resource", got)
	}
}
