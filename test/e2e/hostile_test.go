package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"ashlar.sh/internal/loop"
)

// heavy is the environment by which the tests of hostile objects take their full number: 10 000
// queues and not 500, which takes minutes to make.
const heavy = "ASHLAR_E2E_HEAVY"

// Somebody else's objects, however many and however wrong, leave a tenant's pods as quick as they
// were, and get nothing by being wrong.
func TestHostileObjectsHurtOnlyTheirOwner(t *testing.T) {
	queues := 500
	if os.Getenv(heavy) == "1" {
		queues = 10_000
	}
	cases := map[string]struct {
		conf string
		make func(t *testing.T, ns string)
		none string // the pods with names that begin so must not be bound
	}{
		"queues in circles":              {"capacity", circles, "circle"},
		"amounts beyond all bounds":      {"proportion", giants, "giant"},
		"labels and annotations by tons": {"proportion", encyclopedias, "never"},
		"many queues that want it all":   {"proportion", func(t *testing.T, ns string) { crowd(t, ns, queues) }, "never"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			ns := namespace(t)
			node(t, ns+"-a", "110")
			weighted(t, ns, 1000) // what it deserves is not what is tested
			file := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
			conf := "actions: \"enqueue, allocate, backfill\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n" +
				"- plugins:\n  - name: predicates\n  - name: " +
				c.conf + "\n  - name: nodeorder\n"
			if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
				t.Fatal(err)
			}
			at := address(t)
			live(t, ns, func(o *loop.Options) { o.ConfigFile, o.Addresses.Metrics = file, at })
			before := quickness(t, ns, "before")
			c.make(t, ns)
			began := cycles(at)
			after := quickness(t, ns, "after")
			ended := cycles(at)
			t.Logf("%.0f cycles of %.2f ms meanwhile", ended.count-began.count,
				(ended.sum-began.sum)/max(1, ended.count-began.count))
			alone := plain(t, ns, ns+"-a", "plain")
			t.Logf("half of a tenant's pods are bound within %v before and %v after; by a client that only binds within %v",
				before, after, alone)
			if after > time.Second+5*alone {
				t.Errorf("half of a tenant's pods took more than %v, and %v before, %v by a client that only binds", after, before,
					alone)
			}
			if n := bound(list(t, ns, c.none)); n != 0 {
				t.Errorf("%d pods of %s are bound, want none", n, c.none)
			}
		})
	}
}

// cost is how many cycles a scheduler has had, and how many milliseconds they took.
type cost struct{ count, sum float64 }

// cycles reads what a scheduler's cycles have cost from its metrics.
func cycles(at string) (c cost) {
	for line := range strings.Lines(fetch("http://" + at + "/metrics")) {
		for name, to := range map[string]*float64{"_sum ": &c.sum, "_count ": &c.count} {
			if text, is := strings.CutPrefix(line, "volcano_e2e_scheduling_latency_milliseconds"+name); is {
				*to, _ = strconv.ParseFloat(strings.TrimSpace(text), 64) // a figure
			}
		}
	}
	return c
}

// quickness is how long half of some pods took at most from their creation to the sight of a node,
// one after the other.
func quickness(t *testing.T, ns, name string) time.Duration {
	t.Helper()
	var took []time.Duration
	for i := range 11 {
		submit(t, ns, ns, fmt.Sprintf("%s-%d", name, i), 0, 1, "1")
		p := member(ns, fmt.Sprintf("%s-%d", name, i), 0, "1")
		p.Spec.SchedulerName = ns
		took = append(took, timeToBind(t, p, func() {}))
	}
	slices.Sort(took[1:]) // the first waits for the scheduler's start
	return took[1+len(took[1:])/2]
}

// foreign makes a cluster-wide or namespaced object and removes it with the test.
func foreign(t *testing.T, ns string, o *unstructured.Unstructured) {
	t.Helper()
	if o.GetKind() == "PodGroup" {
		if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(), o,
			metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		return
	}
	queues := shared.dynamic.Resource(queueResource)
	if _, err := queues.Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = queues.Delete(context.Background(), o.GetName(), metav1.DeleteOptions{}) }) // one of many
}

// circles makes queues that are their own ancestors, one with a parent that does not exist, and jobs in them.
func circles(t *testing.T, ns string) {
	t.Helper()
	parents := map[string]string{"-x": "-y", "-y": "-z", "-z": "-x", "-self": "-self", "-orphan": "-nobody"}
	for name, parent := range parents {
		foreign(t, ns, object("Queue", ns+name, map[string]any{"weight": int64(1), "parent": ns + parent}))
		submit(t, ns, ns+name, "circle"+name, 2, 1, "1")
	}
}

// giants makes a queue and jobs of amounts that no 64 bits hold, and a gang of two billion.
func giants(t *testing.T, ns string) {
	t.Helper()
	huge := "1e30"
	foreign(t, ns, object("Queue", ns+"-huge", map[string]any{"weight": int64(65535),
		"capability": map[string]any{"cpu": huge}, "guarantee": map[string]any{"resource": map[string]any{"cpu": huge}}}))
	submit(t, ns, ns+"-huge", "giant-gang", 3, 2147483647, "1")
	foreign(t, ns, object("PodGroup", "giant-min", map[string]any{"minMember": int64(1), "queue": ns + "-huge",
		"minResources": map[string]any{"cpu": "1e16", "memory": "9223372036854775807"}}))
	for i, cpu := range []string{"1e16", "9e18", "8Ei", "99999999999999999999999", huge} {
		p := member(ns, "giant-min", i, "1")
		p.Spec.SchedulerName = ns
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
		create(t, p)
	}
}

// encyclopedias makes objects as large as the API server takes them.
func encyclopedias(t *testing.T, ns string) {
	t.Helper()
	for i := range 5 {
		g := object("PodGroup", fmt.Sprintf("novel-%d", i), map[string]any{"minMember": int64(1), "queue": ns})
		g.SetAnnotations(map[string]string{"novel": strings.Repeat("once upon a time ", 14_000)})
		foreign(t, ns, g)
		p := member(ns, g.GetName(), 0, "1")
		p.Spec.SchedulerName = ns
		p.Labels = map[string]string{}
		for l := range 2000 {
			p.Labels[fmt.Sprintf("example.com/label-%d", l)] = fmt.Sprint("value-", i*l)
		}
		for n := range 500 {
			p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: fmt.Sprint("key-", n), Value: fmt.Sprint(i),
				Operator: corev1.TolerationOpEqual, Effect: corev1.TaintEffectNoSchedule})
		}
		create(t, p)
	}
}

// crowd makes many queues, one in ten with a job that wants more than there is.
func crowd(t *testing.T, ns string, queues int) {
	t.Helper()
	for i := range queues {
		foreign(t, ns, object("Queue", fmt.Sprintf("%s-crowd-%d", ns, i), map[string]any{"weight": int64(1)}))
		if i%10 == 0 {
			submit(t, ns, fmt.Sprintf("%s-crowd-%d", ns, i), fmt.Sprint("crowd-", i), 1, 1, "200")
		}
	}
}
