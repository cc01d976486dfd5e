package ledger

import (
	"maps"
	"slices"
)

// RunRecord is what is remembered of the runs of one key.
type RunRecord struct {
	RunKey
	Runs []Run // one or two, the last one first
}

func (r RunRecord) compare(o RunRecord) int { return r.RunKey.compare(o.RunKey) }

// Saved returns what is remembered, sorted.
func (r *Runs) Saved() []RunRecord {
	r.take()
	return slices.SortedFunc(r.records(), RunRecord.compare)
}

func (r *Runs) records() func(yield func(RunRecord) bool) {
	return func(yield func(RunRecord) bool) {
		for k, runs := range r.byKey { // order-free: callers sort
			if !yield(runs.record(k)) {
				return
			}
		}
	}
}

func (x lastRuns) record(k RunKey) RunRecord {
	out := RunRecord{RunKey: k}
	for _, run := range x {
		if run.Took != 0 {
			out.Runs = append(out.Runs, run)
		}
	}
	return out
}

// Restore takes in what was remembered, besides what is known.
func (r *Runs) Restore(records []RunRecord) {
	r.take()
	for _, x := range records {
		for _, run := range x.Runs {
			if run.Took > 0 {
				r.add(x.RunKey, run)
			}
		}
	}
}

// TakeChanges returns the records that changed since the last call, all of them at the first; without Runs: forgotten.
func (r *Runs) TakeChanges() (out []RunRecord) {
	r.take()
	if !r.follows {
		r.follows = true
		return r.Saved()
	}
	for _, k := range r.changed {
		out = append(out, r.byKey[k].record(k))
	}
	r.changed = r.changed[:0]
	return out
}

// RunsCopy follows Runs at the cost of what changed: what is left when a panic has left the rest half changed. The
// zero RunsCopy has nothing.
type RunsCopy struct{ byKey map[RunKey]RunRecord }

// Follow takes in what changed.
func (c *RunsCopy) Follow(changes []RunRecord) {
	if c.byKey == nil {
		c.byKey = map[RunKey]RunRecord{}
	}
	for _, r := range changes {
		if len(r.Runs) > 0 {
			c.byKey[r.RunKey] = r
		} else {
			delete(c.byKey, r.RunKey)
		}
	}
}

// Saved is what Runs.Saved was.
func (c *RunsCopy) Saved() []RunRecord {
	return slices.SortedFunc(maps.Values(c.byKey), RunRecord.compare) // order-free: sorted
}
