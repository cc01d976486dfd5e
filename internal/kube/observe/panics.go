package observe

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// Lost says, once, that something that a watch reported was not taken in, because of a bug:
// Drain will not return it, and All has what is true now.
func (w *Observer) Lost() bool { return w.lost.Swap(false) }

// lose notes that what was seen did not arrive, and wakes the reader.
func (w *Observer) lose() {
	w.lost.Store(true)
	w.queue.awake()
}

// recoveringHandler is a handler of which a panic costs one report.
type recoveringHandler struct {
	handler cache.ResourceEventHandler
	w       *Observer
}

func (g recoveringHandler) do(report func()) {
	if g.w.options.Panicked.Recover("taking in what a watch reports", report) != nil {
		g.w.lose()
	}
}

func (g recoveringHandler) OnAdd(o any, first bool) { g.do(func() { g.handler.OnAdd(o, first) }) }
func (g recoveringHandler) OnUpdate(before, after any) {
	g.do(func() {
		g.compare(before, after)
		g.handler.OnUpdate(before, after)
	})
}
func (g recoveringHandler) OnDelete(o any) { g.do(func() { g.handler.OnDelete(o) }) }

// recovering is a transform of which a panic leaves an object as it is, and a pod as one of
// which little is known.
func (w *Observer) recovering(kind model.Kind, transform cache.TransformFunc) cache.TransformFunc {
	return func(o any) (out any, err error) {
		if w.options.Panicked.Recover("reading a "+string(kind), func() { out, err = transform(o) }) == nil {
			return out, err
		}
		if pod, is := o.(*corev1.Pod); is {
			return w.unread(pod), nil
		}
		return o, nil
	}
}

// unreadable is said of a pod that could not be read.
const unreadable = "reading it made the scheduler panic, which is a bug in ashlar; it is not placed, and holds what " +
	"it asks for as far as that can be read"

// unread returns what is kept of a pod if its translation panics: its node and its requests, as far as they can be
// read. Such a pod is set aside.
func (w *Observer) unread(in *corev1.Pod) *Pod {
	meta := metav1.ObjectMeta{Namespace: in.Namespace, Name: in.Name, UID: in.UID, ResourceVersion: in.ResourceVersion,
		CreationTimestamp: in.CreationTimestamp, DeletionTimestamp: in.DeletionTimestamp}
	for _, name := range []string{schedulingv1beta1.KubeGroupNameAnnotationKey,
		schedulingv1beta1.VolcanoGroupNameAnnotationKey} {
		if group := in.Annotations[name]; group != "" {
			meta.Annotations = map[string]string{name: group}
		}
	}
	bare := corev1.Pod{ObjectMeta: meta, Status: corev1.PodStatus{Phase: in.Status.Phase},
		Spec: corev1.PodSpec{SchedulerName: in.Spec.SchedulerName, NodeName: in.Spec.NodeName}}
	asking := bare
	asking.Spec.Containers, asking.Spec.InitContainers, asking.Spec.Overhead = in.Spec.Containers, in.Spec.InitContainers,
		in.Spec.Overhead
	for _, p := range []*corev1.Pod{&asking, &bare} {
		var f model.Fact
		if w.options.Panicked.Recover("reading what a pod asks for", func() {
			f, _ = translate.Fact(p, w.options.Translate)
		}) != nil {
			continue
		}
		return setAside(f)
	}
	return setAside(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: in.Namespace, Name: in.Name},
		UID: string(in.UID),
		Object: &model.Pod{Meta: model.Meta{Namespace: in.Namespace, Name: in.Name, UID: string(in.UID)},
			Scheduler: in.Spec.SchedulerName,
			Node:      in.Spec.NodeName, Index: -1, Spec: &model.Spec{}}})
}

func setAside(f model.Fact) *Pod {
	p := &Pod{ObjectMeta: &nothing, fact: f}
	fact := p.Fact()
	fact.Faults = append(fact.Faults, model.Fault{Field: "metadata.name", Message: unreadable, Fatal: true})
	return p
}

// untilEnd runs a step that lasts until ctx ends, again after a moment when it panics.
func (w *Observer) untilEnd(ctx context.Context, step string, do func(context.Context)) {
	go func() {
		for w.options.Panicked.Recover(step, func() { do(ctx) }) != nil {
			again := time.NewTimer(askAgain)
			select {
			case <-ctx.Done():
				again.Stop()
				return
			case <-again.C:
			}
		}
	}()
}
