package translate

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// taskPriority is the annotation that orders a pod among the others of its job. The author of
// the pods may write it. Against pods of other jobs spec.priority counts, which admission guards.
const taskPriority = "volcano.sh/task-priority"

// Pod translates a pod. The API server writes every pod's schedulerName; one without is
// from a file written by hand, and is taken to be ours.
func Pod(p *corev1.Pod, o Options) *model.Pod {
	var f faults
	out := &model.Pod{
		Meta:          meta(&p.ObjectMeta),
		Scheduler:     p.Spec.SchedulerName,
		Group:         GroupOf(p),
		Role:          role(p),
		Index:         trailingNumber(p.Name),
		Deleting:      p.DeletionTimestamp != nil,
		Grace:         grace(p),
		Healthy:       healthy(p),
		Labels:        o.Specs.labels(p.Labels),
		Node:          p.Spec.NodeName,
		Nominated:     p.Status.NominatedNodeName,
		Gated:         len(p.Spec.SchedulingGates) > 0,
		PriorityClass: p.Spec.PriorityClassName,
		PreemptNever:  p.Spec.PreemptionPolicy != nil && *p.Spec.PreemptionPolicy == corev1.PreemptNever,
		PreemptSet:    p.Spec.PreemptionPolicy != nil,
		Preemptable:   Preemptable(p.Annotations, p.Labels),
	}
	top := topOwner(p, o)
	out.Owner, out.OwnerID = asName(top.Name), top.ID()
	var times model.Times
	if out.Deleting {
		times.GoneBy = instant(p.DeletionTimestamp.Time)
	}
	if p.Status.StartTime != nil {
		out.Started = instant(p.Status.StartTime.Time)
	}
	times.Ended = ended(p)
	out.QueueGate = f.queueGate(p)
	out.Ours = out.Scheduler == "" || o.ours(out.Scheduler)
	if out.Group == "" {
		out.Adopt = f.adopt(p, o)
	} else {
		out.Adopt.Queue = asName(p.Annotations[schedulingv1beta1.QueueNameAnnotationKey])
	}
	times.Cooldown = f.cooldown(p)
	out.Phase = f.phase(p.Status.Phase)
	if p.Spec.Priority != nil {
		out.Priority, out.HasPriority = *p.Spec.Priority, true
	}
	out.TaskPriority, out.HasTaskPriority = f.taskPriority(p)
	out.Spec = o.Specs.Intern(f.spec(p))
	times.Limit = f.limit(p.Spec.ActiveDeadlineSeconds)
	if out.Ours {
		f.schedulingGroup(p)
		times.Lasts = f.lasts(p.Annotations)
		out.Template = template(p)
		times.Charge = f.charge(p)
	}
	switch {
	case out.Spec.Extra != "" || len(out.Spec.Devices) > 0:
		out.Opaque = p // for the PluginStates of volumes and devices, which ask Kubernetes' own code
	case out.Ours && extended(out.Spec):
		out.Opaque = containersOf(p) // for that of devices: a claim may be made for what each container asks for
	}
	out.SetRare(times)
	out.Faults = f
	o.Specs.share(out)
	return out
}

// extended says that a pod asks for resources that are not Kubernetes' own.
func extended(s *model.Spec) bool {
	return slices.ContainsFunc(s.Requests, func(a resource.Amount) bool {
		return a.Value != 0 && strings.Contains(a.Name, "/")
	})
}

// containersOf is a pod with its containers, as far as they ask for something, and nothing else of it that is large.
func containersOf(p *corev1.Pod) *corev1.Pod {
	out := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.UID},
		Status: corev1.PodStatus{ExtendedResourceClaimStatus: p.Status.ExtendedResourceClaimStatus}}
	for _, list := range []struct{ from, to *[]corev1.Container }{
		{&p.Spec.InitContainers, &out.Spec.InitContainers}, {&p.Spec.Containers, &out.Spec.Containers}} {
		for _, c := range *list.from {
			*list.to = append(*list.to, corev1.Container{Name: c.Name, RestartPolicy: c.RestartPolicy,
				Resources: corev1.ResourceRequirements{Requests: c.Resources.Requests, Limits: c.Resources.Limits}})
		}
	}
	return out
}

// schedulingGroup says that Kubernetes' own PodGroup of a pod has no effect.
func (f *faults) schedulingGroup(p *corev1.Pod) {
	if g := p.Spec.SchedulingGroup; g != nil && g.PodGroupName != nil {
		f.taken("spec.schedulingGroup.podGroupName", "Kubernetes' own PodGroups are not read: %q has no effect; only a "+
			"PodGroup of scheduling.volcano.sh, named by the annotation %s, makes pods start together",
			short(*g.PodGroupName), schedulingv1beta1.KubeGroupNameAnnotationKey)
	}
}

// grace is how long the pod is given to end; one from a file has what the API server
// would write.
func grace(p *corev1.Pod) int64 {
	seconds := int64(corev1.DefaultTerminationGracePeriodSeconds)
	if s := p.Spec.TerminationGracePeriodSeconds; s != nil {
		seconds = min(max(*s, 0), math.MaxInt32)
	}
	return seconds * int64(time.Second)
}

// healthy is the pod's condition Ready. Every kubelet writes it; a pod from a file that
// only says it runs is taken to be well.
func healthy(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return p.Status.Phase == corev1.PodRunning
}

