package loop

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"ashlar.sh/internal/kube/observe"
)

// schedulerPod is a pod as Volcano's chart makes its scheduler's.
func schedulerPod(name, image string, args ...string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "volcano-system", Name: name,
		Labels: map[string]string{"app": "volcano-scheduler"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "scheduler", Image: image,
			Args: append([]string{"--logtostderr", "--scheduler-conf=/volcano.scheduler/volcano-scheduler.conf", "-v=3", "2>&1"},
				args...)}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning}}
}

// startedAt has a pod show that its container was started in a second of the year 2026.
func startedAt(p *corev1.Pod, second int) *corev1.Pod {
	at := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC))
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "scheduler",
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}}}
	return p
}

// A pod on the host's network is called as its node. It does not wait for itself: its token names it.
func TestAPodKnowsItselfByItsToken(t *testing.T) {
	claims := base64.RawURLEncoding.EncodeToString([]byte(`{"kubernetes.io":{"pod":{"name":"own"}}}`))
	for name, c := range map[string]struct {
		token string
		waits bool
	}{
		"its token":   {"e30." + claims + ".c2ln", false},
		"none":        {"", true},
		"nonsense":    {"e30.%%%.c2ln", true},
		"of no pod":   {"e30.e30.c2ln", true},
		"cut in half": {"e30." + claims, true},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(file, []byte(c.token), 0o600); err != nil {
				t.Fatal(err)
			}
			kube := fake.NewClientset(startedAt(schedulerPod("own", "registry/ashlar:v1", "--leader-elect=false"), 1))
			l := (&loop{rivals: rivalSchedulers{kube: kube, token: file},
				o: Options{SchedulerNames: []string{"volcano"}}}).wire()
			if err := l.rivals.await(t.Context()); (err != nil) != c.waits {
				t.Errorf("it is told %v; want that it waits: %t", err, c.waits)
			}
		})
	}
}

// inRing makes of a scheduler's pod one of three that share nodes and jobs.
func inRing(p *corev1.Pod) *corev1.Pod {
	p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "MULTI_SCHEDULER_ENABLE", Value: "true"},
		{Name: "SCHEDULER_NUM", Value: "3"}}
	return p
}

// Of schedulers that share nodes and jobs by name the one with the same index is waited for,
// and every one that shares them otherwise.
func TestTheOthersOfARingAreNotWaitedFor(t *testing.T) {
	ring, err := observe.NewRing("volcano-scheduler-1", 3)
	if err != nil {
		t.Fatal(err)
	}
	pod := func(name string) *corev1.Pod {
		return schedulerPod(name, "volcanosh/vc-scheduler:v1.14.0", "--leader-elect=false")
	}
	for name, c := range map[string]struct {
		other *corev1.Pod
		waits bool
	}{
		"another index":              {inRing(pod("volcano-scheduler-2")), false},
		"the same index":             {inRing(pod("volcano-scheduler-1")), true},
		"a ring of another name":     {inRing(pod("scheduler-2")), true},
		"one that shares by nothing": {pod("volcano-scheduler-2"), true},
		"a ring of another size": {func() *corev1.Pod {
			p := inRing(pod("volcano-scheduler-2"))
			p.Spec.Containers[0].Env[1].Value = "4"
			return p
		}(), true},
	} {
		t.Run(name, func(t *testing.T) {
			l := (&loop{rivals: rivalSchedulers{kube: fake.NewClientset(c.other)},
				o: Options{SchedulerNames: []string{"volcano"}, Ring: ring}}).wire()
			if err := l.rivals.await(t.Context()); (err != nil) != c.waits {
				t.Errorf("it is told %v; want that it waits: %t", err, c.waits)
			}
		})
	}
}

