//go:build !simulator

package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/trace"
)

// evictReason is the reason of the event of a pod that a batch scheduler evicts: Volcano's, and ours.
const evictReason = "Evict"

// mostEvents bounds the events that are read: of one pod, or for the nearest name.
const mostEvents = 500

// inCluster reads the event, or the condition, that the scheduler wrote, and the two pods. It reads no more
// than these: a person may ask it that may read one namespace.
func (p evictionQuestions) inCluster(a asked) (*explain.Answer, error) {
	ctx, stop := whileReading(context.Background())
	defer stop()
	c, err := p.clients(&a.source)
	if err != nil {
		return nil, noCluster(err)
	}
	l := &liveEviction{kube: c.Kube, namespace: a.namespace, name: a.name}
	if err := l.read(ctx); err != nil {
		return nil, noCluster(err)
	}
	asking := explain.Asking{Now: p.Now().UnixNano(), Basis: explain.Basis{Source: "written",
		Time: p.Now().UTC().Format(time.RFC3339), Unknown: l.unknown}}
	p.warnEach(l.unknown)
	if len(l.messages) == 0 {
		return nil, l.none(ctx)
	}
	return asking.EvictionAnswer(l.why(ctx)), nil
}

// liveEviction is what a cluster says of the eviction of a pod.
type liveEviction struct {
	kube            kubernetes.Interface
	namespace, name string

	messages []saying    // the oldest first
	pod      *corev1.Pod // the one of that name now; nil: none, or it may not be read
	hidden   bool        // pods may not be read
	unknown  []string
}

// saying is an event or a condition about one eviction.
type saying struct {
	at      time.Time
	uid     string // of the pod; "": not known
	message string
}

// read reads events and the pod. An error is one of the connection.
func (l *liveEviction) read(ctx context.Context) error {
	events, err := l.kube.CoreV1().Events(l.namespace).List(ctx, metav1.ListOptions{Limit: mostEvents,
		FieldSelector: "involvedObject.kind=Pod,involvedObject.name=" + l.name + ",reason=" + evictReason})
	switch {
	case apierrors.IsForbidden(err):
		l.unknown = append(l.unknown, "events in namespace "+l.namespace+": no right to list them; not known: evictions of "+
			"pods that have gone")
	case err != nil:
		return fmt.Errorf("list events: %w", err)
	default:
		for i := range events.Items {
			if e := &events.Items[i]; e.InvolvedObject.Name == l.name && e.Reason == evictReason {
				at := cmp.Or(e.LastTimestamp.Time, e.EventTime.Time, e.CreationTimestamp.Time)
				l.messages = append(l.messages, saying{at, string(e.InvolvedObject.UID), e.Message})
			}
		}
	}
	pod, err := l.kube.CoreV1().Pods(l.namespace).Get(ctx, l.name, metav1.GetOptions{})
	switch {
	case apierrors.IsForbidden(err):
		l.hidden = true
		l.unknown = append(l.unknown, "pods in namespace "+l.namespace+": no right to read them; not known: what came of it")
	case err == nil:
		l.pod = pod
		l.condition()
	case !apierrors.IsNotFound(err):
		return fmt.Errorf("get pod: %w", err)
	}
	slices.SortStableFunc(l.messages, func(a, b saying) int { return a.at.Compare(b.at) })
	return nil
}

// condition adds what the pod itself says, unless an event says it.
func (l *liveEviction) condition() {
	for _, c := range l.pod.Status.Conditions {
		if c.Type != corev1.DisruptionTarget || c.Status != corev1.ConditionTrue ||
			c.Reason != corev1.PodReasonPreemptionByScheduler {
			continue
		}
		said := func(s saying) bool { return s.uid == string(l.pod.UID) }
		if !slices.ContainsFunc(l.messages, said) {
			l.messages = append(l.messages, saying{c.LastTransitionTime.Time, string(l.pod.UID), c.Message})
		}
	}
}

