package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/loop"
)

// Each pod that waits shows the first sentence of its job's reason, in its condition and in one event about itself,
// with the reason that upstream has; its PodGroup has the code. Never does not read like not now, and the bound that
// binds is the one that is named.
func TestLiveEachPodThatWaitsSaysWhy(t *testing.T) {
	ns := namespace(t)
	noneLeaves(t)
	node(t, ns+"-a", "4")
	node(t, ns+"-b", "4")
	queue(t, ns)
	queues := shared.dynamic.Resource(queueResource)
	special := func(name string, spec map[string]any) string {
		t.Helper()
		if _, err := queues.Create(t.Context(), object("Queue", name, spec), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = queues.Delete(context.Background(), name, metav1.DeleteOptions{}) })
		return name
	}
	capped := special(ns+"-capped", map[string]any{"weight": int64(1), "capability": map[string]any{"cpu": "2"}})
	shut := special(ns+"-shut", map[string]any{"weight": int64(1)})
	if _, err := queues.Patch(t.Context(), shut, types.MergePatchType, []byte(`{"status":{"state":"Closed"}}`),
		metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		queue            string
		pods, least      int
		cpu              string
		change           func(group map[string]any, p *corev1.Pod)
		pod, group, code string // reasons of both conditions, and the code with those of its causes
		sentence         string
	}{
		"missing": {ns + "-none", 1, 1, "1", nil, "QueueNotFound", "QueueNotFound", "QueueNotFound",
			"queue " + ns + "-none does not exist"},
		"closed": {shut, 1, 1, "1", nil, "QueueNotOpen", "QueueNotOpen", "QueueNotOpen",
			"queue " + shut + " is closed and takes no jobs"},
		"over": {capped, 2, 2, "1.5", nil, "QueueCapability", "QueueCapability", "GangIncomplete.QueueCapability",
			"queue " + capped + " would hold more than its capability (cpu: 3 with it, 2 allowed)"},
		"few": {ns, 1, 3, "1", nil, "NotEnoughTasks", "NotEnoughTasks", "NotEnoughTasks", "1 of at least 3 pods exist"},
		"gate": {ns, 1, 1, "1", func(group map[string]any, _ *corev1.Pod) {
			group["minResources"] = map[string]any{"cpu": "500"}
		}, "ClusterOvercommitted", "ClusterOvercommitted", "ClusterOvercommitted", "more would be admitted than"},
		"crowd": {ns, 20, 20, "4", nil, "Unschedulable", "NotEnoughResources", "GangTooLarge",
			"it can never start on these nodes: even empty they have room for 2 of the 20 pods that start together"},
		"giant": {ns, 1, 1, "50", nil, "Unschedulable", "NotEnoughResources", "PodTooLarge",
			"giant-0 asks for more than any of them has (cpu: 50 asked, 4 on the largest)"},
		"gpu": {ns, 1, 1, "1", func(_ map[string]any, p *corev1.Pod) {
			for _, list := range []corev1.ResourceList{p.Spec.Containers[0].Resources.Requests,
				p.Spec.Containers[0].Resources.Limits} {
				list["nvidia.com/gpu"] = resource.MustParse("1")
			}
		}, "Unschedulable", "NotEnoughResources", "PodTooLarge", "(nvidia.com/gpu: 1 asked, 0 on the largest)"},
	}
	for name, c := range cases {
		spec := map[string]any{"minMember": int64(c.least), "queue": c.queue}
		for i := range c.pods {
			p := member(ns, name, i, c.cpu)
			p.Spec.SchedulerName = ns
			if r := &p.Spec.Containers[0].Resources; r.Limits == nil {
				r.Limits = corev1.ResourceList{}
			}
			if c.change != nil {
				c.change(spec, p)
			}
			create(t, p)
		}
		if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(),
			object("PodGroup", name, spec), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	live(t, ns)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			of := awaitCondition(t, ns, name, schedulingv1beta1.PodGroupUnschedulableType)
			if of.Reason != c.group || !strings.Contains("."+of.TransitionID+".", "."+c.code+".") ||
				!strings.Contains(of.Message, c.sentence) {
				t.Errorf("its PodGroup says %s (%s): %q, want %s (%s) and %q", of.Reason, of.TransitionID, of.Message, c.group,
					c.code, c.sentence)
			}
			_, sentence, _ := strings.Cut(of.Message, "unschedulable: ")
			for i := range c.pods {
				showsReason(t, ns, fmt.Sprint(name, "-", i), c.pod, sentence)
			}
		})
	}
}

