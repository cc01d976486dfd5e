package search

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/topology"
)

// place places parts until the statement may be committed: those of a policy that still lacks
// sub-groups first, each in the best domain that leaves room for the rest.
func (t *attempt) place(tx *ledger.Tx) Outcome {
	switch {
	case t.placed > 0 && !t.partial && t.ready(tx):
		return Committed
	case t.future && (t.job.By[model.Pipelined] > 0 || t.waits) && t.s.Policy.Pipelined(t.w.Job):
		tx.Provisional()
		return Provisional
	case t.tries > t.most || !t.rest.possible():
		return Refused
	}
	i := t.rest.next()
	if i < 0 {
		return Refused
	}
	t.rest.take(i)
	out := Refused
	t.homes.of(i, func(d topology.ID) bool {
		out = t.placeIn(tx, i, d)
		return out == Refused && t.tries <= t.most
	})
	if out == Refused && t.tries <= t.most {
		t.passed = append(t.passed, i)
		if out = t.place(tx); out == Refused {
			t.passed = t.passed[:len(t.passed)-1]
			t.tries++
		}
	}
	if out == Refused {
		t.rest.putBack(i)
	}
	return out
}

// of calls f for the domains that a part may be placed in inside the current one.
func (ds *domainSearch) of(i int, f func(topology.ID) bool) {
	p := ds.a.rest.parts[i]
	p.need = max(1, ds.a.rest.least(i)-p.nominated)
	ask := ds.asked(p)
	if ds.a.net == nil || ask == nil {
		f(ds.a.inside)
		return
	}
	ds.each(ds.within(), ask, p, f)
}

// asked is the limit of a part's sub-group in the network; nil when it has none of its own.
func (ds *domainSearch) asked(p part) *model.Topology {
	if p.sub < 0 {
		return nil
	}
	return ds.a.job.Of(&ds.a.job.Subs[p.sub]).Topology
}

// within is the domain that the job has to stay in.
func (ds *domainSearch) within() topology.ID {
	if ds.a.inside == topology.None {
		return topology.Root
	}
	return ds.a.inside
}

// placeIn places a part in a domain, and then the remaining parts.
func (t *attempt) placeIn(tx *ledger.Tx, i int, d topology.ID) (out Outcome) {
	placed, waits, partial := t.placed, t.waits, t.partial
	tx.Try(func(tx *ledger.Tx) bool {
		t.home, t.near = d, d
		if t.refused = t.refused[:0]; !t.fill(tx, i) {
			return false
		}
		t.rest.placed(i, 1)
		more, left := t.surplus(i)
		if left {
			t.rest.push(more)
		}
		if out = t.place(tx); out == Refused {
			if left {
				t.rest.pop()
			}
			t.rest.placed(i, -1)
		}
		return out != Refused
	})
	if out == Refused {
		t.placed, t.waits, t.partial = placed, waits, partial
		t.tries++
	}
	return out
}

// surplus is the part of a sub-group's tasks that have no place yet once the sub-group has its size;
// left is false when there are none. Those that found no place beside the placed members may find one
// elsewhere within their limit.
func (t *attempt) surplus(i int) (more part, left bool) {
	p := &t.rest.parts[i]
	if p.sub < 0 || p.more && (t.net == nil || t.homes.asked(*p) == nil) {
		return more, false
	}
	more = part{sub: p.sub, need: 1, more: true}
	for _, task := range p.tasks {
		switch {
		case nominated(t.s, task) && !t.future: // with future, its nomination counts as a place
			more.tasks, more.nominated = append(more.tasks, task), more.nominated+1
		case t.s.L.Task(task).Status == model.Pending:
			more.tasks = append(more.tasks, task)
		}
	}
	return more, len(more.tasks) > 0
}

// fill places as many tasks of a part as have to be placed together, or, of tasks that are placed one
// by one, as many as the job needs; false when they do not find a place.
func (t *attempt) fill(tx *ledger.Tx, i int) bool {
	p, need := t.rest.parts[i], t.rest.least(i)
	got := int64(0)
	for k, task := range p.tasks {
		if t.placeTask(tx, task) || t.future && nominated(t.s, task) {
			got++
		}
		if got >= need && t.filled(p) {
			return true
		}
		if got+int64(len(p.tasks)-k-1) < need {
			return false
		}
	}
	switch {
	case p.sub < 0 || p.more:
		return got >= need
	case t.future && t.s.Policy.SubPipelined(t.w.Job, p.sub):
		t.partial = true
		return true
	default:
		return false
	}
}

// filled says that no more tasks of a part are needed for now.
func (t *attempt) filled(p part) bool {
	if p.sub < 0 || p.more {
		return t.enough()
	}
	return t.s.Policy.SubReady(t.w.Job, p.sub)
}

// enough says that the job may start with the members that have a place.
func (t *attempt) enough() bool {
	return t.s.Policy.Ready(t.w.Job) && (t.free || t.job.BestEffort == 0 || t.job.Met((*ledger.Count).Placed))
}
