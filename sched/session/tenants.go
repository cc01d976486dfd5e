package session

import "ashlar.sh/sched/ledger"

// byTenant is the jobs of a queue, in job order, where serving one job moves the other jobs of its tenant behind those
// of other tenants. Among the jobs of one tenant the order stays, so that only tenants are sorted anew.
type byTenant struct {
	s    *Session
	heap *Heap[*waitingJobs] // the tenants with jobs, by their first
	of   map[ledger.Tenant]*waitingJobs
	last *waitingJobs // the tenant that was served last: its place may have changed
}

// split sorts a queue's jobs, which are in job order, by tenant, if they are of several.
func (l *waitingJobs) split(s *Session) {
	order := s.Policy.TenantOrder()
	if order == nil || !order.OrdersTenants(s.L.Job(l.jobs[0]).Queue) {
		return
	}
	t := &byTenant{s: s, of: map[ledger.Tenant]*waitingJobs{}}
	t.heap = NewHeap(func(a, b *waitingJobs) int { return s.Policy.CompareJobs(a.first(), b.first()) })
	t.heap.moved = func(w *waitingJobs, at int) { w.at = at }
	for _, j := range l.jobs {
		w := t.tenant(j)
		w.jobs = append(w.jobs, j)
	}
	if len(t.of) == 1 {
		return
	}
	for _, w := range t.of { // order-free: a heap by a total order
		t.heap.Push(w)
	}
	l.jobs, l.tenants = nil, t
}

func (t *byTenant) tenant(j ledger.JobID) *waitingJobs {
	k := t.s.L.Usage.TenantOf(j)
	if t.of[k] == nil {
		t.of[k] = &waitingJobs{at: -1}
	}
	return t.of[k]
}

// pop takes the first job out; there must be one.
func (t *byTenant) pop() ledger.JobID {
	if t.last != nil && t.last.at >= 0 {
		t.heap.Fix(t.last.at)
	}
	w := t.heap.items[0]
	j := w.pop()
	if t.last = w; w.empty() {
		t.heap.Remove(w.at)
		w.at = -1
	} else {
		t.heap.Fix(w.at)
	}
	return j
}

// again puts a job back.
func (t *byTenant) again(j ledger.JobID) {
	w := t.tenant(j)
	w.again(t.s, j)
	if w.at < 0 {
		t.heap.Push(w)
	} else {
		t.heap.Fix(w.at)
	}
}
