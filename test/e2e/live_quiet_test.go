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
	pods, err := shared.kube.CoreV1().Pods(ns).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer pods.Stop()
	const rounds = 50
	var took []time.Duration
	for i := range rounds {
		p := pod(ns, fmt.Sprintf("quick-%d", i))
		p.Spec.SchedulerName = ns
		began := time.Now()
		create(t, p)
		took = append(took, awaitBound(t, pods.ResultChan(), p.Name, began))
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
	seen, err := shared.kube.CoreV1().Pods(ns).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer seen.Stop()
	var took []time.Duration
	for i := range 10 {
		p := pod(ns, fmt.Sprintf("%s-%d", name, i))
		p.Spec.SchedulerName = "nobody"
		began := time.Now()
		create(t, p)
		bind(t, ns, p.Name, node)
		took = append(took, awaitBound(t, seen.ResultChan(), p.Name, began))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// awaitBound returns how long after began a pod was seen with a node.
func awaitBound(t *testing.T, seen <-chan watch.Event, name string, began time.Time) time.Duration {
	t.Helper()
	late := time.After(mostPatience)
	for {
		select {
		case e := <-seen:
			if p, ok := e.Object.(*corev1.Pod); ok && p.Name == name && p.Spec.NodeName != "" {
				return time.Since(began)
			}
		case <-late:
			t.Fatalf("pod %s is not bound", name)
		}
	}
}
