package loop

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched/trace"
)

// withinThreeSeconds is how soon an object says that something else is in the way.
const withinThreeSeconds = 3 * time.Second

// churn has pods come, run and go, twice a second, so that amounts in reasons change all the time.
func (w *living) churn(d time.Duration, until func() bool) time.Duration {
	began := time.Now()
	for !until() && time.Since(began) < d {
		name := fmt.Sprint("c", time.Now().UnixNano())
		w.group(name, 1, noOwner)
		w.pods(name, 0, 1, "1")
		w.after(250 * time.Millisecond)
		if until() {
			break
		}
		w.after(250 * time.Millisecond)
		w.ends(name+"-0", corev1.PodSucceeded)
	}
	return time.Since(began)
}

// say is a test whether the PodGroup g and all its pods show a text.
func (w *living) say(text string) func() bool {
	return func() bool {
		shown := ""
		for _, c := range w.status("g").Conditions {
			if c.Type == schedulingv1beta1.PodGroupUnschedulableType && c.Status == corev1.ConditionTrue {
				shown = c.Message
			}
		}
		all := strings.Contains(shown, text)
		for _, p := range w.members("g") {
			for _, c := range p.Status.Conditions {
				all = all && (c.Type != corev1.PodScheduled || strings.Contains(c.Message, text))
			}
		}
		return all
	}
}

// Once something else is in the way of a gang, its PodGroup and its pods say so within three seconds, while pods that
// come and go change the amounts in its reason all the time.
func TestAChangedReasonIsOnTheObjectWithinThreeSeconds(t *testing.T) {
	inVirtualTime(t, 2, func(w *living) {
		w.gang("12")
		w.churn(time.Minute, func() bool { return false })
		changes := []struct {
			what string
			do   func()
			says string
		}{
			{"a node is cordoned", func() { w.cordon("n0", true) }, "1 is cordoned"},
			{"all are cordoned", func() { w.cordon("n1", true) }, "2 are cordoned"},
			{"a node is open again", func() { w.cordon("n1", false) }, "1 lacks cpu (on n1"},
			{"a node is drained that it names", func() {
				w.node("n2", "9")
				w.churn(3*time.Second, w.say("on n2"))
				w.must(w.core.Delete(nodesKind, "", "n2"))
			}, "1 lacks cpu (on n1"},
			{"its queue is closed", func() { w.close("default", true) }, "closed"},
			{"its queue is open again", func() { w.close("default", false) }, "1 is cordoned"},
		}
		for _, c := range changes {
			c.do()
			if took := w.churn(10*time.Second, w.say(c.says)); took > withinThreeSeconds {
				t.Errorf("%s: it says so after %v: %+v", c.what, took, w.status("g").Conditions)
			}
			w.after(2*reasonCalm + earlyEvery)
			w.churn(20*time.Second, func() bool { return false })
		}
		if h := w.history("g"); !strings.Contains(h, "1 is cordoned") || !strings.Contains(h, "closed") {
			t.Errorf("its history has not what was in its way: %s", h)
		}
		if toGroup, toPod := w.written("g", "g-0"); toGroup > 50 || toPod > 50 {
			t.Errorf("its PodGroup was written %d times, and a pod %d times", toGroup, toPod)
		}
	})
}

// history is all that a job was told of why it waits.
func (w *living) history(job string) (out string) {
	for _, r := range w.loop.input.recorder.Reasons("ns", job) {
		out += r.Why + "\n"
	}
	return out
}

// close closes a queue, or opens it.
func (w *living) close(queue string, yes bool) {
	o, err := w.groups.Get(queuesKind, "", queue)
	w.must(err)
	q := o.(*schedulingv1beta1.Queue).DeepCopy()
	q.Status.State = schedulingv1beta1.QueueStateOpen
	if yes {
		q.Status.State = schedulingv1beta1.QueueStateClosed
	}
	w.must(w.groups.Update(queuesKind, q, ""))
}

