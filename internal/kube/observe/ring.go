package observe

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What a scheduler's environment says of its ring, in Volcano's names.
const (
	RingEnable = "MULTI_SCHEDULER_ENABLE" // "true": there is a ring
	RingSize   = "SCHEDULER_NUM"
	RingSelf   = "SCHEDULER_POD_NAME"
)

// Ring is the schedulers of one StatefulSet that share nodes and jobs by their names, as
// Volcano's do: a consistent hash over the names of the schedulers' pods, with CRC-32 (IEEE)
// and twenty points for each (stathat.com/c/consistent v1.0.0, which Volcano calls). The same
// names give the same shares, whichever of the two programs asks. The zero value has one
// scheduler: everything is its own.
type Ring struct {
	Self string // this scheduler's pod
	Base string // Self without "-" and the index
	Size int    // how many schedulers there are; their pods are called Base-0 to Base-(Size-1)

	points []point // in the order of their places
}

// point is a place on the ring, and the scheduler that has what is below it, down to the next.
type point struct {
	at    uint32
	owner int
}

// pointsOfEach is how many places on the ring each scheduler has.
const pointsOfEach = 20

// ErrNoMember says that a pod's name is none of the ring's: nothing is its own.
var ErrNoMember = errors.New("the pod's name is none of StatefulSet-INDEX with an index below SCHEDULER_NUM")

// NewRing is the ring of a scheduler's pod and how many there are of them. With ErrNoMember the
// ring holds, and no part of it is the pod's.
func NewRing(pod string, size int) (Ring, error) {
	r := Ring{Self: pod, Size: max(1, size)}
	cut := strings.LastIndex(pod, "-")
	r.Base = pod[:max(0, cut)]
	owners := map[uint32]int{}
	for i := range r.Size {
		for n := range pointsOfEach {
			owners[hashed(strconv.Itoa(n)+r.member(i))] = i // of equal places the last one's holds
		}
	}
	for at, owner := range owners {
		r.points = append(r.points, point{at, owner})
	}
	slices.SortFunc(r.points, func(a, b point) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	if r.Index() < 0 {
		return r, fmt.Errorf("%w: pod %q, SCHEDULER_NUM %d", ErrNoMember, pod, r.Size)
	}
	return r, nil
}

func hashed(name string) uint32 { return crc32.ChecksumIEEE([]byte(name)) }

func (r Ring) member(i int) string { return r.Base + "-" + strconv.Itoa(i) }

// Index is this scheduler's place among those of the ring, -1 when it is none of them.
func (r Ring) Index() int { return r.IndexOf(r.Self) }

// IndexOf is the index of a pod of the ring, -1 of any other.
func (r Ring) IndexOf(pod string) int {
	base, index := pod, ""
	if cut := strings.LastIndex(pod, "-"); cut >= 0 {
		base, index = pod[:cut], pod[cut+1:]
	}
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= r.Size || base != r.Base || r.member(i) != pod {
		return -1
	}
	return i
}

// Shared says that there are others, and so that not everything is this scheduler's.
func (r Ring) Shared() bool { return len(r.points) > 0 && (r.Size > 1 || r.Index() < 0) }

// Owner is the index of the scheduler that a name belongs to; 0 without a ring.
func (r Ring) Owner(name string) int {
	if len(r.points) == 0 {
		return 0
	}
	at := hashed(name)
	i, _ := slices.BinarySearchFunc(r.points, at, func(p point, at uint32) int {
		if p.at <= at { // what lies on a place belongs to the next one
			return -1
		}
		return 1
	})
	return r.points[i%len(r.points)].owner
}

// owns says that a name is this scheduler's.
func (r Ring) owns(name string) bool { return len(r.points) == 0 || r.Owner(name) == r.Index() }

// job is the name by which a pod, or a PodGroup, is shared: that of its first owner, so that a
// job's pods and its PodGroup go to the same scheduler; without an owner its own.
func job(o metav1.Object) string {
	if owners := o.GetOwnerReferences(); len(owners) > 0 {
		return owners[0].Name
	}
	return o.GetName()
}
