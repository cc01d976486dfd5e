package evictioncap_test

import (
	"fmt"
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/evictioncap"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

const second = int64(1e9)

// world has jobs a and b in queue q and c in queue r, each with three running pods.
type world struct {
	*ledger.Ledger
	policy.Reclaimable
	policy.Later
}

func newWorld(t *testing.T, queueSays *int64, arguments policy.Arguments) *world {
	t.Helper()
	l := ledger.New()
	p, err := evictioncap.Definition().New(policy.Choice{Arguments: arguments}, l)
	if err != nil {
		t.Fatal(err)
	}
	tell := func(k model.Kind, namespace, name string, o model.Object) {
		l.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: name, Version: 1, Object: o})
	}
	tell(model.KindQueue, "", "q", &model.Queue{Meta: model.Meta{Name: "q"}, MaxEvictions: queueSays})
	tell(model.KindQueue, "", "r", &model.Queue{Meta: model.Meta{Name: "r"}})
	for job, queue := range map[string]string{"a": "q", "b": "q", "c": "r"} {
		tell(model.KindPodGroup, "ns", job, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: job}, Queue: queue})
		for i := range 3 {
			name := fmt.Sprintf("%s-%d", job, i)
			tell(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true,
				Group: job,
				Spec:  &model.Spec{}, Node: "node", Phase: model.PodRunning})
		}
	}
	l.ExtendDims()
	return &world{l, p.(policy.Reclaimable), p.(policy.Later)}
}

func (w *world) task(name string) ledger.TaskID {
	t, _ := w.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
	return t
}

// ask is what is said of a unit of one job: "" when nothing.
func (w *world) ask(t *testing.T, names ...string) string {
	t.Helper()
	var u policy.Unit
	for _, name := range names {
		u.Tasks = append(u.Tasks, w.task(name))
	}
	u.Job = w.Task(u.Tasks[0]).Job
	u.Queue = w.Job(u.Job).Queue
	o := w.Reclaimable.Reclaimable(policy.Preemptor{}, u)
	if o.Vote == policy.Abstain {
		return ""
	}
	if o.Vote != policy.Reject || !o.Guard || o.Reason.Code != trace.VictimCapped {
		t.Errorf("%+v is no guard's refusal", o)
	}
	return fmt.Sprintf("%s: %d of %d", strings.TrimPrefix(o.Reason.Text, "plugin evictioncap: "), o.Reason.Have,
		o.Reason.Need)
}

// a-0 was evicted half a minute ago, and a-1 is in the try at hand.
func TestEvictionsOfAMinuteAreCapped(t *testing.T) {
	one, two := int64(1), int64(2)
	for name, c := range map[string]struct {
		arguments policy.Arguments
		queue     *int64
		unit      []string
		want      string
	}{
		"nothing is capped":   {nil, nil, []string{"a-2"}, ""},
		"one more of the job": {policy.Arguments{"max-per-minute.job": "3"}, nil, []string{"a-2"}, ""},
		"the job has had its share": {policy.Arguments{"max-per-minute.job": "2"}, nil, []string{"a-2"},
			"job ns/a: 2 of 2"},
		"another job has not": {policy.Arguments{"max-per-minute.job": "2"}, nil, []string{"b-0", "b-1"},
			""},
		"a gang that is more than is left": {policy.Arguments{"max-per-minute.job": "2"}, nil,
			[]string{"b-0", "b-1", "b-2"}, "job ns/b: 0 of 2"},
		"the queue has had its share": {policy.Arguments{"max-per-minute.queue": "2"}, nil, []string{"b-0"},
			"queue q: 2 of 2"},
		"another queue has not": {policy.Arguments{"max-per-minute.queue": "2"}, nil, []string{"c-0"}, ""},
		"the queue's own word counts": {policy.Arguments{"max-per-minute.queue": "9"}, &two, []string{"b-0"},
			"queue q: 2 of 2"},
		"a queue says so without the argument": {nil, &one, []string{"b-0"}, "queue q: 2 of 1"},
		"the cluster has had its share": {policy.Arguments{"max-per-minute": "2"}, nil, []string{"c-0"},
			"the cluster: 2 of 2"},
		"nobody is ever to be evicted": {policy.Arguments{"max-per-minute": "0"}, nil, []string{"c-0"},
			"the cluster: 2 of 0"},
		"what is left of the cluster's is given": {policy.Arguments{"max-per-minute": "4"}, nil, []string{"c-0", "c-1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.queue, c.arguments)
			w.At(100 * second)
			w.EvictionHistory.Record(w.task("a-0"), 70*second, 1)
			w.Try(func(tx *ledger.Tx) bool {
				tx.Evict(w.task("a-1"), "reclaim", ledger.NoTask)
				tx.Try(func(tx *ledger.Tx) bool {
					tx.Evict(w.task("b-2"), "reclaim", ledger.NoTask)
					return false
				})
				if got := w.ask(t, c.unit...); got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
				return false
			})
			if got, want := w.Later.Later(), 130*second; got != want {
				t.Errorf("the answer changes at %d, want %d: when the first eviction is a minute old", got, want)
			}
		})
	}
}

func TestACapBelowZeroIsRefused(t *testing.T) {
	for _, key := range []string{"max-per-minute", "max-per-minute.queue", "max-per-minute.job"} {
		if _, err := evictioncap.Definition().New(policy.Choice{Arguments: policy.Arguments{key: "-2"}},
			ledger.New()); err == nil {
			t.Errorf("%s: -2 is accepted", key)
		}
	}
}

// What was evicted before a scheduler began is not known to it: until that is a minute ago every cap counts
// as spent, and what is not capped is not.
func TestACapCountsAsSpentUntilAMinuteIsKnown(t *testing.T) {
	const spent = "those of the minute before this scheduler's start are not known: 3 of 3"
	for name, c := range map[string]struct {
		arguments policy.Arguments
		at        int64
		want      string
		next      int64
	}{
		"the cluster's":          {policy.Arguments{"max-per-minute": "3"}, 70 * second, spent, 100 * second},
		"a queue's":              {policy.Arguments{"max-per-minute.queue": "3"}, 70 * second, spent, 100 * second},
		"a job's":                {policy.Arguments{"max-per-minute.job": "3"}, 70 * second, spent, 100 * second},
		"just before the minute": {policy.Arguments{"max-per-minute": "3"}, 100*second - 1, spent, 100 * second},
		"after the minute":       {policy.Arguments{"max-per-minute": "3"}, 100 * second, "", 110 * second},
		"after it, what it has done": {policy.Arguments{"max-per-minute": "1"}, 100 * second, "the cluster: 1 of 1",
			110 * second},
		"what is not capped": {nil, 70 * second, "", 100 * second},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil, c.arguments)
			w.EvictionHistory.KnownFrom(40 * second)
			w.EvictionHistory.Record(w.task("a-0"), 50*second, 1)
			w.At(c.at)
			w.EvictionHistory.Trim(c.at)
			if got := w.ask(t, "b-0"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if got := w.Later.Later(); got != c.next {
				t.Errorf("the answer changes at %d, want %d", got, c.next)
			}
		})
	}
}
