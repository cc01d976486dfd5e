package translate

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched/model"
)

// Annotations of queues.
const (
	minRuntime   = "ashlar.sh/min-runtime"
	maxEvictions = "ashlar.sh/max-evictions-per-minute"
)

// cooldown reads for how long from its start a pod asks to be spared, in nanoseconds: from
// the label, then from the annotation, as Volcano does; 0 where nothing is said, or
// nothing that can be meant.
func (f *faults) cooldown(p *corev1.Pod) int64 {
	const key = schedulingv1beta1.CooldownTime
	text, path := p.Labels[key], at("metadata.labels", key)
	if text == "" {
		text, path = p.Annotations[key], annotation(key)
	}
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		f.taken(path, "%q is not a time such as 600s or 10m: none taken", short(text))
		return 0
	}
	return int64(d)
}

// revocable says that an object may use room that is lent by the hour: its zone is any, or
// it is marked preemptable. A zone of a name is none, as in Volcano.
func revocable(annotations map[string]string) bool {
	if zone, given := annotations[schedulingv1beta1.RevocableZone]; given {
		return zone == "*"
	}
	return truth(schedulingv1beta1.PodPreemptable, annotations)
}

// truth says that the first of some maps that has a key says true.
func truth(key string, in ...map[string]string) bool {
	for _, m := range in {
		if text, given := m[key]; given {
			yes, err := strconv.ParseBool(text)
			return err == nil && yes
		}
	}
	return false
}

// budget reads a PodGroup's own disruption budget; of two minAvailable holds.
func (f *faults) budget(g *model.PodGroup, annotations map[string]string) {
	read := func(key string) *model.Portion {
		text, given := annotations[key]
		if !given {
			return nil
		}
		v := intstr.Parse(text)
		p, ok := portion(&v)
		if !ok {
			f.taken(annotation(key), "%s: it is left out", notPortion(&v))
		}
		return p
	}
	g.MinAvailable = read(schedulingv1beta1.JDBMinAvailable)
	if g.MinAvailable == nil {
		g.MaxUnavailable = read(schedulingv1beta1.JDBMaxUnavailable)
	}
}

// minRuntime reads the minimum run time of a queue, in nanoseconds; nil where
// nothing is said, or nothing that can be meant.
func (f *faults) minRuntime(annotations map[string]string) *int64 {
	text, given := annotations[minRuntime]
	if !given {
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		f.taken(annotation(minRuntime), "%q is not a time to run such as 90s or 1h30m: it is left out", short(text))
		return nil
	}
	x := int64(d)
	return &x
}

// maxEvictions reads how many of a queue's pods may be evicted within a minute; nil where
// nothing is said, or nothing that can be meant.
func (f *faults) maxEvictions(annotations map[string]string) *int64 {
	text, given := annotations[maxEvictions]
	if !given {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		f.taken(annotation(maxEvictions), "%q is not a number of pods: it is left out", short(text))
		return nil
	}
	return &n
}
