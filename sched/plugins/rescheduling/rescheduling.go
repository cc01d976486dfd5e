// Package rescheduling evens out nodes: it picks pods on nodes that hold much, so that they move to
// nodes that hold little.
//
// Strategy lowNodeUtilization has two lists of percentages of what a node can allocate. A node that
// holds less than thresholds in every dimension named there is under-used; one that holds more than
// targetThresholds in any is over-used. While there are both, pods of the over-used nodes are picked,
// the least important and youngest first: each only when there is an under-used node that has the room,
// admits it by labels and taints, and stays within targetThresholds with it. So no node becomes
// over-used to relieve another, and each round picks less, until nothing is left to even out. Strategy
// offlineOnly picks only pods that are marked preemptable; it evens out nothing by itself.
//
// A node holds what its pods ask for, and what is pipelined there, without terminating pods. Their real
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

// strategiesKey is the argument that lists what to do, each with its name and params.
const strategiesKey = "strategies"

// name is the plugin's in a configuration.
const name = "rescheduling"

// Definition is the plugin "rescheduling".
func Definition() policy.Definition {
	return policy.Define(name, "move pods to even out the nodes", func(a arguments, l *ledger.Ledger) (*plugin, error) {
		p := &plugin{l: l, interval: a.interval}
		if err := p.read(a.strategies); err != nil {
			return nil, policy.BadArgument(strategiesKey, "%w", err)
		}
		return p, nil
	})
}

type arguments struct {
	interval   int64
	strategies string
}

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Duration(&a.interval, "interval", 5*minute, "how often").Above(0)
	s.Later(policy.KindDuration, "metricsPeriod", "", "span of the averages")
	s.Sequence(&a.strategies, strategiesKey, "what to even out: lowNodeUtilization, offlineOnly")
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
