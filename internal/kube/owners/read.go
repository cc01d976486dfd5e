package owners

import (
	"context"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/klog/v2"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/translate"
)

// longestPause is between two tries to read what the API server does not give.
const longestPause = 30 * time.Second

// read reads one owner and has what it says known.
func (r *Reader) read(ctx context.Context, o *Owner) {
	if len(content.IsPathSegmentName(o.name)) > 0 {
		r.answer(o, nil, Final) // nothing can be called so
		return
	}
	resource, namespaced, answer := r.kinds.resource(o.kind, func() { r.resume(ctx, o) })
	kind := missing{o.kind.Group, resource.Resource}
	switch {
	case answer == awaited:
		return
	case answer == notServed && o.failed > 0:
		r.answer(o, nil, Final)
		return
	case answer != served: // or not served yet: kinds are installed any time
		r.again(ctx, o, lookAround)
		return
	case r.isRefused(kind, o):
		r.answer(o, nil, Provisional)
		return
	}
	if r.rate.Wait(ctx) != nil {
		return
	}
	m, err := r.get(ctx, o, resource, namespaced)
	switch {
	case ctx.Err() != nil:
	case err == nil && m.uid == o.uid:
		r.granted(kind)
		r.answer(o, m, Final)
	case err == nil || apierrors.IsNotFound(err):
		r.granted(kind)
		r.answer(o, nil, Final) // it is gone, and a later one of its name is another
	case apierrors.IsForbidden(err):
		r.refuse(ctx, kind, o)
		r.answer(o, nil, Provisional)
	default:
		klog.V(2).InfoS("An owner of pods could not be read", "owner",
			fmt.Sprintf("%s %s/%s", o.kind.Kind, o.namespace, o.name), "err", err)
		r.again(ctx, o, time.Second)
	}
}

func (r *Reader) get(ctx context.Context, o *Owner, resource schema.GroupVersionResource,
	namespaced bool) (*object, error) {
	once, cancel := context.WithTimeout(ctx, longestRead)
	defer cancel()
	if (o.volcanoJob() || o.kubernetesJob()) && r.options.Jobs != nil {
		j, err := r.options.Jobs.Resource(resource).Namespace(o.namespace).Get(once, o.name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		out := &object{uid: j.GetUID(), annotations: j.GetAnnotations(), controller: metav1.GetControllerOf(j)}
		if o.volcanoJob() {
			out.estimate = estimate(j.Object)
			return out, nil
		}
		var job batchv1.Job
		if runtime.DefaultUnstructuredConverter.FromUnstructured(j.Object, &job) == nil {
			out.limit, out.since = translate.JobDeadline(&job)
			out.restarts = job.Spec.ActiveDeadlineSeconds != nil
		}
		return out, nil
	}
	var all metadata.ResourceInterface = r.options.Metadata.Resource(resource)
	if namespaced {
		all = r.options.Metadata.Resource(resource).Namespace(o.namespace)
	}
	m, err := all.Get(once, o.name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return &object{uid: m.UID, annotations: m.Annotations, controller: metav1.GetControllerOfNoCopy(m)}, nil
}

// object is what is read of an owner.
type object struct {
	uid         types.UID
	annotations map[string]string
	controller  *metav1.OwnerReference
	estimate    string

	limit, since int64
	restarts     bool
}

// estimate is spec.runningEstimate of a Volcano Job, or what is written in its place.
func estimate(job map[string]any) string {
	field, said, _ := unstructured.NestedFieldNoCopy(job, "spec", "runningEstimate")
	if !said || field == nil {
		return ""
	}
	text := fmt.Sprint(field)
	if text == "" {
		return `""`
	}
	return text[:min(len(text), longestName)]
}

// answer makes known what an owner says: nothing without m. Those below it are told with
// it, once all above them is known.
func (r *Reader) answer(o *Owner, m *object, known Knowledge) {
	for _, o := range r.learn(o, m, known) {
		r.options.Answered(o)
	}
}

// learn records what an owner says and returns the owners below it for which more is now known.
func (r *Reader) learn(o *Owner, m *object, known Knowledge) []*Owner {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, _ := o.said()
	again := o.renewed
	o.place, o.knowledge, o.read, o.renewed = nowhere, known, time.Now(), false
	if m != nil {
		o.failed = 0
		o.queue = m.annotations[schedulingv1beta1.QueueNameAnnotationKey]
		o.minMember = m.annotations[schedulingv1beta1.VolcanoGroupMinMemberAnnotationKey]
		o.limit, o.since, o.restarts = m.limit, m.since, m.restarts
		if o.estimate = m.estimate; !o.volcanoJob() {
			r.climb(o, m.controller)
		}
	}
	if now, _ := o.said(); again && now == was {
		return nil // its pods know
	}
	return heard(o)
}

// climb has the controller of an owner read, where that may still say something.
func (r *Reader) climb(o *Owner, ref *metav1.OwnerReference) {
	if ref == nil || o.queue != "" && o.minMember != "" {
		return
	}
	above := r.of(o.namespace, ref)
	if above == nil {
		return
	}
	fresh := above.knowledge == Unread && above.place == nowhere && above.failed == 0
	if fresh && above.depth == 0 {
		above.depth = o.depth + 1
	}
	above.depth = min(above.depth, o.depth+1)
	if above.depth >= mostOwners {
		return
	}
	o.above = above
	if _, known := above.said(); known != Final && !slices.Contains(above.below, o) {
		above.below = append(above.below, o)
	}
	if fresh {
		r.ask(above, soon)
	}
}

// heard is an owner and all below it of which more may be known now, none of them twice.
func heard(o *Owner) (out []*Owner) {
	was := map[*Owner]bool{o: true}
	for rest := []*Owner{o}; len(rest) > 0; {
		o, rest = rest[len(rest)-1], rest[:len(rest)-1]
		for _, b := range o.below {
			if !was[b] {
				was[b] = true
				rest = append(rest, b)
			}
		}
		_, known := o.said()
		if known != Unread {
			out = append(out, o)
		}
		if known == Final {
			o.below = nil
		}
	}
	return out
}

// resume puts an owner back where it waited, now that what reading it needs may be known.
func (r *Reader) resume(ctx context.Context, o *Owner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() == nil && !o.dropped {
		o.place = nowhere
		r.ask(o, o.waited)
	}
}

// again has an owner read some time later, at the first time after a pause.
func (r *Reader) again(ctx context.Context, o *Owner, pause time.Duration) {
	r.mu.Lock()
	o.place = nowhere
	pause = min(pause<<min(o.failed, 10), longestPause)
	o.failed++
	r.mu.Unlock()
	time.AfterFunc(pause, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if ctx.Err() == nil && !o.dropped {
			r.ask(o, later)
		}
	})
}
