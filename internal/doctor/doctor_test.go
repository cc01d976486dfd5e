package doctor

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	volcanofake "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/inspect"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// visit is a cluster with all kinds, in which everything is allowed.
func visit(objects ...runtime.Object) (*Visit, *fake.Clientset) {
	kube := fake.NewClientset(objects...)
	discovery := kube.Discovery().(*fakediscovery.FakeDiscovery)
	discovery.FakedServerVersion = &version.Info{Major: "1", Minor: "36", GitVersion: "v1.36.1"}
	for _, k := range served {
		i := slices.IndexFunc(discovery.Resources,
			func(l *metav1.APIResourceList) bool { return l.GroupVersion == k.version })
		if i < 0 {
			i = len(discovery.Resources)
			discovery.Resources = append(discovery.Resources, &metav1.APIResourceList{GroupVersion: k.version})
		}
		list := discovery.Resources[i]
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: k.resource},
			metav1.APIResource{Name: k.resource + "/status"})
	}
	kube.PrependReactor("create", "subjectaccessreviews", func(a clienttesting.Action) (bool, runtime.Object, error) {
		review := a.(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview)
		review.Status.Allowed = true
		return true, review, nil
	})
	return &Visit{Clients: inspect.Clients{Kube: kube, Volcano: volcanofake.NewSimpleClientset()},
		Now: func() time.Time { return noon }, Version: "v1", Unread: "too little may be read"}, kube
}

// installed is a scheduler that runs in a namespace.
func installed(namespace, label, value string, ready int32, args ...string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "scheduler",
		Labels: map[string]string{label: value}}, Status: appsv1.DeploymentStatus{ReadyReplicas: ready},
		Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{ServiceAccountName: "s",
			Containers: []corev1.Container{{Name: "c", Image: "i:v1", Args: args}}}}}}
}

func ours(ready int32, args ...string) *appsv1.Deployment {
	return installed("ashlar-system", "app.kubernetes.io/name", "ashlar", ready, args...)
}

func volcanos(ready int32, args ...string) *appsv1.Deployment {
	return installed("volcano-system", "app", "volcano-scheduler", ready, args...)
}

// check is one look of an examination.
func check(t *testing.T, v *Visit, name string) Check {
	t.Helper()
	for _, c := range Examine(t.Context(), v).Checks {
		if c.Name == name {
			if c.Status != OK && c.Do == "" {
				t.Errorf("%s does not say what to do: %+v", name, c)
			}
			return c
		}
	}
	t.Fatalf("there is no look %s", name)
	return Check{}
}

func is(t *testing.T, c Check, status Status, words string) {
	t.Helper()
	if text := c.Message + "; " + strings.Join(c.Details, "; "); c.Status != status || !strings.Contains(text, words) {
		t.Errorf("%s is %s: %s; want %s with %q", c.Name, c.Status, text, status, words)
	}
}

func forbid(kube *fake.Clientset, verb, what string) {
	kube.PrependReactor(verb, what, func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: what}, "", errors.New("no"))
	})
}

func TestKindsThatAreNotServed(t *testing.T) {
	v, kube := visit()
	is(t, check(t, v, "crds"), OK, "all 6 kinds")
	discovery := kube.Discovery().(*fakediscovery.FakeDiscovery)
	all := discovery.Resources
	discovery.Resources = slices.DeleteFunc(slices.Clone(all), func(l *metav1.APIResourceList) bool {
		return strings.HasPrefix(l.GroupVersion, "topology")
	})
	is(t, check(t, v, "crds"), Warning, "hypernodes.topology.volcano.sh is not served in topology.volcano.sh/v1alpha1: "+
		"network topologies of jobs are not heeded")
	discovery.Resources = append(all[1:len(all):len(all)], &metav1.APIResourceList{
		GroupVersion: "scheduling.volcano.sh/v1alpha2", APIResources: []metav1.APIResource{{Name: "queues"}}})
	is(t, check(t, v, "crds"), Failure, "it is in scheduling.volcano.sh/v1alpha2, of another version of Volcano")
	discovery.Resources = slices.Clone(all)
	last := *all[len(all)-1]
	last.APIResources = last.APIResources[:1]
	discovery.Resources[len(all)-1] = &last
	is(t, check(t, v, "crds"), Warning, "bookings.ashlar.sh: its CRD is older than this program")
	discovery.Resources = all[:len(all)-1]
	is(t, check(t, v, "crds"), Warning, "no nodes can be booked in advance")
}

