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
	return policy.Define(capacity.Name, capacity.Meaning,
		func(a capacity.Arguments, l *ledger.Ledger) (policy.Parts, error) {
			if err := a.Memory.Remember(l); err != nil {
				return nil, err
			}
			if !a.Devices {
				plugin, _ := capacity.With(a, l, nil)
				return policy.Parts{plugin}, nil
			}
			quota := devicequota.New(l, a.Tree, a.Consumed)
			plugin, queues := capacity.With(a, l, quota)
			quota.Ask(queues)
			return policy.Parts{plugin, struct{ quotaAnswers }{quota}}, nil
		})
}
