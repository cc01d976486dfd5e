package translate

import (
	"math"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched/model"
)

// durationKey is the annotation that says how long a pod runs.
const durationKey = "ashlar.sh/duration"

// lasts reads how long a pod says that it runs, in nanoseconds, 1 at least; 0 where it
// says nothing, or nothing that can be meant.
func (f *faults) lasts(annotations map[string]string) int64 {
	text, given := annotations[durationKey]
	if !given {
		return 0
	}
	return f.guess(annotation(durationKey), text)
}

// guess reads how long a pod runs as a field says, in nanoseconds, 1 at least; 0 for nothing that can be meant.
func (f *faults) guess(field, text string) int64 {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		f.taken(field, "%q is not how long a pod runs, such as 90s or 1h30m: it is left out", short(text))
		return 0
	}
	return max(1, int64(d))
}

// JobDeadline is after what time a Kubernetes Job is ended by its controller, and since when that runs, which is also
// while pods of it wait; 0 without a deadline, or where that is not known. A Job that is suspended has no deadline.
func JobDeadline(j *batchv1.Job) (limit, since int64) {
	s := j.Spec.ActiveDeadlineSeconds
	if s == nil || *s < 0 || j.Spec.Suspend != nil && *j.Spec.Suspend {
		return 0, 0
	}
	limit = min(*s, math.MaxInt32) * int64(time.Second)
	if j.Status.StartTime != nil {
		return limit, instant(j.Status.StartTime.Time)
	}
	if created := j.CreationTimestamp; !created.IsZero() {
		return limit, instant(created.Time)
	}
	return limit, 0
}

// Estimated notes in a PodGroup that was not passed on yet what its Volcano Job says in spec.runningEstimate; "" where
// it says nothing.
func Estimated(g *model.PodGroup, text string) {
	if text == "" {
		return
	}
	f := faults(g.Faults)
	g.Estimate = f.guess("spec.runningEstimate of its Job", text)
	g.Faults = f
}

// limit reads how long a pod may run, in nanoseconds; 0 without a limit, or with one that the API server would
// not take.
func (f *faults) limit(seconds *int64) int64 {
	switch {
	case seconds == nil:
		return 0
	case *seconds < 1 || *seconds > math.MaxInt32:
		f.taken("spec.activeDeadlineSeconds", "%d is not between 1 and %d: the pod has no limit", *seconds, math.MaxInt32)
		return 0
	}
	return *seconds * int64(time.Second)
}

// maxWait reads how long a job wants to wait at most, in nanoseconds; 0 where nothing
// is said, or nothing that can be meant.
func (f *faults) maxWait(annotations map[string]string) int64 {
	for _, key := range []string{schedulingv1beta1.JobWaitingTime, "sla-waiting-time"} {
		text, given := annotations[key]
		if !given {
			continue
		}
		d, err := time.ParseDuration(text)
		if err == nil && d > 0 {
			return int64(d)
		}
		f.taken(annotation(key), "%q is not a time to wait such as 90s or 1h30m: it is left out", short(text))
	}
	return 0
}
