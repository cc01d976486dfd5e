package manifest

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// The annotations by which an author tells a simulation about time.
const (
	submitKey   = "ashlar.sh/submit-at"
	durationKey = "ashlar.sh/duration"
)

// times is what one object says about time.
type times struct {
	submitAt time.Duration
	submits  bool // submitAt was given
	duration time.Duration
	lasts    bool           // duration was given
	estimate *time.Duration // spec.runningEstimate, of a Volcano Job
}

func at(key string) string { return "metadata.annotations[" + key + "]" }

// timesOf reads an object's annotations.
func (b *builder) timesOf(object string, annotations map[string]string) times {
	var t times
	t.submitAt, t.submits = b.duration(object, annotations, submitKey, "0s is taken")
	t.duration, t.lasts = b.duration(object, annotations, durationKey, "the pod runs for ever")
	return t
}

// jobDeadline gives a pod of a Kubernetes Job the deadline of that, which runs while pods wait.
func (b *builder) jobDeadline(p *corev1.Pod, pod *model.Pod) {
	controller := metav1.GetControllerOfNoCopy(p)
	if controller == nil {
		return
	}
	for _, o := range b.owners(p.Namespace, controller) {
		if o == nil {
			return
		}
		if j, is := o.Object.(*batchv1.Job); is {
			times := pod.Rare()
			times.JobLimit, times.JobSince = translate.JobDeadline(j)
			pod.SetRare(times)
			return
		}
	}
}

// estimateOf reads what a Volcano Job says in its spec of how long its pods run; nil where it says nothing that can be
// meant.
func (b *builder) estimateOf(o *object) *time.Duration {
	j, is := o.Object.(*batchv1alpha1.Job)
	if !is || j.Spec.RunningEstimate == nil {
		return nil
	}
	d := j.Spec.RunningEstimate.Duration
	if d < 0 {
		b.problem(o.ref(), "spec.runningEstimate: %s is negative: it is left out", d)
		return nil
	}
	return &d
}

// estimated gives a PodGroup what its Volcano Job says of how long its pods run.
func (b *builder) estimated(o *object, group *model.PodGroup) {
	if d := b.jobEstimate(o); d != nil {
		translate.Estimated(group, d.String())
	}
}

// jobEstimate is what the Volcano Job of a PodGroup says; nil for nothing.
func (b *builder) jobEstimate(group *object) *time.Duration {
	for id := range b.controllers(group) {
		return b.times[id].estimate
	}
	return nil
}

// duration reads one annotation; what cannot be meant is a Problem and not given.
func (b *builder) duration(object string, annotations map[string]string, key, instead string) (time.Duration, bool) {
	text, ok := annotations[key]
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		b.problem(object, "%s: %s is not a duration such as 90s or 1h30m: %s", at(key), shown(text), instead)
		return 0, false
	case d < 0:
		b.problem(object, "%s: %s is negative: %s", at(key), shown(text), instead)
		return 0, false
	}
	return d, true
}

// submitAt is when an object appears: by its own annotation, else by those of its
// controllers; false when none of them has one.
func (b *builder) submitAt(o *object) (time.Duration, bool) {
	if t := b.times[o.id]; t.submits {
		return t.submitAt, true
	}
	for id := range b.controllers(o) {
		if t := b.times[id]; t.submits {
			return t.submitAt, true
		}
	}
	return 0, false
}

// groupSubmitAt is when a pod's PodGroup appears, which holds for the pod where neither
// it nor its workload says otherwise (decision 35).
func (b *builder) groupSubmitAt(pod *corev1.Pod) time.Duration {
	if group := b.groupOf(pod); group != nil {
		d, _ := b.submitAt(group)
		return d
	}
	return 0
}

// groupOf is the PodGroup of the input that a pod names, nil without one.
func (b *builder) groupOf(pod *corev1.Pod) *object {
	for _, key := range []string{schedulingv1beta1.KubeGroupNameAnnotationKey,
		schedulingv1beta1.VolcanoGroupNameAnnotationKey} {
		if name := pod.Annotations[key]; name != "" {
			id := identity{schedulingv1beta1.GroupName, string(model.KindPodGroup), pod.Namespace, name}
			if group := b.byName[id]; group != nil {
				return group
			}
		}
	}
	return nil
}

// runs is how long a pod runs: as it says itself, else as its PodGroup says of each of its pods, else its Volcano Job.
func (b *builder) runs(pod *corev1.Pod, own times) (d time.Duration, said bool) {
	if group := b.groupOf(pod); !own.lasts && group != nil {
		if of := b.times[group.id]; of.lasts {
			return of.duration, true
		}
		if d := b.jobEstimate(group); d != nil {
			return *d, true
		}
		return 0, false
	}
	return own.duration, own.lasts
}
