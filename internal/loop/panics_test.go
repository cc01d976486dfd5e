package loop

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// wire panics when it is touched for the nth time, or each nth time: a bug at that place.
type wire struct {
	mu    sync.Mutex
	at    int // 0: never
	again bool
	after bool     // taking in that a binding failed panics, once
	dead  bool     // it panics no more, and counts no more
	wrong bool     // audits find something, in each round
	log   []string // where it was touched
	where []string // where it panicked

	denied bool // an eviction failed
}

func (x *wire) touch(where string) {
	if x.panics(where) {
		panic(where)
	}
}

func (x *wire) panics(where string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.dead {
		return false
	}
	x.log = append(x.log, where)
	if x.after && where == "a book gives" && bytes.Contains(debug.Stack(), []byte(".(*Engine).Receive(")) {
		x.after = false
		x.where = append(x.where, where)
		return true
	}
	now := x.at > 0 && (len(x.log) == x.at || x.again && len(x.log)%x.at == 0)
	if now {
		x.where = append(x.where, where)
	}
	return now
}

func (x *wire) deny() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.denied = true
}

// cut ends the panics, and says whether an eviction failed meanwhile.
func (x *wire) cut() (denied bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dead = true
	return x.denied
}

// wired is a plugin with that bug: in its answers, and in its book while the engine takes
// facts or receipts in, decides, or is made anew.
type wired struct {
	x *wire
	l *ledger.Ledger
}

func (p wired) Open(*trace.Recorder) { p.x.touch("opening a plugin") }
func (p wired) Name() string         { return "wired" }
func (p wired) Take(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) {
	p.x.touch("a book takes")
}
func (p wired) Give(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) {
	p.x.touch("a book gives")
}
func (p wired) Enter(ledger.TaskID, *ledger.Task) { p.x.touch("a pod enters") }
func (p wired) Leave(ledger.TaskID, *ledger.Task) { p.x.touch("a pod leaves") }
func (p wired) Audit(func(func(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) bool)) []string {
	p.x.mu.Lock()
	defer p.x.mu.Unlock()
	if p.x.wrong && !p.x.dead {
		return []string{"a figure is not what it should be"}
	}
	return nil
}

func (p wired) ValidateJob(ledger.JobID) trace.Reason {
	p.x.touch("judging a job")
	return trace.Reason{}
}

func (p wired) Overused(ledger.QueueID) (trace.Reason, bool) {
	p.x.touch("judging a queue") // also when queues open their gates, after all actions
	return trace.Reason{}, false
}

// clockwork is a stopwatch with that bug: before and after every action and its commit.
type clockwork struct {
	policy.Stopwatch
	x *wire
	l *loop
}

func (c clockwork) Begin(p policy.Part, name string) {
	if c.x.wrong {
		c.l.background.auditAt = time.Time{}
	}
	c.x.touch("before " + name)
	c.Stopwatch.Begin(p, name)
}

func (c clockwork) End() {
	c.Stopwatch.End()
	c.x.touch("after a part of a cycle")
}

const wiredConfiguration = `actions: "enqueue, allocate, backfill, preempt"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: wired
  - name: predicates
  - name: proportion
  - name: nodeorder
`

// withWire has a cluster's scheduler run with that bug everywhere.
func withWire(w *living, x *wire) {
	path := filepath.Join(w.TempDir(), "conf")
	w.must(os.WriteFile(path, []byte(wiredConfiguration), 0o600))
	w.options.ConfigFile = path
	w.options.Plugins = []policy.Definition{{Name: "wired", New: func(_ policy.Choice, l *ledger.Ledger) (any, error) {
		p := wired{x, l}
		l.PluginStates.Add(p)
		return p, nil
	}}}
	w.spoil = func(l *loop, o *execute.Options) {
		l.conf.watch = clockwork{l.conf.watch, x, l}
		l.input.recorder.ring = recording.NewRing(24<<10, func() time.Time {
			x.touch("recording")
			return time.Now()
		})
		answered, urgent, group := o.Answered, o.Urgent, o.PodGroup
		o.Answered = func(i sched.Item, became sched.Outcome, took time.Duration) {
			x.touch("an answer")
			if i.Kind == sched.EvictPod && became == sched.Failed {
				x.deny()
			}
			answered(i, became, took)
		}
		o.Urgent = func(i sched.Item) bool {
			x.touch("between the items of a plan")
			return urgent(i)
		}
		o.PodGroup = func(namespace, name string) *schedulingv1beta1.PodGroup {
			x.touch("writing a PodGroup")
			return group(namespace, name)
		}
		o.Leading = func() bool {
			<-time.After(300 * time.Millisecond) // much happens while requests are under way
			x.touch("a request")
			return true
		}
	}
	for name, value := range map[string]int32{"low": 1, "high": 1000} {
		w.must(w.core.Create(schedulingv1.SchemeGroupVersion.WithResource("priorityclasses"),
			&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}, Value: value}, ""))
	}
}

