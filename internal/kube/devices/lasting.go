package devices

import (
	"math"

	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// If a node refuses claims although all devices that it reaches are free, then no device that is given back lifts the
// refusal. It lasts until the node, the slices, the classes or the claims change. Its key does not contain which
// devices are taken. So such claims are not looked at again each time that a device of a shared pool is taken or given
// back.

// allFree is a question about claims on a node as if nothing were taken of what it reaches.
type allFree struct {
	d     *Devices
	at    *place
	of    *sought
	stand nodeState
}

// key names its answer.
func (f *allFree) key() key { return f.stand.keyOfUnused(f.of.shape) }

// search looks for the devices.
func (f *allFree) search(limit int64) *search {
	s := f.d.search(f.at.node(), f.of, limit)
	s.unused = true
	return s
}

// never is the refusal of claims by a node if nothing were taken of what it reaches; nil: it is not known to refuse
// them then.
func (f *allFree) never() *finding {
	d, key := f.d, f.key()
	known, paid := d.memory.of[key]
	if !paid {
		return nil
	}
	if known == nil { // found again, free of charge
		s := f.search(math.MaxInt64)
		s.again = true
		_, no, _ := s.run()
		if known = (&finding{}); ofDevices(no) {
			known = d.memory.refusal(no)
		}
		d.memory.of[key] = known
	}
	if known.no.Admits() {
		return nil
	}
	return known
}

// ofDevices says of a refusal that the node has not the devices that are asked for, or that none were found in as many
// steps as there may be.
func ofDevices(no policy.Verdict) bool {
	return no.Code == trace.NodeDevices || no.Code == trace.ClaimSearchExhausted
}

// lasts says whether a node that refuses claims as it stands would refuse them if nothing were taken, too, and
// notes that. To find it out costs a question more, and is worth it where other nodes reach the same pools. Of a node
// that has too few devices free they are only counted. final: it is found out, and not put off.
func (f *allFree) lasts(q *question, no policy.Verdict) (lasting, final bool) {
	d, key := f.d, f.key()
	if _, known := d.memory.of[key]; known || !ofDevices(no) {
		return false, true
	}
	if f.stand.taken != 0 {
		if !d.inventory.reach(f.at.node()).shared {
			return false, true
		}
		if no, final = f.would(q, no); !final || !ofDevices(no) {
			return false, final
		}
	}
	if d.memory.makeRoom() {
		d.refused.still.touchAll()
	}
	d.memory.of[key] = d.memory.refusal(no)
	return true, true
}

// would is how a node that refuses claims would refuse them if nothing were taken, if it would; final: not put off.
func (f *allFree) would(q *question, no policy.Verdict) (how policy.Verdict, final bool) {
	d := f.d
	limit, spent := d.may(q)
	if spent != ofNone {
		return policy.Verdict{}, false
	}
	s := f.search(limit)
	if no.Need > 0 {
		no = s.short()
		d.budget.charge(q.pod.Namespace, q.shape, s.cost-leastOfSearch)
		return no, !s.ended
	}
	_, no, final = s.run()
	d.pay(q, s, no)
	switch {
	case !final:
	case !ofDevices(no):
		d.memory.of[f.key()] = &finding{}
	case s.alike.on:
		d.memory.of[s.alike.key(f.of.shape)] = d.memory.refusal(no)
	}
	return no, final
}
