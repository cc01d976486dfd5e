package owners

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/translate"
)

// mostOwners bounds a chain of controllers, which may be a circle.
const mostOwners = 8

// Standing is how much of what owners say is known.
type Standing uint8

// From nothing to all.
const (
	Unread      Standing = iota // not yet: an answer is to be expected
	Provisional                 // it may not be read, or not now: later reads may say more
	Final                       // read, or gone
)

// Owner is an object that controls pods, or one that controls such a one. Its Reader
// guards all that is in it.
type Owner struct {
	key
	kind  schema.GroupVersionKind
	name  string
	depth int // how far above the pods it stands, as far as is known
	seen  time.Time

	standing         Standing
	queue, minMember string
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
func (o *Owner) Key() string { return o.namespace + "/" + string(o.uid) }

// said is what an owner and those above it say. The Reader's lock is held.
func (o *Owner) said() (s translate.Said, known Standing) {
	known = Final
	for n := 0; o != nil && n < mostOwners; n++ {
		if known = min(known, o.standing); o.standing == Unread {
			break
		}
		if s.Queue == "" {
			s.Queue = o.queue
		}
		if s.MinMember == "" && o.minMember != "" {
			s.MinMember = o.minMember
			s.Job = translate.Owner{Kind: o.kind.GroupKind(), Name: o.name, UID: o.uid}
		}
		o = o.above
	}
	return s, known
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
