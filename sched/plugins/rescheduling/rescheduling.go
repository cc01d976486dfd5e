// Package rescheduling evens out nodes: it picks pods on nodes that hold much, so that they move to
// nodes that hold little.
//
// Strategy lowNodeUtilization has two lists of percentages of what a node can allocate. A node that
// holds less than thresholds in every dimension named there is under-used; one that holds more than
// targetThresholds in any is over-used. While there are both, pods of the over-used nodes are picked,
// the least important and youngest first: each only when there is an under-used node that has the room,
// whose labels and taints admit it, and that stays within targetThresholds with it. So no node becomes
// over-used to relieve another, and each round picks less, until nothing is left to even out. Strategy
// offlineOnly picks only pods that are marked preemptable; it evens out nothing by itself.
//
// A node holds what its pods ask for, and what is promised there, without terminating pods. Their real
// usage is not known here: metricsPeriod is ignored. The other plugins decide where a picked pod is
// placed again. Together with binpack, which fills nodes that are full, they may place it on the same
// node, and the next round picks it again.
//
// The time of the last round is not kept over a restart.
//
// Source: semantics of Volcano's plugin of this name, which goes by measured usage.
package rescheduling

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// The arguments.
const (
	intervalKey   = "interval"
	strategiesKey = "strategies"
)

// name is the plugin's in a configuration.
const name = "rescheduling"

// Definition is the plugin "rescheduling". interval is how often pods are picked (5m),
// strategies a list of what to do, each with its name and params, as JSON.
func Definition() policy.Definition {
	return policy.Definition{Name: name, New: func(c policy.Choice, l *ledger.Ledger) (any, error) {
		p := &plugin{l: l}
		var err error
		if p.interval, err = c.Arguments.Duration(intervalKey, 5*minute); err != nil {
			return nil, err
		}
		if p.interval <= 0 {
			return nil, policy.BadArgument(intervalKey, "%s is no time between two rounds", c.Arguments[intervalKey])
		}
		if err := p.read(c.Arguments[strategiesKey]); err != nil {
			return nil, policy.BadArgument(strategiesKey, "%w", err)
		}
		return p, nil
	}}
}

const (
	minute = 60_000_000_000
)

type plugin struct {
	l        *ledger.Ledger
	interval int64 // nanoseconds
	now      int64

	even        bool    // lowNodeUtilization
	low, target []limit // its thresholds
	offline     bool    // offlineOnly

	nodes []load // scratch of a round
}

// At is told the time, and returns when the next round may be.
func (p *plugin) At(now int64) (next int64) {
	p.now = now
	if at := model.After(p.l.Rounds.Get(name), p.interval); at > now {
		return at
	}
	return 0
}

// Later is when the next round may be, after one in this cycle.
func (p *plugin) Later() (next int64) {
	if p.l.Rounds.Get(name) == p.now {
		return model.After(p.l.Rounds.Get(name), p.interval)
	}
	return 0
}
