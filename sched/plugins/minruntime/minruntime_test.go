package minruntime_test

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/minruntime"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

const second = int64(1e9)

func plugin(t *testing.T, l *ledger.Ledger, argument string) any {
	t.Helper()
	c := policy.Choice{Arguments: policy.Arguments{}}
	if argument != "" {
		c.Arguments["min-runtime"] = argument
	}
	p, err := minruntime.Definition().New(c, l)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAPodRunsForTheMinimumRunTimeOfItsQueue(t *testing.T) {
	minute := 60 * second
	for name, c := range map[string]struct {
		argument string
		queue    *int64
		pod      model.Pod
		left     string // "": it may go
		next     int64  // seconds
	}{
		"no minimum": {"", nil, model.Pod{Phase: model.PodRunning, Started: 99 * second}, "", 0},
		"the argument": {"1m", nil, model.Pod{Phase: model.PodRunning, Started: 90 * second},
			"50s", 150},
		"the annotation": {"", &minute, model.Pod{Phase: model.PodRunning, Started: 90 * second},
			"50s", 150},
		"the queue's word counts": {"1h", &minute, model.Pod{Phase: model.PodRunning, Started: 40 * second},
			"", 0},
		"an annotation of zero": {"1h", new(int64),
			model.Pod{Phase: model.PodRunning, Started: 99 * second}, "", 0},
		"it has run for its time": {"1m", nil, model.Pod{Phase: model.PodRunning, Started: 40 * second}, "",
			0},
		"bound and not started: all of it": {"1m", nil, model.Pod{Meta: model.Meta{Created: 1 * second}}, "1m0s", 0},
		"no start is known of one that runs": {"1m", nil, model.Pod{Phase: model.PodRunning,
			Meta: model.Meta{Created: 70 * second}}, "30s", 130},
		"a minimum of a nanosecond more than age": {"1m", nil, model.Pod{Phase: model.PodRunning, Started: 40*second + 1},
			"0s", 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := ledger.New()
			p := plugin(t, l, c.argument)
			l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: "q"}, Version: 1,
				Object: &model.Queue{Meta: model.Meta{Name: "q"}, MinRuntime: c.queue}})
			c.pod.Namespace, c.pod.Name, c.pod.Ours, c.pod.Spec, c.pod.Node = "ns", "pod", true, &model.Spec{}, "node"
			c.pod.Adopt.Queue = "q"
			l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "pod"}, Version: 1, Object: &c.pod})
			task, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: "pod"})
			q, _ := l.Queues.Find("q")
			if got := p.(policy.Clock).At(100 * second); got != 0 {
				t.Errorf("nobody waits, and the answer changes at %d", got)
			}
			l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "waits"}, Version: 1,
				Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "waits"}, Ours: true, Spec: &model.Spec{}}})
			next := p.(policy.Clock).At(100 * second)
			o := p.(policy.Reclaimable).Reclaimable(policy.Preemptor{}, policy.Unit{Queue: q, Tasks: []ledger.TaskID{task}})
			if o.Reason.Text != c.left || (o.Vote == policy.Reject && o.Guard) != (c.left != "") {
				t.Errorf("%+v, want %q left", o, c.left)
			}
			if c.left != "" && (o.Reason.Code != trace.VictimTooYoung || o.Reason.Task != "ns/pod" || o.Reason.Queue != "q") {
				t.Errorf("%+v", o.Reason)
			}
			if c.left != "0s" && next != c.next*second {
				t.Errorf("the answer changes at %d, want %d", next, c.next*second)
			}
		})
	}
}

func TestATimeBelowZeroIsRefused(t *testing.T) {
	for _, text := range []string{"-1s", "soon"} {
		if _, err := minruntime.Definition().New(policy.Choice{Arguments: policy.Arguments{"min-runtime": text}},
			ledger.New()); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

// The clock of a simulation may stand at its beginning while pods began in 2025.
func TestAMinimumMayLastForAllTime(t *testing.T) {
	l := ledger.New()
	p := plugin(t, l, "2562047h")
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "pod"}, Version: 1, Object: &model.Pod{
		Meta: model.Meta{Namespace: "ns", Name: "pod"}, Ours: true, Spec: &model.Spec{}, Node: "node",
		Phase:   model.PodRunning,
		Started: 1763596800 * second}})
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "waits"}, Version: 1,
		Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "waits"}, Ours: true, Spec: &model.Spec{}}})
	task, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: "pod"})
	unit := policy.Unit{Queue: l.Job(l.Task(task).Job).Queue, Tasks: []ledger.TaskID{task}}
	for _, now := range []int64{0, 1763596801 * second} {
		if next := p.(policy.Clock).At(now); next != model.Never {
			t.Errorf("at %d: the answer changes at %d", now, next)
		}
		if o := p.(policy.Reclaimable).Reclaimable(policy.Preemptor{}, unit); o.Vote != policy.Reject || !o.Guard {
			t.Errorf("at %d: %+v", now, o)
		}
	}
}
