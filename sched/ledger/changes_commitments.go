package ledger

// recommitted lists the pods and jobs with commitments that may have changed since it was emptied, some more
// than once.
type recommitted struct {
	kept  bool
	tasks []Key
	jobs  []JobKey
}

// manyRecommitted is the largest capacity that an emptied list keeps: the memory of a longer list is given
// back, as the first cycles of a full cluster do not come again.
const manyRecommitted = 1 << 13

func (r *recommitted) task(k Key) {
	if r.kept {
		r.tasks = append(r.tasks, k)
	}
}

func (r *recommitted) job(k JobKey) {
	if r.kept {
		r.jobs = append(r.jobs, k)
	}
}

// Recommitted lists the pods and jobs with commitments that may have changed since the last TakeRecommitted,
// in no order, some more than once. The slices are valid until the next change.
func (ch *Changes) Recommitted() (tasks []Key, jobs []JobKey) {
	return ch.recommitted.tasks, ch.recommitted.jobs
}

// TakeRecommitted empties the list of Recommitted. The list is kept from the first call on.
func (ch *Changes) TakeRecommitted() {
	r := &ch.recommitted
	r.kept, r.tasks, r.jobs = true, r.tasks[:0], r.jobs[:0]
	if cap(r.tasks) > manyRecommitted {
		r.tasks = nil
	}
	if cap(r.jobs) > manyRecommitted {
		r.jobs = nil
	}
}
