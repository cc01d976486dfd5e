package translate

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched/model"
)

// Lacks has the settings of an adopted job that the pod's annotations leave open. The pod's owners may set them.
type Lacks uint8

// What a pod may lack.
const (
	LacksQueue     Lacks = 1 << iota // scheduling.volcano.sh/queue-name
	LacksMinMember                   // scheduling.volcano.sh/group-min-member
)

// LacksOf is what is missing from a pod's annotations.
func LacksOf(annotations map[string]string) (out Lacks) {
	if _, says := annotations[schedulingv1beta1.QueueNameAnnotationKey]; !says {
		out |= LacksQueue
	}
	if _, says := annotations[schedulingv1beta1.VolcanoGroupMinMemberAnnotationKey]; !says {
		out |= LacksMinMember
	}
	return out
}

// Said has the settings of an adopted job by the annotations of the pod's owners. For each setting the nearest owner
// that has it counts; "" if none has it.
type Said struct {
	Queue     string
	MinMember string // as it is written
	Job       Owner  // the owner that says MinMember: its pods are the gang
	// Estimate is spec.runningEstimate as it is written, of an owner that is a Volcano Job; those above it say none.
	Estimate string
	// JobLimit and JobSince are the deadline of the nearest owner that is a Kubernetes Job: see JobDeadline.
	JobLimit, JobSince int64
}

// Owner is a controller of pods. A later one of its name has another UID.
type Owner struct {
	Kind schema.GroupKind
	Name string
	UID  types.UID
}

// OwnerOf is the controller that a reference names.
func OwnerOf(ref *metav1.OwnerReference) Owner {
	return Owner{schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).GroupKind(), ref.Name, ref.UID}
}

// ID is which controller of that name it is, as model.Pod.OwnerID has it; "" of none.
func (o Owner) ID() string {
	if o == (Owner{}) {
		return ""
	}
	return o.Kind.String() + "/" + string(o.UID)
}

// Owned is a pod of which its owners say what it lacks; the pod itself where that changes
// nothing. It is not written to.
func Owned(p *model.Pod, lacks Lacks, s Said) *model.Pod {
	queue := lacks&LacksQueue != 0 && s.Queue != ""
	least := lacks&LacksMinMember != 0 && s.MinMember != ""
	if !queue && !least && s.JobLimit == 0 {
		return p
	}
	owned := *p
	if s.JobLimit != 0 {
		times := p.Rare()
		times.JobLimit, times.JobSince = s.JobLimit, s.JobSince
		owned.SetRare(times)
	}
	if queue {
		owned.Adopt.Queue = asName(s.Queue)
	}
	if least {
		f := faults(slices.Clone(p.Faults))
		owned.Adopt.MinMember = f.minMember(s.MinMember)
		owned.Owner, owned.OwnerID = asName(s.Job.Name), s.Job.ID()
		owned.Faults = f
	}
	return &owned
}
