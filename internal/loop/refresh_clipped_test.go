package loop

import (
	"strings"
	"testing"

	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// A reason that is longer than a message may be is cut off between two letters, in any script: a scheduler that starts
// knows it again, and writes nothing. The cases differ in where in a letter the bound is.
func TestALongReasonInAnyScriptIsWrittenOnce(t *testing.T) {
	for name, padding := range map[string]string{"one": "", "another": "x", "a third": "xx", "a fourth": "xxx"} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *living) {
				w.gang("2")
				w.regroup("g", func(g *schedulingv1beta1.PodGroup) { g.Spec.Queue = padding + strings.Repeat("𐍈", 600) })
				w.after(quiet)
				c := conditionOf(&schedulingv1beta1.PodGroup{Status: w.status("g")}, schedulingv1beta1.PodGroupUnschedulableType)
				if c == nil || !strings.HasSuffix(c.Message, "...") {
					w.Fatalf("the PodGroup shows no text that is cut off: %+v", c)
				}
				toGroup, toPod := w.written("g", "g-0")
				events := w.events("g", "Unschedulable")
				w.restart()
				w.after(quiet)
				again, podAgain := w.written("g", "g-0")
				if again != toGroup || podAgain != toPod || w.events("g", "Unschedulable") != events {
					w.Errorf("after a restart %d writes to the PodGroup, %d to the pod and %d events, want none", again-toGroup,
						podAgain-toPod, w.events("g", "Unschedulable")-events)
				}
			})
		})
	}
}
