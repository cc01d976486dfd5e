// Package resourcequota keeps a job in Pending while the pods that it asks for would exceed a
// ResourceQuota of its namespace: one waiting job with a reason is better than pods that the API server
// refuses one by one, and half a gang that waits for the rest.
//
// The check is what the API server will check for the job's pods: the usage of the namespace, plus what
// admitted jobs have not yet created pods for, or have lost and may create again, plus the job's
// minResources, against the quota's hard limits, in the dimensions that both name. The usage of the
// namespace is what the quota's status says, or what its jobs' pods add up to where that is more, since
// the status follows pods with a delay. Pods of other schedulers are not seen while they wait, or are
// not in the status yet. For a job that has pods, only the missing ones count.
//
// A quota limits requests: cpu and requests.cpu are the same. Quotas of limits (limits.*), of numbers
// of objects (pods, count/*) and quotas with scopes are left out; the API server enforces them when the
// pods are created.
//
// Source: semantics of Volcano's plugin of this name; decision 9 for what is admitted.
package resourcequota

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin "resourcequota". It takes no arguments.
func Definition() policy.Definition {
	return policy.Define("resourcequota", "a namespace's ResourceQuota holds before pods exist",
		func(_ policy.NoArguments, l *ledger.Ledger) (*plugin, error) {
			return &plugin{l: l, last: ledger.NoJob}, nil
		})
}

type plugin struct {
	l       *ledger.Ledger
	usage   map[string]*usage // by namespace, of this cycle; nil: not gathered yet
	last    ledger.JobID      // permitted last; whether it was let in shows by its phase
	pending resource.Vec      // scratch
}

// usage is what a namespace's jobs ask of its quotas.
type usage struct {
	made  resource.Sums // by pods that exist and have not finished
	owing resource.Sums // by jobs let in, for pods not made yet
}

// Open forgets what the last cycle gathered. Within a cycle pods neither come nor go.
func (p *plugin) Open(*trace.Recorder) { p.usage, p.last = nil, ledger.NoJob }

// VoteEnqueue rejects a job with pods that would exceed a quota, and names the first such
// quota. Need of the reason is what the namespace would use, Have the hard limit.
func (p *plugin) VoteEnqueue(j ledger.JobID) (policy.Vote, trace.Reason) {
	job := p.l.Job(j)
	quotas := p.l.Namespaces.Quotas(job.Key.Namespace)
	if len(quotas) == 0 {
		return policy.Permit, trace.Reason{}
	}
	p.gather()
	for _, q := range quotas {
		if r := p.exceeds(job, q); r.Is() {
			return policy.Reject, r
		}
	}
	if !job.Admitted() { // otherwise gather has counted it
		p.last = j
	}
	return policy.Permit, trace.Reason{}
}

// exceeds says in what a quota has no room for a job's pods.
func (p *plugin) exceeds(job *ledger.Job, q *model.Quota) trace.Reason {
	var over []resource.Dim
	for d := range job.MinResources {
		d := resource.Dim(d)
		if hard, bounded := q.Hard.Get(p.l.Dims.Name(d)); bounded && owes(job, d) > 0 && p.with(job, q, d) > hard {
			over = append(over, d)
		}
	}
	if len(over) == 0 {
		return trace.Reason{}
	}
	p.l.Dims.SortByName(over)
	r := trace.Reason{Code: trace.NamespaceQuotaExceeded, Text: q.Name}
	for _, d := range over {
		hard, _ := q.Hard.Get(p.l.Dims.Name(d))
		r.Shorts = append(r.Shorts, trace.Short{Dim: p.l.Dims.Name(d), Need: p.with(job, q, d), Have: hard})
	}
	return r
}

// with is what the namespace would use with a job's pods.
func (p *plugin) with(job *ledger.Job, q *model.Quota, d resource.Dim) int64 {
	used, _ := q.Used.Get(p.l.Dims.Name(d))
	sum := resource.Sum{}.Plus(owes(job, d))
	if u := p.usage[job.Key.Namespace]; u != nil {
		used = max(used, u.made.Get(d))
		sum = sum.Plus(u.owing.Get(d))
	}
	return sum.Plus(used).Int64()
}

// owes is what of a job's minimum no pod stands for, nor one that succeeded.
func owes(job *ledger.Job, d resource.Dim) int64 {
	if d == resource.Pods {
		return 0
	}
	return max(0, max(0, job.MinResources.Get(d)-job.Total.Get(d))-job.Done(d))
}

// gather brings usage up to date: in the first vote of a cycle from all jobs, in later
// ones by what became of the last that was permitted.
func (p *plugin) gather() {
	if p.usage == nil {
		p.usage = map[string]*usage{}
		p.l.Jobs.Each(func(j ledger.JobID) bool {
			p.add(j)
			return true
		})
		return
	}
	if p.last != ledger.NoJob {
		if job := p.l.Job(p.last); p.awaits(p.last) {
			p.usage[job.Key.Namespace].owe(job)
		}
		p.last = ledger.NoJob
	}
}

// add counts a job's pods, and those it is to have if it was let in.
func (p *plugin) add(j ledger.JobID) {
	job := p.l.Job(j)
	if len(p.l.Namespaces.Quotas(job.Key.Namespace)) == 0 {
		return
	}
	u := p.usage[job.Key.Namespace]
	if u == nil {
		u = &usage{}
		p.usage[job.Key.Namespace] = u
	}
	p.pending = job.Total.Vec(p.pending)
	u.made = u.made.Add(p.pending)
	if p.awaits(j) {
		u.owe(job)
	}
}

// awaits says that pods of a job's minimum are still to be made: it was let in, or has lost some, and room is
// still kept for them.
func (p *plugin) awaits(j ledger.JobID) bool {
	job := p.l.Job(j)
	lapsed := p.l.WaitingJobs.Lending(j) == ledger.LendsAll || p.l.WaitingJobs.Lapsed(j)
	return !lapsed && (job.Phase == model.GroupInqueue || job.Short())
}

// owe counts what a job that was let in has not made pods of.
func (u *usage) owe(job *ledger.Job) {
	for d := range job.MinResources {
		u.owing = u.owing.AddAt(resource.Dim(d), owes(job, resource.Dim(d)))
	}
}
