package filters

import (
	"ashlar.sh/internal/kube/devicequota"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/plugins/capacity"
	"ashlar.sh/sched/policy"
)

// Capacity is the plugin "capacity" with the devices of resource claims counted, too, to be
// compiled in with sched.WithPlugin. capacity.DynamicResourceAllocationEnable (true by default)
// switches that off, capacity.DRAConsumableCapacityEnable (false) has it count the capacity that
// is consumed, too.
func Capacity() policy.Definition {
	built := capacity.Definition()
	return policy.Definition{Name: built.Name, New: func(c policy.Choice, l *ledger.Ledger) (any, error) {
		on, err := c.Arguments.Bool("capacity.DynamicResourceAllocationEnable", true)
		if err != nil {
			return nil, err
		}
		if !on {
			return built.New(c, l)
		}
		consumed, err := c.Arguments.Bool("capacity.DRAConsumableCapacityEnable", false)
		if err != nil {
			return nil, err
		}
		quota := devicequota.New(l, c.Hierarchy, consumed)
		plugin, queues, err := capacity.With(c, l, quota)
		if err != nil {
			return nil, err
		}
		quota.Ask(queues)
		return policy.Parts{plugin, struct{ quotaAnswers }{quota}}, nil
	}}
}
