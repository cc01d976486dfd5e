package explain

import (
	"strings"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain, größer \t| 日本\n":     "plain, größer \t| 日本\n",
		"\x1b[31mred\x1b[0m":         "\x1b[31mred\x1b[0m",
		"\x1b[1mq\x1b]0;x\a\x1b[0m":  "\x1b[1mq?]0;x?\x1b[0m",
		"a\x1b[2Jb\rc\x7fd\x00":      "a?[2Jb?c?d?",
		"c1 \u009b2J, turned \u202e": "c1 ?2J, turned ?",
		"bytes \x9b2J":               "bytes ?2J",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A tenant writes the name of a queue into a PodGroup, and that of a PodGroup into a pod, as it likes.
func TestNamesDoNotSteerATerminal(t *testing.T) {
	const bad = "x\x1b]0;title\a\x1b[2J\u009b2J\u202e"
	r := New(sched.Report{
		Jobs: []sched.JobReport{{Namespace: "red", Name: bad, Shown: bad, Queue: bad,
			Reason: trace.Reason{Code: trace.QueueNotFound, Queue: bad}}},
		Queues:   []sched.QueueReport{{Name: bad, Parent: bad}},
		Pods:     []sched.PodReport{{Namespace: "red", Name: bad, Job: bad, Scheduler: bad}},
		Problems: []sched.Problem{{Object: bad, Message: bad}},
	}, Summary{}, nil)
	for _, style := range []Style{{}, {Width: 80, Color: true}} {
		var b strings.Builder
		if err := r.Text(&b, style); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "x?]0;title?") || strings.ContainsAny(b.String(), "\a\u009b\u202e") ||
			strings.Contains(b.String(), "\x1b]") || strings.Contains(b.String(), "\x1b[2J") {
			t.Errorf("%q", b.String())
		}
	}
}
