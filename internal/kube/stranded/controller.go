package stranded

import (
	"context"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	busv1alpha1 "volcano.sh/apis/pkg/apis/bus/v1alpha1"
)

// patience is how long one controller may take to be read.
const patience = 5 * time.Second

// controller is why the controller of so many pods would not make them anew, or that this is
// unknown; "" where it will.
func (r *Reader) controller(ctx context.Context, namespace string, ref *metav1.OwnerReference, pods int) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	what := fmt.Sprintf("its controller %s %s", ref.Kind, ref.Name)
	o, why, err := r.read(ctx, namespace, ref, pods)
	switch {
	case apierrors.IsNotFound(err):
		return what + " is gone"
	case err != nil:
		return fmt.Sprintf("%s could not be read: %v", what, err)
	case o == nil:
		return what + " is of a kind that is not known to make pods anew"
	case o.GetUID() != ref.UID:
		return what + " is gone, and another has its name"
	case o.GetDeletionTimestamp() != nil:
		return what + " is being deleted"
	case why != "":
		return what + " " + why
	}
	return ""
}

// read reads a controller of a kind that is known to make pods anew, nil for others. why is
// what keeps this one from doing so.
func (r *Reader) read(ctx context.Context, namespace string, ref *metav1.OwnerReference, pods int) (o metav1.Object,
	why string, err error) {
	version, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return nil, "", nil
	}
	get := metav1.GetOptions{}
	switch kind := version.WithKind(ref.Kind).GroupKind(); kind {
	case schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}:
		rs, err := r.Kube.AppsV1().ReplicaSets(namespace).Get(ctx, ref.Name, get)
		return rs, replicas(rs.Spec.Replicas, rs.Status.Replicas), err
	case schema.GroupKind{Group: "apps", Kind: "StatefulSet"}:
		set, err := r.Kube.AppsV1().StatefulSets(namespace).Get(ctx, ref.Name, get)
		return set, replicas(set.Spec.Replicas, set.Status.Replicas), err
	case schema.GroupKind{Kind: "ReplicationController"}:
		rc, err := r.Kube.CoreV1().ReplicationControllers(namespace).Get(ctx, ref.Name, get)
		return rc, replicas(rc.Spec.Replicas, rc.Status.Replicas), err
	case schema.GroupKind{Group: "batch", Kind: "Job"}:
		job, err := r.Kube.BatchV1().Jobs(namespace).Get(ctx, ref.Name, get)
		return job, jobEnds(job, pods), err
	case schema.GroupKind{Group: "batch.volcano.sh", Kind: "Job"}:
		job, err := r.Volcano.BatchV1alpha1().Jobs(namespace).Get(ctx, ref.Name, get)
		return job, vcjobEnds(job), err
	default:
		if !remakes[kind] || r.Metadata == nil {
			return nil, "", nil
		}
		resource, _ := meta.UnsafeGuessKindToResource(version.WithKind(ref.Kind))
		m, err := r.Metadata.Resource(resource).Namespace(namespace).Get(ctx, ref.Name, get)
		return m, "", err
	}
}

// remakes are kinds with controllers that make a deleted pod anew as long as they exist. Other
// kinds need a closer look.
var remakes = map[schema.GroupKind]bool{
	{Group: "apps", Kind: "DaemonSet"}:          true,
	{Group: "ray.io", Kind: "RayCluster"}:       true,
	{Group: "kubeflow.org", Kind: "PyTorchJob"}: true,
	{Group: "kubeflow.org", Kind: "TFJob"}:      true,
	{Group: "kubeflow.org", Kind: "MPIJob"}:     true,
	{Group: "kubeflow.org", Kind: "XGBoostJob"}: true,
	{Group: "kubeflow.org", Kind: "PaddleJob"}:  true,
	{Group: "kubeflow.org", Kind: "JAXJob"}:     true,
}

// replicas is why a controller of replicas would not make one anew.
func replicas(wanted *int32, there int32) string {
	if wanted != nil && *wanted < there {
		return fmt.Sprintf("has %d pods and wants %d", there, *wanted)
	}
	return ""
}

// defaultBackoffLimit is how many failures Kubernetes allows a Job that says nothing.
const defaultBackoffLimit = 6

// jobEnds is why Kubernetes would end a Job, or not go on with it, of which so many pods were
// deleted: each counts as one that failed.
func jobEnds(j *batchv1.Job, pods int) string {
	for _, c := range j.Status.Conditions {
		if c.Status == corev1.ConditionTrue && c.Type != batchv1.JobSuspended {
			return fmt.Sprintf("is over (%s)", c.Type)
		}
	}
	limit := int32(defaultBackoffLimit)
	if j.Spec.BackoffLimit != nil {
		limit = *j.Spec.BackoffLimit
	}
	switch {
	case j.Spec.Suspend != nil && *j.Spec.Suspend:
		return "is suspended"
	case j.Spec.BackoffLimitPerIndex != nil:
		return "counts failures by index (backoffLimitPerIndex)"
	case j.Spec.PodFailurePolicy != nil:
		return "has rules for pods that fail (podFailurePolicy)"
	case int64(j.Status.Failed)+int64(pods) > int64(limit):
		return fmt.Sprintf("would count %d failures of %d allowed (backoffLimit)", int64(j.Status.Failed)+int64(pods), limit)
	}
	return ""
}

// defaultMaxRetry is how often Volcano's controller starts a job anew that says nothing.
const defaultMaxRetry = 3

// vcjobEnds is why Volcano's controller would end a job with deleted pods, or not make the pods
// anew.
func vcjobEnds(j *batchv1alpha1.Job) string {
	switch phase := j.Status.State.Phase; phase {
	case "", batchv1alpha1.Pending, batchv1alpha1.Running:
	default:
		return fmt.Sprintf("is %s", phase)
	}
	policies := slices.Clone(j.Spec.Policies)
	for _, t := range j.Spec.Tasks {
		policies = append(policies, t.Policies...)
	}
	most := j.Spec.MaxRetry
	if most <= 0 {
		most = defaultMaxRetry
	}
	for _, p := range policies {
		if !ofDeletion(p) {
			continue
		}
		switch p.Action {
		case busv1alpha1.AbortJobAction, busv1alpha1.TerminateJobAction, busv1alpha1.CompleteJobAction:
			return fmt.Sprintf("answers with %s when its pods are deleted", p.Action)
		case busv1alpha1.RestartJobAction, busv1alpha1.RestartTaskAction, busv1alpha1.RestartPodAction,
			busv1alpha1.RestartPartitionAction:
			if j.Status.RetryCount+1 >= most {
				return fmt.Sprintf("has started anew %d times of %d allowed (maxRetry)", j.Status.RetryCount, most)
			}
		}
	}
	return ""
}

// ofDeletion says that a policy may be about pods that are deleted: they can be seen to fail
// on their way, with any exit code.
func ofDeletion(p batchv1alpha1.LifecyclePolicy) bool {
	return p.ExitCode != nil || slices.ContainsFunc(append(slices.Clone(p.Events), p.Event),
		func(e busv1alpha1.Event) bool {
			return e == busv1alpha1.AnyEvent || e == busv1alpha1.PodEvictedEvent || e == busv1alpha1.PodFailedEvent ||
				e == busv1alpha1.TaskFailedEvent
		})
}
