// Package api is Ashlar's own kinds of the Kubernetes API, group ashlar.sh. There is one: a Booking, of no namespace,
// which books nodes in advance (docs/time.md).
//
// The types are what objects look like; the CRD in deploy/helm/ashlar/crds says what the API server takes. What they
// mean is internal/kube/translate's business. Times are texts: one that cannot be read then spoils its object alone,
// and not the list that it comes in.
package api

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Version is the group and the version of the kinds.
var Version = schema.GroupVersion{Group: "ashlar.sh", Version: "v1alpha1"}

// Resource is what bookings are called in paths of the API.
const Resource = "bookings"

// Booking books nodes in advance: for maintenance, or for an owner.
type Booking struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   BookingSpec   `json:"spec"`
	Status BookingStatus `json:"status,omitzero"`
}

// BookingSpec is what is booked, when and for what. Exactly one of Maintenance and Owner is set, and either From and To
// or Schedule and Duration. Durations are written 1h30m.
type BookingSpec struct {
	Maintenance bool          `json:"maintenance,omitempty"`
	Owner       *BookingOwner `json:"owner,omitempty"`
	Nodes       BookingNodes  `json:"nodes,omitempty"`

	From     string `json:"from,omitempty"` // RFC 3339
	To       string `json:"to,omitempty"`
	Schedule string `json:"schedule,omitempty"` // cron
	TimeZone string `json:"timeZone,omitempty"` // UTC where it is not set
	Duration string `json:"duration,omitempty"`

	Flex          bool   `json:"flex,omitempty"`
	IgnoreRunning bool   `json:"ignoreRunning,omitempty"`
	MaxStartDelay string `json:"maxStartDelay,omitempty"`
	DrainBefore   string `json:"drainBefore,omitempty"` // 24h where it is not set

	PurgeAfterIdle string `json:"purgeAfterIdle,omitempty"` // never where it is not set
}

// BookingOwner is of which jobs the nodes are: those of which all holds that is set.
type BookingOwner struct {
	Queue     string `json:"queue,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	PodGroup  string `json:"podGroup,omitempty"`
	User      string `json:"user,omitempty"`
}

// BookingNodes are the nodes that are booked: all that match, or so many of them.
type BookingNodes struct {
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	Count    int32                 `json:"count,omitempty"`
}

// BookingList is a list of them.
type BookingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Booking `json:"items"`
}

// MostNodes bounds the nodes that a status names: so it stays far below what the API server's store takes.
const MostNodes = 500

// BookingStatus is how a booking stands. The scheduler writes it, and reads of it which window was ended early.
type BookingStatus struct {
	Phase  string         `json:"phase,omitempty"`  // Pending, Active, Ended or Invalid
	Window *BookingWindow `json:"window,omitempty"` // the present one, or the next; nil: none is to come

	// EndedEarly is when the window began that is not over and was ended for being idle, as RFC 3339.
	EndedEarly string `json:"endedEarly,omitempty"`

	Asked     int32    `json:"asked,omitempty"` // so many nodes, where it has fewer
	NodeCount int32    `json:"nodeCount,omitempty"`
	Nodes     []string `json:"nodes,omitempty"` // that it holds in the window, the first MostNodes by name

	ConflictCount int32             `json:"conflictCount,omitempty"`
	Conflicts     []BookingConflict `json:"conflicts,omitempty"` // the first of them by namespace and name

	Overlaps []string `json:"overlaps,omitempty"` // other bookings with nodes of this one at the same time
	Message  string   `json:"message,omitempty"`  // why it has fewer nodes than asked for, or is invalid
}

// BookingWindow is from when to when nodes are booked, as RFC 3339.
type BookingWindow struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// BookingConflict is a pod that may run on in the window.
type BookingConflict struct {
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Node      string `json:"node"`
}

// DeepCopyObject implements runtime.Object.
func (b *Booking) DeepCopyObject() runtime.Object { return b.DeepCopy() }

// DeepCopy is a copy that shares nothing.
func (b *Booking) DeepCopy() *Booking {
	c := *b
	b.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	if b.Spec.Owner != nil {
		o := *b.Spec.Owner
		c.Spec.Owner = &o
	}
	c.Spec.Nodes.Selector = b.Spec.Nodes.Selector.DeepCopy()
	if w := b.Status.Window; w != nil {
		copied := *w
		c.Status.Window = &copied
	}
	c.Status.Nodes, c.Status.Overlaps = slices.Clone(b.Status.Nodes), slices.Clone(b.Status.Overlaps)
	c.Status.Conflicts = slices.Clone(b.Status.Conflicts)
	return &c
}

// DeepCopyObject implements runtime.Object.
func (l *BookingList) DeepCopyObject() runtime.Object {
	c := *l
	l.ListMeta.DeepCopyInto(&c.ListMeta)
	c.Items = nil
	for i := range l.Items {
		c.Items = append(c.Items, *l.Items[i].DeepCopy())
	}
	return &c
}