// showsReason waits until a pod's condition and one event about it say why it waits.
func showsReason(t *testing.T, ns, name, reason, sentence string) {
	t.Helper()
	var condition corev1.PodCondition
	eventually(t, "pod "+name+" to say why it waits", func(ctx context.Context) (bool, error) {
		p, err := shared.kube.CoreV1().Pods(ns).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodScheduled {
				condition = c
			}
		}
		return condition.Message != "" && len(events(t, ns, "Pod", name, "FailedScheduling")) > 0, nil
	}, func() string { return fmt.Sprintf("%+v", condition) })
	if condition.Status != corev1.ConditionFalse || condition.Reason != reason || condition.Message != sentence {
		t.Errorf("pod %s says %s %s: %q, want %s: %q", name, condition.Status, condition.Reason, condition.Message, reason,
			sentence)
	}
	if told := events(t, ns, "Pod", name, "FailedScheduling"); len(told) != 1 || told[0].Message != sentence {
		t.Errorf("pod %s has the events %+v, want one that says %q", name, told, sentence)
	}
}

// A reason is told anew when what it rests on changes: a node that was cordoned is not named as one with room, and the
// amounts are those that a person sees on the nodes. The condition keeps the time since when the job waits.
func TestLiveAReasonIsRefreshed(t *testing.T) {
	ns := namespace(t)
	noneLeaves(t)
	node(t, ns+"-a", "4")
	node(t, ns+"-b", "4")
	queue(t, ns)
	live(t, ns)
	submit(t, ns, ns, "large", 5, 5, "2")
	first := awaitCondition(t, ns, "large", schedulingv1beta1.PodGroupUnschedulableType)
	if !strings.Contains(first.Message, "room for 4 of the 5 pods that start together") {
		t.Errorf("with two nodes it waits for %q", first.Message)
	}
	nodes := shared.kube.CoreV1().Nodes()
	if _, err := nodes.Patch(t.Context(), ns+"-b", types.MergePatchType, []byte(`{"spec":{"unschedulable":true}}`),
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	var now schedulingv1beta1.PodGroupCondition
	eventually(t, "the reason to be that of one node", func(context.Context) (bool, error) {
		now = awaitCondition(t, ns, "large", schedulingv1beta1.PodGroupUnschedulableType)
		return strings.Contains(now.Message, "2 of the 5 pods"), nil
	}, func() string { return now.Message })
	if !now.LastTransitionTime.Equal(&first.LastTransitionTime) {
		t.Errorf("it waits since %s, and says since %s", first.LastTransitionTime, now.LastTransitionTime)
	}
	if strings.Contains(now.Message, " on "+ns+"-b") {
		t.Errorf("it names a cordoned node as one with room: %q", now.Message)
	}
	_, sentence, _ := strings.Cut(now.Message, "unschedulable: ")
	eventually(t, "its pods to say the same", func(context.Context) (bool, error) {
		for _, p := range list(t, ns, "large") {
			said := false
			for _, c := range p.Status.Conditions {
				said = said || c.Type == corev1.PodScheduled && c.Message == sentence
			}
			if !said {
				return false, nil
			}
		}
		return true, nil
	}, func() string { return fmt.Sprintf("%+v", list(t, ns, "large")[0].Status) })
	eventually(t, "an event with the new sentence", func(context.Context) (bool, error) {
		for _, e := range events(t, ns, "PodGroup", "large", "Unschedulable") {
			if strings.Contains(e.Message, sentence) {
				return true, nil
			}
		}
		return false, nil
	}, func() string { return "none" })
}

// A gang that was evicted says so: its PodGroup is Scheduled no more, has an event, and says why it waits again; once
// it runs it says nothing of waiting.
func TestLiveAnEvictedGangSaysThatItWaitsAgain(t *testing.T) {
	ns := namespace(t)
	noneLeaves(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	classes := shared.kube.SchedulingV1().PriorityClasses()
	if _, err := classes.Create(t.Context(), &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: ns},
		Value: 1000}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = classes.Delete(context.Background(), ns, metav1.DeleteOptions{}) })
	conf := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	if err := os.WriteFile(conf, []byte("actions: \"enqueue, allocate, gangpreempt\"\ntiers:\n- plugins:\n"+
		"  - name: priority\n  - name: gang\n  - name: conformance\n- plugins:\n  - name: predicates\n  - name: proportion\n"+
		"  - name: nodeorder\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	live(t, ns, func(o *loop.Options) { o.ConfigFile = conf })
	member := func(group string, i int, class string) *corev1.Pod {
		p := member(ns, group, i, "2")
		p.Spec.SchedulerName, p.Spec.PriorityClassName = ns, class
		p.Annotations["volcano.sh/preemptable"] = "true"
		return p
	}
	gang := func(name, class string) {
		t.Helper()
		spec := map[string]any{"minMember": int64(2), "queue": ns}
		if class != "" {
			spec["priorityClassName"] = class
		}
		if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(),
			object("PodGroup", name, spec), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			create(t, member(name, i, class))
		}
	}
	gang("modest", "")
	awaitRunning(t, ns, "modest", 2)
	awaitCondition(t, ns, "modest", schedulingv1beta1.PodGroupScheduled)
	gang("urgent", ns)
	awaitRunning(t, ns, "urgent", 2)
	for i := range 2 { // as its controller does
		eventually(t, "the evicted pod to be gone", func(context.Context) (bool, error) {
			return len(list(t, ns, fmt.Sprint("modest-", i))) == 0, nil
		}, func() string { return "it is there" })
		create(t, member("modest", i, ""))
	}
	var seen map[schedulingv1beta1.PodGroupConditionType]schedulingv1beta1.PodGroupCondition
	shows := func(scheduled, waits corev1.ConditionStatus) {
		t.Helper()
		what := fmt.Sprintf("Scheduled %s and Unschedulable %s", scheduled, waits)
		eventually(t, what, func(context.Context) (bool, error) {
			seen = map[schedulingv1beta1.PodGroupConditionType]schedulingv1beta1.PodGroupCondition{}
			for _, c := range group(t, ns, "modest").Status.Conditions {
				seen[c.Type] = c
			}
			return seen[schedulingv1beta1.PodGroupScheduled].Status == scheduled &&
				seen[schedulingv1beta1.PodGroupUnschedulableType].Status == waits, nil
		}, func() string { return fmt.Sprintf("%+v", seen) })
	}
	shows(corev1.ConditionFalse, corev1.ConditionTrue)
	why := seen[schedulingv1beta1.PodGroupUnschedulableType]
	if !strings.Contains(why.Message, "deserves (cpu: 4 deserved, 4 allocated)") {
		t.Errorf("it waits for %q, want for its queue", why.Message)
	}
	eventually(t, "an event of the eviction", func(context.Context) (bool, error) {
		return len(events(t, ns, "PodGroup", "modest", "Evict")) > 0, nil
	}, func() string { return "none" })
	eventually(t, "an event that it waits again", func(context.Context) (bool, error) {
		return len(events(t, ns, "PodGroup", "modest", "Unschedulable")) > 0, nil
	}, func() string { return "none" })
	node(t, ns+"-b", "4")
	awaitRunning(t, ns, "modest", 2)
	shows(corev1.ConditionTrue, corev1.ConditionFalse)
	if text := seen[schedulingv1beta1.PodGroupUnschedulableType].Message; text != "" {
		t.Errorf("it runs, and says %q", text)
	}
}

