package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// nextRun ends the name of the Job that stands for the next run of a CronJob: the time that ends it in a cluster is not
// known.
const nextRun = "-next"

// RunCronJobs puts the Job of one run in the place of each CronJob that was read from a file, of Kubernetes and of
// Volcano, whatever its schedule says and be it suspended or not. Otherwise CronJobs make nothing.
func (s *Set) RunCronJobs() {
	for i := range s.objects {
		o := &s.objects[i]
		if o.made {
			continue
		}
		var run metav1.Object
		switch c := o.Object.(type) {
		case *batchv1.CronJob:
			run = &batchv1.Job{ObjectMeta: runMeta(o, c.Spec.JobTemplate.ObjectMeta), Spec: c.Spec.JobTemplate.Spec}
		case *batchv1alpha1.CronJob:
			run = &batchv1alpha1.Job{ObjectMeta: runMeta(o, c.Spec.JobTemplate.ObjectMeta), Spec: c.Spec.JobTemplate.Spec}
		default:
			continue
		}
		k := kindOf(run)
		s.objects[i] = object{where: o.where, kind: k, Object: run,
			id: identity{k.group, k.name, run.GetNamespace(), run.GetName()}}
	}
}

// runMeta is the metadata of a run. What a CronJob's own annotations say of queue and gang is read through its Jobs.
func runMeta(o *object, template metav1.ObjectMeta) metav1.ObjectMeta {
	out := metav1.ObjectMeta{Name: o.GetName() + nextRun, Namespace: o.GetNamespace(), Labels: template.Labels,
		Annotations: maps.Clone(template.Annotations)}
	for key, value := range o.GetAnnotations() {
		if _, said := out.Annotations[key]; !said && strings.HasPrefix(key, schedulingv1beta1.GroupName+"/") {
			metav1.SetMetaDataAnnotation(&out, key, value)
		}
	}
	return out
}

// makers are endings of the kinds of which controllers make pods, and which are not read.
var makers = []string{"Job", "JobSet", "JobFlow", "DaemonSet", "ReplicationController", "RayCluster", "LeaderWorkerSet",
	"Workflow", "RayService", "SparkApplication"}

// Unmade says of which objects that were read controllers make pods that are not known here; "" of none.
func (s *Set) Unmade() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.skipped)) {
		if slices.ContainsFunc(makers, func(end string) bool { return strings.HasSuffix(name, end) }) {
			parts = append(parts, fmt.Sprintf("%d %s", s.skipped[name], name))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "pods that controllers make of " + strings.Join(parts, ", ")
}