// none is the error where nothing is told of an eviction.
func (l *liveEviction) none(ctx context.Context) error {
	var evicted []string
	events, err := l.kube.CoreV1().Events(l.namespace).List(ctx, metav1.ListOptions{Limit: mostEvents,
		FieldSelector: "involvedObject.kind=Pod,reason=" + evictReason})
	if err == nil {
		for i := range events.Items {
			if events.Items[i].Reason == evictReason {
				evicted = append(evicted, events.Items[i].InvolvedObject.Name)
			}
		}
	}
	text := explain.NoSuch("event of an eviction of pod", l.namespace, l.name, evicted)
	if l.pod != nil {
		text += "; " + became(l.pod)
	}
	return badInput("error: "+text, "Events are kept for an hour unless the API server says otherwise; a recording of "+
		"the scheduler has its last minutes: --dump FILE.")
}

// why is the newest eviction.
func (l *liveEviction) why(ctx context.Context) *explain.EvictionWhy {
	last := l.messages[len(l.messages)-1]
	out := &explain.EvictionWhy{Namespace: l.namespace, Name: l.name, Message: last.message,
		When: last.at.UTC().Format(time.RFC3339)}
	if r, ours := explain.ReadEvicted(last.message); ours {
		out.Record = r
		out.Notes = append(out.Notes, "which other pods and nodes were looked at is in no event: a recording of the "+
			"scheduler has it (--dump)")
	}
	if n := len(l.messages); n > 1 {
		out.Notes = append(out.Notes, fmt.Sprintf("a pod of this name was evicted %d times; the time before: %s, %s", n,
			l.messages[n-2].at.UTC().Format(time.RFC3339), l.messages[n-2].message))
	}
	out.Since = append(out.Since, l.victim(ctx, last))
	if out.Record != nil && out.Record.Preemptor != "" {
		out.Since = append(out.Since, l.preemptor(ctx, out.Record))
	}
	return out
}

// victim says what became of the pod that was evicted.
func (l *liveEviction) victim(ctx context.Context, last saying) string {
	switch {
	case l.pod != nil && last.uid != "" && string(l.pod.UID) != last.uid:
		return "a pod of the same name was made again: " + became(l.pod)
	case l.pod != nil && l.pod.DeletionTimestamp == nil && !over(l.pod):
		return "it has not been deleted: " + became(l.pod)
	case l.pod != nil:
		return became(l.pod)
	case l.hidden:
		return "what came of " + l.namespace + "/" + l.name + " is not known: no right to read pods there"
	}
	pods, err := l.kube.CoreV1().Pods(l.namespace).List(ctx, metav1.ListOptions{})
	if err == nil {
		for i := range pods.Items {
			p := &pods.Items[i]
			// The names that the API server makes have five letters after the controller's.
			if rest, same := strings.CutPrefix(l.name, p.GenerateName); same && p.GenerateName != "" && len(rest) == 5 &&
				!p.CreationTimestamp.Time.Before(last.at.Truncate(time.Second)) {
				return "it has gone; since then its controller has made " + became(p)
			}
		}
	}
	return l.namespace + "/" + l.name + ": it has gone, and no pod of that name was made again"
}

// preemptor says what became of the pod that the room was for.
func (l *liveEviction) preemptor(ctx context.Context, r *trace.Eviction) string {
	key := podKey(r.Preemptor)
	pod, err := l.kube.CoreV1().Pods(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsForbidden(err):
		return r.Preemptor + ": what came of it is not known: no right to read pods in namespace " + key.Namespace
	case apierrors.IsNotFound(err):
		return r.Preemptor + ": it has gone"
	case err != nil:
		return r.Preemptor + ": what came of it is not known: " + err.Error()
	}
	return became(pod)
}

func over(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
}

// became says where a pod stands, by its own fields.
func became(p *corev1.Pod) string {
	name := p.Namespace + "/" + p.Name + ": "
	switch {
	case over(p):
		return name + "it has ended: " + string(p.Status.Phase)
	case p.DeletionTimestamp != nil:
		return name + "it is terminating on node " + p.Spec.NodeName
	case p.Spec.NodeName == "":
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Message != "" {
				return name + "it waits: " + strings.TrimPrefix(c.Message, name)
			}
		}
		return name + "it waits for a node"
	case p.Status.Phase == corev1.PodRunning:
		return name + "it runs on node " + p.Spec.NodeName
	}
	return name + "it is bound to node " + p.Spec.NodeName
}
