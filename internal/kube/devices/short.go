package devices

import (
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// demand is how many devices of one kind claims ask for together.
type demand struct {
	wish
	selection   []resourcev1.DeviceSelector
	tolerations []resourcev1.DeviceToleration
	count       int64
}

// short refuses a node that has fewer devices free of some kind than the claims ask for,
// with the amounts. It is right whenever it refuses, and mostly where it matters: of the
// nodes that are asked most are full, and counting is much cheaper than the allocator. What
// claims and devices ask of each other beyond numbers it leaves to that one.
func (d *Devices) short(node *corev1.Node, boards []*board, open []*resourcev1.ResourceClaim) policy.Verdict {
	var usable []*board
	for _, w := range d.demands(open) {
		if usable == nil {
			if usable = current(boards); usable == nil {
				usable = []*board{}
			}
		}
		have := int64(0)
		for _, b := range usable {
			fits := b.matches(w.wish, w.selection, d.expressions())
			for i := range fits {
				if !fits[i] || repels(&b.slice.Spec.Devices[i], w.tolerations) || !b.serves(node, i) {
					continue
				}
				switch multiple := b.slice.Spec.Devices[i].AllowMultipleAllocations; {
				case multiple != nil && *multiple:
					have += w.count // it may meet several requests: counting decides nothing
				case !d.used.state.AllocatedDevices.Has(b.ids[i]):
					have++
				}
			}
		}
		if have < w.count {
			return policy.Verdict{Code: trace.NodeDevices, Text: w.class.Name,
				Need: int32(min(w.count, math.MaxInt32)), Have: int32(min(have, math.MaxInt32))}
		}
	}
	return policy.Verdict{}
}

// demands adds up the requests for so many devices of a kind; those for alternatives, for
// all devices and for administration are no number.
func (d *Devices) demands(open []*resourcev1.ResourceClaim) (out []demand) {
	for _, c := range open {
		for i := range c.Spec.Devices.Requests {
			r := c.Spec.Devices.Requests[i].Exactly
			if r == nil || r.AdminAccess != nil && *r.AdminAccess || r.AllocationMode != resourcev1.DeviceAllocationModeExactCount {
				continue
			}
			class := d.classes[r.DeviceClassName]
			if class == nil {
				continue
			}
			w := wish{class, expressions(r.Selectors)}
			at := slices.IndexFunc(out, func(o demand) bool {
				return o.wish == w && len(o.tolerations) == 0 && len(r.Tolerations) == 0
			})
			if at < 0 {
				out = append(out, demand{w, r.Selectors, r.Tolerations, 0})
				at = len(out) - 1
			}
			out[at].count += min(r.Count, math.MaxInt32)
		}
	}
	return out
}

func expressions(list []resourcev1.DeviceSelector) string {
	var out strings.Builder
	for _, s := range list {
		if s.CEL != nil {
			out.WriteString(s.CEL.Expression)
		}
		out.WriteByte(0)
	}
	return out.String()
}