func TestTwoSchedulersOnOneName(t *testing.T) {
	for name, c := range map[string]struct {
		objects []runtime.Object
		status  Status
		words   string
	}{
		"none":              {nil, Warning, "no deployment of Ashlar or of Volcano's scheduler is there"},
		"one":               {[]runtime.Object{ours(1)}, OK, "1 ready"},
		"one that is down":  {[]runtime.Object{ours(0)}, Failure, "no scheduler is ready"},
		"two names":         {[]runtime.Object{ours(1, "--scheduler-name=a"), volcanos(1)}, OK, "2 ready"},
		"both elect":        {[]runtime.Object{ours(1), volcanos(1)}, Warning, "depends on their Leases"},
		"one acts at once":  {[]runtime.Object{ours(1), volcanos(1, "--leader-elect=false")}, Failure, "several schedulers"},
		"the other is down": {[]runtime.Object{ours(1), volcanos(0, "--leader-elect=false")}, OK, "1 ready"},
	} {
		t.Run(name, func(t *testing.T) {
			v, _ := visit(c.objects...)
			is(t, check(t, v, "schedulers"), c.status, c.words)
		})
	}
}

func TestRightsOfTheScheduler(t *testing.T) {
	v, kube := visit(ours(1))
	is(t, check(t, v, "rights"), OK, "system:serviceaccount:ashlar-system:s may do all ")
	lacks := func(resource, sub string) {
		kube.PrependReactor("create", "subjectaccessreviews", func(a clienttesting.Action) (bool, runtime.Object, error) {
			review := a.(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview)
			if r := review.Spec.ResourceAttributes; r.Resource == resource && r.Subresource == sub {
				return true, review, nil
			}
			return false, nil, nil
		})
	}
	lacks("csinodes", "")
	is(t, check(t, v, "rights"), Warning, "no right to list csinodes.storage.k8s.io")
	lacks("pods", "binding")
	is(t, check(t, v, "rights"), Failure, "no right to create pods/binding")
	forbid(kube, "create", "subjectaccessreviews")
	is(t, check(t, v, "rights"), NotAllowed, "you may list none")
}

// Anybody may label a Deployment in a namespace of their own: the rights are those of the scheduler that is where
// schedulers are installed.
func TestRightsBesideADeploymentOfATenant(t *testing.T) {
	v, kube := visit(installed("a-tenant", "app.kubernetes.io/name", "ashlar", 1, "--scheduler-name=mine"), ours(1))
	kube.PrependReactor("create", "subjectaccessreviews", func(a clienttesting.Action) (bool, runtime.Object, error) {
		review := a.(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview)
		return strings.Contains(review.Spec.User, "a-tenant"), review, nil
	})
	is(t, check(t, v, "rights"), OK, "system:serviceaccount:ashlar-system:s may do all ")
}

func TestLeasesThatAreNotRenewed(t *testing.T) {
	holder, lasts := "pod-1", int32(15)
	lease := func(ago time.Duration) *coordinationv1.Lease {
		at := metav1.NewMicroTime(noon.Add(-ago))
		return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "ashlar-system", Name: "volcano"},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &lasts, RenewTime: &at}}
	}
	v, _ := visit(ours(1), lease(3*time.Second))
	is(t, check(t, v, "leases"), OK, "held by pod-1")
	v, _ = visit(ours(1), lease(time.Minute))
	is(t, check(t, v, "leases"), Warning, "renewed 1m0s ago")

	// A Lease has the time of the cluster: this machine's clock may be ahead of it.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", noon.Add(-time.Minute).Format(http.TimeFormat))
	}))
	defer server.Close()
	v.HTTP, v.Host = server.Client(), server.URL
	is(t, check(t, v, "leases"), OK, "held by pod-1")
}

// A scheduler that no Deployment shows is seen by the Lease that it renews, as under make cluster.
func TestASchedulerWithoutADeployment(t *testing.T) {
	holder, lasts := "host_7d0c", int32(15)
	lease := func(namespace string, ago time.Duration) *coordinationv1.Lease {
		at := metav1.NewMicroTime(noon.Add(-ago))
		return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "volcano"},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &lasts, RenewTime: &at}}
	}
	v, _ := visit(lease("kube-system", 3*time.Second))
	c := check(t, v, "schedulers")
	is(t, c, OK, "a scheduler runs without a Deployment")
	is(t, c, OK, "host_7d0c renews the Lease kube-system/volcano")
	v, _ = visit(lease("kube-system", 3*time.Second))
	is(t, check(t, v, "leases"), OK, "held by host_7d0c")
	v, _ = visit(lease("kube-system", time.Hour))
	is(t, check(t, v, "schedulers"), Warning, "no deployment")
	v, _ = visit(lease("tenant", 3*time.Second)) // anybody may make one there
	is(t, check(t, v, "schedulers"), Warning, "no deployment")
}