// Pods of a job that show the reason Unschedulable for one thing and wait for another of the same reason say the
// other one.
func TestPodsSayWhatElseOneMoreNodeWouldEnd(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.gang("6")
		w.after(soon)
		since := w.members("g")[0].Status.Conditions[0].LastTransitionTime
		w.cordon("n0", true)
		w.after(withinThreeSeconds)
		for _, p := range w.members("g") {
			c := p.Status.Conditions[0]
			if !strings.Contains(c.Message, "cordoned") {
				t.Errorf("%s says %q, want that its node is cordoned", p.Name, c.Message)
			}
			if !c.LastTransitionTime.Equal(&since) {
				t.Errorf("%s waits since %s and says since %s", p.Name, since, c.LastTransitionTime)
			}
		}
	})
}

// What is in the way is told apart from amounts.
func TestWhatBinds(t *testing.T) {
	lacks := func(cpu, shut int, dim string) trace.Reason {
		return trace.Reason{Code: trace.NodesRefuse, Task: "ns/a",
			Shorts: []trace.Short{{Dim: dim, Need: 4, Have: int64(cpu)}},
			Nodes: []trace.NodeCount{{Code: trace.InsufficientResource, Text: dim, Count: cpu, Example: fmt.Sprint("n", cpu)},
				{Code: trace.NodeUnschedulable, Count: shut}}}
	}
	in := func(queue string, r trace.Reason) trace.Reason {
		return trace.Reason{Code: trace.GangIncomplete, Queue: queue, Have: 1, Need: 2, Cause: &r}
	}
	for what, c := range map[string]struct {
		a, b trace.Reason
		same bool
	}{
		"other amounts":     {lacks(3, 2, "cpu"), lacks(9, 2, "cpu"), true},
		"another resource":  {lacks(3, 2, "cpu"), lacks(3, 2, "memory"), false},
		"one more cordoned": {lacks(3, 2, "cpu"), lacks(3, 3, "cpu"), false},
		"another queue":     {in("a", lacks(3, 2, "cpu")), in("b", lacks(3, 2, "cpu")), false},
		"as part of a gang": {in("a", lacks(3, 2, "cpu")), in("a", lacks(4, 2, "cpu")), true},
		"in another order": {trace.Reason{Nodes: []trace.NodeCount{{Code: "a"}, {Code: "b"}}},
			trace.Reason{Nodes: []trace.NodeCount{{Code: "b"}, {Code: "a"}}}, true},
	} {
		if same := obstaclesOf(&c.a) == obstaclesOf(&c.b); same != c.same {
			t.Errorf("%s: the same is in the way: %v, want %v", what, same, c.same)
		}
	}
}

// Rounds of statuses take a tenth of the time; where that is too late, a quarter.
func TestRoundsComeSoonEnough(t *testing.T) {
	const ms = time.Millisecond
	for took, want := range map[time.Duration]time.Duration{0: round, 90 * ms: round, 130 * ms: 1300 * ms,
		200 * ms: 1400 * ms, 350 * ms: 1400 * ms, 700 * ms: 2800 * ms} {
		if got := betweenRounds(took, time.Second); got != want {
			t.Errorf("rounds of %v come every %v, want %v", took, got, want)
		}
	}
	if got := betweenRounds(ms, 100*ms); got != 100*ms {
		t.Errorf("with a period of 100 ms they come every %v", got)
	}
}

// A round that was held up once does not delay the next, as rounds do that are always long.
func TestARoundThatIsHeldUpDelaysNoOther(t *testing.T) {
	bg, now := &background{}, time.Now()
	for _, c := range []struct{ took, next time.Duration }{
		{25 * time.Millisecond, round}, {5500 * time.Millisecond, round}, {25 * time.Millisecond, round},
		{350 * time.Millisecond, round}, {350 * time.Millisecond, latestRound},
		{1500 * time.Millisecond, latestRound}, {1500 * time.Millisecond, 6 * time.Second},
	} {
		bg.tookRound(now, c.took)
		if next := betweenRounds(bg.after, time.Second); next != c.next {
			t.Errorf("after a round of %s the next comes in %s, want %s", c.took, next, c.next)
		}
	}
}
