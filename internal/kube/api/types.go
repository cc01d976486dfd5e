// Package api is Ashlar's own kinds of the Kubernetes API, group ashlar.sh. There is one: a Booking, of no namespace,
// which books nodes in advance (docs/time.md).
//
// The types are what objects look like; the CRD in deploy/helm/ashlar/crds says what the API server takes. What they
// mean is internal/kube/translate's business. Times are texts: one that cannot be read then spoils its object alone,
// and not the list that it comes in.
package api

import (
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

	Spec BookingSpec `json:"spec"`
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
	MaxStartDelay string `json:"maxStartDelay,omitempty"`
	DrainBefore   string `json:"drainBefore,omitempty"` // 24h where it is not set
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