// What of a queue needs a person is an event about it, for kubectl describe.
func TestLiveQueuesTellWhatNeedsAPerson(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-a", "4")
	queue(t, ns)
	live(t, ns)
	submit(t, ns, ns, "runs", 2, 2, "1")
	awaitRunning(t, ns, "runs", 2)
	queues := shared.dynamic.Resource(queueResource)
	if _, err := queues.Patch(t.Context(), ns, types.MergePatchType,
		[]byte(`{"spec":{"capability":{"cpu":"1"},"deserved":{"cpu":"1"}}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := queues.Patch(t.Context(), ns, types.MergePatchType, []byte(`{"status":{"state":"Closed"}}`),
		metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
	submit(t, ns, ns, "secret", 1, 1, "1")
	for reason, text := range map[string]string{"QueueNotOpen": "it is closed: no job of it starts until it is opened",
		"QueueCapability": "it holds more than its capability (cpu: 2 held, 1 allowed)",
		"NotHeeded":       "spec.deserved does nothing: plugin proportion shares by weight"} {
		var told []corev1.Event
		eventually(t, "the queue to tell "+reason, func(context.Context) (bool, error) {
			told = events(t, metav1.NamespaceDefault, "Queue", ns, reason)
			return len(told) > 0, nil
		}, func() string { return "no event" })
		if len(told) != 1 || !strings.HasPrefix(told[0].Message, text) || strings.Contains(told[0].Message, "secret") {
			t.Errorf("it tells %s: %+v, want once %q", reason, told, text)
		}
	}
}
