package devices

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"ashlar.sh/sched/ledger"
)

// digest is the beginning of a hash: long enough to tell contents apart, also those that were made to collide.
type digest [16]byte

func digestOf(text []byte) digest {
	sum := sha256.Sum256(text)
	return digest(sum[:16])
}

func (d digest) String() string { return hex.EncodeToString(d[:]) }

// number is a digest as a term of a sum that does not depend on the order.
func (d digest) number() uint64 { return binary.BigEndian.Uint64(d[:8]) }

// nodeState is all that an answer about a node rests on beside the claims: what the node is and
// what it reaches, which of that is taken, and how often something of it was given back.
type nodeState struct {
	still digest
	taken uint64
	freed uint64
}

// nodeState is the state of a node.
func (d *Devices) nodeState(at *place) nodeState {
	row := d.l.Node(at.n)
	r, fact := d.inventory.reach(at.node()), row.Fact
	if r.node != fact || r.classes != d.classes.digest() {
		r.node, r.classes = fact, d.classes.digest()
		text := append(append([]byte{}, r.content[:]...), r.classes[:]...)
		text = append(text, row.Name...)
		if fact != nil {
			for _, l := range fact.Labels {
				text = append(append(append(append(text, 0), l.Key...), 0), l.Value...)
			}
		}
		r.still = digestOf(text)
	}
	out := nodeState{still: r.still}
	if r.uses == nil {
		for _, p := range r.pools {
			r.uses = append(r.uses, d.used.pool(p))
		}
	}
	for _, u := range r.uses {
		out.taken += u.taken
		out.freed += u.freed
	}
	if d.leaves.lent {
		out.freed = ^out.taken // more is free than was given back: a refusal holds for exactly this
	}
	return out
}

// key names an answer.
type key struct {
	kind  byte
	on    digest
	shape digest
	use   uint64
}

// The kinds of keys.
const (
	ofAnswer  = '=' // on a node that stands so
	ofRefusal = '>' // on one of which nothing was given back: that more is taken ends none
	ofAlike   = '~' // where the devices are like those
	ofUnused  = '0' // on one of which nothing is taken: its refusal no device lifts that is given back
)

func (s nodeState) key(shape digest) key { return key{ofAnswer, s.still, shape, s.taken} }

func (s nodeState) keyOfUnused(shape digest) key {
	return key{kind: ofUnused, on: s.still, shape: shape}
}

func (s nodeState) keyOfNo(shape digest) key { return key{ofRefusal, s.still, shape, s.freed} }

// String is a key as it travels.
func (k key) String() string {
	text := append(append([]byte{k.kind}, k.on[:]...), k.shape[:]...)
	return hex.EncodeToString(binary.BigEndian.AppendUint64(text, k.use))
}

func keyOf(text string) (k key, ok bool) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != 1+2*len(k.on)+8 {
		return k, false
	}
	k.kind = raw[0]
	copy(k.on[:], raw[1:])
	copy(k.shape[:], raw[1+len(k.on):])
	k.use = binary.BigEndian.Uint64(raw[1+2*len(k.on):])
	return k, true
}

// place is a node about which is asked.
type place struct {
	d    *Devices
	n    ledger.NodeID
	made *corev1.Node
}

// node is what slices read of it.
func (p *place) node() *corev1.Node {
	if p.made == nil {
		p.made = p.d.node(p.n)
	}
	return p.made
}

// shapeOf is equal for claims that ask for the same devices.
func shapeOf(open []*resourcev1.ResourceClaim) digest {
	var text []byte
	for _, c := range open {
		one, err := c.Spec.Devices.Marshal()
		if err != nil {
			one = []byte(c.Namespace + "/" + c.Name)
		}
		text = append(binary.BigEndian.AppendUint64(text, uint64(len(one))), one...)
	}
	return digestOf(text)
}

// poolUse is what is taken of a pool, as a sum over what each allocation has of it, and how
// often something was given back.
type poolUse struct{ taken, freed uint64 }

// count adds an allocation (by 1) or takes it out (by -1).
func (u poolUse) count(term uint64, by int) poolUse {
	if by < 0 {
		return poolUse{u.taken - term, u.freed + 1}
	}
	return poolUse{u.taken + term, u.freed}
}

// sum is an allocated device as a term of poolUse.taken.
func sum(id structured.DeviceID, r *resourcev1.DeviceRequestAllocationResult) uint64 {
	share := ""
	if r.ShareID != nil {
		share = string(*r.ShareID)
	}
	text := fmt.Appendf(nil, "%s\x00%s", id.String(), share) // pools may have devices of the same names
	if len(r.ConsumedCapacity) > 0 {
		one := resourcev1.DeviceRequestAllocationResult{ConsumedCapacity: r.ConsumedCapacity}
		more, err := one.Marshal()
		if err != nil {
			more = []byte(err.Error())
		}
		text = append(text, more...)
	}
	return digestOf(text).number()
}
