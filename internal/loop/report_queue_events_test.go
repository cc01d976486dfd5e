package loop

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// aboutQueue are the events about a queue, as "reason: message".
func (w *living) aboutQueue(name string) (out []string) {
	w.Helper()
	all, err := w.kube.CoreV1().Events("").List(w.Context(), metav1.ListOptions{})
	w.must(err)
	for i := range all.Items {
		if e := &all.Items[i]; e.InvolvedObject.Kind == "Queue" && e.InvolvedObject.Name == name {
			out = append(out, e.Reason+": "+e.Message)
		}
	}
	return out
}

// queue makes a queue, or changes its spec and state.
func (w *living) queue(name string, state schedulingv1beta1.QueueState, spec schedulingv1beta1.QueueSpec) {
	w.Helper()
	q := &schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}, Spec: spec,
		Status: schedulingv1beta1.QueueStatus{State: state}}
	if _, err := w.groups.Get(queuesKind, "", name); err == nil {
		w.must(w.groups.Update(queuesKind, q, ""))
		return
	}
	w.must(w.groups.Create(queuesKind, q, ""))
}

// What of a queue needs a person is told about it by an event, once while it lasts and at most once an hour: it is
// closed while jobs wait, a field does nothing, it holds more than its capability, a job waits for an hour. No event
// names a job: those that may read events in namespace default may not all see it.
func TestQueuesTellWhatNeedsAPerson(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		const open, closed = schedulingv1beta1.QueueStateOpen, schedulingv1beta1.QueueStateClosed
		cpu := func(cores string) corev1.ResourceList {
			return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cores)}
		}
		plain := schedulingv1beta1.QueueSpec{Weight: 1}
		w.after(time.Minute)
		if got := w.aboutQueue("default"); len(got) != 0 {
			t.Errorf("of a queue that needs nothing it is told %q", got)
		}

		w.group("secret", 2, "")
		w.pods("secret", 0, 2, "2")
		w.after(time.Minute)
		w.queue("default", open, schedulingv1beta1.QueueSpec{Weight: 1, Capability: cpu("3"), Deserved: cpu("1")})
		w.after(time.Minute)
		w.wants("default", "NotHeeded: spec.deserved does nothing", "QueueCapability: it holds more than its capability "+
			"(cpu: 4 held, 3 allowed)")
		w.must(w.groups.Create(groupsKind, &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns",
			Name: "mystery", UID: "mystery", CreationTimestamp: metav1.Now()},
			Spec: schedulingv1beta1.PodGroupSpec{MinMember: 3, Queue: "default"}}, "ns"))
		w.pods("mystery", 0, 3, "1")
		w.queue("default", closed, plain)
		w.after(time.Minute)
		w.wants("default", "NotHeeded", "QueueCapability", "QueueNotOpen: it is closed: no job of it starts")
		for range 5 { // it is opened and closed again and again
			w.queue("default", open, schedulingv1beta1.QueueSpec{Weight: 1, Capability: cpu("3"), Deserved: cpu("1")})
			w.after(time.Minute)
			w.queue("default", closed, plain)
			w.after(time.Minute)
		}
		w.wants("default", "NotHeeded", "QueueCapability", "QueueNotOpen")
		w.queue("default", open, schedulingv1beta1.QueueSpec{Weight: 1, Capability: cpu("6")})
		w.after(40 * time.Minute)
		w.wants("default", "NotHeeded", "QueueCapability", "QueueNotOpen")
		w.after(20 * time.Minute)
		w.wants("default", "NotHeeded", "QueueCapability", "QueueNotOpen", "JobsWait: a job in it waits since ")
		w.after(3 * time.Hour)
		w.wants("default", "NotHeeded", "QueueCapability", "QueueNotOpen", "JobsWait")
		for _, said := range w.aboutQueue("default") {
			if strings.Contains(said, "secret") || strings.Contains(said, "mystery") {
				t.Errorf("an event names a job: %q", said)
			}
		}
	})
}

// What one queue takes from another is told about both, by name: at once, and then in sum at most once an hour. What a
// queue's own jobs take from each other is told about none.
func TestQueuesTellWhatTheyTakeFromEachOther(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		plain := schedulingv1beta1.QueueSpec{Weight: 1}
		w.queue("rich", schedulingv1beta1.QueueStateOpen, plain)
		w.queue("poor", schedulingv1beta1.QueueStateOpen, plain)
		w.after(time.Minute)
		takes := func(from, to string, pods int) {
			for range pods {
				w.loop.reports.queues.takes(taking{"reclaim", from, to})
			}
			w.order.Add(1)
		}
		takes("rich", "poor", 3)
		takes("rich", "rich", 2)
		w.after(time.Minute)
		first := "Evict: reclaim: 3 pods of queue rich evicted for queue poor, which takes back its due"
		w.wants("rich", first)
		w.wants("poor", first)
		takes("rich", "poor", 1)
		w.after(time.Minute)
		takes("rich", "poor", 1)
		w.after(time.Minute)
		w.wants("rich", first)
		w.after(time.Hour)
		w.wants("rich", first, "Evict: reclaim: 2 pods of queue rich evicted")
		w.after(3 * time.Hour)
		w.wants("poor", first, "Evict: reclaim: 2 pods of queue rich evicted")
	})
}

// wants compares what was told about a queue, of which only the beginnings are given.
func (w *living) wants(name string, begins ...string) {
	w.Helper()
	got := w.aboutQueue(name)
	matches := len(got) == len(begins)
	for _, begin := range begins {
		found := false
		for _, said := range got {
			found = found || strings.HasPrefix(said, begin)
		}
		matches = matches && found
	}
	if !matches {
		w.Errorf("about queue %s it is told %q, want %q", name, got, begins)
	}
}
