package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// A gang is bound whole and runs; its PodGroup and the pods' events say so.
func TestLiveAGangRuns(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	node(t, ns+"-b", "4")
	queue(t, ns)
	live(t, ns)
	submit(t, ns, ns, "train", 3, 3, "2")
	awaitRunning(t, ns, "train", 3)
	awaitCondition(t, ns, "train", schedulingv1beta1.PodGroupScheduled)
	eventually(t, "the PodGroup to say that three run", func(ctxless) (bool, error) {
		g := group(t, ns, "train")
		return g.Status.Phase == schedulingv1beta1.PodGroupRunning && g.Status.Running == 3, nil
	}, func() string { return describe(group(t, ns, "train")) })
	if got := group(t, ns, "train").Spec.MinMember; got != 3 {
		t.Errorf("spec.minMember is %d, want 3: a spec is not the scheduler's to write", got)
	}
	eventually(t, "the event Scheduled", func(ctxless) (bool, error) {
		return len(events(t, ns, "Pod", "train-0", "Scheduled")) > 0, nil
	}, func() string { return "none" })
	if n := len(events(t, ns, "Pod", "train-0", "Scheduled")); n != 1 {
		t.Errorf("%d events Scheduled about a pod, want 1", n)
	}
}

// A gang that does not fit waits whole, says why once, tells autoscalers, and starts
// when a node is added; then it no longer says that it waits.
func TestLiveAGangWaitsForANode(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	live(t, ns)
	submit(t, ns, ns, "train", 3, 3, "2")
	waits := awaitCondition(t, ns, "train", schedulingv1beta1.PodGroupUnschedulableType)
	if waits.Reason != "NotEnoughResources" || !strings.Contains(waits.Message, "3/3 tasks in gang unschedulable") {
		t.Errorf("the condition says %s: %s", waits.Reason, waits.Message)
	}
	eventually(t, "the pods to say Unschedulable", func(ctxless) (bool, error) {
		for _, p := range list(t, ns, "train") {
			if !unschedulable(p) {
				return false, nil
			}
		}
		return true, nil
	}, func() string { return "not all do" })
	if n := bound(list(t, ns, "train")); n != 0 {
		t.Errorf("%d members are bound while the gang does not fit, want none", n)
	}
	eventually(t, "the event Unschedulable", func(ctxless) (bool, error) {
		return len(events(t, ns, "PodGroup", "train", "Unschedulable")) > 0, nil
	}, func() string { return "none" })

	node(t, ns+"-b", "4")
	awaitRunning(t, ns, "train", 3)
	awaitCondition(t, ns, "train", schedulingv1beta1.PodGroupScheduled)
	for _, c := range group(t, ns, "train").Status.Conditions {
		if c.Type == schedulingv1beta1.PodGroupUnschedulableType && c.Status == corev1.ConditionTrue {
			t.Error("the PodGroup runs and still says that it is unschedulable")
		}
	}
	if n := len(events(t, ns, "PodGroup", "train", "Unschedulable")); n != 1 {
		t.Errorf("%d events Unschedulable about one wait, want 1", n)
	}
}

// Two queues that ask for more than there is share by weight, and say what they hold.
func TestLiveQueuesShareByWeight(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "6")
	node(t, ns+"-b", "6")
	weighted(t, ns+"-two", 2)
	weighted(t, ns+"-one", 1)
	for i := range 12 {
		submit(t, ns, ns+"-two", "two-"+letters[i:i+1], 1, 1, "1")
		submit(t, ns, ns+"-one", "one-"+letters[i:i+1], 1, 1, "1")
	}
	live(t, ns)
	awaitRunning(t, ns, "two-", 8)
	awaitRunning(t, ns, "one-", 4)
	eventually(t, "the queues to say what they hold", func(ctxless) (bool, error) {
		return allocated(t, ns+"-two") == "8" && allocated(t, ns+"-one") == "4", nil
	}, func() string { return allocated(t, ns+"-two") + " and " + allocated(t, ns+"-one") })
	if two, one := bound(list(t, ns, "two-")), bound(list(t, ns, "one-")); two != 8 || one != 4 {
		t.Errorf("%d and %d of twelve cores, want 8 and 4 for weights 2 and 1", two, one)
	}
}
