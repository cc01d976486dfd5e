package observe_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched/model"
)

// What belongs to which scheduler, as stathat.com/c/consistent v1.0.0 answered for the same
// names: it is what Volcano's scheduler asks.
func TestARingSharesAsVolcanos(t *testing.T) {
	names := []string{"train", "nightly", "train-0", "mpi-job", "worker-7f9c", "gpu-1", "gpu-2", "gpu-3", "cpu-1", "cpu-2",
		"node-17.example.com", "10.0.0.7", "podgroup-0b8f1b8c-9f3a-4a5e-8a54-3f1f0c7ce001-with-a-name-longer-than-64-bytes",
		""}
	many := make([]string, 64)
	for i := range many {
		many[i] = fmt.Sprint("job-", i)
	}
	for _, c := range []struct {
		base  string
		size  int
		names []string
		want  string // the index of each
	}{
		{"volcano-scheduler", 1, names, "00000000000000"},
		{"volcano-scheduler", 2, names, "11011000110100"},
		{"volcano-scheduler", 3, names, "11211000122122"},
		{"volcano-scheduler", 5, names, "11211400322322"},
		{"s", 7, many, "3664361310466345636315252400013413162454012300242313312466060654"},
	} {
		r, err := observe.NewRing(c.base+"-0", c.size)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, name := range c.names {
			fmt.Fprint(&got, r.Owner(name))
		}
		if got.String() != c.want {
			t.Errorf("%d schedulers %s-N have\n%s\nwant\n%s", c.size, c.base, got.String(), c.want)
		}
	}
}

// A pod with a name that is not in the ring has no share.
func TestAPodOutsideOfTheRingHasNothing(t *testing.T) {
	for _, pod := range []string{"", "scheduler", "scheduler-3", "scheduler-+1", "scheduler-01", "scheduler-7d9f-x2x4z"} {
		r, err := observe.NewRing(pod, 3)
		if !errors.Is(err, observe.ErrNoMember) || r.Index() >= 0 {
			t.Errorf("%q has index %d, error %v", pod, r.Index(), err)
		}
	}
	if r, err := observe.NewRing("a-b-scheduler-2", 3); err != nil || r.Index() != 2 || r.IndexOf("a-b-scheduler-0") != 0 {
		t.Errorf("index %d, error %v", r.Index(), err)
	}
}

// Three schedulers of a ring see each node, each pod that waits and each PodGroup once among
// them; a running pod holds room with its node's scheduler, even if its job belongs to another.
func TestSchedulersOfARingShareNodesAndJobs(t *testing.T) {
	const size = 3
	kube, groups := fake.NewClientset(), volcano.NewSimpleClientset()
	add := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 12 {
		n := machine(fmt.Sprint("node-", i))
		n.UID = ""
		add(kube.Tracker().Add(n))
		owner := []metav1.OwnerReference{{APIVersion: "batch.volcano.sh/v1alpha1", Kind: "Job", Name: fmt.Sprint("job-", i),
			UID: "u"}}
		add(groups.Tracker().Add(&schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "default",
			Name: fmt.Sprintf("job-%d-0b8f", i), OwnerReferences: owner}}))
		for _, role := range []string{"master", "worker"} {
			add(kube.Tracker().Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default",
				Name: fmt.Sprintf("job-%d-%s", i, role), OwnerReferences: owner,
				Annotations: map[string]string{schedulingv1beta1.KubeGroupNameAnnotationKey: fmt.Sprintf("job-%d-0b8f", i)}},
				Spec: corev1.PodSpec{SchedulerName: "volcano"}}))
		}
	}
	add(kube.Tracker().Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "lone"},
		Spec: corev1.PodSpec{SchedulerName: "volcano"}}))
	add(kube.Tracker().Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "runs"},
		Spec:   corev1.PodSpec{SchedulerName: "volcano", NodeName: "node-0"},
		Status: corev1.PodStatus{Phase: corev1.PodRunning}}))
	owners := map[string][]int{}
	for i := range size {
		ring, err := observe.NewRing(fmt.Sprintf("volcano-scheduler-%d", i), size)
		add(err)
		w := watchBoth(t, kube, groups, observe.Options{Ring: ring, Adopt: true})
		for _, f := range w.All() {
			if f.Object == nil {
				continue
			}
			if pod, is := f.Object.(*model.Pod); is && !pod.Ours {
				continue // holds room where it runs, and no more
			}
			name := string(f.Ref.Kind) + " " + f.Ref.Name
			owners[name] = append(owners[name], i)
		}
	}
	if got := len(owners); got != 12+12+24+2 {
		t.Errorf("of %d objects somebody sees %d: %v", 12+12+24+2, got, owners)
	}
	ring, _ := observe.NewRing("volcano-scheduler-0", size)
	for name, has := range owners {
		if len(has) != 1 {
			t.Errorf("%s belongs to %v, want one scheduler", name, has)
		}
		kind, key, _ := strings.Cut(name, " ")
		if strings.HasPrefix(key, "job-") {
			key = strings.Join(strings.Split(key, "-")[:2], "-") // its owner
		}
		if want := ring.Owner(key); has[0] != want {
			t.Errorf("%s %s belongs to %d, want %d", kind, key, has[0], want)
		}
	}
}
