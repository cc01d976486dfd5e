package devices

import (
	"encoding/binary"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
)

// selection is what selects devices: the expressions of a class and those that a request adds.
type selection struct {
	id          digest
	expressions []string
	never       bool // a selector of a kind that is not known: it selects nothing
}

func selectionOf(class *resourcev1.DeviceClass, more []resourcev1.DeviceSelector) selection {
	var w selection
	var text []byte
	for _, list := range [][]resourcev1.DeviceSelector{class.Spec.Selectors, more} {
		for _, s := range list {
			if s.CEL == nil {
				w.never = true
				continue
			}
			w.expressions = append(w.expressions, s.CEL.Expression)
			text = append(binary.BigEndian.AppendUint64(text, uint64(len(s.CEL.Expression))), s.CEL.Expression...)
		}
	}
	if w.never {
		text = append(text, 0)
	}
	w.id = digestOf(text)
	return w
}

// matched is what a wish says of the devices of a slice, as far as that was asked.
type matched struct {
	of     []judged
	fault  string // the first thing that went wrong
	costly string // the first expression that was given up for its cost
}

// judged is one device: a function of it and of the wish, and whether it was paid for.
type judged struct {
	asked, yes, paid bool
	cost             int32
}

// mostSelections bounds what is remembered of one slice.
const mostSelections = 64

// match returns what is known of a wish and a slice. What was not asked before is kept only if
// that is wanted: what is kept is paid for.
func (b *publishedSlice) match(w selection, keep bool) *matched {
	m := b.fits[w.id]
	if m == nil {
		m = &matched{of: make([]judged, len(b.ids))}
		if keep {
			if len(b.fits) >= mostSelections {
				clear(b.fits)
			}
			b.fits[w.id] = m
		}
	}
	return m
}

// ask evaluates a wish for a device.
func (m *matched) ask(w selection, b *publishedSlice, i int, p *Programs) {
	d := &b.slice.Spec.Devices[i]
	input := cel.Device{Driver: b.slice.Spec.Driver, AllowMultipleAllocations: d.AllowMultipleAllocations,
		Attributes: d.Attributes, Capacity: d.Capacity}
	j := &m.of[i]
	j.asked, j.yes, j.cost = true, !w.never, 1
	for _, e := range w.expressions {
		if !j.yes {
			return
		}
		a := p.get(e).ask(input)
		j.yes = a.yes
		j.cost += a.cost
		if a.fault != "" && m.fault == "" {
			m.fault = a.fault
		}
		if a.costly && m.costly == "" {
			m.costly = e
		}
	}
}
