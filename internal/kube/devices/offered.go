package devices

import (
	"maps"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// offered is how many devices of a class all slices offer together, as long as these and the class are the same.
type offered struct {
	of    map[string]int64 // by class and capacity; "" for their number
	stock uint64
}

// Offered is how many devices of a class there are, in thousandths, taken or not and with any taints;
// with the name of a capacity, how much of it they have together. Devices that share counters count each.
func (d *Devices) Offered(class, capacity string) int64 {
	if d.offered.of == nil || d.offered.stock != d.stock {
		d.offered = offered{map[string]int64{}, d.stock}
	}
	name := class + "/" + capacity
	if n, known := d.offered.of[name]; known {
		return n
	}
	n := int64(0)
	if c := d.classes.of[class]; c != nil {
		w := selectionOf(c, nil)
		var all []*publishedSlice
		for _, s := range slices.Sorted(maps.Keys(d.inventory.slices)) {
			all = append(all, d.inventory.slices[s])
		}
		for _, b := range current(all) {
			n = min(n+b.offers(w, capacity, d.programs), mostOffered)
		}
	}
	d.offered.of[name] = n
	return n
}

// mostOffered is beyond what any cluster has, and far from where sums would wrap.
const mostOffered = 1 << 60

// offers is how much of what is counted the devices of a slice have that a class selects.
func (b *publishedSlice) offers(w selection, capacity string, p *Programs) (n int64) {
	m := b.selected(w, p)
	for i := range b.ids {
		switch {
		case !m.of[i].yes:
		case capacity == "":
			n += 1000
		default:
			n = min(n+amount(b.slice.Spec.Devices[i].Capacity[resourcev1.QualifiedName(capacity)].Value), mostOffered)
		}
	}
	return n
}

// selected is which devices of a slice a class selects.
func (b *publishedSlice) selected(w selection, p *Programs) *matched {
	m := b.classed[w.id]
	if m == nil {
		m = &matched{of: make([]judged, len(b.ids))}
		for i := range b.ids {
			m.ask(w, b, i, p)
		}
		b.classed[w.id] = m
	}
	return m
}

func amount(q resource.Quantity) int64 {
	switch {
	case q.Sign() <= 0:
		return 0
	case q.CmpInt64(mostOffered/1000) > 0:
		return mostOffered
	}
	return q.MilliValue()
}

// Stock changes when what is offered may be something else.
func (d *Devices) Stock() uint64 { return d.stock }
