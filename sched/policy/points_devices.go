package policy

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
)

// DeviceReporter says which devices there are (dynamic resource allocation), and which claims have them.
type DeviceReporter interface {
	// Devices reads what has changed since it was called last. What it returns describes all pools, by driver, name and
	// node, and may run beside the engine: to find out which classes select a device takes long. It decides nothing.
	Devices() func() []*DevicePool
}

// DevicePool is the devices that a driver manages together and that one node alone reaches, or those that several may.
// It does not change: while its devices stand as they stood, it is the same one.
type DevicePool struct {
	Driver, Name string
	Node         string   // the one that reaches them alone; "": several may
	Devices      []Device // in the order in which the driver lists them
	Details      DeviceDetails
}

// DeviceDetails has what a driver says of the devices of a pool, by their place in the list: attributes and capacities,
// each by name, and how much of each capacity the holders have.
type DeviceDetails interface {
	Of(device int) (attributes, capacity, held []model.Label)
}

// Device is how one device stands.
type Device struct {
	Name    string
	Classes []string // that select it, by name
	State   DeviceState
	Shared  bool     // several claims may have shares of it
	Taints  []string // key=value:effect
	Fault   DeviceFault
	Holders []DeviceHolder // by namespace and claim
}

// DeviceState is whether a device can be given to a claim.
type DeviceState string

// The states.
const (
	DeviceFree      DeviceState = "Free"
	DeviceAllocated DeviceState = "Allocated" // a claim has it, or shares have all of it
	DevicePartly    DeviceState = "Shared"    // claims have shares of it, and there is room for more
	DeviceUnusable  DeviceState = "Unusable"  // no claim has it, and none gets it: see Fault
)

// DeviceFault is why no further claim gets a device.
type DeviceFault struct {
	Code       DeviceFaultCode // "": there is no fault
	Text       string          // the taint, or set/counter
	Need, Have string
}

// DeviceFaultCode is what is wrong.
type DeviceFaultCode string

// What may be wrong.
const (
	DeviceTainted     DeviceFaultCode = "Tainted"        // claims that tolerate the taint get it
	DeviceOfPart      DeviceFaultCode = "PoolIncomplete" // Have of the Need slices of its pool are there
	DeviceCounterUsed DeviceFaultCode = "CounterUsed"    // other partitions have what it needs
)

// DeviceHolder is a claim that has a device, or a share of it.
type DeviceHolder struct {
	Namespace, Claim string
	Pods             []string // for which the claim is reserved, by name
	Share            string   // its id; "": the claim has the whole device
	Consumes         []model.Label
	Admin            bool // beside others, for administration
}

// Devices reads what is to be said of devices: see DeviceReporter.
func (s *Set) Devices() func() []*DevicePool {
	var all []func() []*DevicePool
	for _, p := range s.devices {
		all = append(all, p.Devices())
	}
	switch len(all) {
	case 0:
		return func() []*DevicePool { return nil }
	case 1:
		return all[0]
	}
	return func() (out []*DevicePool) {
		for _, f := range all {
			out = append(out, f()...)
		}
		slices.SortStableFunc(out, (*DevicePool).Compare)
		return out
	}
}

// Compare orders pools by driver, name and node.
func (p *DevicePool) Compare(o *DevicePool) int {
	return cmp.Or(cmp.Compare(p.Driver, o.Driver), cmp.Compare(p.Name, o.Name), cmp.Compare(p.Node, o.Node))
}
