package devices

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
)

// classes are the device classes by name.
type classes struct {
	of      map[string]*resourcev1.DeviceClass
	bare    map[string]*resourcev1.DeviceClass // without their selectors
	named   map[string]string                  // by the extended resource that it stands for
	content digest
	known   bool // content is that of what there is
}

func newClasses() classes {
	return classes{of: map[string]*resourcev1.DeviceClass{}, bare: map[string]*resourcev1.DeviceClass{},
		named: map[string]string{}}
}

func (c *classes) put(name string, class *resourcev1.DeviceClass) {
	c.known = false
	delete(c.of, name)
	delete(c.bare, name)
	defer c.name()
	if class == nil {
		return
	}
	bare := *class
	bare.Spec.Selectors = nil
	c.of[name], c.bare[name] = class, &bare
}

// digest is equal for equal classes.
func (c *classes) digest() digest {
	if c.known {
		return c.content
	}
	var text []byte
	for _, name := range slices.Sorted(maps.Keys(c.of)) {
		one, err := c.of[name].Spec.Marshal()
		if err != nil {
			one = []byte(c.of[name].ResourceVersion)
		}
		text = append(append(append(text, name...), 0), one...)
	}
	c.content, c.known = digestOf(text), true
	return c.content
}

// chosenFor are the classes as the allocator looks them up: what they select was found out before.
type chosenFor struct{ *classes }

// List is what the allocator may ask for.
func (c chosenFor) List() ([]*resourcev1.DeviceClass, error) {
	return slices.SortedFunc(maps.Values(c.bare),
		func(a, b *resourcev1.DeviceClass) int { return cmp.Compare(a.Name, b.Name) }), nil
}

// Get returns a class; an error says that there is none.
func (c chosenFor) Get(name string) (*resourcev1.DeviceClass, error) {
	if class := c.bare[name]; class != nil {
		return class, nil
	}
	return nil, fmt.Errorf("device class %s does not exist", name)
}

// missing is the first class that a claim asks for and that is not there; "" when all are.
// As in Kubernetes, of alternatives each has to be there.
func (c *classes) missing(claim *resourcev1.ResourceClaim) string {
	for i := range claim.Spec.Devices.Requests {
		r := &claim.Spec.Devices.Requests[i]
		if r.Exactly != nil && c.of[r.Exactly.DeviceClassName] == nil {
			return r.Exactly.DeviceClassName
		}
		for j := range r.FirstAvailable {
			if name := r.FirstAvailable[j].DeviceClassName; c.of[name] == nil {
				return name
			}
		}
	}
	return ""
}
