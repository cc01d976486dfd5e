package devices

import (
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
)

// alike gathers what an answer rests on, once it is known which devices are selected: nodes of
// one make are alike, whatever their devices are called, and what was looked for in vain on one
// of them is not looked for on the next.
type alike struct {
	on          bool // there is such an answer at all
	constraints []string
	text        []byte
}

// constrained are the attributes that constraints compare.
func constrained(open []*resourcev1.ResourceClaim) (out []string) {
	for _, c := range open {
		for i := range c.Spec.Devices.Constraints {
			o := &c.Spec.Devices.Constraints[i]
			for _, a := range [...]*resourcev1.FullyQualifiedName{o.MatchAttribute, o.DistinctAttribute} {
				if a != nil && !slices.Contains(out, string(*a)) {
					out = append(out, string(*a))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// add notes a device. Of one that several may have, how much of it is left differs by amounts
// that are not compared here: then nothing is alike.
func (a *alike) add(b *publishedSlice, i int, yes []bool, taken bool) {
	d := &b.slice.Spec.Devices[i]
	if !a.on || shares(d) {
		a.on = false
		return
	}
	flag := func(on bool) {
		if on {
			a.text = append(a.text, 1)
		} else {
			a.text = append(a.text, 0)
		}
	}
	for _, y := range yes {
		flag(y)
	}
	flag(taken)
	flag(len(d.BindingConditions) > 0)
	a.text = append(append(a.text, b.slice.Spec.Driver...), 0)
	for _, name := range a.constraints {
		a.value(d, b.slice.Spec.Driver, name)
	}
	for _, t := range d.Taints {
		for _, part := range [...]string{t.Key, t.Value, string(t.Effect)} {
			a.text = append(append(a.text, part...), 0)
		}
	}
	a.text = append(a.text, 0xff)
}

// value notes an attribute of a device as constraints look it up: by its full name, else by the
// name alone where the driver is its domain.
func (a *alike) value(d *resourcev1.Device, driver, name string) {
	v, ok := d.Attributes[resourcev1.QualifiedName(name)]
	if domain, own, found := strings.Cut(name, "/"); !ok && found && domain == driver {
		v, ok = d.Attributes[resourcev1.QualifiedName(own)]
	}
	if ok {
		size := v.Size()
		a.text = slices.Grow(a.text, 1+size)
		if n, err := v.MarshalToSizedBuffer(a.text[len(a.text)+1 : len(a.text)+1+size]); err == nil && n == size {
			a.text = append(a.text, byte(size))[:len(a.text)+1+size]
			return
		}
	}
	a.text = append(a.text, 0)
}

// key names an answer to claims of a shape.
func (a *alike) key(shape digest) key { return key{kind: ofAlike, on: digestOf(a.text), shape: shape} }
