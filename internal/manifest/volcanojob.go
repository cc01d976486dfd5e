package manifest

import (
	"cmp"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// task is one role of a Volcano Job, as its controller sees it.
type task struct {
	name     string
	replicas int64
	least    int64 // minAvailable, or all of them
	priority int32
	template *corev1.PodTemplateSpec
	request  resource.List // of one pod, places for pods left out
}

// volcanoJob makes the PodGroup and the pods of a Volcano Job, unless they are given or
// the Job is over.
func (b *builder) volcanoJob(o *object, j *batchv1alpha1.Job) {
	switch j.Status.State.Phase {
	case batchv1alpha1.Completed, batchv1alpha1.Failed, batchv1alpha1.Terminated, batchv1alpha1.Aborted:
		return
	}
	tasks := b.tasks(j)
	group, given := b.groups[o.id]
	if !given {
		group = j.Name
		given = b.byName[identity{schedulingv1beta1.GroupName, string(model.KindPodGroup), j.Namespace, group}] != nil
	}
	if !given {
		at, _ := b.submitAt(o)
		b.add(Item{Where: o.where, Fact: b.podGroup(o, j, tasks), SubmitAt: at})
	}
	if b.busy[o.id] {
		return
	}
	for _, t := range tasks {
		b.makePods(batchOf{
			fixed: true,
			owner: o, count: t.replicas, prefix: j.Name + "-" + t.name + "-", template: t.template,
			add: map[string]string{
				batchv1alpha1.TaskSpecKey:                    t.name,
				batchv1alpha1.JobNameKey:                     j.Name,
				batchv1alpha1.QueueNameKey:                   j.Spec.Queue,
				schedulingv1beta1.KubeGroupNameAnnotationKey: group,
			},
		})
	}
}

// tasks reads a Job's tasks with the defaults that Volcano's admission writes.
func (b *builder) tasks(j *batchv1alpha1.Job) []task {
	scheduler := cmp.Or(j.Spec.SchedulerName, translate.DefaultScheduler)
	var out []task
	for i := range j.Spec.Tasks {
		s := &j.Spec.Tasks[i]
		t := task{
			name:     cmp.Or(s.Name, batchv1alpha1.DefaultTaskSpec+strconv.Itoa(i)),
			replicas: int64(s.Replicas), least: int64(s.Replicas),
			priority: b.classes[s.Template.Spec.PriorityClassName],
			template: s.Template.DeepCopy(),
		}
		if s.MinAvailable != nil {
			t.least = int64(*s.MinAvailable)
		}
		t.template.Spec.SchedulerName = cmp.Or(t.template.Spec.SchedulerName, scheduler)
		inherit(t.template, j, schedulingv1beta1.PodPreemptable)
		if s.TopologyPolicy != "" {
			metav1.SetMetaDataAnnotation(&t.template.ObjectMeta, schedulingv1beta1.NumaPolicyKey, string(s.TopologyPolicy))
		}
		one := translate.Pod(&corev1.Pod{Spec: t.template.Spec}, translate.Options{})
		for _, a := range one.Spec.Requests {
			if a.Name != resource.PodsName {
				t.request = append(t.request, a)
			}
		}
		out = append(out, t)
	}
	return out
}

// inherit hands an annotation or label of the Job on to its pods.
func inherit(t *corev1.PodTemplateSpec, j *batchv1alpha1.Job, key string) {
	if v, ok := j.Annotations[key]; ok {
		metav1.SetMetaDataAnnotation(&t.ObjectMeta, key, v)
	}
	if v, ok := j.Labels[key]; ok {
		metav1.SetMetaDataLabel(&t.ObjectMeta, key, v)
	}
}

// podGroup makes the PodGroup that Volcano's job controller would make.
func (b *builder) podGroup(o *object, j *batchv1alpha1.Job, tasks []task) model.Fact {
	g := &schedulingv1beta1.PodGroup{
		ObjectMeta: metav1.ObjectMeta{
			Name: j.Name, Namespace: j.Namespace, Annotations: b.sound(o, j.Annotations), Labels: j.Labels,
			CreationTimestamp: j.CreationTimestamp, OwnerReferences: []metav1.OwnerReference{o.controllerRef()},
		},
		Spec: schedulingv1beta1.PodGroupSpec{
			MinMember: j.Spec.MinAvailable, Queue: j.Spec.Queue, PriorityClassName: j.Spec.PriorityClassName,
			MinTaskMember: map[string]int32{},
		},
	}
	if n := j.Spec.NetworkTopology; n != nil {
		g.Spec.NetworkTopology = &schedulingv1beta1.NetworkTopologySpec{Mode: schedulingv1beta1.NetworkTopologyMode(n.Mode),
			HighestTierAllowed: n.HighestTierAllowed, HighestTierName: n.HighestTierName}
	}
	var sum int64
	for _, t := range tasks {
		sum += t.least
		g.Spec.MinTaskMember[t.name] = int32(t.least)
	}
	if g.Spec.MinMember == 0 {
		g.Spec.MinMember = int32(min(sum, 1<<31-1))
	}
	f, _ := translate.Fact(g, b.options)
	out := f.Object.(*model.PodGroup)
	if d := b.times[o.id].estimate; d != nil {
		translate.Estimated(out, d.String())
	}
	if list, ok := minResources(tasks, int64(out.MinMember), sum); ok {
		out.MinResources, out.HasMin = list, true
	} else {
		out.Faults = append(out.Faults, model.Fault{Field: "spec.minResources", Fatal: true,
			Message: "the Job's tasks add up to more than a cluster can have"})
	}
	return f
}

// minResources is what the first minimum pods ask for, tasks of higher priority first.
// Where the tasks' own minimums fit into the Job's, they come before the rest, as in
// Volcano's job controller. False means more than any cluster has.
func minResources(tasks []task, minimum, sumOfLeast int64) (resource.List, bool) {
	tasks = slices.Clone(tasks)
	slices.SortStableFunc(tasks, func(a, b task) int { return cmp.Compare(b.priority, a.priority) })
	take := make([]int64, len(tasks))
	left := minimum
	if minimum >= sumOfLeast {
		for i, t := range tasks {
			take[i] = max(0, min(t.least, left))
			left -= take[i]
		}
	}
	for i, t := range tasks {
		more := max(0, min(t.replicas-take[i], left))
		take[i] += more
		left -= more
	}
	const most = 1 << 60
	out := resource.List{}
	for i, t := range tasks {
		for _, a := range t.request {
			if take[i] > 0 && a.Value > most/take[i] {
				return nil, false
			}
			if take[i] > 0 {
				out = append(out, resource.Amount{Name: a.Name, Value: a.Value * take[i]})
			}
		}
		out = resource.Normalize(out)
		if slices.ContainsFunc(out, func(a resource.Amount) bool { return a.Value > most }) {
			return nil, false
		}
	}
	return out, true
}
