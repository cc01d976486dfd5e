package filters

import (
	"ashlar.sh/internal/kube/devicequota"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/plugins/capacity"
	"ashlar.sh/sched/policy"
)

// Capacity is the plugin "capacity" with a quota of devices for resource claims beside it, to be
// compiled in with sched.WithPlugin. capacity.DynamicResourceAllocationEnable (true by default)
// switches the quota off, capacity.DRAConsumableCapacityEnable (false) has it count the capacity that
// is consumed, too.
func Capacity() policy.Definition {
	built := capacity.Definition()
	return policy.Definition{Name: built.Name, New: func(c policy.Choice, l *ledger.Ledger) (any, error) {
		plugin, err := built.New(c, l)
		if err != nil {
			return nil, err
		}
		on, err := c.Arguments.Bool("capacity.DynamicResourceAllocationEnable", true)
		if err != nil || !on {
			return plugin, err
		}
		consumed, err := c.Arguments.Bool("capacity.DRAConsumableCapacityEnable", false)
		if err != nil {
			return nil, err
		}
		return group{plugin, devicequota.New(l, c.Hierarchy, consumed)}, nil
	}}
}
