package manifest

import (
	"maps"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched/model"
)

// mostMade bounds the pods that workloads make.
const mostMade = 1 << 20

// batchOf is pods to be made from one template.
type batchOf struct {
	owner    *object
	count    int64
	prefix   string // of the names
	first    int64  // number in the first name
	template *corev1.PodTemplateSpec
	add      map[string]string // annotations beyond the template's
	fixed    bool              // the names say which pod each is; otherwise any that is free will do
}

// namesFreely says that the pods of an object are called in a cluster as it comes: here they
// are numbered, and have their names when all others have theirs.
func namesFreely(o *object) bool {
	switch o.Object.(type) {
	case *appsv1.Deployment, *appsv1.ReplicaSet, *batchv1.Job:
		return true
	}
	return false
}

// makesPods says that an object is of a kind that makes pods.
func makesPods(o *object) bool {
	switch o.Object.(type) {
	case *appsv1.StatefulSet, *batchv1alpha1.Job:
		return true
	}
	return namesFreely(o)
}

// workload makes the pods of an object that makes pods; false for others.
func (b *builder) workload(o *object) bool {
	batch := batchOf{owner: o, prefix: o.GetName() + "-", fixed: !namesFreely(o)}
	switch w := o.Object.(type) {
	case *appsv1.Deployment:
		batch.count, batch.template = replicas(w.Spec.Replicas), &w.Spec.Template
	case *appsv1.ReplicaSet:
		batch.count, batch.template = replicas(w.Spec.Replicas), &w.Spec.Template
		if b.deployed(o) {
			return true
		}
	case *appsv1.StatefulSet:
		batch.count, batch.template = replicas(w.Spec.Replicas), &w.Spec.Template
		if w.Spec.Ordinals != nil {
			batch.first = int64(w.Spec.Ordinals.Start)
		}
	case *batchv1.Job:
		batch.count, batch.template = atATime(w), &w.Spec.Template
	case *batchv1alpha1.Job:
		b.volcanoJob(o, w)
		return true
	default:
		return false
	}
	b.reportDuration(o)
	if !b.busy[o.id] {
		b.makePods(batch)
	}
	return true
}

// reportDuration reports a duration that was written where no pod has it.
func (b *builder) reportDuration(o *object) {
	if b.times[o.id].lasts {
		b.problem(o.ref(), "%s belongs on a pod, a pod template or a PodGroup: ignored here", at(durationKey))
	}
}

// deployed says that a ReplicaSet belongs to a Deployment of the input, which makes the
// pods.
func (b *builder) deployed(o *object) bool {
	for id := range b.controllers(o) {
		return b.byName[id] != nil
	}
	return false
}

func replicas(n *int32) int64 {
	if n == nil {
		return 1
	}
	return int64(*n)
}

// atATime is how many pods of a batch Job there are at the same time: as many as may run
// in parallel, but no more than completions are missing.
func atATime(j *batchv1.Job) int64 {
	if j.Spec.Suspend != nil && *j.Spec.Suspend {
		return 0
	}
	for _, c := range j.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return 0
		}
	}
	n := replicas(j.Spec.Parallelism)
	if j.Spec.Completions != nil {
		n = min(n, max(0, int64(*j.Spec.Completions)-int64(j.Status.Succeeded)))
	}
	return n
}

// makePods makes the pods of a batch. If a name is taken by another object, that object keeps it: a pod
// that cannot have another name is not made.
func (b *builder) makePods(batch batchOf) {
	o := batch.owner
	switch {
	case batch.count < 0:
		b.problem(o.ref(), "%d pods are fewer than none: none are made", batch.count)
		return
	case batch.count > int64(b.left):
		b.problem(o.ref(), "%d pods are more than the %d that may still be made: none are made", batch.count, b.left)
		b.world.Unmade = true
		return
	case batch.count > b.leftSpecs/batch.size():
		b.problem(o.ref(), "%d pods of %d bytes each are more than the %d bytes of pods that may still be made: "+
			"none are made", batch.count, batch.size(), b.leftSpecs)
		b.world.Unmade = true
		return
	}
	b.left -= int(batch.count)
	b.leftSpecs -= batch.count * batch.size()
	annotations := b.annotations(batch)
	t := b.timesOf(o.ref(), batch.template.Annotations)
	if of := b.times[o.id]; batch.fixed && !t.lasts {
		t.duration, t.lasts = of.duration, of.lasts // a Volcano Job's annotations are those of its PodGroup
		if !t.lasts && of.estimate != nil {
			t.duration, t.lasts = *of.estimate, true
		}
	}
	for i := range batch.count {
		for !batch.fixed && b.pods[b.podRefOf(&batch, i)] {
			batch.first++
		}
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: b.podRefOf(&batch, i).Name, Namespace: o.GetNamespace(),
				Labels: batch.template.Labels, Annotations: annotations,
				CreationTimestamp: o.GetCreationTimestamp(), OwnerReferences: []metav1.OwnerReference{o.controllerRef()},
			},
			Spec: batch.template.Spec,
		}
		if b.pods[podRef(pod)] {
			b.problem("Pod/"+pod.Namespace+"/"+pod.Name, "%s does not make it: there is one of that name", o.ref())
			continue
		}
		b.pods[podRef(pod)] = true
		b.addPod(o.where, pod, b.madeSubmitAt(o, pod, t), t)
	}
}

// size is about how many bytes one pod of the batch has.
func (batch *batchOf) size() int64 { return int64(1 + len(batch.prefix) + batch.template.Size()) }

// podRefOf names the i-th pod of a batch.
func (b *builder) podRefOf(batch *batchOf, i int64) model.Ref {
	return model.Ref{Kind: model.KindPod, Namespace: batch.owner.GetNamespace(), Name: batch.prefix +
		strconv.FormatInt(batch.first+i, 10)}
}

// madeSubmitAt is when a pod that o makes appears: as its template says, else o, else the
// PodGroup.
func (b *builder) madeSubmitAt(o *object, pod *corev1.Pod, template times) time.Duration {
	if template.submits {
		return template.submitAt
	}
	if d, ok := b.submitAt(o); ok {
		return d
	}
	return b.groupSubmitAt(pod)
}

// annotations are the template's, with what the owner asks of the job that its pods are
// adopted into.
func (b *builder) annotations(batch batchOf) map[string]string {
	out := maps.Clone(batch.template.Annotations)
	if out == nil {
		out = map[string]string{}
	}
	for _, key := range []string{schedulingv1beta1.QueueNameAnnotationKey,
		schedulingv1beta1.VolcanoGroupMinMemberAnnotationKey} {
		if v, ok := batch.owner.GetAnnotations()[key]; ok && out[key] == "" {
			out[key] = v
		}
	}
	maps.Copy(out, batch.add)
	return out
}

// controllerRef is the reference by which what an object makes names it.
func (o *object) controllerRef() metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{APIVersion: o.kind.apiVersion(), Kind: o.kind.name, Name: o.GetName(), UID: o.GetUID(),
		Controller: &yes}
}
