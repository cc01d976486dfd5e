package explain

import (
	"cmp"
	"slices"

	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

// Queues is how the queues share the cluster at one moment: the document that `ashlar
// queues -o json` prints. Fields may be added to it, none changed. Queues are sorted by
// name; no list is null. Why is there for the queues for which the arithmetic was requested.
type Queues struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Cycles     int          `json:"cycles"`
	Time       Duration     `json:"virtualTime"`
	Queues     []QueueStand `json:"queues"`
	Next       []string     `json:"next"` // queues in which jobs wait, in the order of being served
	Why        []Why        `json:"why"`
}

// QueueStand is where a queue stands. Turn is its place in Next, 0 when it has none,
// Waiting the jobs in it that wait for a turn, ClosedBy the queue above that closes it.
type QueueStand struct {
	Queue
	ClosedBy string `json:"closedBy"`
	Turn     int    `json:"turn"`
	Waiting  int    `json:"waiting"`
	Start    *Start `json:"start,omitempty"` // of its own job that starts first, where that was estimated
}

// Why is the arithmetic of one queue. Reason says why it takes no jobs, empty when it
// does; Resources is empty for a queue that takes no part in sharing.
type Why struct {
	Queue     string       `json:"queue"`
	Reason    Reason       `json:"reason"`
	Resources []Arithmetic `json:"resources"`
	// Tenants are where the tenants of the queue stand, the first served first, where plugin fairshare orders them.
	Tenants []TenantShare `json:"tenants,omitempty"`
}

// Memory is a trace.Memory: what is held and was used lately, and the share that follows, with which weight.
type Memory struct {
	Weight   float64  `json:"weight"`
	HalfLife Duration `json:"halfLife"`
	Held     string   `json:"held"`
	Used     string   `json:"used"`
	Share    Share    `json:"share"`
}

// TenantShare is a trace.TenantShare; Resource is empty for one that has no share.
type TenantShare struct {
	Tenant   string `json:"tenant"`
	Resource string `json:"resource"`
	Memory
}

// Arithmetic is a trace.Arithmetic with quantities for numbers.
type Arithmetic struct {
	Resource  string  `json:"resource"`
	Levels    []Level `json:"levels"`
	Weight    int64   `json:"weight"`
	Request   string  `json:"request"`
	Guarantee string  `json:"guarantee"`
	Named     string  `json:"named"`
	Rounds    []Round `json:"rounds"`
	Deserved  string  `json:"deserved"`
	Memory    *Memory `json:"memory,omitempty"` // where shares remember what was used
}

// Level is a trace.Level; Capability is empty where nothing bounds.
type Level struct {
	Queue      string `json:"queue"`
	Above      string `json:"above"`
	Children   string `json:"childGuarantees"` // what all children of the queue above it are guaranteed together
	Guarantee  string `json:"guarantee"`
	Capability string `json:"capability"`
	Real       string `json:"realCapability"`
}

// Round is a trace.Round.
type Round struct {
	Number      int    `json:"number"`
	TotalWeight int64  `json:"totalWeight"`
	Remaining   string `json:"remaining"`
	Given       string `json:"given"`
	Capped      string `json:"withinRealCapability"`
	Asked       string `json:"withinRequest"`
	Value       string `json:"deserved"`
	Met         bool   `json:"met"`
	Correction  bool   `json:"settling"`
}

// NewQueues makes the document from the engine's state and the run so far.
func NewQueues(state sched.Report, s Summary) *Queues {
	d := &Queues{APIVersion: "ashlar.sh/v1alpha1", Kind: "QueueReport", Cycles: s.Cycles, Time: s.VirtualTime,
		Queues: []QueueStand{}, Next: []string{}, Why: []Why{}}
	for i := range state.Queues {
		q := &state.Queues[i]
		d.Queues = append(d.Queues, QueueStand{Queue: queue(q), ClosedBy: q.ClosedBy, Turn: q.Turn, Waiting: q.Waiting,
			Start: start(&q.Start)})
	}
	d.next()
	return d
}

// next lists the queues that have a turn, first come first.
func (d *Queues) next() {
	var waiting []QueueStand
	for _, q := range d.Queues {
		if q.Turn > 0 {
			waiting = append(waiting, q)
		}
	}
	slices.SortFunc(waiting, func(a, b QueueStand) int { return cmp.Compare(a.Turn, b.Turn) })
	d.Next = []string{}
	for _, q := range waiting {
		d.Next = append(d.Next, q.Name)
	}
}

// Names lists the queues of the document.
func (d *Queues) Names() []string {
	var out []string
	for _, q := range d.Queues {
		out = append(out, q.Name)
	}
	return out
}

// Only keeps a queue and all below it.
func (d *Queues) Only(name string) {
	under := func(q QueueStand) bool {
		for range d.Queues {
			if q.Name == name {
				return true
			}
			i := slices.IndexFunc(d.Queues, func(p QueueStand) bool { return p.Name == q.Parent })
			if i < 0 {
				return false
			}
			q = d.Queues[i]
		}
		return false
	}
	kept := []QueueStand{}
	for _, q := range d.Queues {
		if under(q) {
			kept = append(kept, q)
		}
	}
	d.Queues = kept
	d.next()
}

// Select drops the queues that are not wanted.
func (d *Queues) Select(wanted func(name string) bool) {
	d.Queues = slices.DeleteFunc(d.Queues, func(q QueueStand) bool { return !wanted(q.Name) })
	d.next()
}

// AddWhy adds the arithmetic of a queue.
func (d *Queues) AddWhy(w sched.QueueWhy) {
	why := Why{Queue: w.Queue, Reason: Reason{Code: string(w.Gate.Code), Message: Sentence(w.Gate)},
		Resources: []Arithmetic{}}
	for i := range w.Sums {
		why.Resources = append(why.Resources, arithmetic(&w.Sums[i]))
	}
	for i := range w.Tenants {
		t := &w.Tenants[i]
		why.Tenants = append(why.Tenants, TenantShare{t.Tenant, t.Dim, memory(t.Dim, &t.Memory)})
	}
	d.Why = append(d.Why, why)
}

func memory(dim string, m *trace.Memory) Memory {
	return Memory{Weight: float64(m.Weight) / 1000, HalfLife: Duration(m.HalfLife), Held: Quantity(dim, m.Held),
		Used: Quantity(dim, m.Used), Share: Share(m.ShareMicro)}
}

func arithmetic(a *trace.Arithmetic) Arithmetic {
	in := func(x int64) string { return Quantity(a.Dim, x) }
	out := Arithmetic{Resource: a.Dim, Levels: []Level{}, Weight: a.Weight, Request: in(a.Request),
		Guarantee: in(a.Guarantee),
		Named:     in(a.Named), Rounds: []Round{}, Deserved: in(a.Deserved)}
	for _, l := range a.Levels {
		level := Level{Queue: l.Queue, Above: in(l.Above), Children: in(l.ChildGuarantees), Guarantee: in(l.Guarantee),
			Real: in(l.Real)}
		if l.Bounded {
			level.Capability = in(l.Capability)
		}
		out.Levels = append(out.Levels, level)
	}
	if a.Memory.Weight > 0 {
		m := memory(a.Dim, &a.Memory)
		out.Memory = &m
	}
	for _, r := range a.Rounds {
		out.Rounds = append(out.Rounds, Round{Number: r.Number, TotalWeight: r.TotalWeight, Remaining: in(r.Remaining),
			Given:  in(r.Given),
			Capped: in(r.Capped), Asked: in(r.Asked), Value: in(r.Value), Met: r.Met, Correction: r.Correction})
	}
	return out
}
