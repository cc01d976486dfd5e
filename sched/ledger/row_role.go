package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// Role is a job's members of one task-spec name.
type Role struct {
	Name string
	Min  int32 // minTaskMember; 0 when there is none or the minimums are ignored
	Count
	tasks int32 // members of any status
	had   int32 // of a job with a had: the minimum that it has had
}

// unused says that no member has the role and no minimum names it: its index may be used for another role.
func (r *Role) unused() bool { return r.tasks == 0 && r.Min == 0 }

// Count is the number of a job's members by status.
type Count struct {
	By         [model.NumStatus]int32
	BestEffort int32 // pending with an empty request: backfill places them
	Leaving    int32 // terminating on a node
}

// Finished is the number of members that succeeded or failed.
func (c *Count) Finished() int32 { return c.By[model.Succeeded] + c.By[model.Failed] }

// Started is the number of members that have a node, or had one until they finished.
func (c *Count) Started() int32 {
	return c.By[model.Running] + c.By[model.Bound] + c.By[model.Unknown] + c.Finished() + c.Leaving
}

// Staying is the number of members that hold room and are not terminating.
func (c *Count) Staying() int32 {
	return c.By[model.Allocated] + c.By[model.Binding] + c.By[model.Bound] + c.By[model.Running] + c.By[model.Unknown]
}

// Holding is Staying without the members in phase Unknown: those that keep a gang together when other members
// leave. Finished members do so no longer, pending ones not yet.
func (c *Count) Holding() int32 {
	return c.By[model.Allocated] + c.By[model.Binding] + c.By[model.Bound] + c.By[model.Running]
}

// NotGone is Ready and the members that are terminating: what a job has as long as it lacks members only
// because they are terminating.
func (c *Count) NotGone() int32 { return c.Ready() + c.Leaving }

// Ready is the number of members that count for the minimum (seed 003 §6.5): placed, running or succeeded, and
// best-effort members that are pending, which can always be placed.
func (c *Count) Ready() int32 { return c.Placed() + c.BestEffort }

// Placed is Ready without the best-effort members that still wait.
func (c *Count) Placed() int32 {
	return c.By[model.Allocated] + c.By[model.Binding] + c.By[model.Bound] + c.By[model.Running] + c.By[model.Succeeded]
}

// PlacedOrPipelined is the number of members that have a node or are pipelined.
func (c *Count) PlacedOrPipelined() int32 { return c.Placed() + c.By[model.Pipelined] }

// ReadyOrPipelined is the number of members that would be ready with those that are pipelined.
func (c *Count) ReadyOrPipelined() int32 { return c.Ready() + c.By[model.Pipelined] }

// Valid is the number of members that can still count for the minimum, as JobValid of Volcano's gang plugin
// counts them.
func (c *Count) Valid() int32 { return c.Placed() + c.By[model.Pipelined] + c.By[model.Pending] }

// Met says that the job, each of its roles and every subGroupPolicy have their minimum, where have returns the
// number of members that count: (*Count).Ready, for example.
func (j *Job) Met(have func(*Count) int32) bool { return j.RolesMet(have) && j.SubsMet(have) }

// RolesMet says that the job and each of its roles have their minimum, where have returns the number of
// members that count. It checks the job's own minimum first: a gang that is being placed lacks it until its
// last member.
func (j *Job) RolesMet(have func(*Count) int32) bool {
	if have(&j.Count) < j.MinMember {
		return false
	}
	for i := range j.Roles {
		if r := &j.Roles[i]; have(&r.Count) < r.Min {
			return false
		}
	}
	return true
}

// LeastToPlace is how many members have to be placed together at least: the rest of the minimum, or one.
func (j *Job) LeastToPlace() int { return int(max(1, j.MinMember-j.ReadyOrPipelined())) }

// move replaces what a member counts for.
func (c *Count) move(was, is contribution) {
	if was.counts {
		c.By[was.status]--
	}
	if is.counts {
		c.By[is.status]++
	}
	c.BestEffort += int32(change(was.bestEffort, is.bestEffort))
	c.Leaving += int32(change(was.leaving, is.leaving))
}

// setRoles sets the minimums of the job's roles. They are ignored when their sum exceeds the job's own
// minimum, as in Volcano.
func (js *Jobs) setRoles(j JobID, mins []model.RoleMin) {
	job := &js.rows[j]
	sum := int64(0)
	for i := range job.Roles {
		job.Roles[i].Min = 0
	}
	defer func() { js.rows[j].dropRoles() }()
	for _, m := range mins {
		sum += int64(m.Min)
	}
	if sum > int64(job.MinMember) {
		return
	}
	if len(mins) > 0 {
		job.nameRoles(mins)
	}
}

// nameRoles gives a job's roles minimums. A PodGroup may name tens of thousands: so each is not looked for in the list.
func (j *Job) nameRoles(mins []model.RoleMin) {
	at := make(map[string]int, len(j.Roles))
	var free []int
	for i := range j.Roles {
		if j.Roles[i].unused() {
			free = append(free, i)
		} else {
			at[j.Roles[i].Name] = i
		}
	}
	for _, m := range mins {
		i, known := at[m.Role]
		switch {
		case m.Min == 0 && !known:
			continue
		case known:
		case len(free) > 0:
			i, free = free[0], free[1:]
			j.Roles[i] = Role{Name: m.Role}
		default:
			i = len(j.Roles)
			j.Roles = append(j.Roles, Role{Name: m.Role})
		}
		j.Roles[i].Min = m.Min
	}
}

func (js *Jobs) role(j JobID, name string) int32 {
	job, free := &js.rows[j], -1
	for i := range job.Roles {
		if job.Roles[i].Name == name {
			return int32(i)
		}
		if job.Roles[i].unused() {
			free = i
		}
	}
	if free >= 0 {
		job.Roles[free] = Role{Name: name}
		return int32(free)
	}
	job.Roles = append(job.Roles, Role{Name: name})
	return int32(len(job.Roles) - 1)
}

// dropRoles removes unused roles at the end of the list. It keeps the indexes of the other roles, by which
// members refer to them.
func (j *Job) dropRoles() {
	for n := len(j.Roles); n > 0 && j.Roles[n-1].unused(); n-- {
		j.Roles = j.Roles[:n-1]
	}
}

// NumRoles is the number of roles that members have or minimums name. Roles may be longer: its indexes are reused.
func (j *Job) NumRoles() (n int) {
	for i := range j.Roles {
		if !j.Roles[i].unused() {
			n++
		}
	}
	return n
}

// SurelyBound is how many members are known to be bound. It does not count those of which a binding is under way.
func (c *Count) SurelyBound() int32 {
	return c.By[model.Bound] + c.By[model.Running] + c.By[model.Succeeded]
}

// HasPartMinimums says that a job has its minimum only if roles or subgroups have theirs.
func HasPartMinimums(j *Job) bool {
	return len(j.Subs) > 0 || slices.ContainsFunc(j.Roles, func(r Role) bool { return r.Min > 0 })
}