// charge is where the pod was let run by the record in its status, nil without one.
func (f *faults) charge(p *corev1.Pod) *model.Charge {
	for i := range p.Status.Conditions {
		c := &p.Status.Conditions[i]
		if c.Type != persisted.ChargeCondition || c.Status != corev1.ConditionTrue {
			continue
		}
		r, err := persisted.ReadCharge(c.Message)
		if err != nil {
			f.taken("status.conditions["+persisted.ChargeCondition+"].message",
				"it is no record that this version understands (%s): it says nothing", short(err.Error()))
			return nil
		}
		r.Had = persisted.ReadHad(c.Reason)
		return &r
	}
	return nil
}

func (o *Options) ours(scheduler string) bool {
	if len(o.Schedulers) == 0 {
		return scheduler == DefaultScheduler
	}
	return slices.Contains(o.Schedulers, scheduler)
}

// GroupOf is the name of the PodGroup that a pod names, "" for none.
func GroupOf(p *corev1.Pod) string {
	return asName(first(p.Annotations, schedulingv1beta1.KubeGroupNameAnnotationKey,
		schedulingv1beta1.VolcanoGroupNameAnnotationKey))
}

// longestObjectName is how long the name of an object can be, in bytes.
const longestObjectName = 253

// asName is the name of another object that somebody wrote where the API server does not look: it may be of any length
// and need not be UTF-8. Such a text names nothing, and what is taken for it names nothing either. That is short, since
// it is repeated wherever its job is told of, and UTF-8, since recordings and reports as JSON can hold nothing else.
func asName(text string) string {
	if len(text) <= longestObjectName && utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(short(text), "\uFFFD")
}

// first is the value of the first key that has one.
func first(m map[string]string, keys ...string) string {
	for _, k := range keys {
		if v := m[k]; v != "" {
			return v
		}
	}
	return ""
}

// topOwner is the top controller of a pod; the zero Owner without one.
func topOwner(p *corev1.Pod, o Options) Owner {
	ref := metav1.GetControllerOfNoCopy(p)
	switch {
	case ref == nil:
		return Owner{}
	case o.TopOwner != nil:
		return o.TopOwner(p.Namespace, ref)
	default:
		return OwnerOf(ref)
	}
}

// role is read from the annotation, then from the label.
func role(p *corev1.Pod) string {
	if r := p.Annotations[batchv1alpha1.TaskSpecKey]; r != "" {
		return r
	}
	return p.Labels[batchv1alpha1.TaskSpecKey]
}

// trailingNumber is the number a name ends in; -1 without one, or for one that no
// replica can have.
func trailingNumber(name string) int64 {
	i := len(name)
	for i > 0 && '0' <= name[i-1] && name[i-1] <= '9' {
		i--
	}
	n, err := strconv.ParseInt(name[i:], 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// adopt reads what a pod without a PodGroup asks of the job made for it.
func (f *faults) adopt(p *corev1.Pod, o Options) model.Adopt {
	out := model.Adopt{MinMember: 1, MaxWait: f.maxWait(p.Annotations)}
	queue, _ := said(p, o, schedulingv1beta1.QueueNameAnnotationKey)
	out.Queue = cmp.Or(asName(queue), o.DefaultQueue)
	if text, ok := said(p, o, schedulingv1beta1.VolcanoGroupMinMemberAnnotationKey); ok {
		out.MinMember = f.minMember(text)
	}
	return out
}

// minMember reads how many pods a job needs at least; 1 for what cannot be meant.
func (f *faults) minMember(text string) int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		f.taken(annotation(schedulingv1beta1.VolcanoGroupMinMemberAnnotationKey), "%q is not a number of pods: 1 taken",
			short(text))
		return 1
	}
	return int32(n)
}

// said is an annotation of a pod, or of its owner where the pod has none.
func said(p *corev1.Pod, o Options, key string) (string, bool) {
	if text, ok := p.Annotations[key]; ok || o.OwnerSays == nil {
		return text, ok
	}
	if ref := metav1.GetControllerOfNoCopy(p); ref != nil {
		return o.OwnerSays(p.Namespace, ref, key)
	}
	return "", false
}

func (f *faults) phase(p corev1.PodPhase) model.Phase {
	switch p {
	case "", corev1.PodPending:
		return model.PodPending
	case corev1.PodRunning:
		return model.PodRunning
	case corev1.PodSucceeded:
		return model.PodSucceeded
	case corev1.PodFailed:
		return model.PodFailed
	case corev1.PodUnknown:
		return model.PodUnknown
	}
	f.taken("status.phase", "%q is not a phase of a Pod: Unknown taken", short(string(p)))
	return model.PodUnknown
}

// taskPriority is the annotation's; false where there is none, or none that can be meant.
func (f *faults) taskPriority(p *corev1.Pod) (int32, bool) {
	text, ok := p.Annotations[taskPriority]
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < math.MinInt32 || n > math.MaxInt32 {
		f.taken(annotation(taskPriority), "%q is not a priority: the pod's own taken", short(text))
		return 0, false
	}
	return int32(n), true
}

// Preemptable reports whether a pod may be evicted, or the members of a PodGroup: it is read from the
// annotation, then from the label, and true without either. What is no truth value protects.
func Preemptable(annotations, labels map[string]string) bool {
	for _, m := range []map[string]string{annotations, labels} {
		if text, ok := m[schedulingv1beta1.PodPreemptable]; ok {
			yes, err := strconv.ParseBool(text)
			return err == nil && yes
		}
	}
	return true
}
