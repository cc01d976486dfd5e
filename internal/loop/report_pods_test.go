package loop

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// message is what a pod says of why it waits.
func (w *living) message(pod string) string {
	o, err := w.core.Get(podsKind, "ns", pod)
	w.must(err)
	for _, c := range o.(*corev1.Pod).Status.Conditions {
		if c.Type == corev1.PodScheduled {
			return c.Message
		}
	}
	return ""
}

// A pod without a PodGroup that waits over a restart says what is true, within three seconds of the scheduler's first
// cycle: where something else is in its way by then, and where only amounts are others. Where its text is true it is
// not written, and what is written is written once.
func TestATextOfAnEarlierProcessIsMadeTrue(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(w *living)
		says   string
		writes int // of each pod, by the second process
	}{
		{"nothing", func(*living) {}, "2 lack cpu", 0},
		{"what is in the way", func(w *living) { w.cordon("n0", true) }, "1 is cordoned", 1},
		{"amounts", func(w *living) { w.node("n2", "7") }, "3 lack cpu", 1},
	} {
		t.Run(c.what, func(t *testing.T) {
			inVirtualTimeWith(t, 2, func(w *living) { w.adopts = true }, func(w *living) {
				for i := range 3 {
					p := waiting(fmt.Sprint("bare-", i))
					p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = cores("12")
					w.must(w.core.Create(podsKind, p, "ns"))
				}
				w.after(soon)
				if said := w.message("bare-0"); !strings.Contains(said, "2 lack cpu") {
					t.Fatalf("it says %q", said)
				}
				w.end()
				_, before := w.written("", "bare-0")
				c.change(w)
				w.schedule() // takes a second
				w.after(withinThreeSeconds)
				for i := range 3 {
					if said := w.message(fmt.Sprint("bare-", i)); !strings.Contains(said, c.says) {
						t.Errorf("bare-%d says %q, want %q", i, said, c.says)
					}
				}
				w.after(2*believed + time.Minute)
				if _, after := w.written("", "bare-0"); after-before != c.writes {
					t.Errorf("it was written %d times, want %d", after-before, c.writes)
				}
			})
		})
	}
}
