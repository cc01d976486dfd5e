package devices

import (
	"fmt"
	"maps"
	"slices"

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

// kinds are the wishes of a question, equal ones once, and what else its claims ask of devices. They are worked out
// once for all nodes.
type kinds struct {
	of          []int // of each ask, its wish
	wishes      []selection
	taken       bool     // what others have matters to one of the asks, too
	constraints []string // the attributes that constraints compare
}

func kindsOf(open []*resourcev1.ResourceClaim, asks []ask) (k kinds) {
	at := map[digest]int{}
	for i := range asks {
		a := &asks[i]
		n, known := at[a.id]
		if !known {
			n = len(k.wishes)
			at[a.id] = n
			k.wishes = append(k.wishes, a.selection)
		}
		k.of = append(k.of, n)
		k.taken = k.taken || a.taken
	}
	k.constraints = constrained(open)
	return k
}

// chosen is what the allocator is to be shown. Most questions are answered without it, by what was found on a node that
// is alike, so the slices and claims themselves are made later.
type chosen struct {
	devices []chosenDevice
	yes     []bool // for each device, which of the wishes select it
}

type chosenDevice struct{ slice, at int } // of the reach's slices; of the slice's devices

// marked says that devices have marks, and requests ask for them.
func (s *search) marked() bool { return len(s.kinds.wishes) > 1 || s.reach.counters }

// choose finds out which devices matter, and what the answer rests on. It stops where that would cost too much.
func (s *search) choose() (c chosen) {
	s.alike = alike{on: len(s.usable) == len(s.reach.slices) && !s.reach.counters, constraints: s.kinds.constraints}
	at := 0
	for n, b := range s.reach.slices {
		if at == len(s.usable) || s.usable[at] != b {
			continue
		}
		at++
		s.chooseOf(&c, n)
		if s.ended || s.costly != "" {
			return c
		}
	}
	return c
}

// chooseOf is choose for one slice.
func (s *search) chooseOf(c *chosen, n int) {
	b, wishes := s.reach.slices[n], s.kinds.wishes
	matches := make([]*matched, len(wishes))
	for w := range wishes {
		matches[w] = b.match(wishes[w], s.remembers())
	}
	s.cost += int64(len(b.ids) / 4)
	c.devices = slices.Grow(c.devices, len(b.ids))
	c.yes = slices.Grow(c.yes, len(b.ids)*len(wishes))
	for i := range b.ids {
		d := &b.slice.Spec.Devices[i]
		if !s.reach.counters && !s.kinds.taken && !shares(d) && s.taken(b, i) || !b.serves(s.node, i) && !s.reach.counters {
			continue
		}
		first := len(c.yes)
		some := false
		for w := range wishes {
			yes := s.selects(wishes[w], matches[w], b, i)
			c.yes = append(c.yes, yes)
			some = some || yes
		}
		if s.ended || s.costly != "" {
			return
		}
		if some {
			s.alike.add(b, i, c.yes[first:], s.taken(b, i))
		}
		if some || s.reach.counters {
			c.devices = append(c.devices, chosenDevice{n, i})
		} else {
			c.yes = c.yes[:first]
		}
	}
}

// shown are the slices and claims that the allocator is shown.
func (s *search) shown(c *chosen) (list []*resourcev1.ResourceSlice, claims []*resourcev1.ResourceClaim) {
	next, wishes, marked := 0, len(s.kinds.wishes), s.marked()
	for n, b := range s.reach.slices {
		end := next
		for end < len(c.devices) && c.devices[end].slice == n {
			end++
		}
		keep := make([]resourcev1.Device, 0, end-next)
		for ; next < end; next++ {
			d := b.slice.Spec.Devices[c.devices[next].at]
			if marked {
				d = withMarks(d, c.yes[next*wishes:(next+1)*wishes])
			}
			keep = append(keep, d)
		}
		list = append(list, without(b.slice, keep))
	}
	return list, s.claims(marked)
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
func (s *search) claims(marked bool) []*resourcev1.ResourceClaim {
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
			Expression: `device.attributes["` + markDomain + `"].` + mark(s.kinds.of[n])}}}
		r := &out[a.claim].Spec.Devices.Requests[a.request]
		if a.alternative < 0 {
			r.Exactly.Selectors = selector
		} else {
			r.FirstAvailable[a.alternative].Selectors = selector
		}
	}
	return out
}
