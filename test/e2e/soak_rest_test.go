package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/test/e2e/faults"
)

// settling is how long an undisturbed cluster may take until it is at rest: nominations
// for victims that a fault kept last a minute, and so does a gang that cannot be completed.
const settling = 4 * time.Minute

// silence is for how long nothing may have been written before things are looked at. A long soak takes
// longer than anything that was begun before may take to be said (figures that stand still for ten
// seconds, a request that was met with silence, a pause after a refusal, records of pods that have run for half a
// minute), and then wants none at all.
func (s *soak) silence() time.Duration {
	if s.isLong() {
		return 40 * time.Second
	}
	return 3 * time.Second
}

func (s *soak) isLong() bool { return s.lasts >= 30*time.Second }

// settle waits until nothing has been written for a while and nothing is left to be said against how
// things stand; after a long soak nothing is written any more then.
func (s *soak) settle() {
	s.t.Helper()
	began, wrong := time.Now(), "it was never quiet"
	var counted *soakScheduler
	var noted *writes
	met, since := 0, time.Now()
	err := wait.PollUntilContextTimeout(s.ctx(), 100*time.Millisecond, settling, true,
		func(ctx context.Context) (bool, error) {
			s.controllers()
			if counted != s.scheduler {
				counted, noted, met, since = s.scheduler, s.noteWrites(), 0, time.Now()
			}
			if n := len(noted.all()); n != met || s.changed.After(since) {
				met, since = n, time.Now()
			}
			if time.Since(since) < s.silence() {
				return false, nil
			}
			if wrong = s.disagreement(ctx); wrong != "" {
				since = time.Now()
			}
			return wrong == "", nil
		})
	if err != nil {
		s.t.Fatalf("%v after everything calmed down it is not at rest: %s\n%s", time.Since(began), wrong,
			situation(s.t, s.kube, s.dynamic))
	}
	s.t.Logf("at rest %v after everything calmed down", time.Since(began))
	if !s.isLong() {
		return
	}
	pause := time.NewTimer(5 * time.Second)
	<-pause.C
	if lines := noted.all()[met:]; len(lines) > 0 {
		s.t.Errorf("at rest it wrote %v\n%s", lines, situation(s.t, s.kube, s.dynamic))
	}
}

// writes is what a scheduler has written.
type writes struct {
	mu    sync.Mutex
	lines []string
}

func (w *writes) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.lines)
}

// noteWrites notes what the scheduler writes from now on.
func (s *soak) noteWrites() *writes {
	noted := &writes{}
	s.scheduler.proxy.Inject(faults.Write, 1, 0, func(w http.ResponseWriter, r *http.Request, pass http.HandlerFunc) {
		noted.mu.Lock()
		noted.lines = append(noted.lines, r.Method+" "+r.URL.Path)
		noted.mu.Unlock()
		pass(w, r)
	})
	return noted
}

// disagreement is what is to be said against how things stand: a pod that neither runs nor says why,
// something that the scheduler does not know as the API server does, or something that it, or one that
// starts anew, would still decide. "" when there is nothing.
func (s *soak) disagreement(ctx context.Context) string {
	truth, err := s.facts(ctx)
	if err != nil {
		return err.Error()
	}
	known, err := s.dump(ctx)
	if err != nil {
		return err.Error()
	}
	fresh, err := s.decided(truth, sched.Commitments{})
	if err != nil {
		return err.Error()
	}
	same, err := s.decided(known.Facts, known.Commitments)
	if err != nil {
		return err.Error()
	}
	var wrong []string
	wrong = append(wrong, s.unlike(truth, known.Facts)...)
	wrong = append(wrong, still("one that starts anew", fresh.items)...)
	wrong = append(wrong, still("one with its commitments", same.items)...)
	wrong = append(wrong, same.engine.Audit()...)
	for _, j := range fresh.engine.Report().Jobs {
		if j.Namespace == s.ns && j.Tasks[model.Pending] > 0 && j.Reason.Code == "" {
			wrong = append(wrong, fmt.Sprintf("job %s waits for no reason", j.Name))
		}
	}
	unsaid, err := s.unsaid(ctx)
	if err != nil {
		return err.Error()
	}
	return strings.Join(append(wrong, unsaid...), "\n")
}

func still(name string, items []sched.Item) (out []string) {
	for _, i := range items {
		out = append(out, fmt.Sprintf("%s would still %v %s%s on %q %v", name, i.Kind, i.Pod, i.Group, i.Node, i.Phase))
	}
	return out
}

// facts is what a new scheduler would learn from the API server.
func (s *soak) facts(ctx context.Context) ([]model.Fact, error) {
	volcano, err := versioned.NewForConfig(s.config)
	if err != nil {
		return nil, err
	}
	engine, err := s.conf.engine()
	if err != nil {
		return nil, err
	}
	w, err := observe.New(observe.Options{Kube: s.kube, Volcano: volcano, Adopt: true, Reads: engine.Reads,
		Translate: translate.Options{Schedulers: []string{s.ns}, DefaultQueue: model.DefaultQueue}})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer w.Shutdown()
	defer cancel()
	w.Start(ctx)
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		missing, _ := w.Awaited(nil)
		return len(missing) == 0, nil
	})
	facts, _ := w.Drain()
	return facts, err
}

