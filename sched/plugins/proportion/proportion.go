// Package proportion is the plugin that shares the cluster among flat queues by weight (seed 000).
//
// What a queue deserves is computed anew when a cycle begins and anything that it depends on has
// changed, and then stays unchanged: in every dimension the cluster is divided by weight in rounds,
// with at most realCapability and at most what the queue asks for, but at least its guarantee (decision
// 1). Queues are served by priority, then by share = allocated / deserved. A queue that holds what it
// deserves is overused. No task is placed that brings a queue above what it deserves, or takes what
// another queue is guaranteed (guarantees.go). A job is admitted while its queue could ever hold it. What a
// queue holds above what it deserves may be reclaimed by queues that hold less (reclaim.go).
//
// The plugin keeps no sums except what guarantees lack: it reads what queues hold and ask for from the
// ledger. The dimension pods takes no part (decision 24). Only sound leaf queues share; jobs in other
// queues wait (decision 8) and do not count.
package proportion

import (
	"cmp"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin's entry in the list of plugins.
func Definition() policy.Definition {
	return policy.Define("proportion", "queues share the cluster by weight",
		func(a arguments, l *ledger.Ledger) (*plugin, error) {
			return (&plugin{l: l, memory: a.Memory}).wire(), a.Remember(l)
		})
}

type arguments struct{ policy.Memory }

type plugin struct {
	l               *ledger.Ledger
	memory          policy.Memory
	rows            []row // by QueueID
	opens           uint64
	figures         uint64
	freed, together resource.Vec // scratch of Reclaimable: see weigh
	guarantees      guarantees
	divider         divider
}

// row is what a queue deserves and may at most hold.
type row struct {
	shares   bool  // it is a sound leaf
	at       int32 // its index in sharing; -1: none
	deserved resource.Vec
	real     resource.Vec // every dimension is bounded: the cluster is finite
	lacks    resource.Vec // what its guarantee lacks, as counted in guarantees.unfilled

	share              fair.Ratio
	sharedAt, sharedIn uint64 // the queue's Moved, and the plugin's opens, when share was computed
	sharedOf           uint64 // … and the version of its memory
}

// Open computes what every queue deserves, if anything changed, and records how in the trace.
func (p *plugin) Open(rec *trace.Recorder) {
	told := rec.On(trace.FormatDeserved)
	if p.divider.opened && p.figures == p.l.Changes.UsageEpoch() && p.divider.shapes == p.l.Changes.SpecEpoch() && !told {
		return
	}
	p.divider.follow()
	p.divider.opened, p.figures, p.divider.shapes = true, p.l.Changes.UsageEpoch(), p.l.Changes.SpecEpoch()
	p.opens++
	for d := range p.divider.divided {
		if d != int(resource.Pods) {
			p.divider.fill(resource.Dim(d))
		}
	}
	if told {
		p.traceFigures(rec)
	}
}

// CompareQueues puts the higher priority first, then the smaller share (seed 000 §5.2).
func (p *plugin) CompareQueues(a, b ledger.QueueID) int {
	if c := cmp.Compare(p.l.Queue(b).Priority(), p.l.Queue(a).Priority()); c != 0 {
		return c
	}
	return p.share(a).Compare(p.share(b))
}

// Path is a queue's own node: flat queues are a tree of one level. A higher priority is a
// lower band.
func (p *plugin) Path(q ledger.QueueID, buf []int32) (band int64, path []int32, ok bool) {
	if !p.known(q) {
		return 0, buf, false
	}
	return -int64(p.l.Queue(q).Priority()), append(buf, int32(q)), true
}

// SiblingKey is a queue's share; of equal ones the older queue goes first, then the name.
func (p *plugin) SiblingKey(q int32) policy.SiblingKey {
	return policy.SiblingKey{Share: p.share(ledger.QueueID(q)), Rank: p.l.Queues.Seniority(ledger.QueueID(q))}
}

// share is the largest of a queue's shares over all dimensions, as it stands now (seed 000 §5.1,
// decision 3), with what it remembers (policy.Memory).
// It is computed again only after the queue's figures changed: a rotation of many queues
// compares each of them many times.
func (p *plugin) share(q ledger.QueueID) fair.Ratio {
	if !p.known(q) {
		return fair.Ratio{}
	}
	r, queue := &p.rows[q], p.l.Queue(q)
	version := p.memory.Version(p.l)
	if r.sharedAt == queue.Moved && r.sharedIn == p.opens && r.sharedOf == version {
		return r.share
	}
	var most fair.Ratio
	for i, deserved := range r.deserved {
		d := resource.Dim(i)
		if allocated := queue.Allocated.Get(d); allocated > 0 || p.memory.Weight > 0 {
			if s := p.memory.Share(p.l, q, d, allocated, deserved); s.Compare(most) > 0 {
				most = s
			}
		}
	}
	r.share, r.sharedAt, r.sharedIn, r.sharedOf = most, queue.Moved, p.opens, version
	return most
}

// Overused says that a queue holds all it deserves in every dimension in which it
// holds or asks for something (seed 000 §6, decision 4).
func (p *plugin) Overused(q ledger.QueueID) (trace.Reason, bool) {
	if !p.overused(q) {
		return trace.Reason{}, false
	}
	r := trace.Reason{Code: trace.QueueOverused, Queue: p.l.Queue(q).Name}
	r.Shorts = trace.ShortsOf(p.l.Dims, func(d resource.Dim) bool { return p.involved(q, d) },
		func(d resource.Dim) trace.Short {
			return trace.Short{Need: p.rows[q].deserved.Get(d), Have: p.l.Queue(q).Allocated.Get(d)}
		})
	return r, true
}

func (p *plugin) overused(q ledger.QueueID) bool {
	if !p.known(q) {
		return false
	}
	any := false
	for d, deserved := range p.rows[q].deserved {
		if p.involved(q, resource.Dim(d)) {
			any = true
			if p.l.Queue(q).Allocated.Get(resource.Dim(d)) < deserved {
				return false
			}
		}
	}
	return any
}

func (p *plugin) involved(q ledger.QueueID, d resource.Dim) bool {
	queue := p.l.Queue(q)
	return p.counts(d) && (queue.Allocated.Get(d) > 0 || queue.Request.Get(d) > 0)
}

// counts says that a dimension is shared. One that no node offers is not: there is nothing of it to
// deserve. A task that waits for it waits for nodes, not for its queue, and an autoscaler has to see
// that (decisions 6 and 26).
func (p *plugin) counts(d resource.Dim) bool { return d != resource.Pods && p.l.Nodes.Total(d) > 0 }

// Allocatable is how many more tasks of a class fit below what the queue deserves, in the dimensions
// that they ask for (seed 000 §7, decision 5), and leave the guarantees of others free.
func (p *plugin) Allocatable(q ledger.QueueID, c ledger.ClassID, want int64) int64 {
	queue := p.l.Queue(q)
	if !p.known(q) || queue.State() != model.QueueOpen {
		return 0
	}
	for _, need := range p.l.Class(c).Need {
		if !p.counts(need.Dim) {
			continue
		}
		left := p.rows[q].deserved.Get(need.Dim) - queue.Taken(need.Dim)
		want = min(want, max(0, left)/need.Amount)
		if room, bounded := p.guarantees.beyondGuarantees(q, need.Dim); bounded && want > 0 {
			want = min(want, max(0, room)/need.Amount)
		}
	}
	return want
}

// WhyNot names the dimensions in which one more task would bring the queue above what it deserves: Need
// is what it would hold, Have what it deserves; then those in which it would take what others are
// guaranteed. It is the zero Reason when there are none.
func (p *plugin) WhyNot(q ledger.QueueID, c ledger.ClassID) trace.Reason {
	return p.refusal(q, p.l.Class(c).Request)
}

// refusal is the reason why a queue may not take this much more; the zero Reason when it may.
func (p *plugin) refusal(q ledger.QueueID, want resource.Vec) trace.Reason {
	queue := p.l.Queue(q)
	if queue.State() != model.QueueOpen {
		return trace.Reason{Code: trace.QueueNotOpen, Queue: queue.Name, Text: queue.State().String()}
	}
	r := trace.Reason{Code: trace.QueueDeserved, Queue: queue.Name}
	if !p.known(q) {
		return r
	}
	future := func(d resource.Dim) int64 {
		return resource.Sum{}.Plus(queue.Taken(d)).Plus(want.Get(d)).Int64()
	}
	r.Shorts = trace.ShortsOf(p.l.Dims, func(d resource.Dim) bool {
		return p.counts(d) && want.Get(d) > 0 && future(d) > p.rows[q].deserved.Get(d)
	}, func(d resource.Dim) trace.Short {
		return trace.Short{Need: future(d), Have: p.rows[q].deserved.Get(d)}
	})
	if len(r.Shorts) == 0 {
		return p.guarantees.refusal(q, want)
	}
	r.Text = queue.KeptRoomText(p.l.Dims, r.Shorts)
	return r
}

// known says that a queue shares the cluster, and that its row is up to date.
func (p *plugin) known(q ledger.QueueID) bool {
	return q >= 0 && int(q) < len(p.rows) && p.rows[q].shares
}

// wire tells the parts what they are parts of.
func (p *plugin) wire() *plugin {
	p.guarantees.p = p
	p.divider.p = p
	return p
}
