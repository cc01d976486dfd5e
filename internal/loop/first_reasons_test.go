package loop

import (
	"fmt"
	"testing"
	"time"
)

// A pod that no node takes says so within 1.65 s, whenever it comes, and also where cycles are seldom. So it does
// within three on a busy cluster of 100 000 pods, where rounds are late, too.
func TestAFirstReasonIsToldSoon(t *testing.T) {
	for _, period := range []time.Duration{time.Second, 5 * time.Second} {
		inVirtualTimeWith(t, 1, func(w *living) { w.options.Period = period }, func(w *living) {
			for i := range 20 {
				w.after(10*time.Second + time.Duration(i)*70*time.Millisecond)
				name, came := fmt.Sprint("g", i), time.Now()
				w.group(name, 1, noOwner)
				w.pods(name, 0, 1, "64")
				for w.message(name+"-0") == "" {
					w.after(20 * time.Millisecond)
					if time.Since(came) > time.Minute {
						t.Fatalf("with cycles every %s a pod is told nothing for a minute", period)
					}
				}
				if took := time.Since(came); took > 1650*time.Millisecond || took < lasting {
					t.Errorf("with cycles every %s a pod is told after %s", period, took)
				}
				w.after(10 * time.Second)
				before := w.order.Load()
				if w.after(time.Minute); w.order.Load()-before > int64(time.Minute/period)+5 {
					t.Errorf("%d cycles in a minute of rest, one every %s is due", w.order.Load()-before, period)
				}
				if toGroup, toPod := w.written(name, name+"-0"); toGroup != 1 || toPod != 1 {
					t.Errorf("its PodGroup is written %d times and it %d times, want once each", toGroup, toPod)
				}
				w.delete(name + "-0")
			}
		})
	}
}
