// Package tdm shares nodes by the hour: nodes of a revocable zone belong to another system, and may
// be used at certain hours only (time division multiplexing).
//
// A node is in the zone that its label volcano.sh/revocable-zone names; the hours of a zone are an
// argument. Within them, a pod that may be revoked (volcano.sh/revocable-zone "*", or marked
// preemptable) may be placed there, and there rather than elsewhere; no other pod ever is. Outside
// these hours no pod is placed there, and the preemptable pods that are there are picked for eviction,
// so many of a job at a time as its own budget allows (volcano.sh/jdb-min-available, else
// jdb-max-unavailable, else one). A zone that no argument names has no hours: it is always closed.
//
// Jobs that are marked preemptable use what is left: they go after other jobs, never starve, and no pod
// is evicted for their tasks. For other jobs, preemptable pods outside the zones may be evicted, within
// their budgets.
//
// Hours are in UTC, or in the given offset: the engine has neither clock nor time zone. The live
// scheduler gives the offset of its process's time zone, which Volcano uses. The time of the last round
// of picking is not kept over a restart.
//
// Source: semantics of Volcano's plugin of this name.
package tdm

import (
	"maps"
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// The arguments.
const (
	zonePrefix = "tdm.revocable-zone."
	periodKey  = "tdm.evict.period"
)

// OffsetKey is the argument for the offset in which hours are read, such as +08:00; UTC without it.
const OffsetKey = "tdm.utc-offset"

// label is a node's, and names its zone.
const label = "volcano.sh/revocable-zone"

// Name is the plugin's in a configuration.
const Name = "tdm"

// Definition is the plugin "tdm".
func Definition() policy.Definition {
	return policy.Define(Name, "nodes that are to be had at certain hours", build)
}

type arguments struct {
	zones  map[string]string
	offset string
	period int64
}

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Prefixed(&a.zones, zonePrefix, "hours of the zone named after the prefix, 22:00-06:30")
	s.Text(&a.offset, OffsetKey, "",
		"where the hours are read, +08:00; nothing is the time zone of the process, UTC in simulations")
	s.Duration(&a.period, periodKey, minute, "how often to evict")
}

func build(a arguments, l *ledger.Ledger) (*plugin, error) {
	p := &plugin{l: l, period: a.period}
	var err error
	if p.offset, err = offset(a.offset); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(a.zones)) {
		h, err := readHours(a.zones[name])
		if err != nil {
			return nil, policy.BadArgument(zonePrefix+name, "%w", err)
		}
		p.zones = append(p.zones, zone{name: name, hours: h})
	}
	return p, nil
}

const (
	minute = 60_000_000_000
)

type plugin struct {
	l      *ledger.Ledger
	zones  []zone // by name
	period int64  // nanoseconds
	offset int64  // … to be added to UTC
	now    int64
	began  bool
}

type zone struct {
	name string
	hours
	open bool
}

// At takes the time of the cycle: zones open and close. It returns when the next zone does, or when
// pods are to be picked again from a closed one.
func (p *plugin) At(now int64) (next int64) {
	p.now = now
	turned := !p.began
	closed := false
	p.began = true
	for i := range p.zones {
		z := &p.zones[i]
		open, turn := z.at(model.After(now, p.offset))
		turned = turned || open != z.open
		z.open = open
		closed = closed || !open
		if at := model.After(turn, -p.offset); next == 0 || at < next {
			next = at
		}
	}
	if turned {
		p.restate()
	}
	if again := model.After(p.l.Rounds.Get(Name), p.period); closed && again > now && again < next {
		next = again
	}
	return next
}

// Later is when pods are to be picked again, if any were in this cycle.
func (p *plugin) Later() (next int64) {
	if p.l.Rounds.Get(Name) == p.now && p.began {
		return model.After(p.l.Rounds.Get(Name), p.period)
	}
	return 0
}

// restate has all nodes of zones judged anew.
func (p *plugin) restate() {
	p.l.Nodes.Present(func(n ledger.NodeID) bool {
		if _, in := zoneOf(p.l.Node(n).Fact); in {
			p.l.Nodes.Restate(n)
		}
		return true
	})
}

func zoneOf(n *model.Node) (string, bool) {
	if n == nil {
		return "", false
	}
	name, _ := model.LabelValue(n.Labels, label)
	return name, name != ""
}

// open says that a zone may be used now; one without hours never may.
func (p *plugin) open(name string) bool {
	i, known := slices.BinarySearchFunc(p.zones, name, func(z zone, name string) int {
		return strings.Compare(z.name,
			name)
	})
	return known && p.zones[i].open
}

// FilterStatic keeps a zone's nodes for pods that may be revoked, at its hours. It is
// static between two hours: see At.
func (p *plugin) FilterStatic(s *model.Spec, n *model.Node) policy.Verdict {
	name, in := zoneOf(n)
	switch {
	case !in:
		return policy.Verdict{}
	case !p.open(name):
		return policy.Verdict{Code: trace.NodeRevocable, Text: name + " is closed at this hour"}
	case !s.Revocable:
		return policy.Verdict{Code: trace.NodeRevocable, Text: name + " takes only pods that may be revoked"}
	default:
		return policy.Verdict{}
	}
}

// ScoreNode prefers the open zones for pods that may be revoked, so that other nodes stay free for pods
// that cannot use a zone.
func (p *plugin) ScoreNode(c *ledger.Class, n ledger.NodeID) int64 {
	if name, in := zoneOf(p.l.Node(n).Fact); in && c.Spec.Revocable && p.open(name) {
		return policy.MaxNodeScore
	}
	return 0
}

// CompareJobs puts jobs that are not marked preemptable first.
func (p *plugin) CompareJobs(a, b ledger.JobID) int {
	return policy.FalseFirst(p.preemptable(a), p.preemptable(b))
}

func (p *plugin) preemptable(j ledger.JobID) bool {
	g := p.l.Job(j).Group
	return g != nil && g.Preemptable
}

// VotePipelined permits a job that would be ready with its pipelined members.
func (p *plugin) VotePipelined(j ledger.JobID) policy.Vote {
	if job := p.l.Job(j); job.ReadyOrPipelined() < job.MinMember {
		return policy.Reject
	}
	return policy.Permit
}

// Starving says that a member waits, of a job that is not marked preemptable.
func (p *plugin) Starving(j ledger.JobID) bool {
	job := p.l.Job(j)
	return !p.preemptable(j) && job.By[model.Pending] > job.Gated
}

// OfJobAlone says that Starving asks nothing but the job.
func (p *plugin) OfJobAlone() {}
