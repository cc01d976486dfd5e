package devices

import (
	"fmt"
	"maps"

	resourcev1 "k8s.io/api/resource/v1"
)

// What the allocator is shown is cut down to what matters: of devices those that somebody may
// choose, and in the place of selectors, where requests differ, an attribute that says which
// of them select the device. So no expression of a tenant's is evaluated while it searches, and
// its steps are few. It finds the same: what is left out it would have passed over.

// mark is the attribute of devices that a wish selects. No device can have one in this domain,
// and no claim can name it: the API server takes no capitals there.
func mark(n int) string { return fmt.Sprint("w", n) }

const markDomain = "SELECTED"

// kinds numbers the wishes of a question, equal ones alike.
func (s *search) kinds() (of []int, wishes []selection) {
	at := map[digest]int{}
	for _, a := range s.asks {
		n, known := at[a.id]
		if !known {
			n = len(wishes)
			at[a.id] = n
			wishes = append(wishes, a.selection)
		}
		of = append(of, n)
	}
	return of, wishes
}

// cut are the slices and claims that the allocator is shown. same is equal for all that have
// equal answers, but for the names of what is found; without meaning where there is none like it.
func (s *search) cut() (list []*resourcev1.ResourceSlice, claims []*resourcev1.ResourceClaim) {
	of, wishes := s.kinds()
	taken := false
	for _, a := range s.asks {
		taken = taken || a.taken
	}
	marked := len(wishes) > 1 || s.reach.counters
	s.alike = alike{on: len(s.usable) == len(s.reach.slices) && !s.reach.counters, constraints: s.constrained()}
	at := 0
	for _, b := range s.reach.slices {
		if at < len(s.usable) && s.usable[at] == b {
			at++
			list = append(list, s.devices(b, wishes, marked, taken))
		} else {
			list = append(list, without(b.slice, nil))
		}
		if s.ended || s.costly != "" {
			return nil, nil
		}
	}
	return list, s.claims(of, marked)
}

// devices is a slice with those of its devices that matter.
func (s *search) devices(b *publishedSlice, wishes []selection, marked, taken bool) *resourcev1.ResourceSlice {
	matches := make([]*matched, len(wishes))
	for n, w := range wishes {
		matches[n] = b.match(w, s.keeps())
	}
	s.cost += int64(len(b.ids) / 4)
	keep := make([]resourcev1.Device, 0, len(b.ids))
	yes := make([]bool, len(wishes))
	for i := range b.ids {
		d := &b.slice.Spec.Devices[i]
		if !s.reach.counters && !taken && !shares(d) && s.taken(b, i) || !b.serves(s.node, i) && !s.reach.counters {
			continue
		}
		some := false
		for n, w := range wishes {
			yes[n] = s.selects(w, matches[n], b, i)
			some = some || yes[n]
		}
		if s.ended || s.costly != "" {
			return nil
		}
		if some {
			s.alike.add(b, i, yes, s.taken(b, i))
		}
		switch {
		case marked && (some || s.reach.counters):
			keep = append(keep, withMarks(*d, yes))
		case some:
			keep = append(keep, *d)
		}
	}
	return without(b.slice, keep)
}

// taken says that somebody has the ith device of a slice.
func (s *search) taken(b *publishedSlice, i int) bool {
	return !s.unused && s.d.used.state.AllocatedDevices.Has(b.ids[i])
}

func shares(d *resourcev1.Device) bool {
	return d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations
}

// without is a slice with these devices only.
func without(s *resourcev1.ResourceSlice, devices []resourcev1.Device) *resourcev1.ResourceSlice {
	out := *s
	out.Spec.Devices = devices
	return &out
}

func withMarks(d resourcev1.Device, yes []bool) resourcev1.Device {
	attributes := make(map[resourcev1.QualifiedName]resourcev1.DeviceAttribute, len(d.Attributes)+len(yes))
	maps.Copy(attributes, d.Attributes)
	for n := range yes {
		attributes[resourcev1.QualifiedName(markDomain+"/"+mark(n))] = resourcev1.DeviceAttribute{
			BoolValue: &[]bool{yes[n]}[0]}
	}
	d.Attributes = attributes
	return d
}

// claims are the claims with marks in the place of selectors.
func (s *search) claims(of []int, marked bool) []*resourcev1.ResourceClaim {
	out := make([]*resourcev1.ResourceClaim, len(s.open))
	for c, claim := range s.open {
		copied := *claim
		copied.Spec.Devices.Requests = make([]resourcev1.DeviceRequest, len(claim.Spec.Devices.Requests))
		for i := range copied.Spec.Devices.Requests {
			r := claim.Spec.Devices.Requests[i]
			if r.Exactly != nil {
				e := *r.Exactly
				e.Selectors, r.Exactly = nil, &e
			}
			r.FirstAvailable = append([]resourcev1.DeviceSubRequest(nil), r.FirstAvailable...)
			for j := range r.FirstAvailable {
				r.FirstAvailable[j].Selectors = nil
			}
			copied.Spec.Devices.Requests[i] = r
		}
		out[c] = &copied
	}
	if !marked {
		return out
	}
	for n, a := range s.asks {
		selector := []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{
			Expression: `device.attributes["` + markDomain + `"].` + mark(of[n])}}}
		r := &out[a.claim].Spec.Devices.Requests[a.request]
		if a.alternative < 0 {
			r.Exactly.Selectors = selector
		} else {
			r.FirstAvailable[a.alternative].Selectors = selector
		}
	}
	return out
}
