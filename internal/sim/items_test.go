package sim_test

import (
	"testing"
	"time"

	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
)

// A world made of another's items goes on as that one does: what runs ends when it would have, and what waits starts.
func TestACopyGoesOn(t *testing.T) {
	w := start(t, node("n", 4), group("runs", 2), pod("r-0", 2, of("runs"), lasts(time.Minute)),
		pod("r-1", 2, of("runs"), lasts(time.Minute)), group("waits", 1, at(2*time.Second)),
		pod("w-0", 4, of("waits"), at(2*time.Second), lasts(time.Minute)))
	w.Run(30 * time.Second)
	now, moment := w.Items(30 * time.Second)
	copied, err := sim.New(profile(), now, sim.Options{Begin: moment})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Duration(moment)
	started := func(w *sim.World, offset time.Duration) time.Duration {
		for {
			c, more := w.Step()
			if !more {
				t.Fatal("the job that waits never started")
			}
			for _, i := range c.Plan.Items {
				if i.Kind == sched.BindPod && i.Pod.Name == "w-0" {
					return c.At + offset
				}
			}
		}
	}
	if was, is := started(w.World, 0), started(copied, begin); is < was-time.Second || is > was+time.Second {
		t.Errorf("in the copy the job starts at %s, in the world at %s", is, was)
	}
}
