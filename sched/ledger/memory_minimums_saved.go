package ledger

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
)

// record is what a task's record has to say of the minimums that its job has had: nothing where that is not known.
func (m *minimums) record(t TaskID) (r model.Had) {
	row := &m.l.Tasks.rows[t]
	job := &m.l.Jobs.rows[row.Job]
	h := job.marks.had
	if h == nil && !(job.Exists() && job.placed()) {
		return r
	}
	r = model.Had{Known: true, Job: job.MinMember, Role: job.Roles[row.Role].Min}
	if row.Sub >= 0 {
		r.Sub = job.SubSize(&job.Subs[row.Sub])
	}
	if h != nil {
		r.Job, r.Role = h.job, job.Roles[row.Role].had
		if row.Sub >= 0 {
			r.Sub = h.subs[job.Subs[row.Sub].Name]
		}
	}
	return r
}

// ChargedMinimum are the minimums that a job has had, where it has others now, or records say less.
type ChargedMinimum struct {
	Job         JobKey
	Min         int32
	Roles, Subs []NamedMinimum // by name
}

// NamedMinimum is the minimum that a role or a sub-group has had.
type NamedMinimum struct {
	Name string
	Min  int32
}

func (c ChargedMinimum) equal(o ChargedMinimum) bool {
	return c.Job == o.Job && c.Min == o.Min && slices.Equal(c.Roles, o.Roles) && slices.Equal(c.Subs, o.Subs)
}

func byMinimumName(a, b NamedMinimum) int { return cmp.Compare(a.Name, b.Name) }

// all lists them by job.
func (m *minimums) all() (out []ChargedMinimum) {
	list := slices.Clone(m.noted)
	slices.Sort(list)
	for _, j := range slices.Compact(list) {
		job := &m.l.Jobs.rows[j]
		if job.marks.had == nil {
			continue
		}
		c := ChargedMinimum{Job: job.Key, Min: job.marks.had.job}
		for i := range job.Roles {
			if r := &job.Roles[i]; !r.unused() && r.had > 0 {
				c.Roles = append(c.Roles, NamedMinimum{r.Name, r.had})
			}
		}
		for name, least := range job.marks.had.subs { // order-free: sorted below
			if least > 0 {
				c.Subs = append(c.Subs, NamedMinimum{name, least})
			}
		}
		slices.SortFunc(c.Roles, byMinimumName)
		slices.SortFunc(c.Subs, byMinimumName)
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b ChargedMinimum) int { return a.Job.Compare(b.Job) })
	return out
}

// unjudged lists the jobs that are to be judged for the first time when the next cycle begins: those of tasks that are
// not charged yet, too.
func (m *minimums) unjudged(uncharged []TaskID) (out []JobKey) {
	if !m.begun {
		return nil
	}
	add := func(j JobID) {
		if job := &m.l.Jobs.rows[j]; !job.marks.free {
			out = append(out, job.Key)
		}
	}
	for _, j := range m.fresh {
		add(j)
	}
	for _, t := range uncharged {
		row := &m.l.Tasks.rows[t]
		if !row.free && !row.charged && !row.provisional && row.Job != NoJob && row.holdsRoom() &&
			m.l.Jobs.rows[row.Job].marks.charged == 0 {
			add(row.Job)
		}
	}
	slices.SortFunc(out, JobKey.Compare)
	return slices.Compact(out)
}

// restore takes over those of an earlier engine, and forgets all others.
func (m *minimums) restore(list []ChargedMinimum) {
	for _, j := range m.noted {
		if m.l.Jobs.rows[j].marks.had != nil {
			m.l.Jobs.rows[j].forgetHad()
			m.touch(j)
		}
	}
	for _, c := range list {
		j, known := m.l.Jobs.Find(c.Job)
		if !known {
			continue
		}
		m.hold(j)
		job := &m.l.Jobs.rows[j]
		job.marks.had.job = c.Min
		for i := range job.Roles {
			job.Roles[i].had = least(c.Roles, job.Roles[i].Name)
		}
		clear(job.marks.had.subs)
		for _, s := range c.Subs {
			job.marks.had.subs[s.Name] = s.Min
		}
		m.noted = append(m.noted, j)
		m.touch(j)
	}
}

// touch notes that other members of a job may be evicted than before.
func (m *minimums) touch(j JobID) {
	m.l.accounts.rate(j, &m.l.Jobs.rows[j])
	m.l.accounts.touchMembers(j)
	m.l.Changes.mark(j)
}

func least(list []NamedMinimum, name string) int32 {
	if i, found := slices.BinarySearchFunc(list, NamedMinimum{Name: name}, byMinimumName); found {
		return list[i].Min
	}
	return 0
}
