package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// The document has the record of the decision, and says when it was, and what came of it.
func TestWhyEvictionHasTheRecord(t *testing.T) {
	got := run("", "ashlar", "why", "evictions", "sweep-0", "-f", evictionExample, "-o", "json")
	var a explain.Answer
	if err := json.Unmarshal([]byte(got.out), &a); err != nil || got.code != 0 {
		t.Fatalf("exit %d: %v: %s", got.code, err, got.err)
	}
	e := a.Eviction
	if a.State != explain.WasEvicted || e == nil || e.Record == nil || e.Action != "preempt" || e.Queue != "batch" ||
		e.PreemptorJob != "default/urgent" || e.Record.Preemptor != "default/urgent-0" || !e.Record.Whole ||
		e.Cycle == 0 || len(e.Record.Alternatives) != 1 {
		t.Errorf("the eviction is %+v of %+v", e, a)
	}
	text := unwrapped(run("", "ashlar", "why", "eviction", "default/sweep-0", "-f", evictionExample).out)
	for _, want := range []string{"Preempt evicted it at 20m0s, to make room on node n2 for default/urgent-0",
		"asked default/urgent-0 of job default/urgent (queue batch, priority 100) asked for room",
		"tier 1 of the configuration permitted it: priority",
		"not n1: not tried: it would cost at least a victim of priority 10, not 1",
		"default/urgent-0: it runs on node n2", "default/sweep-0: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A pod that was not evicted has no answer: the nearest that was is offered. --at ends the run before the eviction.
func TestWhyEvictionOfAPodThatWasNot(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"sweep-9"}, `there is no evicted pod "sweep-9" in namespace default (did you mean "sweep-1"?); evicted ` +
			"were 3 others"},
		{[]string{"other/sweep-1"}, "namespace default has one: -n default"},
		{[]string{"sweep-1", "--at", "5m"}, "the simulation evicts no pod"},
	} {
		got := run("", append([]string{"ashlar", "why", "eviction", "-f", evictionExample}, c.args...)...)
		if got.code != 1 || got.out != "" || !strings.Contains(got.err, c.want) {
			t.Errorf("%q: exit %d, %q\n%s", c.args, got.code, got.out, got.err)
		}
	}
}

// A recording has the decision, and what came after it; the state of one moment has what was decided in it.
func TestWhyEvictionOfARecording(t *testing.T) {
	x := recorder(t, preempting)
	x.node("n1")
	x.pod("low", 0)
	x.cycle()
	x.runs("low", "n1", 0)
	x.cycle()
	x.pod("high", 9)
	x.cycle()
	state := x.state()
	x.goes("low")
	x.cycle()
	x.runs("high", "n1", 9)
	x.cycle()
	got := run("", "ashlar", "why", "eviction", "team/low", "--dump", x.file())
	for _, want := range []string{"Preempt evicted it at 1970-01-01T00:00:", "priority 9 against 0, both in queue default",
		"it held 3 cpu", "team/low: it has gone, and no pod of that name was made again", "team/high: it runs on node n1"} {
		if !strings.Contains(unwrapped(got.out), want) {
			t.Errorf("of the recording exit %d, no %q in\n%s%s", got.code, want, got.out, got.err)
		}
	}
	got = run("", "ashlar", "why", "eviction", "low", "-n", "team", "--dump", state)
	if got.code != 0 || !strings.Contains(unwrapped(got.out), "It was evicted: its eviction was under way, for a pod of "+
		"its own queue") {
		t.Errorf("of the state exit %d:\n%s%s", got.code, got.out, got.err)
	}
	got = run("", "ashlar", "why", "eviction", "high", "-n", "team", "--dump", state)
	if got.code != 1 || !strings.Contains(got.err, "evicted was 1 other") {
		t.Errorf("of the pod that was not evicted exit %d:\n%s%s", got.code, got.out, got.err)
	}
}

const preempting = "actions: \"enqueue, allocate, preempt\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n" +
	"- plugins:\n  - name: predicates\n  - name: proportion\n"

// pod is one of three cores that waits; runs and goes are what comes of it.
func (x *told) pod(name string, priority int32) { x.podAs(name, priority, model.Pod{}) }

func (x *told) runs(name, node string, priority int32) {
	x.podAs(name, priority, model.Pod{Node: node, Phase: model.PodRunning, Started: int64(x.at)})
}

func (x *told) podAs(name string, priority int32, p model.Pod) {
	p.Preemptable = true
	p.Ours, p.Index, p.Priority, p.HasPriority = true, -1, priority, true
	p.Spec = &model.Spec{Requests: resource.List{{Name: "cpu", Value: 3000}, {Name: "pods", Value: 1}}}
	x.tell(model.KindPod, "team", name, &p)
}

func (x *told) goes(name string) {
	x.version++
	f := model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "team", Name: name}, UID: name, Version: x.version}
	x.ring.Fact(x.engine.Ledger(), f)
	x.engine.Apply(f)
}

// state writes what the scheduler knows now.
func (x *told) state() string {
	x.Helper()
	x.engine.Checkpoint()
	path := filepath.Join(x.TempDir(), "ashlar-dump-7.json")
	var text bytes.Buffer
	err := recording.State{Now: int64(x.at), Configuration: x.conf, Facts: x.engine.Facts(),
		Commitments: x.engine.LastCheckpoint(), Period: time.Second}.Write(&text)
	if err = errors.Join(err, os.WriteFile(path, text.Bytes(), 0o600)); err != nil {
		x.Fatal(err)
	}
	return path
}
