package whatif

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// What the owner of a queue or namespace can change.

// queueState: the queue, or those above it that are closed, opened; or added, where there is none.
func (s *Search) queueState() {
	for _, c := range s.closed() {
		s.alone(c)
	}
}

// closed lists what keeps a job's queue from taking jobs.
func (s *Search) closed() (out []trace.Change) {
	l, id, job := s.job()
	if job.Queue == ledger.NoQueue || l.Queue(job.Queue).Fact == nil {
		return []trace.Change{{Kind: trace.ChangeQueueAdded, Object: l.Jobs.QueueName(id)}}
	}
	for _, q := range path(l, job.Queue) {
		if f := l.Queue(q).Fact; f != nil && f.State != model.QueueOpen {
			out = append(out, trace.Change{Kind: trace.ChangeQueueState, Object: f.Name, Text: f.State.String()})
		}
	}
	return out
}

// path is a queue and those above it, root last.
func path(l *ledger.Ledger, q ledger.QueueID) (out []ledger.QueueID) {
	for ; q != ledger.NoQueue && len(out) < l.Queues.Len(); q = l.Queues.Parent(q) {
		out = append(out, q)
	}
	return out
}

// asks is what the job would hold if it ran whole, less what it holds, and what its queue keeps for it; that much more
// of a limit is enough as far as that limit goes.
func asks(job *ledger.Job, d resource.Dim) int64 {
	return max(job.Request.Get(d)-job.Allocated.Get(d), job.Total.Get(d)-job.Allocated.Get(d), job.MinResources.Get(d))
}

// sum adds amounts; it stops at the largest number.
func sum(amounts ...int64) int64 {
	var s resource.Sum
	for _, a := range amounts {
		s = s.Plus(a)
	}
	return s.Int64()
}

// limit is one list of amounts of an object that bounds jobs.
type limit struct {
	kind   trace.ChangeKind
	object string
	is     resource.List
	used   func(d resource.Dim) int64 // what counts against it now
	asked  func(d resource.Dim) int64 // … and may do so soon, if that is more
	unsaid bool                       // what the list does not name is not unbounded but nothing
}

func (s *Search) capability() {
	s.limits(s.ofQueues(trace.ChangeCapability, func(f *model.Queue) resource.List { return f.Capability }))
}

func (s *Search) deserved() {
	s.limits(s.ofQueues(trace.ChangeDeserved, func(f *model.Queue) resource.List { return f.Deserved }))
}

// ofQueues lists the limits of one kind of the job's queue and of those above.
func (s *Search) ofQueues(kind trace.ChangeKind, of func(*model.Queue) resource.List) (out []limit) {
	l, _, job := s.job()
	if job.Queue == ledger.NoQueue {
		return nil
	}
	for _, q := range path(l, job.Queue) {
		row := l.Queue(q)
		if row.Fact == nil {
			continue
		}
		out = append(out, limit{kind: kind, object: row.Name, is: of(row.Fact), unsaid: kind == trace.ChangeDeserved,
			used:  func(d resource.Dim) int64 { return sum(row.Allocated.Get(d), row.Inqueue.Get(d)) },
			asked: row.Request.Get})
	}
	return out
}

func (s *Search) quota() {
	l, _, job := s.job()
	var out []limit
	for _, q := range l.Namespaces.Quotas(job.Key.Namespace) {
		used := func(d resource.Dim) int64 {
			used, _ := q.Used.Get(l.Dims.Name(d))
			return used
		}
		out = append(out, limit{kind: trace.ChangeQuota, object: q.Namespace + "/" + q.Name, is: q.Hard, used: used,
			asked: used})
	}
	s.limits(out)
}

// limits raises each of some limits alone as little as is needed; where none is enough, all of them together.
func (s *Search) limits(all []limit) {
	var raised []trace.Change
	for _, x := range all {
		c, raises := s.generous(x)
		if !raises {
			continue
		}
		if way, starts := s.try([]trace.Change{c}, nil); starts {
			s.found(s.lessen(way, len(way.Changes)-1))
			return
		}
		raised = append(raised, c)
	}
	if len(raised) < 2 {
		return
	}
	if way, starts := s.try(raised, nil); starts {
		way = s.without(way)
		for i := len(s.given); i < len(way.Changes); i++ {
			way = s.lessen(way, i)
		}
		way = s.without(way)
		s.confirm(way)
		s.found(way)
	}
}