// dump is what the scheduler knows and has decided.
func (s *soak) dump(ctx context.Context) (state recording.State, err error) {
	pid := s.scheduler.cmd.Process.Pid
	path := filepath.Join(s.scheduler.dumps, "ashlar-recordings", fmt.Sprintf("ashlar-dump-%d.json", pid))
	_ = os.Remove(path) // an older one would be believed
	if err := s.scheduler.cmd.Process.Signal(syscall.SIGUSR2); err != nil {
		return state, err
	}
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		_, err := os.Stat(path) // it is renamed when it is whole
		return err == nil, nil
	})
	if err != nil {
		return state, fmt.Errorf("the scheduler does not dump what it knows: %w", err)
	}
	return recording.ReadState(path)
}

// verdict is an engine after a cycle, and what it decided about the soak's objects.
type verdict struct {
	engine *sched.Engine
	items  []sched.Item
}

// decided has a fresh engine decide on facts and commitments.
func (s *soak) decided(facts []model.Fact, c sched.Commitments) (v verdict, err error) {
	if v.engine, err = s.conf.engine(); err != nil {
		return v, err
	}
	v.engine.Apply(facts...)
	v.engine.Restore(c)
	plan, _, _ := v.engine.Decide(time.Now().UnixNano())
	for _, i := range plan.Items {
		if i.Pod.Namespace == s.ns || i.Group.Namespace == s.ns {
			v.items = append(v.items, i)
		}
	}
	return v, nil
}

// unlike is what the scheduler knows otherwise than it is.
func (s *soak) unlike(truth, known []model.Fact) (out []string) {
	type life struct {
		uid     string
		version uint64
	}
	lives := func(facts []model.Fact) map[model.Ref]life {
		of := map[model.Ref]life{}
		for _, f := range facts {
			switch {
			case f.Object == nil, f.Ref.Kind == model.KindBackoff: // a pause is the scheduler's own
			case f.Ref.Namespace == s.ns:
				of[f.Ref] = life{f.UID, f.Version}
			case strings.HasPrefix(f.Ref.Name, s.ns):
				of[f.Ref] = life{uid: f.UID} // a node's heartbeats are no facts
			}
		}
		return of
	}
	is, believed := lives(truth), lives(known)
	for ref, l := range is {
		if believed[ref] != l {
			out = append(out, fmt.Sprintf("%s is %v, and the scheduler knows %v", ref, l, believed[ref]))
		}
	}
	for _, f := range known {
		b, ok := f.Object.(*model.Backoff)
		if !ok || b.Adopted {
			continue
		}
		if group := (model.Ref{Kind: model.KindPodGroup, Namespace: b.Namespace, Name: b.Name}); is[group].uid != b.UID {
			out = append(out, fmt.Sprintf("%s is gone, and the scheduler still has a pause of it", group))
		}
	}
	for ref, l := range believed {
		if _, there := is[ref]; !there {
			out = append(out, fmt.Sprintf("%s is gone, and the scheduler knows %v", ref, l))
		}
	}
	slices.Sort(out)
	return out
}

// unsaid are the pods that neither run nor say, nor their PodGroup, why not.
func (s *soak) unsaid(ctx context.Context) (out []string, err error) {
	pods, err := s.kube.CoreV1().Pods(s.ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	list, err := s.dynamic.Resource(podGroupResource).Namespace(s.ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	groups := map[string]bool{} // whether it says why it waits
	for i := range list.Items {
		g := typed(s.t, &list.Items[i], &schedulingv1beta1.PodGroup{})
		groups[g.Name] = slices.ContainsFunc(g.Status.Conditions, func(c schedulingv1beta1.PodGroupCondition) bool {
			return c.Type == schedulingv1beta1.PodGroupUnschedulableType && c.Status == corev1.ConditionTrue && c.Message != ""
		})
	}
	for _, p := range pods.Items {
		switch said, grouped := groups[p.Annotations["scheduling.k8s.io/group-name"]]; {
		case finished(&p):
		case p.DeletionTimestamp != nil:
			out = append(out, p.Name+" is still leaving")
		case p.Spec.NodeName != "":
			if p.Status.Phase == corev1.PodPending {
				out = append(out, p.Name+" is bound and does not run")
			}
		case said || saysWhy(p):
		case grouped || p.Annotations["scheduling.k8s.io/group-name"] == "":
			out = append(out, p.Name+" waits and nothing says why")
		}
	}
	return out, nil
}

// saysWhy says that a pod says why it is not scheduled.
func saysWhy(p corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason != "" && c.Message != ""
	})
}
