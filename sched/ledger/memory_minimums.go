package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// minimums says how many members of a job, a role and a sub-group stay together when others are to leave: its minimum,
// as far as it has had it.
type minimums struct {
	l *Ledger

	noted []JobID // jobs with a had, and others to be judged; some twice
	fresh []JobID // jobs of which a first member was charged since the last judgment
	begun bool    // what holds room was judged once: what begins to hold it from now on is seen as it does
}

// A PodGroup's author may raise its minimum while its pods run. As long as they are fewer, they are no more a gang than
// before: the raise must not keep them from being evicted. So a job that has not had its minimum keeps what it had. A
// job that had it and lost members has had it.
//
// Only jobs that have not had their minimum, or of which records say less than they had, have a had. Of a job without
// one it is believed, as of all that runs when an engine begins and has no record (Charge.Had).

// had are the minimums that a job has had; those of its roles are in their rows.
type had struct {
	job      int32
	subs     map[string]int32 // by the sub-group's name
	records  int32            // the changes of its records that recorded has read
	recorded recorded
}

// minimumMarks are what is noted of it in a job's row.
type minimumMarks struct {
	had  *had  // nil: the job has had the minimums that it has
	less int32 // records that say less than these; exact where it was judged since these changed
}

// recorded are the greatest minimums that the records of a job's members say it has had.
type recorded struct {
	known      bool
	job        int32
	roles, sub []int32 // by index; unsaid of those without a record
}

const unsaid = -1

// RetainedMin is how many members a job keeps when others are to leave, unless all of them do.
func (j *Job) RetainedMin() int32 {
	if h := j.marks.had; h != nil {
		return min(j.MinMember, h.job)
	}
	return j.MinMember
}

// RetainedMinOf is RetainedMin of a role's members.
func (j *Job) RetainedMinOf(r *Role) int32 {
	if j.marks.had != nil {
		return min(r.Min, r.had)
	}
	return r.Min
}

// RetainedMinOfSub is RetainedMin of a sub-group's members.
func (j *Job) RetainedMinOfSub(s *SubJob) int32 {
	if h := j.marks.had; h != nil {
		return min(j.SubSize(s), h.subs[s.Name])
	}
	return j.SubSize(s)
}

// changes notes what a job has had, before its minimums change.
func (m *minimums) changes(j JobID) {
	if job := &m.l.Jobs.rows[j]; job.marks.had == nil && job.marks.charged > 0 && job.Exists() {
		m.hold(j)
	}
	m.look(j)
}

// look has a job judged when the next cycle begins.
func (m *minimums) look(j JobID) {
	if marks := &m.l.Jobs.rows[j].marks; marks.recorded > 0 || marks.had != nil {
		m.noted = append(m.noted, j)
	}
}

// records notes that a member came with a record (sign 1), or goes. Where all records say what a job needs, none of
// them tells anything new.
func (m *minimums) records(t TaskID, sign int32) {
	j := m.l.Tasks.rows[t].Job
	job := &m.l.Jobs.rows[j]
	job.marks.records++
	less := m.saysLess(t)
	if less || job.marks.had != nil || job.marks.less > 0 || !job.Exists() {
		m.noted = append(m.noted, j)
	}
	if less {
		job.marks.less += sign
	}
}

// saysLess says that a member's record says of a minimum of its job that it was lower than it is.
func (m *minimums) saysLess(t TaskID) bool {
	row := &m.l.Tasks.rows[t]
	job, r := &m.l.Jobs.rows[row.Job], row.Pod.Charge().Had
	return r.Known && (r.Job < job.MinMember || r.Role < job.Roles[row.Role].Min ||
		row.Sub >= 0 && r.Sub < job.SubSize(&job.Subs[row.Sub]))
}

// hold gives a job a had that says that it has had all minimums.
func (m *minimums) hold(j JobID) {
	job := &m.l.Jobs.rows[j]
	h := &had{job: job.MinMember, subs: map[string]int32{}, records: -1}
	for i := range job.Roles {
		job.Roles[i].had = job.Roles[i].Min
	}
	for i := range job.Subs {
		if s := &job.Subs[i]; s.tasks > 0 {
			h.subs[s.Name] = job.SubSize(s)
		}
	}
	job.marks.had = h
}

// judge finds what jobs have had by now, with all facts and binds known.
func (m *minimums) judge() {
	for _, j := range m.fresh {
		m.begin(j)
	}
	m.fresh, m.begun = m.fresh[:0], true
	m.judgeNoted()
}

// judgeNoted is judge without the jobs that are fresh.
func (m *minimums) judgeNoted() {
	if len(m.noted) == 0 {
		return
	}
	slices.Sort(m.noted)
	m.noted = slices.DeleteFunc(slices.Compact(m.noted), func(j JobID) bool {
		m.judgeJob(j)
		return m.l.Jobs.rows[j].marks.had == nil
	})
}

// begin notes a job of which members began to hold room although it lacked its minimum: somebody else bound them. Of
// a job without a PodGroup they may have done so long ago, while its owner was not known yet.
func (m *minimums) begin(j JobID) {
	job := &m.l.Jobs.rows[j]
	if job.marks.charged == 0 || job.marks.had != nil || job.Group == nil || m.recorded(j).known {
		return
	}
	all := job.Ready() >= job.MinMember
	each(job, func(c *Count, least int32, _ *int32) { all = all && c.Ready() >= least })
	if all {
		return
	}
	m.hold(j)
	h := job.marks.had
	if job.Ready() < job.MinMember {
		h.job = 0
	}
	each(job, func(c *Count, least int32, has *int32) {
		if c.Ready() < least {
			*has = 0
		}
	})
	m.noted = append(m.noted, j)
	m.touch(j)
}

