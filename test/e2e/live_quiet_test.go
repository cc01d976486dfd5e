package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
)

func copyConfig() *rest.Config { return rest.CopyConfig(shared.Config) }

// noneLeaves waits, within patience, until no pod in the cluster is being deleted: what frees room soon is part of what
// a job is refused for, and of other tests' pods some may be left.
func noneLeaves(t *testing.T) {
	t.Helper()
	var leaves string
	if err := waits(t.Context(), func(ctx context.Context) (bool, error) {
		pods, err := shared.kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		at := slices.IndexFunc(pods.Items, func(p corev1.Pod) bool { return p.DeletionTimestamp != nil })
		if at >= 0 {
			leaves = pods.Items[at].Namespace + "/" + pods.Items[at].Name
		}
		return at < 0, nil
	}); err != nil {
		t.Logf("pod %s of another test still leaves: %v", leaves, err)
	}
}

// A cluster at rest, with one gang that runs and one that waits, is not written to.
func TestLiveAtRestNothingIsWritten(t *testing.T) {
	ns := namespace(t)
	noneLeaves(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	var w wire
	live(t, ns, w.on)
	submit(t, ns, ns, "runs", 2, 2, "1")
	submit(t, ns, ns, "waits", 2, 2, "3")
	awaitRunning(t, ns, "runs", 2)
	awaitCondition(t, ns, "waits", "Unschedulable")
	silent(t, &w)
	last := len(w.written())
	const periods = 3
	quiet := time.NewTimer(periods * time.Second)
	<-quiet.C
	if now := w.written(); len(now) != last {
		t.Errorf("%d writes in %d periods at rest: %v", len(now)-last, periods, now[last:])
	}
	t.Logf("%d writes in all for two gangs of two: %v", last, w.written())
}

// A pod on a quiet cluster is bound at once. The figures are printed; the limit only
// catches what is wrong by an order of magnitude, for machines differ, and so does what
// else they do: a client that only binds is timed beside it.
func TestLiveAPodOnAQuietCluster(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "110")
	live(t, ns)
	const rounds = 50
	var took []time.Duration
	for i := range rounds {
		p := pod(ns, fmt.Sprintf("quick-%d", i))
		p.Spec.SchedulerName = ns
		took = append(took, timeToBind(t, p, func() {}))
	}
	took = took[1:] // the first waits for the scheduler's start
	slices.Sort(took)
	alone := plain(t, ns, ns+"-a", "plain")
	t.Logf("from a pod's creation to the sight of its node, over %d pods: half within %v, 99 of 100 within %v",
		len(took), took[len(took)/2], took[len(took)*99/100])
	if most := took[len(took)/2]; most > 500*time.Millisecond+5*alone {
		t.Errorf("half of the pods took more than %v, and %v when a client did nothing but bind them", most, alone)
	}
}

// plain is how long half of some pods took at most from their creation to the sight of their
// node when the test itself bound them: what the API server and the machine take.
func plain(t *testing.T, ns, node, name string) time.Duration {
	t.Helper()
	var took []time.Duration
	for i := range 10 {
		p := pod(ns, fmt.Sprintf("%s-%d", name, i))
		p.Spec.SchedulerName = "nobody"
		took = append(took, timeToBind(t, p, func() { bind(t, ns, p.Name, node) }))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// timeToBind makes a pod, calls made, and returns how long after it began a watch saw the pod's node.
func timeToBind(t *testing.T, p *corev1.Pod, made func()) time.Duration {
	t.Helper()
	bound := binding(t, p.Namespace, p.Name)
	began := time.Now()
	create(t, p)
	made()
	return bound().Sub(began)
}

// binding begins a watch of one pod, and returns a function that waits until it tells of the pod's node, and returns
// when that was. Of one pod alone, since the API server ends watches that fall behind; what has ended all the same is
// begun anew.
func binding(t *testing.T, ns, name string) (bound func() time.Time) {
	t.Helper()
	begin := func() watch.Interface {
		seen, err := shared.kube.CoreV1().Pods(ns).Watch(t.Context(),
			metav1.ListOptions{FieldSelector: "metadata.name=" + name})
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	seen := begin()
	return func() time.Time {
		t.Helper()
		defer func() { seen.Stop() }()
		late := time.After(mostPatience)
		for {
			select {
			case e, open := <-seen.ResultChan():
				if !open {
					seen = begin()
				} else if p, is := e.Object.(*corev1.Pod); is && p.Spec.NodeName != "" {
					return time.Now()
				}
			case <-late:
				t.Fatalf("pod %s is not bound after %v\n%s", name, mostPatience, situation(t, shared.kube, shared.dynamic))
			}
		}
	}
}
