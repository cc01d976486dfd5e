package loop

import (
	"testing"
	"time"

	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// says is the status and the reason of a PodGroup's condition, "" where it has none.
func (w *living) says(group string, kind schedulingv1beta1.PodGroupConditionType) string {
	for _, c := range w.status(group).Conditions {
		if c.Type == kind {
			return string(c.Status) + " " + c.Reason
		}
	}
	return ""
}

// Scheduled holds for as long as a member runs, and is False, with its own reason, when the last is gone; Volcano's
// controllers read conditions that are True only. Unschedulable has Volcano's reasons where pods or room are missing,
// and the code where more room would change nothing.
func TestWhatConditionsSayOfAGangThatRanAndWaits(t *testing.T) {
	inVirtualTime(t, 2, func(w *living) {
		w.gang("2")
		w.after(10 * time.Second)
		if got := w.says("g", schedulingv1beta1.PodGroupScheduled); got != "True tasks in gang are ready to be scheduled" {
			t.Errorf("while it runs Scheduled is %q", got)
		}
		w.delete("g-0", "g-1")
		w.pods("g", 2, 1, "2")
		w.after(quiet)
		if got := w.says("g", schedulingv1beta1.PodGroupScheduled); got[:5] != "False" {
			t.Errorf("when no member runs Scheduled is %q", got)
		}
		if got := w.says("g", schedulingv1beta1.PodGroupUnschedulableType); got != "True NotEnoughTasks" {
			t.Errorf("with one of two pods Unschedulable is %q", got)
		}
		w.pods("g", 3, 1, "9")
		w.after(quiet)
		if got := w.says("g", schedulingv1beta1.PodGroupUnschedulableType); got != "True NotEnoughResources" {
			t.Errorf("with a pod that is too large Unschedulable is %q", got)
		}
		w.delete("g-3")
		w.regroup("g", func(g *schedulingv1beta1.PodGroup) { g.Spec.Queue = "none" })
		w.pods("g", 4, 1, "2")
		w.after(quiet)
		if got := w.says("g", schedulingv1beta1.PodGroupUnschedulableType); got != "True QueueNotFound" {
			t.Errorf("in a queue that is not there Unschedulable is %q", got)
		}
	})
}
