package loop

import (
	"fmt"
	"testing"
	"time"

	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// logMinute is how many lines a minute at -v 3 has, with a cycle a second and what happens before each.
func logMinute(t *testing.T, waiting int, happens func(e *sched.Engine, second int)) (n int) {
	t.Helper()
	w, e := quietCluster(waiting), engineOf(t)
	e.Apply(w.Facts...)
	due, began := &logLines{period: time.Second}, time.Now()
	for second := range 120 { // the first minute says what stands
		happens(e, second)
		said := klogged(t, "3", func() {
			e.SetVerbosity(verbosity())
			_, events, _ := e.Decide(w.Now + int64(second)*int64(time.Second))
			due.log(events, began.Add(time.Duration(second)*time.Second))
		})
		for _, line := range said {
			if line != "" && second >= 60 {
				n++
			}
		}
	}
	return n
}

func engineOf(t *testing.T) *sched.Engine {
	t.Helper()
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "proportion"}}}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// quietCluster is a node, and jobs that are too large for it.
func quietCluster(waiting int) recording.State {
	w := world("a")
	for i := range waiting {
		w.Facts = append(w.Facts, podFact(fmt.Sprintf("large-%d", i), 1_000_000))
	}
	return w
}

func podFact(name string, milli int64) model.Fact {
	return model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: 1,
		Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Index: -1, Ours: true,
			Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: milli}}}}}
}

// Volcano logs at -v 3 four lines in each of its cycles, one a second: what its snapshot holds, that a session
// opens, and how many queues enqueue and allocate go through. These are 240 lines a minute of an idle cluster;
// beside them it logs each job that waits, again in each cycle, and what it does for each pod that it binds. Here
// an idle cluster logs what stands once a minute, however many jobs wait, and a pod that is bound some lines.
func TestLinesAMinuteAtVolcanosLevel(t *testing.T) {
	idle := func(*sched.Engine, int) {}
	busy := func(e *sched.Engine, second int) { e.Apply(podFact(fmt.Sprintf("small-%d", second), 100)) }
	for _, c := range []struct {
		name    string
		waiting int
		happens func(*sched.Engine, int)
		most    int
	}{
		{"an idle cluster", 0, idle, 10},
		{"an idle cluster in which 50 jobs wait", 50, idle, 10},
		{"a pod a second comes", 0, busy, 60 * 8},
		{"a pod a second comes, and 50 jobs wait", 50, busy, 60 * 8},
	} {
		n := logMinute(t, c.waiting, c.happens)
		t.Logf("%s: %d lines a minute", c.name, n)
		if n > c.most {
			t.Errorf("%s logs %d lines a minute, want at most %d", c.name, n, c.most)
		}
	}
}