// A scheduler waits for others before it decides anything.
func TestAnotherSchedulerThatActsIsWaitedFor(t *testing.T) {
	const volcanos, ours = "volcanosh/vc-scheduler:v1.14.0", "registry/ashlar:v1"
	host, err := os.Hostname()
	if err != nil {
		t.Skip("this machine has no name")
	}
	election := &Election{Namespace: "volcano-system", Name: "volcano"}
	for name, c := range map[string]struct {
		others   []*corev1.Pod
		election *Election
		want     string // of the error
	}{
		"none": {},
		"Volcano's during a rolling update, as its chart starts it": {
			others: []*corev1.Pod{schedulerPod("old", volcanos, "--leader-elect=false"),
				schedulerPod(host, ours, "--leader-elect=false")},
			want: "pod volcano-system/old runs a scheduler for volcano without a lease"},
		"Volcano's without election beside one of ours with it": {election: election,
			others: []*corev1.Pod{schedulerPod("old", volcanos, "--leader-elect=false")},
			want:   "without a lease"},
		"Volcano's that holds the same lease": {election: election,
			others: []*corev1.Pod{schedulerPod("old", volcanos, "--leader-elect=true", "--leader-elect-resource-namespace",
				"volcano-system")}},
		"Volcano's with a lease elsewhere": {election: &Election{Namespace: "ashlar-system", Name: "volcano"},
			others: []*corev1.Pod{schedulerPod("old", volcanos)},
			want:   "with the lease volcano-system/volcano, which is not this one's"},
		"one for other pods": {others: []*corev1.Pod{schedulerPod("old", volcanos, "--leader-elect=false",
			"--scheduler-name=other")}},
		"a replica of this one": {others: []*corev1.Pod{
			schedulerPod("twin", ours, "--leader-elect=false"), schedulerPod(host, ours, "--leader-elect=false")}},
		"a replica of this one that was started before, as while a Deployment is restarted": {others: []*corev1.Pod{
			startedAt(schedulerPod("old", ours, "--leader-elect=false"), 1),
			startedAt(schedulerPod(host, ours, "--leader-elect=false"), 2)},
			want: "pod volcano-system/old runs a scheduler for volcano without a lease"},
		"one that was started before, and whose start is shown before this one's": {others: []*corev1.Pod{
			startedAt(schedulerPod("old", ours, "--leader-elect=false"), 1), schedulerPod(host, ours, "--leader-elect=false")},
			want: "pod volcano-system/old"},
		"one that was started after": {others: []*corev1.Pod{
			startedAt(schedulerPod("new", ours, "--leader-elect=false"), 3),
			startedAt(schedulerPod(host, ours, "--leader-elect=false"), 2)}},
		"one that was started before and has crashed": {others: []*corev1.Pod{
			schedulerPod("old", ours, "--leader-elect=false"), startedAt(schedulerPod(host, ours, "--leader-elect=false"), 2)}},
		"one that was started before, with the same lease": {election: election, others: []*corev1.Pod{
			startedAt(schedulerPod("old", ours), 1), startedAt(schedulerPod(host, ours), 2)}},
		"one on a node that does not answer any more": {others: []*corev1.Pod{func() *corev1.Pod {
			p := schedulerPod("old", volcanos, "--leader-elect=false")
			long := metav1.NewTime(time.Now().Add(-time.Hour))
			p.DeletionTimestamp, p.Finalizers = &long, []string{"kept/here"}
			return p
		}()}},
		"one that is ending": {others: []*corev1.Pod{func() *corev1.Pod {
			p := schedulerPod("old", volcanos, "--leader-elect=false")
			soon := metav1.NewTime(time.Now().Add(10 * time.Second))
			p.DeletionTimestamp, p.Finalizers = &soon, []string{"kept/here"}
			return p
		}()}, want: "pod volcano-system/old"},
		"a pod that a tenant made to look like one": {others: []*corev1.Pod{func() *corev1.Pod {
			p := schedulerPod("old", volcanos, "--leader-elect=false")
			p.Namespace = "tenant"
			return p
		}()}},
		"another program with that label": {others: []*corev1.Pod{{
			ObjectMeta: metav1.ObjectMeta{Namespace: "volcano-system", Name: "web",
				Labels: map[string]string{"app": "volcano-scheduler"}},
			Spec:   corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}},
			Status: corev1.PodStatus{Phase: corev1.PodRunning}}}},
	} {
		t.Run(name, func(t *testing.T) {
			kube := fake.NewClientset()
			for _, p := range c.others {
				if err := kube.Tracker().Add(p); err != nil {
					t.Fatal(err)
				}
			}
			l := (&loop{rivals: rivalSchedulers{kube: kube}, o: Options{SchedulerNames: []string{"volcano"},
				Election: c.election}}).wire()
			switch err := l.rivals.await(t.Context()); {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// gauged is what a gauge shows.
func gauged(t *testing.T, g prometheus.Gauge) float64 {
	t.Helper()
	var is dto.Metric
	if err := g.Write(&is); err != nil {
		t.Fatal(err)
	}
	return is.GetGauge().GetValue()
}

// A scheduler that comes while this one acts is told of, once, and so is that it has gone. Deciding goes on.
func TestAnotherSchedulerThatComesLaterIsToldOf(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		beside := func() float64 { return gauged(t, w.loop.metrics.beside) }
		lines := klogged(t, "2", func() {
			w.after(lookAgain)
			w.must(w.core.Create(podsKind, schedulerPod("restored", "volcanosh/vc-scheduler:v1.14.0", "--leader-elect=false"),
				volcanosNamespace))
			if beside() != 0 {
				t.Errorf("the metric is %v before it has come, want 0", beside())
			}
			w.after(3 * lookAgain)
			if beside() != 1 {
				t.Errorf("the metric is %v while it is there, want 1", beside())
			}
			w.group("g", 1, "")
			w.pods("g", 0, 1, "1")
			w.after(5 * time.Second)
			if w.bound("g") != 1 {
				t.Error("a job that comes while it is there does not start")
			}
			w.must(w.core.Delete(podsKind, volcanosNamespace, "restored"))
			w.after(2 * lookAgain)
			if beside() != 0 {
				t.Errorf("the metric is %v when it has gone, want 0", beside())
			}
		})
		told := ""
		for _, line := range lines {
			if strings.Contains(strings.ToLower(line), "other scheduler") {
				told += line + "\n"
			}
		}
		if strings.Count(told, "\n") != 2 || !strings.Contains(told, "volcano-system/restored") {
			t.Errorf("it is told:\n%swant a line when it is there, which names its pod, and one when it has gone", told)
		}
	})
}
