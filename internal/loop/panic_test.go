package loop

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned/fake"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// The fake of Volcano's clients does not serve lists as watches. client-go's handlers of errors sleep until a time that
// another test's virtual time has set.
func TestMain(m *testing.M) {
	utilruntime.ErrorHandlers = nil
	if err := utilfeature.DefaultMutableFeatureGate.Set("WatchListClient=false"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// The loop outlives a cycle that panics: what led to it is saved, the job to blame is
// set aside, and the next cycle places the others.
func TestTheLoopOutlivesACycleThatPanics(t *testing.T) {
	kube := fake.NewClientset(
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "n"}, Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8"),
				corev1.ResourcePods: resource.MustParse("9")}}},
		waiting("fine"), waiting("poison"))
	groups := volcano.NewSimpleClientset()
	if err := makeQueues(t.Context(), groups, "default"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen, err := observe.New(observe.Options{Kube: kube, Volcano: groups, Adopt: true})
	if err != nil {
		t.Fatal(err)
	}
	l := (&loop{observer: seen, metrics: newMetrics(), health: &health{}, reported: newReported(), began: time.Now(),
		o: Options{DumpDir: t.TempDir(), Engine: []sched.Option{sched.WithPlugin(policy.Definition{Name: "poison",
			New: func(_ policy.Choice, l *ledger.Ledger) (any, error) { return poison{l}, nil }})}}.withDefaults(),
		conf: &configuration{profile: policy.Profile{Actions: []string{"enqueue", "allocate"},
			Tiers: [][]policy.Choice{{{Plugin: "poison"}, {Plugin: "gang"}, {Plugin: "proportion"}}}}},
		executor: execute.New(ctx, execute.Options{Clients: execute.Clients{Fast: []kubernetes.Interface{kube}, Slow: kube,
			Events: kube, Groups: groups, Figures: groups}})}).wire()
	if l.engine, err = l.conf.engine(l.o); err != nil {
		t.Fatal(err)
	}
	if err := l.input.recorder.start(); err != nil {
		t.Fatal(err)
	}
	seen.Start(ctx)
	synced := func(context.Context) (bool, error) {
		missing, _ := seen.Awaited(nil)
		return len(missing) == 0, nil
	}
	if err := wait.PollUntilContextTimeout(ctx, time.Millisecond, 20*time.Second, true, synced); err != nil {
		t.Fatal(err)
	}
	l.takeIn()
	l.decide() // panics inside
	l.decide()
	l.executor.Wait(ctx)
	var bound []string
	for _, a := range kube.Actions() {
		if a.GetSubresource() == "binding" {
			bound = append(bound, a.GetNamespace())
		}
	}
	if len(bound) != 1 {
		t.Errorf("%d bindings, want one, of the pod that is fine", len(bound))
	}
	if job := (ledger.JobKey{Namespace: "ns", Name: "poison", Adopted: true}); !l.rebuilds.leftOut.jobs[job] ||
		len(l.rebuilds.leftOut.jobs) != 1 {
		t.Errorf("set aside are %v, want %v", l.rebuilds.leftOut.jobs, job)
	}
	if saved, _ := filepath.Glob(filepath.Join(l.o.DumpDir, recordings, "*.json")); len(saved) != 1 {
		t.Errorf("saved are %v, want what led to the panic", saved)
	}
	cancel()
	seen.Shutdown()
	l.background.dumping.Lock() // until the recording is written
	panicsAgain(t, l)
}

// panicsAgain plays the recording that was saved when a cycle panicked: its last cycle panics.
func panicsAgain(t *testing.T, l *loop) {
	files, err := filepath.Glob(filepath.Join(l.o.DumpDir, recordings, "ashlar-incident-*-panic-*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v: saved are %v, want one recording", err, files)
	}
	r, err := recording.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var panicked any
	player := recording.Player{Make: func(recording.Setting) (*sched.Engine, error) { return l.conf.engine(l.o) },
		After: func(p *recording.Played) error { panicked = p.Panic; return nil }}
	if d, err := player.Play(r.Base, r.Next); d != nil || err != nil || panicked == nil {
		t.Errorf("%v, %v, panic %v: want that the last cycle panics again", d, err, panicked)
	}
	if about, err := os.Stat(files[0]); err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("%v: the mode is %v, want 0600", err, about.Mode())
	}
}

func waiting(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name),
		ResourceVersion: "1"},
		Spec: corev1.PodSpec{SchedulerName: "volcano", Containers: []corev1.Container{{Name: "c",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(
				"1")}}}}}}
}
