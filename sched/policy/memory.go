package policy

import (
	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Memory is how far shares remember what was used lately: a share is of (1 − w)·allocated + w·used, where used is the
// decayed average of what was allocated (ledger.Usage). It is for the order in which queues and tenants are served:
// what they deserve, are guaranteed or may lose to others never follows from it.
type Memory struct {
	Weight   int64 // w in thousandths; 0: off
	HalfLife int64 // nanoseconds
}

// aDay and the least half-life are in nanoseconds. A shorter one is that of a mistake.
const (
	aDay          = 24 * 60 * leastHalfLife
	leastHalfLife = 60 * 1_000_000_000
)

// mostWeight is the largest w: with 1, what starts now would not count before time has passed, and one queue could take
// all that is free at once.
const mostWeight = 999

// AddWeight adds the argument w.
func (m *Memory) AddWeight(s *ArgumentSet, key string, otherwise int64, meaning string) {
	s.Decimal(&m.Weight, key, otherwise, meaning).AtLeast(0).AtMost(mostWeight)
}

// AddArguments adds the arguments of plugins that order queues.
func (m *Memory) AddArguments(s *ArgumentSet) {
	m.AddWeight(s, "usage.weight", 0, "how much of a queue's share is what it used lately, in the order of queues; 0: off")
	s.Duration(&m.HalfLife, "usage.halfLife", aDay, "after this long what was used counts half").AtLeast(leastHalfLife)
}

// Remember has the usage of queues kept, if it has a weight.
func (m *Memory) Remember(l *ledger.Ledger) error {
	if m.Weight == 0 {
		return nil
	}
	if err := l.Usage.RememberQueues(m.HalfLife); err != nil {
		return BadArgument("usage.halfLife", "%w", err)
	}
	return nil
}

// Version is a version of what is remembered; it stays 0 where nothing is.
func (m *Memory) Version(l *ledger.Ledger) uint64 {
	if m.Weight == 0 {
		return 0
	}
	return l.Usage.Version()
}

// Explain is how the share of a queue in one dimension comes about; zero where nothing is remembered.
func (m *Memory) Explain(l *ledger.Ledger, q ledger.QueueID, d resource.Dim, allocated, deserved int64) trace.Memory {
	if m.Weight == 0 {
		return trace.Memory{}
	}
	return trace.Memory{Weight: m.Weight, HalfLife: m.HalfLife, Held: allocated, Used: l.Usage.OfQueue(q, d).Int64(),
		ShareMicro: m.Share(l, q, d, allocated, deserved).Micro()}
}

// Share is what a queue that is allocated an amount has of what it deserves of a dimension.
func (m *Memory) Share(l *ledger.Ledger, q ledger.QueueID, d resource.Dim, allocated, deserved int64) fair.Ratio {
	if m.Weight == 0 {
		return fair.Share(allocated, deserved)
	}
	return fair.Remembered(allocated, l.Usage.OfQueue(q, d), deserved, m.Weight)
}
