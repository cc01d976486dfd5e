package devices

import (
	"cmp"
	"fmt"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
)

// classes are the device classes by name, as the allocator looks them up.
type classes map[string]*resourcev1.DeviceClass

func (c classes) put(name string, class *resourcev1.DeviceClass) {
	delete(c, name)
	if class != nil {
		c[name] = class
	}
}

// List is what the allocator may ask for.
func (c classes) List() ([]*resourcev1.DeviceClass, error) {
	var out []*resourcev1.DeviceClass
	for _, class := range c { // order-free: sorted below
		out = append(out, class)
	}
	slices.SortFunc(out, func(a, b *resourcev1.DeviceClass) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// Get returns a class; an error says that there is none.
func (c classes) Get(name string) (*resourcev1.DeviceClass, error) {
	if class := c[name]; class != nil {
		return class, nil
	}
	return nil, fmt.Errorf("device class %s does not exist", name)
}

// missing is the first class that a claim asks for and that is not there; "" when all are.
// As in Kubernetes, of alternatives each has to be there.
func (c classes) missing(claim *resourcev1.ResourceClaim) string {
	for i := range claim.Spec.Devices.Requests {
		r := &claim.Spec.Devices.Requests[i]
		if r.Exactly != nil && c[r.Exactly.DeviceClassName] == nil {
			return r.Exactly.DeviceClassName
		}
		for j := range r.FirstAvailable {
			if name := r.FirstAvailable[j].DeviceClassName; c[name] == nil {
				return name
			}
		}
	}
	return ""
}