// ranked makes a group of so many pods of so many cores each, of a priority class.
func (w *living) ranked(name, class string, members int, cpu string) {
	g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)},
		Spec: schedulingv1beta1.PodGroupSpec{MinMember: int32(members), Queue: "default", PriorityClassName: class}}
	w.must(w.groups.Create(groupsKind, g, "ns"))
	value := map[string]int32{"low": 1, "high": 1000}[class]
	for i := range members {
		p := waiting(fmt.Sprintf("%s-%d", name, i))
		p.UID = types.UID(fmt.Sprint(p.Name, time.Now().UnixNano()))
		p.Annotations = map[string]string{"scheduling.k8s.io/group-name": name}
		p.Spec.Priority, p.Spec.PriorityClassName = &value, class
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = cores(cpu)
		w.must(w.core.Create(podsKind, p, "ns"))
	}
}

// gated makes a pod that stands at the gate of its queue.
func (w *living) gated(group string) {
	w.group(group, 1, noOwner)
	p := waiting(group + "-0")
	p.Annotations = map[string]string{"scheduling.k8s.io/group-name": group, translate.QueueGate: "true"}
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: translate.QueueGate}}
	w.must(w.core.Create(podsKind, p, "ns"))
}

// busy is a history with everything in it that a plan can ask for and that interrupts it:
// evictions for a gang, a refused binding, a gate, a new configuration, a dump's worth of
// facts at once, a scheduler that is started anew.
func busy(w *living) {
	w.ranked("old", "low", 1, "6")
	w.ranked("older", "low", 1, "6")
	w.after(5 * time.Second)
	w.ranked("urgent", "high", 2, "6") // both have to leave for it
	w.after(5 * time.Second)
	w.refuse("late-0")
	w.gang("1")
	w.group("late", 1, noOwner)
	w.pods("late", 0, 1, "1")
	w.gated("gate")
	w.after(3 * time.Second)
	w.must(os.WriteFile(w.options.ConfigFile, []byte(wiredConfiguration+"  - name: binpack\n"), 0o600))
	w.after(5 * time.Second)
	w.refuse("")
	w.node("n2", "8")
	w.ranked("again", "low", 2, "4")
	w.after(500 * time.Millisecond)
	w.ends("urgent-0", corev1.PodSucceeded)
	w.restart()
	w.ranked("last", "low", 1, "3")
}

// atRest fails the test where something is wrong once all has come to rest.
func (w *living) atRest(runs []string) {
	w.Helper()
	w.after(5 * time.Minute)
	var waits []string
	for _, name := range runs {
		o, err := w.core.Get(podsKind, "ns", name)
		if err != nil {
			waits = append(waits, name+" (gone)")
			continue
		}
		if p := o.(*corev1.Pod); p.Spec.NodeName == "" || p.Status.Phase == "" {
			waits = append(waits, fmt.Sprintf("%s (on %q, %s)", name, p.Spec.NodeName, p.Status.Phase))
		}
	}
	if len(waits) > 0 {
		w.Errorf("these do not run: %v", waits)
	}
	if len(w.again) > 0 {
		w.Errorf("these were to be bound twice: %v", w.again)
	}
	w.end()
	w.end = func() {}
	e := w.loop.engine
	if c := e.Commitments(); len(c.Tasks)+len(c.Phases) > 0 {
		w.Errorf("these wait for ever: %+v, %+v", c.Tasks, c.Phases)
	}
	if w.loop.rebuilds.blind || len(w.loop.input.receipts) > 0 {
		w.Errorf("blind: %t; receipts that did not arrive: %+v", w.loop.rebuilds.blind, w.loop.input.receipts)
	}
	for _, finding := range e.Audit() {
		w.Errorf("audit: %s", finding)
	}
	again, ok := w.loop.rebuilds.made(recording.State{Facts: w.loop.observer.All()}, nil)
	if !ok {
		w.Fatal("no engine can be made of what is seen")
	}
	if was, is := holds(again), holds(e); !reflect.DeepEqual(was, is) {
		w.Errorf("the nodes hold\n%v, and by what is seen\n%v", is, was)
	}
	plan, _, _ := again.Decide(w.loop.now())
	for _, i := range plan.Items {
		if i.Kind != sched.SetPhase {
			w.Errorf("there was something to do still: %s %s on %s", i.Kind, i.Pod, i.Node)
		}
	}
}

