package ledger

// mark notes that a job changed, for TakeDirty, TakeTouched and the feed.
func (ch *Changes) mark(j JobID) {
	job := &ch.jobs.rows[j]
	if !job.marks.dirty {
		job.marks.dirty = true
		ch.dirty = append(ch.dirty, j)
	}
	ch.markTouched(j, job)
}

func (ch *Changes) markTouched(j JobID, job *Job) {
	ch.Jobs.add(j, max(2048, len(ch.jobs.rows)))
	if !job.marks.touched {
		job.marks.touched = true
		ch.touched = append(ch.touched, j)
	}
}

// TakeTouched calls f for every job that changed since the last call, also if the job is gone, or if only a
// failed try changed it: what was remembered of it may not hold any more.
func (ch *Changes) TakeTouched(f func(JobID)) {
	for _, j := range ch.touched {
		ch.jobs.rows[j].marks.touched = false
		f(j)
	}
	ch.touched = ch.touched[:0]
}

// TakeDirty calls f for every job that changed since the last call and still exists.
func (ch *Changes) TakeDirty(f func(JobID)) {
	for i := 0; i < len(ch.dirty); i++ {
		j := ch.dirty[i]
		ch.jobs.rows[j].marks.dirty = false
		if !ch.jobs.rows[j].marks.free {
			f(j)
		}
	}
	ch.dirty = ch.dirty[:0]
}
