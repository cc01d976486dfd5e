package loop

import (
	"bytes"
	"flag"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// klogged is what klog prints at a level while f runs.
func klogged(t *testing.T, level string, f func()) []string {
	t.Helper()
	var out bytes.Buffer
	before := klogLevel()
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	set := func(name, value string) {
		if err := flags.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	set("logtostderr", "false")
	set("one_output", "true")
	set("stderrthreshold", "FATAL")
	set("v", level)
	klog.SetOutput(&out)
	f()
	klog.Flush()
	klog.SetOutput(nil)
	set("v", string(rune('0'+before)))
	set("one_output", "false")
	set("logtostderr", "true")
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

// The live scheduler prints a cycle's lines through klog, each with its head, and those of
// a higher level not at all; an error is printed as one at any level.
func TestACycleIsLoggedThroughKlog(t *testing.T) {
	cycle := func() {
		e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate"},
			Tiers: [][]policy.Choice{{{Plugin: "gang"}, {Plugin: "proportion"}}}})
		if err != nil {
			t.Fatal(err)
		}
		w := world("a")
		w.Facts = append(w.Facts, model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "huge"}, UID: "huge",
			Version: 1,
			Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "huge", UID: "huge"}, Node: "n", Index: -1,
				Phase: model.PodRunning,
				Spec:  &model.Spec{Requests: resource.List{{Name: "cpu", Value: 65_000}}}}})
		e.Apply(w.Facts...)
		e.SetVerbosity(verbosity())
		_, events, _ := e.Decide(w.Now)
		(&logLines{}).log(events, time.Now())
	}
	for level, want := range map[string][]string{
		"2": {"E Idle resources turn into negative: cpu -1 on Node <n>"},
		"3": {"E Idle resources turn into negative: cpu -1 on Node <n>", "I Try to allocate resource to 1 Queues"},
		"5": {"E Idle resources turn into negative: cpu -1 on Node <n>", "I Try to allocate resource to 1 Queues",
			"I The total resource is <cpu 64000.00, memory 0.00>", "I Enter Allocate ..."},
	} {
		lines := klogged(t, level, cycle)
		for _, l := range want {
			if !logged(lines, l) {
				t.Errorf("-v %s does not print %q:\n%s", level, l, strings.Join(lines, "\n"))
			}
		}
		if level < "5" && (logged(lines, "I Enter Allocate ...") ||
			logged(lines, "I The total resource is <cpu 64000.00, memory 0.00>")) {
			t.Errorf("-v %s prints what is of a higher level:\n%s", level, strings.Join(lines, "\n"))
		}
		if level == "2" && len(lines) > 1 {
			t.Errorf("-v 2 prints more than the error:\n%s", strings.Join(lines, "\n"))
		}
	}
}

// logged finds a line by klog's letter for its severity and its text.
func logged(lines []string, want string) bool {
	letter, text, _ := strings.Cut(want, " ")
	for _, l := range lines {
		if strings.HasPrefix(l, letter) && strings.HasSuffix(l, "] "+text) {
			return true
		}
	}
	return false
}

// At Volcano's level a cycle in which nothing was tried logs nothing, however many there are;
// what is refused again is said once a period, and what changed at once.
func TestCyclesInWhichNothingIsTriedLogNothing(t *testing.T) {
	lines := &logLines{period: time.Second}
	began := time.Now()
	stands := []trace.Event{{Kind: trace.TryQueues, Action: "allocate", Count: 2}, {Kind: trace.NoPreemptors, Queue: "a"}}
	tried := append(stands[:2:2], trace.Event{Kind: trace.BindingTask, Task: "ns/p", Node: "n"})
	count := func(level string, events []trace.Event, at time.Duration) (n int) {
		for _, line := range klogged(t, level, func() { lines.log(events, began.Add(at)) }) {
			if line != "" {
				n++
			}
		}
		return n
	}
	for _, step := range []struct {
		name   string
		events []trace.Event
		at     time.Duration
		want   int
	}{
		{"the first cycle", stands, 0, 2},
		{"one a moment later", stands, 2 * time.Millisecond, 0},
		{"one a while later", stands, 30 * time.Second, 0},
		{"one that binds a pod", tried, 31 * time.Second, 1},
		{"one that does so again at once", tried, 31*time.Second + 5*time.Millisecond, 0},
		{"one a period later", tried, 32 * time.Second, 1},
		{"one a minute later", stands, 61 * time.Second, 2},
	} {
		if got := count("3", step.events, step.at); got != step.want {
			t.Errorf("%s logs %d lines, want %d", step.name, got, step.want)
		}
	}
	if got := count("4", tried, 32*time.Second); got != 3 {
		t.Errorf("at -v 4 there are %d lines, want all 3", got)
	}
}

// What is remembered is bounded.
func TestLinesThatWereLoggedAreForgotten(t *testing.T) {
	lines := &logLines{period: time.Second}
	now := time.Now()
	for i := range 3 * mostLines {
		lines.due(strconv.Itoa(i), trace.BindingTask, now)
	}
	if len(lines.last) > mostLines {
		t.Errorf("%d lines are remembered, want at most %d", len(lines.last), mostLines)
	}
}

// Lines have names that are as long as tenants write them.
func TestOfALongLineThatWasLoggedLittleIsRemembered(t *testing.T) {
	lines := &logLines{period: time.Second}
	now, before := time.Now(), heapInUse()
	for i := range 200 {
		lines.due(strconv.Itoa(i)+strings.Repeat("x", 1<<18), trace.BindingTask, now)
	}
	if held := heapInUse() - before; held > 8<<20 {
		t.Errorf("of 200 lines %d KiB are remembered", held>>10)
	}
	runtime.KeepAlive(lines)
}
