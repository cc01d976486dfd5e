package owners

import (
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	batchv1alpha1 "volcano.sh/apis/pkg/apis/batch/v1alpha1"

	"ashlar.sh/internal/kube/translate"
)

// mostOwners bounds a chain of controllers, which may be a circle.
const mostOwners = 8

// Knowledge is how much of what owners say is known.
type Knowledge uint8

// From nothing to all.
const (
	Unread      Knowledge = iota // not yet: an answer is to be expected
	Provisional                  // it may not be read, or not now: later reads may say more
	Final                        // read, or gone
)

// Owner is an object that controls pods, or one that controls such a one. Its Reader
// guards all that is in it.
type Owner struct {
	key
	kind  schema.GroupVersionKind
	name  string
	depth int // how far above the pods it stands, as far as is known
	seen  time.Time

	knowledge        Knowledge
	queue, minMember string
	limit, since     int64 // of a Kubernetes Job: see translate.JobDeadline
	restarts         bool  // its deadline counts anew when it is resumed: see Renew
	renewed          bool  // it is read anew: what it said before holds until then
	read             time.Time
	estimate         string // spec.runningEstimate of a Volcano Job, as it is written
	above            *Owner
	below            []*Owner // those that want to hear when more is known of this one

	place   place
	waited  place // where it waited before it was read
	failed  int   // reads in a row that brought no answer
	dropped bool  // no pod names it any more
	marked  uint64
}

// key is what an owner is known by. The UID alone is not enough: the author of a pod
// chooses it, and must not speak for another namespace.
type key struct {
	namespace string // of the pods
	uid       types.UID
}

// Key is what an owner is known by, as one word.
func (o *Owner) Key() string { return Key(o.namespace, o.uid) }

// Key is that of the owner with a UID of pods in a namespace.
func Key(namespace string, uid types.UID) string { return namespace + "/" + string(uid) }

// said is what an owner and those above it say. The Reader's lock is held.
func (o *Owner) said() (s translate.Said, known Knowledge) {
	known, s.Estimate = Final, o.estimate
	for n := 0; o != nil && n < mostOwners; n++ {
		if known = min(known, o.knowledge); o.knowledge == Unread {
			break
		}
		if s.Queue == "" {
			s.Queue = o.queue
		}
		if s.JobLimit == 0 {
			s.JobLimit, s.JobSince = o.limit, o.since
		}
		if s.MinMember == "" && o.minMember != "" {
			s.MinMember = o.minMember
			s.Job = translate.Owner{Kind: o.kind.GroupKind(), Name: o.name, UID: o.uid}
		}
		o = o.above
	}
	return s, known
}

// VolcanoJob says that a controller is a Job of Volcano: its controller hands its annotations on to pods and PodGroup,
// and what it says of how long they run it keeps.
func VolcanoJob(ref *metav1.OwnerReference) bool {
	group, _, _ := strings.Cut(ref.APIVersion, "/")
	return group == batchv1alpha1.SchemeGroupVersion.Group && ref.Kind == "Job"
}

// KubernetesJob says that a controller is a Job of Kubernetes, which may have a deadline.
func KubernetesJob(ref *metav1.OwnerReference) bool {
	group, _, _ := strings.Cut(ref.APIVersion, "/")
	return group == batchv1.GroupName && ref.Kind == "Job"
}

func (o *Owner) kubernetesJob() bool {
	return o.kind.Group == batchv1.GroupName && o.kind.Kind == "Job"
}

func (o *Owner) volcanoJob() bool {
	return o.kind.Group == batchv1alpha1.SchemeGroupVersion.Group && o.kind.Kind == "Job"
}

// Bounds of what the API server may have taken for the name of something there is; it does
// not check the references of pods against them.
const (
	longestName       = 253
	longestKind       = 63
	longestAPIVersion = longestName + 1 + longestKind
)

// named is the kind that a reference is to; false when nothing can be called so.
func named(ref *metav1.OwnerReference) (schema.GroupVersionKind, bool) {
	if ref.UID == "" || len(ref.UID) > longestName || ref.Name == "" || len(ref.Name) > longestName ||
		len(ref.Kind) > longestKind || len(ref.APIVersion) > longestAPIVersion {
		return schema.GroupVersionKind{}, false
	}
	version, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return schema.GroupVersionKind{}, false
	}
	return version.WithKind(ref.Kind), true
}
