package loop

import (
	"bytes"
	"flag"
	"strings"
	"testing"

	"k8s.io/klog/v2"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
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
		w.Facts = append(w.Facts, model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: "huge"}, UID: "huge", Version: 1,
			Object: &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "huge", UID: "huge"}, Node: "n", Index: -1, Phase: model.PodRunning,
				Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 65_000}}}}})
		e.Apply(w.Facts...)
		e.Record(verbosity())
		_, events, _ := e.Decide(w.Now)
		logEvents(events)
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
		if level < "5" && (logged(lines, "I Enter Allocate ...") || logged(lines, "I The total resource is <cpu 64000.00, memory 0.00>")) {
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
