package search

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// part is a part of a job that is placed in one domain: the tasks of a sub-group, or those in none.
type part struct {
	sub       int32 // index in the job's Subs; AllSubs: in none
	tasks     []ledger.TaskID
	need      int64 // how many have to be placed together, at least one
	nominated int64 // how many of the tasks have a nomination
	more      bool  // its sub-group has its size: as many of these are placed as the job needs, inside the same limit
	grows     bool  // placing it gives one more sub-group its size
}

// parts divides the members that are to be placed: sub-groups in their order, then the members in none.
// Sub-groups that cannot have their size with all their members are left out.
func (t *attempt) parts() []part {
	at := make([]int32, len(t.job.Subs)) // by sub-group: its index in out plus one; 0: not there
	most := min(len(t.job.Subs), len(t.w.Tasks)-t.w.next)
	out, firsts := make([]part, 0, most+1), make([]ledger.TaskID, most)
	loose := part{sub: topology.AllSubs, need: 1}
	add := func(task ledger.TaskID) {
		sub, p := t.s.L.Task(task).Sub, &loose
		if sub >= 0 {
			if at[sub] == 0 {
				n := len(out)
				out = append(out, part{sub: sub})
				if at[sub] = int32(n + 1); n < most { // parts of best-effort members alone come after these
					out[n].tasks = firsts[n : n : n+1]
				}
			}
			p = &out[at[sub]-1]
		}
		p.tasks = append(p.tasks, task)
		if nominated(t.s, task) {
			p.nominated++
		}
	}
	for _, task := range t.w.Tasks[t.w.next:] {
		add(task)
	}
	t.bestEffort(at, add)
	out = slices.DeleteFunc(out, func(p part) bool {
		if t.sizable(p) {
			return false
		}
		t.left = append(t.left, p)
		return true
	})
	for i := range out {
		out[i].need, out[i].grows = max(1, t.lacks(out[i])), t.lacks(out[i]) > 0
	}
	out = t.order(out)
	if len(loose.tasks) > 0 {
		if !t.job.HasSubGroups() {
			loose.need = t.homes.minimum()
		}
		out = append(out, loose)
	}
	return out
}

// order puts parts in the order of their sub-groups. Attempts of a cycle place them one by one. So what
// is left nearly always has the order that it had, and then a check of that order is enough.
func (t *attempt) order(parts []part) []part {
	if t.w.rank == nil {
		t.w.rank = make([]int32, len(t.job.Subs))
	} else {
		parts = inRanks(parts, t.w.rank)
	}
	slices.SortFunc(parts, func(a, b part) int { return t.s.Policy.CompareSubJobs(t.w.Job, a.sub, b.sub) })
	for i, p := range parts {
		t.w.rank[p.sub] = int32(i)
	}
	return parts
}

// inRanks orders parts of different sub-groups by their ranks. Parts of equal rank, which the last
// attempt did not have, stay in their order.
func inRanks(parts []part, rank []int32) []part {
	end := make([]int32, len(rank)+1)
	for _, p := range parts {
		end[rank[p.sub]+1]++
	}
	for i := range rank {
		end[i+1] += end[i]
	}
	out := make([]part, len(parts), cap(parts))
	for _, p := range parts {
		at := &end[rank[p.sub]]
		out[*at] = p
		*at++
	}
	return out
}

// bestEffort calls add for the members that ask for nothing and need a place, too: all of them while
// the job lacks its minimum, otherwise those of the sub-groups in at that have not their size. at is as
// in parts.
func (t *attempt) bestEffort(at []int32, add func(ledger.TaskID)) {
	if t.job.BestEffort == 0 || t.w.idle {
		return
	}
	whole := !t.free && !t.job.Met((*ledger.Count).Placed)
	known := slices.Clone(at)
	for _, task := range BestEffort(t.s, t.w.Job) {
		sub := t.s.L.Task(task).Sub
		if whole || sub >= 0 && known[sub] > 0 && t.job.Subs[sub].Placed() < t.job.SubSize(&t.job.Subs[sub]) {
			add(task)
		}
	}
}

// lacks is how many of a sub-group's tasks it needs for its size, those with a nomination included; 0
// where no plugin counts members.
func (t *attempt) lacks(p part) int64 {
	s := &t.job.Subs[p.sub]
	size := t.job.SubSize(s)
	if s.Ready() < size && t.s.Policy.SubReady(t.w.Job, p.sub) {
		return 0
	}
	return int64(size-s.PlacedOrPipelined()) + p.nominated
}

// sizable says that a sub-group could have its size; otherwise it notes why not.
func (t *attempt) sizable(p part) bool {
	need, have := t.lacks(p), int64(len(p.tasks))
	if need <= have {
		return true
	}
	if s := &t.job.Subs[p.sub]; !t.unsized.Is() || s.Name < t.unsized.Text {
		size := int64(t.job.SubSize(s))
		t.unsized = trace.Reason{Code: trace.SubGroupIncomplete, Text: s.Name, Need: int(size), Have: int(size - need + have)}
	}
	return false
}
