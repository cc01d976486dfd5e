package loop

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// While what is told after cycles panics, it is tried more and more rarely, up to every half minute: each time costs an
// engine. Pods are bound meanwhile as quickly as ever, and once nothing panics any more all is told as before.
func TestATellingThatPanicsRestsAndNothingElseDoes(t *testing.T) {
	broken := false // of the loop's goroutine, and of the test while that waits
	inVirtualTimeWith(t, 1, func(w *living) {
		w.spoil = func(l *loop, _ *execute.Options) {
			l.metrics.queues["broken"] = nil // figures panics at it
			broken = true
			before := l.o.Simulated.BeforeCycle
			l.o.Simulated.BeforeCycle = func() {
				before()
				if !broken {
					delete(l.metrics.queues, "broken")
				}
			}
		}
	}, func(w *living) {
		w.after(5 * time.Minute)
		if n, _ := sum(t, w.loop, "ashlar_panics_total"); n < 5 || n > 20 {
			t.Errorf("%v panics in five minutes, want one for each half minute and some at the beginning", n)
		}
		w.group("g", 1, noOwner)
		w.pods("g", 0, 1, "1")
		w.after(time.Second)
		if w.bindings() != 1 {
			t.Error("a pod is not bound within a second")
		}
		broken = false
		w.after(time.Minute)
		was, _ := sum(t, w.loop, "ashlar_panics_total")
		w.group("large", 1, noOwner)
		w.pods("large", 0, 1, "100")
		w.after(5 * time.Second)
		if len(w.status("large").Conditions) == 0 {
			t.Error("why a job waits is not told within five seconds once nothing panics any more")
		}
		if n, _ := sum(t, w.loop, "ashlar_panics_total"); n != was || w.loop.rebuilds.panics != 0 {
			t.Errorf("%v panics and %d in a row, want no more than %v, and none in a row", n, w.loop.rebuilds.panics, was)
		}
	})
}

// slowPoison is poison on a cluster of which a cycle takes most of a minute, and looks at the probe in each.
type slowPoison struct {
	poison
	look func()
}

func (p slowPoison) ValidateJob(j ledger.JobID) trace.Reason {
	if p.l.Job(j).Key.Name == "a" {
		<-time.After(50 * time.Second)
		p.look()
	}
	return p.poison.ValidateJob(j)
}

// The search for the job that makes cycles panic takes many cycles. The process is not ended for it.
func TestTheProbeSaysThatTheLoopLivesWhileAJobToBlameIsLookedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := (&loop{health: &health{}, began: time.Now()}).wire()
		looks := 0
		l.o.Engine = []sched.Option{sched.WithPlugin(policy.Definition{Name: "poison",
			New: func(_ policy.Choice, led *ledger.Ledger) (any, error) {
				return slowPoison{poison{led}, func() {
					looks++
					w := httptest.NewRecorder()
					if l.health.live(w, nil); w.Code != http.StatusOK {
						t.Errorf("cycle %d: %s", looks, w.Body)
					}
				}}, nil
			}})}
		l.conf = &configuration{profile: policy.Profile{Actions: []string{"enqueue", "allocate"},
			Tiers: [][]policy.Choice{{{Plugin: "poison"}, {Plugin: "gang"}, {Plugin: "proportion"}}}}}
		l.health.beat()
		if job, found := l.rebuilds.leftOut.blame(world("a", "b", "poison", "c", "z"), l.rebuilds.fresh); !found ||
			job.Name != "poison" {
			t.Errorf("to blame is %v (found: %t), want poison", job, found)
		}
		if looks < 5 {
			t.Errorf("it took %d cycles", looks)
		}
	})
}
