package whatif

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// ending is a job that runs, and what its end gives to the job that is asked about.
type ending struct {
	job  string
	gain int64 // millionths of what is lacking, at most all of it
	held int64 // pods
	at   int64 // when it ends by its own word, in nanoseconds since the epoch; model.Never where it does not say
}

const all = 1_000_000

// ends: the job that runs, else the fewest that are found, after which the job starts. Jobs that say how long they
// run come first, the one that ends first before all, then small ones.
func (s *Search) ends() {
	running := s.endings()
	enough := slices.DeleteFunc(slices.Clone(running), func(x ending) bool { return x.gain < all })
	slices.SortFunc(enough, func(a, b ending) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.held, b.held), cmp.Compare(a.job, b.job))
	})
	end := func(jobs []string) (trace.Way, bool) {
		jobs = slices.Clone(jobs)
		slices.Sort(jobs)
		return s.try([]trace.Change{{Kind: trace.ChangeEnd, Jobs: jobs}}, nil)
	}
	for _, x := range enough[:min(len(enough), mostChoices)] {
		if way, starts := end([]string{x.job}); starts {
			way.Changes[len(way.Changes)-1].Least = true
			s.found(way)
			return
		}
	}
	slices.SortFunc(running, func(a, b ending) int {
		return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.at, b.at), cmp.Compare(a.held, b.held),
			cmp.Compare(a.job, b.job))
	})
	n, gains := 0, int64(0)
	for n < len(running) && gains < all && running[n].gain > 0 {
		gains += running[n].gain
		n++
	}
	if gains == 0 {
		return
	}
	for n = min(max(n, 2), len(running)); s.family > 0; n = min(2*n, len(running)) {
		var jobs []string
		for _, x := range running[:n] {
			jobs = append(jobs, x.job)
		}
		if way, starts := end(jobs); starts {
			s.found(s.fewer(way, end))
			return
		}
		if n == len(running) {
			return
		}
	}
}

// fewer leaves out each job that need not end.
func (s *Search) fewer(way trace.Way, end func([]string) (trace.Way, bool)) trace.Way {
	last := len(way.Changes) - 1
	for i := len(way.Changes[last].Jobs) - 1; i >= 0 && len(way.Changes[last].Jobs) > 1; i-- {
		if s.family <= 0 {
			return way
		}
		if w, does := end(slices.Delete(slices.Clone(way.Changes[last].Jobs), i, i+1)); does {
			way = w
			i = len(way.Changes[last].Jobs) // with fewer ends another job may be served first, or not
		}
	}
	way.Changes[last].Least = s.family > 0
	return way
}

// endings lists the other jobs that run, with what their ends give: room on the nodes that may take the pods, or what
// counts against the queue that refuses the job.
func (s *Search) endings() (out []ending) {
	l, id, _ := s.job()
	gain, root := s.roomBy(), s.why.Root().Code
	if ofQueue(root) {
		room, quota := gain, s.quotaBy()
		gain = func(j ledger.JobID) int64 {
			if root == trace.QueueOverused || root == trace.QueueDeserved {
				return max(room(j), quota(j)) // what a job of another queue leaves is shared out
			}
			return quota(j)
		}
	}
	for _, j := range running(l) {
		if j == id {
			continue
		}
		x := ending{job: l.Jobs.Called(j), gain: min(all, gain(j)), at: -1}
		for _, t := range placed(l, j) {
			p := l.Task(t).Pod
			x.held++
			if p.Times == nil || p.Times.Lasts == 0 {
				x.at = model.Never
			} else if x.at != model.Never {
				x.at = max(x.at, model.After(p.Began(), p.Times.Lasts))
			}
		}
		out = append(out, x)
	}
	if s.why.Root().Code.OfNodes() && !slices.ContainsFunc(out, func(x ending) bool { return x.gain > 0 }) {
		for i := range out { // not amounts are lacking but ports, neighbours, devices: any job may hold them
			out[i].gain = all
		}
	}
	return out
}

// roomBy says, in millionths of the pods that find no room, for how many the end of a job makes room.
func (s *Search) roomBy() func(ledger.JobID) int64 {
	l, _, _ := s.job()
	pods := s.lacking()
	if len(pods) == 0 {
		return func(ledger.JobID) int64 { return 0 }
	}
	class := l.Task(pods[0]).Class
	need := l.Class(class).Need
	fits := func(n ledger.NodeID, freed map[resource.Dim]int64) int64 {
		k := int64(len(pods))
		for _, x := range need {
			k = min(k, sum(max(0, l.Nodes.Room(x.Dim)[n]), freed[x.Dim])/x.Amount)
		}
		return k
	}
	lacks := int64(len(pods))
	admits := map[ledger.NodeID]bool{}
	l.Nodes.Present(func(n ledger.NodeID) bool {
		if Admits(l.Class(class).Spec, l.Node(n).Fact) {
			admits[n] = true
			lacks -= fits(n, nil)
		}
		return true
	})
	lacks = max(1, lacks)
	return func(j ledger.JobID) int64 {
		freed := map[ledger.NodeID]map[resource.Dim]int64{}
		for _, t := range placed(l, j) {
			n := l.Task(t).Node
			if n == ledger.NoNode || !admits[n] {
				continue
			}
			if freed[n] == nil {
				freed[n] = map[resource.Dim]int64{}
			}
			for _, x := range l.Class(l.Task(t).Class).Need {
				freed[n][x.Dim] += x.Amount
			}
		}
		more := int64(0)
		for n, of := range freed { // order-free: a sum
			more += fits(n, of) - fits(n, nil)
		}
		return resource.MulDiv(more, all, lacks)
	}
}

// quotaBy says, in millionths of what is lacking, how much the end of a job takes from what counts against the queue
// that refuses the job.
func (s *Search) quotaBy() func(ledger.JobID) int64 {
	l, _, job := s.job()
	top := job.Queue
	if q, there := l.Queues.Find(s.why.Root().Queue); there {
		top = q
	}
	lacks := map[resource.Dim]int64{}
	for _, short := range s.why.Root().Shorts {
		if d, known := l.Dims.Lookup(short.Dim); known && short.Need > short.Have {
			lacks[d] = short.Need - short.Have
		}
	}
	return func(j ledger.JobID) int64 {
		if !slices.Contains(path(l, l.Job(j).Queue), top) {
			return 0
		}
		gain := int64(all)
		for d, amount := range lacks { // order-free: a minimum
			gain = min(gain, resource.MulDiv(l.Job(j).Allocated.Get(d), all, amount))
		}
		return gain
	}
}
