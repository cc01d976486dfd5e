package ledger

import (
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// TenantKey says what a tenant of a queue is: the namespace of a job, or, with Label, the value of that label of its
// PodGroup or else of its first pod; the namespace for jobs without it.
type TenantKey struct{ Label string }

// Tenant is a tenant of a queue, for plugins that order by them. It is good until the next fact.
type Tenant int32

// TenantOf is the tenant of a job, 0 for none.
func (u *Usage) TenantOf(j JobID) Tenant { return Tenant(u.l.Jobs.rows[j].tenant) }

// Tenants is an upper bound for Tenants.
func (u *Usage) Tenants() int { return len(u.tenants.rows) }

// TenantsIn are the tenants of a queue that have jobs or used something, by name.
func (u *Usage) TenantsIn(q QueueID) (out []Tenant) {
	for k, i := range u.tenants.byKey { // order-free: sorted below
		if k.Queue == u.l.Queues.rows[q].Name {
			out = append(out, Tenant(i))
		}
	}
	slices.SortFunc(out, func(a, b Tenant) int { return u.tenants.rows[a].compare(u.tenants.rows[b].UsageKey) })
	return out
}

// TenantKey names a tenant.
func (u *Usage) TenantKey(t Tenant) UsageKey { return u.tenants.rows[t].UsageKey }

// Moved is UsageEpoch when what a tenant holds changed last.
func (u *Usage) Moved(t Tenant) uint64 { return u.tenants.rows[t].moved }

// Held is what a tenant's jobs hold of a dimension now.
func (u *Usage) Held(t Tenant, d resource.Dim) int64 { return u.tenants.rows[t].allocated.Get(d) }

// OfTenant is what a tenant used of a dimension lately.
func (u *Usage) OfTenant(t Tenant, d resource.Dim) fair.Average {
	return u.level(&u.tenants, int32(t), d)
}

// count adds what a job holds more to its tenant.
func (u *Usage) count(job *Job, d resource.Dim, held int64) {
	row := &u.tenants.rows[job.tenant]
	row.allocated = row.allocated.AddAt(d, held)
	row.moved = u.l.Changes.usageEpoch
	u.tenants.touch(job.tenant)
}

// place finds a job's tenant anew, and moves what it holds there.
func (u *Usage) place(j JobID) {
	if u.tenants.halfLife == 0 {
		return
	}
	job := &u.l.Jobs.rows[j]
	is := int32(0)
	if job.Queue != NoQueue {
		is = u.tenants.row(UsageKey{u.l.Queues.rows[job.Queue].Name, u.nameOf(job)})
	}
	if is == job.tenant {
		return
	}
	for _, move := range [...]struct {
		row  int32
		sign int64
	}{{job.tenant, -1}, {is, 1}} {
		if move.row == 0 {
			continue
		}
		row := &u.tenants.rows[move.row]
		row.jobs += int32(move.sign)
		for d, x := range job.Allocated {
			row.allocated = row.allocated.AddAt(resource.Dim(d), 0)
			row.allocated[d] = row.allocated[d].PlusSum(x, move.sign)
		}
		row.moved = u.l.Changes.usageEpoch
		u.tenants.touch(move.row)
	}
	job.tenant = is
}

// tenants counts anew what the jobs of each tenant hold.
func (a *auditor) tenants() {
	u := &a.l.Usage
	if u.tenants.halfLife == 0 {
		return
	}
	want, jobs := make([]resource.Sums, len(u.tenants.rows)), make([]int32, len(u.tenants.rows))
	for j := range a.l.Jobs.rows {
		job := &a.l.Jobs.rows[j]
		if job.marks.free || job.Queue == NoQueue {
			continue
		}
		k := UsageKey{a.l.Queues.rows[job.Queue].Name, u.nameOf(job)}
		if u.tenants.rows[job.tenant].UsageKey != k {
			a.say("job %v: its tenant is %v, found again %v", job.Key, u.tenants.rows[job.tenant].UsageKey, k)
		}
		want[job.tenant], jobs[job.tenant] = plus(want[job.tenant], job.Allocated), jobs[job.tenant]+1
	}
	for i := range u.tenants.rows {
		if row := &u.tenants.rows[i]; !row.allocated.Equal(want[i]) || row.jobs != jobs[i] {
			a.say("tenant %v: holds %v, has %d jobs, recounted %v, %d", row.UsageKey, row.allocated, row.jobs, want[i], jobs[i])
		}
	}
}

// nameOf is the name of a job's tenant.
func (u *Usage) nameOf(job *Job) string {
	if u.by.Label != "" {
		if v := u.l.Jobs.label(job, u.by.Label); v != "" {
			return v
		}
	}
	return job.Key.Namespace
}

// Label is the value of a label of a job's PodGroup, or else of its first pod; "" where neither has it.
func (js *Jobs) Label(j JobID, key string) string { return js.label(&js.rows[j], key) }

func (js *Jobs) label(job *Job, key string) string {
	if job.Group != nil {
		if v, has := model.LabelValue(job.Group.Labels, key); has && v != "" {
			return v
		}
	}
	if job.definer != NoTask {
		v, _ := model.LabelValue(js.l.Tasks.rows[job.definer].Pod.Labels, key)
		return v
	}
	return ""
}