// each calls f for every role and sub-group of a job, with its minimum and what it has had, which f may change.
func each(job *Job, f func(c *Count, least int32, has *int32)) {
	for i := range job.Roles {
		f(&job.Roles[i].Count, job.Roles[i].Min, &job.Roles[i].had)
	}
	for i := range job.Subs {
		s := &job.Subs[i]
		if s.tasks == 0 {
			continue
		}
		was := int32(0)
		if job.marks.had != nil {
			was = job.marks.had.subs[s.Name]
		}
		now := was
		if f(&s.Count, job.SubSize(s), &now); now != was {
			job.marks.had.subs[s.Name] = now
		}
	}
}

// judgeJob finds what a job has had by now, and whether that has to be held.
func (m *minimums) judgeJob(j JobID) {
	job := &m.l.Jobs.rows[j]
	was := job.marks.had
	if job.marks.free || job.marks.charged == 0 {
		job.forgetHad()
	} else if was == nil {
		if recorded := m.recorded(j); recorded.known && !recorded.covers(job) {
			m.hold(j)
			if !job.Exists() || !job.placed() {
				recorded.take(job)
			}
		}
	}
	h, changed := job.marks.had, job.marks.had != was
	if h != nil && job.Exists() {
		if job.Placed() >= job.MinMember && h.job < job.MinMember {
			h.job, changed = job.MinMember, true
		}
		full := h.job >= job.MinMember
		each(job, func(c *Count, least int32, has *int32) {
			if c.Placed() >= least && *has < least {
				*has, changed = least, true
			}
			full = full && *has >= least
		})
		if h.records != job.marks.records {
			h.records, h.recorded = job.marks.records, m.recorded(j)
		}
		if full && (!h.recorded.known || h.recorded.covers(job)) {
			job.forgetHad()
			changed = true
		}
	}
	if changed && !job.marks.free {
		m.touch(j)
	}
}

func (j *Job) forgetHad() {
	j.marks.had = nil
	for i := range j.Roles {
		j.Roles[i].had = 0
	}
}

// placed says that a job, its roles and its sub-groups have their minimum now, without members that wait.
func (j *Job) placed() bool {
	all := j.Placed() >= j.MinMember
	each(j, func(c *Count, least int32, _ *int32) { all = all && c.Placed() >= least })
	return all
}

// recorded reads the records of a job's members.
func (m *minimums) recorded(j JobID) (t recorded) {
	job := &m.l.Jobs.rows[j]
	if job.marks.less = 0; job.marks.recorded == 0 {
		return t
	}
	t.roles, t.sub = slices.Repeat([]int32{unsaid}, len(job.Roles)), slices.Repeat([]int32{unsaid}, len(job.Subs))
	for task := range m.l.Jobs.Members(j) {
		row := &m.l.Tasks.rows[task]
		if !m.l.Charges.records(task) || !row.Pod.Charge().Had.Known {
			continue
		}
		r := row.Pod.Charge().Had
		if m.saysLess(task) {
			job.marks.less++
		}
		t.known, t.job, t.roles[row.Role] = true, max(t.job, r.Job), max(t.roles[row.Role], r.Role, 0)
		if row.Sub >= 0 {
			t.sub[row.Sub] = max(t.sub[row.Sub], r.Sub, 0)
		}
	}
	return t
}

// covers says that a job has had all of its minimums by what is told.
func (t *recorded) covers(job *Job) bool {
	all := job.Exists() && t.job >= job.MinMember
	for i := range job.Roles {
		all = all && saidOr(t.roles, i, job.Roles[i].Min) >= job.Roles[i].Min
	}
	for i := range job.Subs {
		least := job.sizeNow(i)
		all = all && saidOr(t.sub, i, least) >= least
	}
	return all
}

// take makes a job have had what is told.
func (t *recorded) take(job *Job) {
	job.marks.had.job = t.job
	for i := range job.Roles {
		job.Roles[i].had = saidOr(t.roles, i, job.Roles[i].Min)
	}
	for i := range job.Subs {
		job.marks.had.subs[job.Subs[i].Name] = saidOr(t.sub, i, job.sizeNow(i))
	}
}

// saidOr is what a record says of a role or a sub-group, or else the minimum that it has now: it may have come after
// the records were read.
func saidOr(list []int32, i int, least int32) int32 {
	if i < len(list) && list[i] != unsaid {
		return list[i]
	}
	return least
}

// sizeNow is the minimum of a sub-group, 0 where it has no members.
func (j *Job) sizeNow(i int) int32 {
	if s := &j.Subs[i]; s.tasks > 0 {
		return j.SubSize(s)
	}
	return 0
}

// sameMinimums says that two versions of a PodGroup have the same minimums. Of sub-groups it is not asked.
func sameMinimums(a, b *model.PodGroup) bool {
	return a != nil && b != nil && a.MinMember == b.MinMember && slices.Equal(a.MinTaskMember, b.MinTaskMember) &&
		len(a.SubGroups) == 0 && len(b.SubGroups) == 0
}
