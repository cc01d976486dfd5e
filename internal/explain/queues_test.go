package explain

import (
	"bytes"
	"strings"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// whyText is the page about one queue's arithmetic.
func whyText(t *testing.T, w sched.QueueWhy) string {
	t.Helper()
	d := NewQueues(sched.Report{}, Summary{})
	d.AddWhy(w)
	return written(t, func(b *bytes.Buffer) error { return d.Text(b, Style{}, false) })
}

// byWeight is 100 cpu with weights 1, 1, 2, of which a is guaranteed 30 and c asks for 10
// (decision 1): the seed's rounds, stopped early, give a 47.5.
func byWeight() sched.QueueWhy {
	return sched.QueueWhy{Queue: "a", Sums: []trace.Arithmetic{{
		Dim: "cpu", Weight: 1, Request: 100_000, Guarantee: 30_000, Deserved: 45_000,
		Levels: []trace.Level{{Queue: "root", Above: 100_000, Real: 100_000},
			{Queue: "a", Above: 100_000, ChildGuarantees: 30_000, Guarantee: 30_000, Real: 100_000}},
		Rounds: []trace.Round{
			{Number: 1, TotalWeight: 4, Remaining: 100_000, Given: 25_000, Capped: 25_000, Asked: 25_000, Value: 30_000},
			{Number: 2, TotalWeight: 2, Remaining: 35_000, Given: 17_500, Capped: 47_500, Asked: 47_500, Value: 47_500},
			{Number: 3, Remaining: 0, Given: -2_500, Capped: 45_000, Asked: 45_000, Value: 45_000, Met: true, Correction: true},
		}}, {Dim: "memory", Weight: 1, Levels: []trace.Level{{Queue: "root"}, {Queue: "a"}}}}}
}

func TestArithmeticByWeight(t *testing.T) {
	got := whyText(t, byWeight())
	for _, want := range []string{
		"WHY QUEUE a DESERVES 45 cpu",
		"It asks for 100, is guaranteed 30, and has weight 1.",
		"    ROUND  REMAINING  WEIGHT  GIVEN  WITHIN 100  ASKED 100  AT LEAST 30\n" +
			"        1        100  1 of 4     25          25         25           30\n" +
			"        2         35  1 of 2   17.5       47.5       47.5         47.5\n" +
			"  settled          0       -    -2.5         45         45           45  at the water level\n",
		"Neither asked for nor deserved: memory.",
	} {
		if !strings.Contains(squeezed(got), squeezed(want)) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

// squeezed leaves one space where there are several.
func squeezed(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(strings.ReplaceAll(text, "\n", " \x00 ")), " "), "\x00", "\n")
}

func TestArithmeticBySpec(t *testing.T) {
	bySpec := func(named, real, guarantee, deserved int64) sched.QueueWhy {
		return sched.QueueWhy{Queue: "q", Sums: []trace.Arithmetic{{Dim: "cpu", Named: named, Guarantee: guarantee,
			Deserved: deserved,
			Levels: []trace.Level{{Queue: "root", Above: 100_000, Real: 100_000},
				{Queue: "q", Above: 100_000, Guarantee: guarantee, Capability: real, Bounded: true, Real: real}}}}}
	}
	for name, c := range map[string]struct {
		why  sched.QueueWhy
		want string
	}{
		"as it says": {bySpec(40_000, 50_000, 10_000, 40_000),
			"It deserves 40: spec.deserved says 40, within the 50 that it may hold, not below its guarantee of 10."},
		"clipped": {bySpec(60_000, 50_000, 0, 50_000),
			"It deserves 50: spec.deserved says 60, clipped to 50, the most it may hold, not below its guarantee of 0."},
		"raised": {bySpec(5_000, 50_000, 10_000, 10_000),
			"It deserves 10: spec.deserved says 5, within the 50 that it may hold, raised to its guarantee of 10."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := whyText(t, c.why); !strings.Contains(strings.Join(strings.Fields(got), " "), c.want) {
				t.Errorf("no %q in:\n%s", c.want, got)
			}
		})
	}
}

func TestAQueueThatTakesNoPartSaysSo(t *testing.T) {
	got := whyText(t, sched.QueueWhy{Queue: "lost", Gate: trace.Reason{Code: trace.QueueOrphaned, Queue: "lost",
		Text: "gone"}})
	for _, want := range []string{"WHY QUEUE lost", "It takes no jobs: queue lost hangs below queue gone",
		"takes no part in sharing"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestServedNext(t *testing.T) {
	queue := func(name string, turn int, over bool) sched.QueueReport {
		return sched.QueueReport{Name: name, Parent: "root", Turn: turn, Waiting: turn, Overused: over}
	}
	for name, c := range map[string]struct {
		queues []sched.QueueReport
		want   string
	}{
		"no job waits": {[]sched.QueueReport{queue("a", 0, false)}, "No job waits for a turn."},
		"in their order": {[]sched.QueueReport{queue("a", 2, true), queue("b", 0, false), queue("c", 1, false)},
			"Served next: c, a (holds all it deserves)."},
	} {
		t.Run(name, func(t *testing.T) {
			d := NewQueues(sched.Report{Queues: c.queues}, Summary{})
			if got := written(t, func(b *bytes.Buffer) error {
				return d.Text(b, Style{}, true)
			}); !strings.Contains(got, c.want) {
				t.Errorf("no %q in:\n%s", c.want, got)
			}
		})
	}
}

func TestQueuesWithoutAnyHaveNoNulls(t *testing.T) {
	d := NewQueues(sched.Report{}, Summary{})
	d.AddWhy(sched.QueueWhy{Queue: "q", Sums: []trace.Arithmetic{{Dim: "cpu"}}})
	d.Only("q")
	if got := written(t, func(b *bytes.Buffer) error { return DocumentJSON(b, d) }); strings.Contains(got, "null") {
		t.Errorf("a list is null:\n%s", got)
	}
}

func TestAQueueBelowOneThatIsSetAside(t *testing.T) {
	got := Sentence(trace.Reason{Code: trace.QueueOrphaned, Queue: "a", Text: "eng",
		Cause: &trace.Reason{Code: trace.QueueInvalid, Queue: "eng", Text: "spec.weight: -1"}})
	want := "queue a hangs below queue eng, which was set aside because of an error in it: spec.weight: -1"
	if got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// Where starts were estimated, the table says when the first job of each queue starts, counted from the estimate.
func TestTheFirstStartOfAQueue(t *testing.T) {
	queue := func(name string, start trace.Start) sched.QueueReport {
		return sched.QueueReport{Name: name, Parent: "root", Start: start}
	}
	const minute = int64(60_000_000_000)
	d := NewQueues(sched.Report{Queues: []sched.QueueReport{
		queue("a", trace.Start{Made: minute, Earliest: 11 * minute, Latest: 41 * minute, Source: model.TimeDeclared}),
		queue("b", trace.Start{}), queue("c", trace.Start{Made: minute, Earliest: 3 * minute, Unknown: trace.EndsUnknown}),
	}}, Summary{})
	var b strings.Builder
	if err := d.Text(&b, Style{}, false); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"QUEUE": "START", "a": "in 10m-40m", "b": "-", "c": "in 2m-?"} {
		line := ""
		for l := range strings.Lines(b.String()) {
			if f := strings.Fields(l); len(f) > 0 && f[0] == name && line == "" {
				line = l
			}
		}
		if !strings.Contains(line, want) {
			t.Errorf("%s: %q, want %s\n%s", name, line, want, b.String())
		}
	}
	if got := d.Queues[1].Start; got != nil {
		t.Errorf("of b nothing is known: %+v", got)
	}
}
