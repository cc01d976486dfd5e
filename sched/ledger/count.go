package ledger

import "ashlar.sh/sched/model"

// Role is a job's members of one task-spec name.
type Role struct {
	Name string
	Min  int32 // minTaskMember; 0 when none is asked or the minimums are ignored
	Count
	tasks int32 // members of any status
}

// unused says that nobody has the role and none is asked for: its place may be another's.
func (r *Role) unused() bool { return r.tasks == 0 && r.Min == 0 }

// Count says how many members stand where.
type Count struct {
	By         [model.NumStatus]int32
	BestEffort int32 // pending, asking for nothing: backfill places them
	Leaving    int32 // terminating, and still on a node
}

// Finished is the number of members that have ended, well or not.
func (c *Count) Finished() int32 { return c.By[model.Succeeded] + c.By[model.Failed] }

// Started is the number of members that have a node, or had one until they finished.
func (c *Count) Started() int32 {
	return c.By[model.Running] + c.By[model.Bound] + c.By[model.Unknown] + c.Finished() + c.Leaving
}

// Staying is the number of members that hold room and do not leave it.
func (c *Count) Staying() int32 {
	return c.By[model.Allocated] + c.By[model.Binding] + c.By[model.Bound] + c.By[model.Running] + c.By[model.Unknown]
}

// Holding is Staying without the members of which nobody knows whether they run: those that keep
// a gang together once others leave. Finished ones no longer do, those that wait do not yet.
func (c *Count) Holding() int32 {
	return c.By[model.Allocated] + c.By[model.Binding] + c.By[model.Bound] + c.By[model.Running]
}

// NotGone is Ready with those that are leaving: what a job has as long as nothing but their
// leaving lacks.
func (c *Count) NotGone() int32 { return c.Ready() + c.Leaving }

// Ready is the number of members that count for the minimum (seed 003 §6.5): placed,
// running or succeeded, and those that ask for nothing and can always be placed.
func (c *Count) Ready() int32 { return c.Placed() + c.BestEffort }

// Placed is Ready without the best-effort members that still wait.
func (c *Count) Placed() int32 {
	return c.By[model.Allocated] + c.By[model.Binding] + c.By[model.Bound] + c.By[model.Running] + c.By[model.Succeeded]
}

// Waiting is the number of members with a promise of room (seed 002 §3.1).
func (c *Count) Waiting() int32 { return c.By[model.Pipelined] }

// Promised is the number of members that have a place or are promised one.
func (c *Count) Promised() int32 { return c.Placed() + c.Waiting() }

// Pipelined is the number that would be ready with those promised room.
func (c *Count) Pipelined() int32 { return c.Ready() + c.Waiting() }

// Valid is the number of members that exist or existed well: those that may still
// make up the minimum, as JobValid of Volcano's gang counts them.
func (c *Count) Valid() int32 { return c.Placed() + c.By[model.Pipelined] + c.By[model.Pending] }

// Met says that the job, each of its roles and every subGroupPolicy have their minimum, by the
// number of members that have gives: (*Count).Ready, say.
func (j *Job) Met(have func(*Count) int32) bool { return j.RolesMet(have) && j.SubsMet(have) }

// RolesMet says that the job and each of its roles have their minimum, by the number of
// members that have gives. The job's own is asked first: a gang that is being placed lacks it
// until its last member.
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
