package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// about counts the writes whose path ends so, or goes on below it.
func (w *wire) about(path string) (n int) {
	for _, line := range w.written() {
		if strings.HasSuffix(line, path) || strings.Contains(line, path+"/") {
			n++
		}
	}
	return n
}

// silent waits until a scheduler has written nothing for as long as it gathers words,
// and some more.
func silent(t *testing.T, w *wire) {
	t.Helper()
	last, since := -1, time.Now()
	eventually(t, "the scheduler to fall silent", func(ctxless) (bool, error) {
		if n := len(w.written()); n != last {
			last, since = n, time.Now()
		}
		return time.Since(since) > 4*time.Second, nil
	}, func() string { return fmt.Sprint(w.written()) })
}

// A PodGroup is written twice and a pod at most twice, events apart: by a gang that starts
// at once, and by one that waits until it runs, whichever comes first, PodGroup or pods. One
// that a controller owns and that comes before its pods is written once more if it then
// waits: Inqueue, for which the controller waits, cannot wait for anything. And where the
// machine takes longer than the fifth of a second for which Inqueue is kept back, it goes
// alone, too; how fast this one is decides nothing here, so a third write is let pass.
func TestLiveFewWritesAGang(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	var w wire
	live(t, ns, w.on)
	submit(t, ns, ns, "runs", 2, 2, "1")
	awaitRunning(t, ns, "runs", 2)
	submit(t, ns, ns, "early", 2, 2, "2")
	for i := range 2 {
		p := member(ns, "late", i, "2")
		p.Spec.SchedulerName = ns
		create(t, p)
	}
	submit(t, ns, ns, "late", 0, 2, "2")
	for _, name := range []string{"early", "late"} {
		awaitCondition(t, ns, name, schedulingv1beta1.PodGroupUnschedulableType)
	}
	silent(t, &w)
	w.most(t, ns, "once it runs", "runs", 2+slowStart(t, ns, "runs"), 1)
	w.most(t, ns, "while it waits", "early", 2, 1)
	w.most(t, ns, "while it waits", "late", 2, 1)

	node(t, ns+"-b", "8")
	for _, name := range []string{"early", "late"} {
		awaitRunning(t, ns, name, 2)
		awaitCondition(t, ns, name, schedulingv1beta1.PodGroupScheduled)
	}
	silent(t, &w)
	w.most(t, ns, "after it waited and was served", "early", 3+slowStart(t, ns, "early"), 2)
	w.most(t, ns, "after it waited and was served", "late", 3+slowStart(t, ns, "late"), 2)
	g := group(t, ns, "late")
	if g.Status.Phase != schedulingv1beta1.PodGroupRunning || g.Status.Running != 2 {
		t.Errorf("it runs, and its PodGroup says %+v", g.Status)
	}
	for _, c := range g.Status.Conditions {
		if c.Type == schedulingv1beta1.PodGroupUnschedulableType && c.Status != corev1.ConditionFalse {
			t.Errorf("it runs, and its PodGroup says %+v", c)
		}
	}
}

// slowStart is 1 where kwok took a second or more to run a gang's pods, by what they show, and 0
// otherwise: that the gang started is then said before its pods run, and how many run by a write more.
func slowStart(t *testing.T, ns, gang string) int {
	t.Helper()
	for _, p := range list(t, ns, gang) {
		var scheduled, ready time.Time
		for _, c := range p.Status.Conditions {
			switch c.Type {
			case corev1.PodScheduled:
				scheduled = c.LastTransitionTime.Time
			case corev1.PodReady:
				ready = c.LastTransitionTime.Time
			}
		}
		if ready.Sub(scheduled) >= time.Second {
			return 1
		}
	}
	return 0
}

// most fails a test that has written a gang's PodGroup, or its first pod, more often.
func (w *wire) most(t *testing.T, ns, when, gang string, toGroup, toPod int) {
	t.Helper()
	groups, pods := w.about("/namespaces/"+ns+"/podgroups/"+gang), w.about("/namespaces/"+ns+"/pods/"+gang+"-0")
	t.Logf("%s %s: %d writes to its PodGroup, %d to a pod of it", gang, when, groups, pods)
	if groups > toGroup || pods > toPod {
		t.Errorf("%s %s: %d writes to its PodGroup and %d to a pod of it, want at most %d and %d: %v",
			gang, when, groups, pods, toGroup, toPod, w.written())
	}
}