func TestDeadWebhooks(t *testing.T) {
	hook := func(policy admissionv1.FailurePolicyType, group string) *admissionv1.ValidatingWebhookConfiguration {
		return &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "jobs"},
			Webhooks: []admissionv1.ValidatingWebhook{{Name: "validate", FailurePolicy: &policy,
				ClientConfig: admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: "v", Name: "s"}},
				Rules: []admissionv1.RuleWithOperations{{Rule: admissionv1.Rule{APIGroups: []string{group},
					Resources: []string{"pods"}}}}}}}
	}
	ready := true
	slice := &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Namespace: "v", Name: "s-1",
		Labels: map[string]string{discoveryv1.LabelServiceName: "s"}},
		Endpoints: []discoveryv1.Endpoint{{Conditions: discoveryv1.EndpointConditions{Ready: &ready}}}}
	for name, c := range map[string]struct {
		objects []runtime.Object
		status  Status
		words   string
	}{
		"answered":        {[]runtime.Object{hook(admissionv1.Fail, ""), slice}, OK, "by a service, and it is answered"},
		"dead, refuses":   {[]runtime.Object{hook(admissionv1.Fail, "")}, Failure, "what it is about is refused"},
		"dead, passes":    {[]runtime.Object{hook(admissionv1.Ignore, "scheduling.volcano.sh")}, Warning, "waits for it"},
		"of other kinds":  {[]runtime.Object{hook(admissionv1.Fail, "example.com")}, OK, "no webhook"},
		"none are there ": {nil, OK, "no webhook"},
	} {
		t.Run(name, func(t *testing.T) {
			v, _ := visit(c.objects...)
			is(t, check(t, v, "webhooks"), c.status, c.words)
		})
	}
	v, kube := visit()
	forbid(kube, "list", "validatingwebhookconfigurations")
	is(t, check(t, v, "webhooks"), NotAllowed, "no right to list webhooks")
}

func TestClocks(t *testing.T) {
	for skew, want := range map[time.Duration]Status{0: OK, 5 * time.Second: Warning, -5 * time.Second: Warning,
		time.Minute: Failure} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", noon.Add(-skew).Format(http.TimeFormat))
		}))
		v, _ := visit()
		v.HTTP, v.Host = server.Client(), server.URL
		is(t, check(t, v, "clock"), want, "API server")
		server.Close()
	}
	at := func(name string, ago time.Duration) *coordinationv1.Lease {
		renewed := metav1.NewMicroTime(noon.Add(-ago))
		return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-node-lease", Name: name},
			Spec: coordinationv1.LeaseSpec{RenewTime: &renewed}}
	}
	v, _ := visit(at("n1", 5*time.Second))
	is(t, check(t, v, "nodes"), OK, "1 node is heard of, and its clock is not ahead")
	v, _ = visit(at("n1", 5*time.Second), at("n2", -time.Minute), at("n3", time.Hour))
	c := check(t, v, "nodes")
	is(t, c, Warning, "node n2: its clock is 1m0s ahead")
	is(t, c, Warning, "node n3: not heard of for 1h0m0s")
}

func TestQueuesAndGates(t *testing.T) {
	v, _ := visit()
	is(t, check(t, v, "queues"), NotAllowed, "too little may be read")
	is(t, check(t, v, "gates"), NotAllowed, "too little may be read")
	e, err := sched.New(policy.Profile{Actions: []string{"allocate"}})
	if err != nil {
		t.Fatal(err)
	}
	tell := func(q model.Queue) {
		q.UID, q.Weight = q.Name, 1
		e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: q.Name}, UID: q.Name, Version: 1, Object: &q})
	}
	tell(model.Queue{Meta: model.Meta{Name: "good"}})
	tell(model.Queue{Meta: model.Meta{Name: "shut"}, State: model.QueueClosed})
	gated := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p",
		CreationTimestamp: metav1.NewTime(noon.Add(-30 * time.Minute))}}
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}}
	v.State = &State{Engine: e, Pods: []*corev1.Pod{gated}}
	is(t, check(t, v, "queues"), OK, "but for 1 that are closed")
	is(t, check(t, v, "gates"), OK, "no pod")
	tell(model.Queue{Meta: model.Meta{Name: "orphan"}, Parent: "gone"})
	tell(model.Queue{Meta: model.Meta{Name: "zero"}, Capability: resource.List{{Name: "cpu", Value: 0}}})
	gated.CreationTimestamp = metav1.NewTime(noon.Add(-2 * time.Hour))
	c := check(t, v, "queues")
	is(t, c, Warning, "queue zero: it may hold no cpu")
	is(t, c, Warning, "2 of ")
	is(t, check(t, v, "gates"), Warning, "pod a/p: gate example.com/quota, for 2h0m0s")
}

// Each look is on the page.
func TestEachLookIsInTheDocs(t *testing.T) {
	docs, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	v, _ := visit()
	checks := Examine(t.Context(), v).Checks
	for _, c := range checks {
		if strings.Count(string(docs), "\n| `"+c.Name+"` |") != 1 {
			t.Errorf("docs/doctor.md has no row of look %s, or several", c.Name)
		}
	}
	if rows := strings.Count(string(docs), "\n| `"); rows != len(checks) {
		t.Errorf("docs/doctor.md has %d rows for %d looks", rows, len(checks))
	}
}
