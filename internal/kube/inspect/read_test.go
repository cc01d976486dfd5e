package inspect

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcanofake "volcano.sh/apis/pkg/client/clientset/versioned/fake"
)

func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

// small is a cluster with a pod in each of two namespaces, a PodGroup, a queue and a node.
func small(more ...runtime.Object) (Clients, *fake.Clientset, *volcanofake.Clientset) {
	kube := fake.NewClientset(append(more, &corev1.Pod{ObjectMeta: named("b", "p")},
		&corev1.Pod{ObjectMeta: named("a", "p")}, &corev1.Node{ObjectMeta: named("", "n1")})...)
	volcano := volcanofake.NewSimpleClientset(&schedulingv1beta1.PodGroup{ObjectMeta: named("a", "g")},
		&schedulingv1beta1.Queue{ObjectMeta: named("", "q")})
	return Clients{Kube: kube, Volcano: volcano}, kube, volcano
}

func refuse(err error, in func(clienttesting.Action) bool) clienttesting.ReactionFunc {
	return func(a clienttesting.Action) (bool, runtime.Object, error) {
		return in(a), nil, err
	}
}

func everywhere(a clienttesting.Action) bool { return a.GetNamespace() == "" }

func forbidden(resource string) error {
	return apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", errors.New("no"))
}

func names(r *Read) (out []string) {
	for _, o := range r.Objects {
		out = append(out, strings.TrimPrefix(o.GetNamespace()+"/"+o.GetName(), "/"))
	}
	return out
}

func TestAllIsReadAndNothingWritten(t *testing.T) {
	c, kube, volcano := small()
	read, err := All(t.Context(), c, "a")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(read), []string{"n1", "a/p", "b/p", "a/g", "q"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	if len(read.Missing) > 0 || read.Partial {
		t.Errorf("missing are %v, partial is %t", read.Missing, read.Partial)
	}
	Configured(t.Context(), c)
	for _, a := range append(kube.Actions(), volcano.Actions()...) {
		if v := a.GetVerb(); v != "list" && v != "get" {
			t.Errorf("a request is %s %s", v, a.GetResource())
		}
	}
}

func TestPodsAreReadBeforeWhatTheyName(t *testing.T) {
	c, kube, volcano := small()
	var order []string
	seen := func(a clienttesting.Action) (bool, runtime.Object, error) {
		switch r := a.GetResource().Resource; r {
		case "pods", "podgroups", "queues", "nodes":
			order = append(order, r)
		}
		return false, nil, nil
	}
	kube.PrependReactor("list", "pods", seen)
	kube.PrependReactor("list", "nodes", seen)
	volcano.PrependReactor("list", "*", seen)
	if _, err := All(t.Context(), c, ""); err != nil {
		t.Fatal(err)
	}
	if want := []string{"pods", "podgroups", "queues", "nodes"}; !slices.Equal(order, want) {
		t.Errorf("read in the order %q, want %q", order, want)
	}
}

func TestARightThatIsMissingCostsOneKind(t *testing.T) {
	c, kube, _ := small()
	kube.PrependReactor("list", "persistentvolumes", refuse(forbidden("persistentvolumes"), everywhere))
	kube.PrependReactor("list", "csinodes", refuse(errors.New("the server is busy"), everywhere))
	read, err := All(t.Context(), c, "a")
	if err != nil || read.Partial {
		t.Fatalf("partial is %t, error %v", read.Partial, err)
	}
	var told []string
	for _, m := range read.Missing {
		told = append(told, m.String())
	}
	want := []string{"persistentvolumes: no right to list it; not known: where volumes allow pods to be",
		"csinodes.storage.k8s.io: the server is busy; not known: how many volumes each node takes"}
	if !slices.Equal(told, want) {
		t.Errorf("missing are\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
}

func TestATenantReadsItsNamespace(t *testing.T) {
	c, kube, volcano := small()
	kube.PrependReactor("list", "*", refuse(forbidden("pods"), everywhere))
	volcano.PrependReactor("list", "*", refuse(forbidden("podgroups"), everywhere))
	read, err := All(t.Context(), c, "a")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(read), []string{"a/p", "a/g"}; !slices.Equal(got, want) || !read.Partial {
		t.Errorf("read %q, want %q; partial is %t", got, want, read.Partial)
	}
	if got, want := read.Missing[0].String(), "pods outside namespace a: no right to list it; not known: which pods "+
		"wait, and what pods hold of nodes and queues"; got != want {
		t.Errorf("missing is %q, want %q", got, want)
	}
}

func TestWithoutVolcanosKindsTheRestIsRead(t *testing.T) {
	c, _, volcano := small()
	volcano.PrependReactor("list", "*", refuse(apierrors.NewNotFound(schema.GroupResource{}, ""), everywhere))
	read, err := All(t.Context(), c, "a")
	if err != nil || read.Partial || len(read.Objects) != 3 {
		t.Fatalf("read %d objects, partial is %t, error %v", len(read.Objects), read.Partial, err)
	}
	if !strings.Contains(read.Missing[0].String(), "this API server does not serve it") {
		t.Errorf("missing are %v", read.Missing)
	}
}

func TestAFailureOfTheConnectionIsAnError(t *testing.T) {
	c, kube, _ := small()
	kube.PrependReactor("list", "pods", refuse(errors.New("connection refused"), everywhere))
	if _, err := All(t.Context(), c, "a"); err == nil || err.Error() != "list pods: connection refused" {
		t.Errorf("the error is %v", err)
	}
	kube.PrependReactor("list", "pods", refuse(apierrors.NewUnauthorized("who are you"), everywhere))
	if _, err := All(t.Context(), c, "a"); err == nil || !strings.Contains(err.Error(), "who are you") {
		t.Errorf("of somebody unknown the error is %v", err)
	}
}

// scheduler is a Deployment that runs one.
func scheduler(namespace, label, value string, command []string, args ...string) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: named(namespace, "scheduler")}
	d.Labels = map[string]string{label: value}
	d.Spec.Template.Spec = corev1.PodSpec{
		Containers: []corev1.Container{{Name: "c", Command: command, Args: args,
			VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/volcano.scheduler"}}}},
		Volumes: []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: "conf"}}}}},
	}
	return d
}

