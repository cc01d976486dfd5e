package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sent is when writes with that method, and with such a part in their path, were sent.
func (w *wire) sent(method, part string) (at []time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, line := range w.writes {
		if strings.HasPrefix(line, method) && strings.Contains(line, part) {
			at = append(at, w.at[i])
		}
	}
	return at
}

// accepted is how many of them the server carried out. A client sends again what a server without time turned away.
func (w *wire) accepted(method, part string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, line := range w.writes {
		if strings.HasPrefix(line, method) && strings.Contains(line, part) && w.taken[i] {
			n++
		}
	}
	return n
}

// densest is the most that were sent within a second, and how long all took.
func densest(at []time.Time) (most int, took time.Duration) {
	slices.SortFunc(at, time.Time.Compare)
	from := 0
	for i := range at {
		for at[i].Sub(at[from]) >= time.Second {
			from++
		}
		most = max(most, i-from+1)
	}
	if len(at) > 0 {
		took = at[len(at)-1].Sub(at[0])
	}
	return most, took
}

// A gang of a thousand pods that waits for nodes is told of by a condition and an event on
// each, once, at a bounded rate; a pod that comes meanwhile is bound as if they were not there. Machines differ, and so
// does what else they do: a client that only binds is timed before and after.
func TestLiveAThousandPodsThatWait(t *testing.T) {
	const members = 1000
	ns := namespace(t)
	node(t, ns+"-a", "64")
	queue(t, ns)
	alone := plain(t, ns, ns+"-a", "before")
	makeCrowd(t, ns, members)
	submit(t, ns, ns, "crowd", 0, members, "1")
	var w wire
	live(t, ns, w.on) // after the gang: pods that come for more than 5 s before their PodGroup are told of that, too
	told := func() int { return w.accepted("PATCH", "/pods/crowd-") }
	eventually(t, "the first of them to be told", func(ctxless) (bool, error) {
		return told() > 0, nil
	}, func() string { return "none" })

	const quick = 24 // the room of their queue
	took := quickly(t, ns, "quick", quick, func(n int) {
		eventually(t, "more of them to be told", func(ctxless) (bool, error) {
			return told() >= members*n/quick, nil
		}, func() string { return fmt.Sprint(told()) })
	})
	eventually(t, "all of them to be told", func(ctxless) (bool, error) {
		return told() >= members && w.accepted("POST", "/events") >= members, nil
	}, func() string { return "not all are" })
	silent(t, &w)
	alone = max(alone, plain(t, ns, ns+"-a", "after"))

	conditions, events := w.sent("PATCH", "/pods/crowd-"), w.sent("POST", "/events")
	mostC, forC := densest(conditions)
	mostE, forE := densest(events)
	t.Logf("%d conditions within %v, at most %d in a second; %d events within %v, at most %d in a second; %d pods that "+
		"came meanwhile bound within %v, half of them within %v",
		len(conditions), forC.Round(time.Millisecond), mostC, len(events), forE.Round(time.Millisecond), mostE, len(took),
		took[len(took)-1], took[len(took)/2])
	if n := told(); n != members {
		t.Errorf("%d conditions were written, of %d that were sent, on %d pods that wait for one reason, want one each", n,
			len(conditions), members)
	}
	if mostC > 160 || mostE > 320 {
		t.Errorf("%d conditions and %d events within a second, want bounds of 150 and 300 kept", mostC, mostE)
	}
	if half := took[len(took)/2]; half > 500*time.Millisecond+5*alone {
		t.Errorf("half of the pods that came meanwhile took more than %v, and %v when a client did nothing but bind them",
			half, alone)
	}
}

// quickly makes some pods, each when it is due and the one before is bound, and returns how long each took, the
// quickest first.
func quickly(t *testing.T, ns, name string, pods int, due func(n int)) (took []time.Duration) {
	t.Helper()
	for n := range pods {
		due(n)
		p := pod(ns, fmt.Sprint(name, "-", n))
		p.Spec.SchedulerName = ns
		took = append(took, timeToBind(t, p, func() {}))
	}
	slices.Sort(took)
	return took
}

// makeCrowd makes members of gang crowd, side by side.
func makeCrowd(t *testing.T, ns string, members int) {
	t.Helper()
	const clients = 10
	var made sync.WaitGroup
	for c := range clients {
		made.Go(func() {
			for i := c; i < members; i += clients {
				p := member(ns, "crowd", i, "1")
				p.Spec.SchedulerName = ns
				if _, err := shared.kube.CoreV1().Pods(ns).Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	made.Wait()
}
