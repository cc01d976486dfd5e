package observe

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/owners"
	"ashlar.sh/sched/model"
)

// Deadlines of Kubernetes Jobs may be edited while pods wait. To watch all Jobs would cost memory and requests for each
// of them, so those of which pods wait are read anew in turn: each so long after it was read, so many at each look.
const (
	jobsAnew     = 30 * time.Second
	jobsLook     = 5 * time.Second
	jobsEachLook = 100
)

// endsWith says that a waiting pod ends with the Kubernetes Job that controls it, which may have a deadline.
func (ow *ownership) endsWith(p *model.Pod, controller *metav1.OwnerReference) bool {
	return ow.o.options.Jobs != nil && placeable(p) && owners.KubernetesJob(controller)
}

// renewJobs has Kubernetes Jobs of which pods wait read anew, until ctx ends.
func (ow *ownership) renewJobs(ctx context.Context) {
	looks := time.NewTicker(jobsLook)
	defer looks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-looks.C:
			left := jobsEachLook
			for _, job := range ow.owners.ReadBefore(now.Add(-jobsAnew)) {
				if left > 0 && ow.waitsOf(job) {
					ow.owners.ReadAgain(job)
					left--
				}
			}
		}
	}
}

// waitsOf says that pods of a Job wait, or its PodGroup does.
func (ow *ownership) waitsOf(job *owners.Owner) bool {
	pods, err := ow.o.pods.ByIndex(byOwner, job.Key())
	if err == nil && slices.ContainsFunc(pods, func(p any) bool { return placeable(p.(*Pod).Fact()) }) {
		return true
	}
	groups, err := ow.o.groups.ByIndex(byOwner, job.Key())
	return err == nil && slices.ContainsFunc(groups, func(g any) bool {
		switch g.(*schedulingv1beta1.PodGroup).Status.Phase {
		case "", schedulingv1beta1.PodGroupPending, schedulingv1beta1.PodGroupInqueue:
			return true
		}
		return false
	})
}
