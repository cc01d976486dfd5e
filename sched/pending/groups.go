package pending

import "ashlar.sh/sched/ledger"

// Group is at least one job: jobs with something in common.
type Group[K comparable] struct {
	Key  K
	Jobs []ledger.JobID // in no order that may decide anything

	checked Versions // see Index.wakeGroups
	at      int      // its index among all groups
}

// Groups holds jobs by what they have in common. A job is in one group at most. The zero Groups is empty.
type Groups[K comparable] struct {
	All []*Group[K] // in no order that may decide anything

	of map[K]*Group[K]
	in []member[K] // by JobID
}

// member is the position of a job.
type member[K comparable] struct {
	group *Group[K] // nil: it is in none
	at    int       // its index in the group
}

// Add adds a job, which must not be in a group, to the group with a key.
func (gs *Groups[K]) Add(j ledger.JobID, key K) (g *Group[K], fresh bool) {
	g = gs.of[key]
	if fresh = g == nil; fresh {
		if gs.of == nil {
			gs.of = map[K]*Group[K]{}
		}
		g = &Group[K]{Key: key, at: len(gs.All)}
		gs.of[key], gs.All = g, append(gs.All, g)
	}
	for int(j) >= len(gs.in) {
		gs.in = append(gs.in, member[K]{})
	}
	gs.in[j] = member[K]{g, len(g.Jobs)}
	g.Jobs = append(g.Jobs, j)
	return g, fresh
}

// Remove takes a job out of its group, if it is in one.
func (gs *Groups[K]) Remove(j ledger.JobID) {
	if int(j) >= len(gs.in) || gs.in[j].group == nil {
		return
	}
	g, at := gs.in[j].group, gs.in[j].at
	last := g.Jobs[len(g.Jobs)-1]
	g.Jobs[at], gs.in[last].at = last, at
	g.Jobs = g.Jobs[:len(g.Jobs)-1]
	gs.in[j].group = nil
	if len(g.Jobs) == 0 {
		delete(gs.of, g.Key)
		end := gs.All[len(gs.All)-1]
		gs.All[g.at], end.at = end, g.at
		gs.All = gs.All[:len(gs.All)-1]
	}
}
