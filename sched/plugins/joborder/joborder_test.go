package joborder_test

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/joborder"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// member is one pod of a job: how long it says it runs, and the GPUs it asks for.
type member struct {
	lasts int64
	gpus  int64
	phase model.Phase
}

// job is what a queue is served by.
type job struct {
	created int64
	members []member
}

func open(t testing.TB, arguments policy.Arguments) (*ledger.Ledger, policy.JobOrder) {
	t.Helper()
	l := ledger.New()
	p, err := joborder.Definition().New(policy.Choice{Arguments: arguments}, l)
	if err != nil {
		t.Fatal(err)
	}
	return l, p.(policy.JobOrder)
}

func apply(l *ledger.Ledger, k model.Kind, name string, version uint64, o model.Object) {
	l.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: "ns", Name: name}, UID: name, Version: version, Object: o})
}

// add makes a job of a name and its pods.
func add(l *ledger.Ledger, name string, j job) ledger.JobID {
	apply(l, model.KindPodGroup, name, 1, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name,
		Created: j.created},
		MinMember: int32(len(j.members)), Phase: model.GroupInqueue})
	for i, m := range j.members {
		pod(l, name, i, 1, m)
	}
	id, _ := l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name})
	return id
}

func pod(l *ledger.Ledger, of string, i int, version uint64, m member) {
	name := of + "-" + strconv.Itoa(i)
	apply(l, model.KindPod, name, version, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name}, Ours: true,
		Group: of, Times: &model.Times{Lasts: m.lasts}, Phase: m.phase,
		Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1000},
			{Name: "nvidia.com/gpu", Value: 1000 * m.gpus}}}})
}

func TestTheOrderOfJobs(t *testing.T) {
	one := func(created, lasts, gpus int64) job { return job{created, []member{{lasts: lasts, gpus: gpus}}} }
	done := member{lasts: 900, phase: model.PodSucceeded}
	for name, c := range map[string]struct {
		by   string
		a, b job
		want int
	}{
		"fifo: the older":                        {"fifo", one(1, 900, 8), one(2, 10, 1), -1},
		"fifo: of one age there is no order":     {"fifo", one(1, 900, 8), one(1, 10, 1), 0},
		"sjf: the shorter, though it came later": {"sjf", one(1, 900, 1), one(2, 10, 8), 1},
		"sjf: of one length there is no order":   {"sjf", one(1, 10, 1), one(2, 10, 8), 0},
		"sjf: a job is as long as its longest member": {"sjf", job{1, []member{{lasts: 1}, {lasts: 50}}}, one(2, 40, 1),
			1},
		"sjf: whoever does not say comes last":         {"sjf", one(1, 0, 1), one(2, 900, 1), 1},
		"sjf: one member that does not say is enough":  {"sjf", job{1, []member{{lasts: 1}, {}}}, one(2, 900, 1), 1},
		"sjf: two that do not say have no order":       {"sjf", one(1, 0, 1), one(2, 0, 1), 0},
		"sjf: a job without pods has said nothing":     {"sjf", job{1, nil}, one(2, 900, 1), 1},
		"sjf: what was finished counts":                {"sjf", job{1, []member{done, {lasts: 10}}}, one(2, 40, 1), 1},
		"srtf: what was finished does not":             {"srtf", job{1, []member{done, {lasts: 10}}}, one(2, 40, 1), -1},
		"srsf: time counts as often as there are GPUs": {"srsf", one(1, 30, 2), one(2, 50, 1), 1},
		"srsf: members add up": {"srsf",
			job{1, []member{{lasts: 30, gpus: 1}, {lasts: 30, gpus: 1}}}, one(2, 50, 1), 1},
		"srsf: a job that asks for no GPU takes nothing": {"srsf", one(1, 900, 0), one(2, 1, 1), -1},
		"srsf: what was finished does not count": {"srsf",
			job{1, []member{{lasts: 900, gpus: 8, phase: model.PodFailed}, {lasts: 10, gpus: 1}}}, one(2, 40, 1), -1},
		"srsf: ages times whole clusters do not overflow": {"srsf", one(1, math.MaxInt64, 1_000_000),
			one(2, math.MaxInt64, 1), 1},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := open(t, policy.Arguments{"joborder.by": c.by})
			a, b := add(l, "a", c.a), add(l, "b", c.b)
			if got := p.CompareJobs(a, b); got != c.want {
				t.Errorf("CompareJobs = %d, want %d", got, c.want)
			}
			if got := p.CompareJobs(b, a); got != -c.want {
				t.Errorf("turned round it is %d, want %d", got, -c.want)
			}
		})
	}
}

