package devices

import (
	"math"

	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// short refuses a node that has fewer devices free of some kind than the claims ask for,
// with the amounts. It is right whenever it refuses, and mostly where it matters: of the
// nodes that are asked most are full, and counting is much cheaper than the allocator. What
// claims and devices ask of each other beyond numbers it leaves to that one; so it does
// requests for alternatives, for all devices and for administration, which are no number.
func (s *search) short() policy.Verdict {
	done := make([]bool, len(s.kinds.wishes))
	for n := range s.asks {
		a := &s.asks[n]
		if a.count == 0 || len(a.tolerations) == 0 && done[s.kinds.of[n]] {
			continue
		}
		need := a.count
		if len(a.tolerations) == 0 {
			done[s.kinds.of[n]] = true
			for m := n + 1; m < len(s.asks); m++ {
				if o := &s.asks[m]; o.id == a.id && len(o.tolerations) == 0 {
					need += o.count
				}
			}
		}
		have := s.free(a, need)
		switch {
		case s.costly != "" || s.ended:
			return policy.Verdict{}
		case have < need:
			return policy.Verdict{Code: trace.NodeDevices, Text: a.class.Name,
				Need: int32(min(need, math.MaxInt32)), Have: int32(min(have, math.MaxInt32))}
		}
	}
	return policy.Verdict{}
}

// free counts the devices that somebody may have, up to as many as are needed.
func (s *search) free(a *ask, need int64) (have int64) {
	for _, b := range s.usable {
		m := b.match(a.selection, s.remembers())
		s.cost += int64(len(b.ids)+3) / 4
		for i := range b.ids {
			d := &b.slice.Spec.Devices[i]
			if !shares(d) && s.taken(b, i) || repels(d, a.tolerations) || !b.serves(s.node, i) {
				continue
			}
			yes := s.selects(a.selection, m, b, i)
			switch {
			case s.ended || s.costly != "":
				return 0
			case yes && shares(d):
				return need // it may meet several requests: counting decides nothing
			case yes:
				have++
			}
			if have >= need {
				return have
			}
		}
	}
	return have
}