func conf(namespace string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: named(namespace, "conf"), Data: map[string]string{
		"volcano-scheduler.conf": "actions: allocate"}}
}

func TestTheConfigurationIsTheMountedOne(t *testing.T) {
	ours := scheduler("ashlar-system", "app.kubernetes.io/name", "ashlar", []string{"/ashlar", "scheduler"},
		"--scheduler-name=batch,volcano", "--scheduler-conf=/volcano.scheduler/volcano-scheduler.conf")
	volcanos := scheduler("volcano-system", "app", "volcano-scheduler", []string{"sh", "-c"},
		"/vc-scheduler --logtostderr --scheduler-conf=/volcano.scheduler/volcano-scheduler.conf -v=3 2>&1")
	elsewhere := scheduler("a-tenant", "app.kubernetes.io/name", "ashlar", []string{"/ashlar", "scheduler"},
		"--scheduler-name=mine", "--scheduler-conf=/volcano.scheduler/volcano-scheduler.conf")
	scaledDown := volcanos.DeepCopy()
	scaledDown.Spec.Replicas = new(int32)
	for name, of := range map[string]struct {
		objects []runtime.Object
		want    Configuration
	}{
		"beside Volcano's that is scaled to 0": {[]runtime.Object{elsewhere, conf("a-tenant"), scaledDown,
			conf("volcano-system")}, Configuration{Name: "a-tenant/conf", Text: "actions: allocate",
			Schedulers: []string{"mine"}}},
		"a tenant's beside Volcano's": {[]runtime.Object{elsewhere, conf("a-tenant"), volcanos, conf("volcano-system")},
			Configuration{Name: "volcano-system/conf", Text: "actions: allocate", Schedulers: []string{"volcano"}}},
		"in a namespace of its own": {[]runtime.Object{elsewhere, conf("a-tenant")}, Configuration{Name: "a-tenant/conf",
			Text: "actions: allocate", Schedulers: []string{"mine"}}},
		"ours": {[]runtime.Object{ours, conf("ashlar-system")}, Configuration{Name: "ashlar-system/conf",
			Text: "actions: allocate", Schedulers: []string{"batch", "volcano"}}},
		"Volcano's": {[]runtime.Object{volcanos, conf("volcano-system")}, Configuration{Name: "volcano-system/conf",
			Text: "actions: allocate", Schedulers: []string{"volcano"}}},
		"ours before Volcano's": {[]runtime.Object{volcanos, conf("volcano-system"), ours, conf("ashlar-system")},
			Configuration{Name: "ashlar-system/conf", Text: "actions: allocate", Schedulers: []string{"batch", "volcano"}}},
		"a ConfigMap that is not there": {[]runtime.Object{ours}, Configuration{Schedulers: []string{"batch", "volcano"},
			Why: "no deployment of Ashlar or of Volcano's scheduler mounts one that may be read"}},
		"none": {nil, Configuration{Why: "no deployment of Ashlar or of Volcano's scheduler mounts one that may be read"}},
	} {
		c, _, _ := small(of.objects...)
		got := Configured(context.Background(), c)
		if got.Name != of.want.Name || got.Text != of.want.Text || got.Why != of.want.Why ||
			!slices.Equal(got.Schedulers, of.want.Schedulers) {
			t.Errorf("%s: found %+v, want %+v", name, got, of.want)
		}
	}
}

func TestWithoutTheRightTheConfigurationIsNotFound(t *testing.T) {
	c, kube, _ := small()
	kube.PrependReactor("list", "deployments", refuse(forbidden("deployments"), func(clienttesting.Action) bool {
		return true
	}))
	if got := Configured(t.Context(), c); got.Name != "" || !strings.Contains(got.Why, "no right to read the deployment") {
		t.Errorf("found %+v", got)
	}
}