// holds is what each node holds, by name.
func holds(e *sched.Engine) (out []string) {
	for _, n := range e.Report().Nodes {
		out = append(out, fmt.Sprint(n.Name, n.Used, n.Idle, n.Pipelined, n.Releasing))
	}
	slices.Sort(out)
	return out
}

// Whatever panics, and wherever: while facts or receipts are taken in, in a cycle, between
// the items of a plan, while it is carried out, while the engine is made anew. What was
// decided is carried out once, and what can run runs.
func TestAPanicAnywhereLosesNothing(t *testing.T) {
	// Those that panics may have put off can find others in their places; not after one,
	// unless that was in a request to evict.
	panicAnywhere(t, busy, "urgent-1", "g-0", "g-1", "late-0", "gate-0", "again-0", "again-1", "last-0")
}

// So it is with a gang of which one member is refused for a while: its members are bound one
// after the other, and its PodGroup keeps a record.
func TestAPanicAnywhereLosesNothingOfARefusedGang(t *testing.T) {
	panicAnywhere(t, func(w *living) {
		w.refuse("turn-1")
		w.ranked("turn", "low", 3, "1")
		w.after(15 * time.Second)
		w.restart()
		w.after(10 * time.Second)
		w.refuse("")
	}, "turn-0", "turn-1", "turn-2")
}

// panicAnywhere lives through a history with a panic at each place in turn.
func panicAnywhere(t *testing.T, history func(*living), runs ...string) {
	live := func(t *testing.T, x *wire, runs ...string) {
		inVirtualTimeWith(t, 2, func(w *living) { withWire(w, x) }, func(w *living) {
			history(w)
			w.after(15 * time.Second)
			if x.cut() {
				runs = nil // others may have had to leave for the gang, by now in the places that it was to have
			}
			w.atRest(runs)
		})
		if t.Failed() {
			t.Logf("it panicked: %v", x.where)
		}
	}
	all := &wire{}
	live(t, all, runs...)
	if t.Failed() {
		t.Fatal("so it ends without any panic")
	}
	places := map[string][]int{}
	for i, where := range all.log {
		places[where] = append(places[where], i+1)
	}
	for where, touches := range places {
		for i := 0; i < len(touches); i += max(1, len(touches)/mostPanics) {
			t.Run(fmt.Sprintf("%s, at touch %d", where, touches[i]), func(t *testing.T) {
				live(t, &wire{at: touches[i]}, runs...)
			})
		}
	}
	t.Run("nothing, and each audit finds something", func(t *testing.T) { live(t, &wire{wrong: true}, runs...) })
	for _, n := range []int{1, 2, 5, 11, 23, 41, 67, 101, 150, 211} {
		t.Run(fmt.Sprintf("at each touch in %d", n), func(t *testing.T) { live(t, &wire{at: n, again: true}) })
	}
}

// What became of an item is not lost when taking it in panics: the pod would be held to be
// on its way for ever.
func TestAReceiptOutlivesThePanicThatItMeets(t *testing.T) {
	x := &wire{after: true}
	inVirtualTimeWith(t, 1, func(w *living) { withWire(w, x) }, func(w *living) {
		w.refuse("late-0")
		w.group("late", 1, noOwner)
		w.pods("late", 0, 1, "1")
		w.after(700 * time.Millisecond) // refused once, and that is taken in
		w.refuse("")
		w.atRest([]string{"late-0"})
	})
	if len(x.where) == 0 {
		t.Error("it did not panic")
	}
}

// A plan is carried out also if recording it panics: what it binds would else count as being bound for ever.
func TestAPlanOutlivesAPanicInItsRecording(t *testing.T) {
	panicked := false
	inVirtualTimeWith(t, 1, func(w *living) {
		w.spoil = func(l *loop, _ *execute.Options) {
			l.input.recorder.ring = recording.NewRing(DefaultRecording, func() time.Time {
				if !panicked && bytes.Contains(debug.Stack(), []byte(".(*Ring).End(")) &&
					len(l.engine.Commitments().Tasks) > 0 {
					panicked = true
					panic("recording a plan")
				}
				return time.Now()
			})
		}
	}, func(w *living) {
		w.gang("2")
		w.after(time.Second)
		if n := w.bindings(); !panicked || n != 2 {
			t.Errorf("it panicked: %t; %d bindings were sent, want one for each of the two", panicked, n)
		}
		w.atRest([]string{"g-0", "g-1"})
	})
}

// mostPanics bounds how many touches of one place are tried, or nearly.
const mostPanics = 3