func TestTheResourceThatCountsCanBeNamed(t *testing.T) {
	l, p := open(t, policy.Arguments{"joborder.by": "srsf", "joborder.resource": "cpu"})
	a := add(l, "a", job{1, []member{{lasts: 20, gpus: 1}}})
	b := add(l, "b", job{2, []member{{lasts: 10, gpus: 8}}})
	if got := p.CompareJobs(a, b); got != 1 {
		t.Errorf("CompareJobs = %d: with a core each the shorter takes less", got)
	}
}

// A pod that finishes, or has another annotation, changes what its job is.
func TestAChangedFactChangesTheOrder(t *testing.T) {
	l, p := open(t, policy.Arguments{"joborder.by": "srtf"})
	a := add(l, "a", job{1, []member{{lasts: 10}, {lasts: 90}}})
	b := add(l, "b", job{2, []member{{lasts: 50}}})
	want := func(when string, order int) {
		t.Helper()
		if got := p.CompareJobs(a, b); got != order {
			t.Errorf("%s: CompareJobs = %d, want %d", when, got, order)
		}
	}
	want("at first", 1)
	pod(l, "a", 1, 2, member{lasts: 90, phase: model.PodSucceeded})
	want("once the long one is done", -1)
	pod(l, "a", 0, 2, member{lasts: 60})
	want("once the other says that it takes longer", 1)
}

func TestArgumentsThatCannotBeMeant(t *testing.T) {
	for name, c := range map[string]policy.Arguments{
		"an order nobody knows":  {"joborder.by": "lottery"},
		"no name of a resource":  {"joborder.resource": ""},
		"neither true nor false": {"joborder.strict": "sometimes"},
		"nor here":               {"joborder.by": "srtf", "joborder.preempt": "perhaps"},
		"fifo stops nobody":      {"joborder.preempt": "true"},
		"nor does sjf":           {"joborder.by": "sjf", "joborder.preempt": "true"},
		"strict and preempt":     {"joborder.by": "srtf", "joborder.preempt": "true", "joborder.strict": "true"},
	} {
		if _, err := joborder.Definition().New(policy.Choice{Arguments: c}, ledger.New()); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// Whatever jobs there are, the order has no circles: a heap can keep it.
func TestEveryOrderIsAnOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		by := rapid.SampledFrom([]string{"fifo", "sjf", "srtf", "srsf"}).Draw(r, "by")
		l, p := open(t, policy.Arguments{"joborder.by": by})
		var id [3]ledger.JobID
		for i := range id {
			j := job{created: rapid.Int64Range(0, 2).Draw(r, "created")}
			for range rapid.IntRange(0, 3).Draw(r, "members") {
				j.members = append(j.members, member{rapid.Int64Range(0, 3).Draw(r, "lasts"),
					rapid.Int64Range(0, 2).Draw(r, "gpus"),
					rapid.SampledFrom([]model.Phase{model.PodPending, model.PodSucceeded}).Draw(r, "phase")})
			}
			id[i] = add(l, string(rune('a'+i)), j)
		}
		ab, bc, ac := p.CompareJobs(id[0], id[1]), p.CompareJobs(id[1], id[2]), p.CompareJobs(id[0], id[2])
		if ab != -p.CompareJobs(id[1], id[0]) {
			r.Fatal("a before b and b before a")
		}
		if ab <= 0 && bc <= 0 && ac > 0 || ab == 0 && bc == 0 && ac != 0 {
			r.Fatalf("a to b %d, b to c %d, and a to c %d", ab, bc, ac)
		}
	})
}