// generous is a limit raised by more than the job can need, wherever the job asks for something and there is a limit.
func (s *Search) generous(x limit) (c trace.Change, raises bool) {
	l, _, job := s.job()
	c = trace.Change{Kind: x.kind, Object: x.object}
	for _, d := range l.Dims.Sorted(func(d resource.Dim) bool {
		_, named := x.is.Get(l.Dims.Name(d))
		return d != resource.Pods && asks(job, d) > 0 && (named || x.unsaid)
	}) {
		name := l.Dims.Name(d)
		is, _ := x.is.Get(name)
		most := max(is, x.used(d), x.asked(d))
		s.guesses[guess{x.kind, x.object, name}] = sum(x.used(d), asks(job, d), -is)
		to := sum(most, most, asks(job, d), asks(job, d))
		c.Amounts = append(c.Amounts, trace.AmountChange{Dim: name, From: is, To: to})
	}
	return c, len(c.Amounts) > 0
}

// lessen makes each amount of one change of a way as small as it may be.
func (s *Search) lessen(way trace.Way, at int) trace.Way {
	change := func(amounts []trace.AmountChange) []trace.Change {
		out := slices.Clone(way.Changes[len(s.given):])
		out[at-len(s.given)].Amounts = amounts
		return out
	}
	least := true
	for i := 0; i < len(way.Changes[at].Amounts) && len(way.Changes[at].Amounts) > 1; {
		if w, does := s.try(change(slices.Delete(slices.Clone(way.Changes[at].Amounts), i, i+1)), nil); does {
			way = w
		} else {
			i++
		}
	}
	for i := range way.Changes[at].Amounts {
		amounts := way.Changes[at].Amounts
		a := amounts[i]
		step := Step1(a.Dim)
		no, yes := int64(0), up(a.To-a.From, step)
		try := func(n int64) bool {
			to := slices.Clone(amounts)
			to[i].To = a.From + n*step
			w, does := s.try(change(to), nil)
			if does {
				way, yes = w, n
			} else if s.family > 0 {
				no = n
			}
			return does
		}
		for _, n := range []int64{up(s.guesses[guess{way.Changes[at].Kind, way.Changes[at].Object, a.Dim}], step),
			s.shortfall(a.Dim, step)} {
			if n > no && n < yes && try(n) && n-1 > no { // one of both is right as a rule
				try(n - 1)
			}
		}
		for yes-no > 1 && s.family > 0 {
			try(no + (yes-no)/2)
		}
		least = least && yes-no == 1
	}
	way.Changes[at].Least = least && len(way.Changes[at].Amounts) == 1
	return way
}

// guess names an amount of an object, by how much more of which the job may do.
type guess struct {
	kind        trace.ChangeKind
	object, dim string
}

// shortfall is what the reason says is lacking of a resource, in steps.
func (s *Search) shortfall(name string, step int64) int64 {
	for _, short := range s.why.Root().Shorts {
		if short.Dim == name && short.Need > short.Have {
			return up(short.Need-short.Have, step)
		}
	}
	return 1
}

// mostWeight is the largest weight that is tried.
const mostWeight = 1 << 16

// weight: the least weight of the queue, else of one above it.
func (s *Search) weight() {
	l, _, job := s.job()
	if job.Queue == ledger.NoQueue {
		return
	}
	for _, q := range path(l, job.Queue) {
		row := l.Queue(q)
		is := row.Weight()
		if row.Fact == nil || row.Name == model.RootQueue || is >= mostWeight {
			continue
		}
		if s.leastOf(1, mostWeight-is, func(n int64) trace.Change {
			return trace.Change{Kind: trace.ChangeWeight, Object: row.Name, From: is, To: is + n}
		}) {
			return
		}
	}
}

// liftable lists changes that lift the reason for which the job waits and may leave another.
func (s *Search) liftable() (out []trace.Change) {
	l, _, job := s.job()
	out = s.closed()
	if job.Gated > 0 {
		out = append(out, trace.Change{Kind: trace.ChangeGates, From: int64(job.Gated)})
	}
	root := s.why.Root()
	kind := trace.ChangeCapability
	if root.Code.OfNodes() {
		if places := s.places(1); len(places) > 0 {
			out = append(out, places[0])
		}
	}
	switch root.Code {
	case trace.QueueQuotaInsufficient, trace.QueueCapability:
	case trace.QueueOverused, trace.QueueDeserved:
		kind = trace.ChangeDeserved
	default:
		return out
	}
	q, there := l.Queues.Find(root.Queue)
	if !there || l.Queue(q).Fact == nil {
		return out
	}
	f := l.Queue(q).Fact
	x := limit{kind: kind, object: f.Name, is: f.Capability, used: l.Queue(q).Allocated.Get, asked: l.Queue(q).Request.Get,
		unsaid: kind == trace.ChangeDeserved}
	if x.unsaid {
		x.is = f.Deserved
	}
	if c, raises := s.generous(x); raises {
		out = append(out, c)
	}
	return out
}
