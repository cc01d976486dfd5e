// Package fairshare serves first, of a queue's jobs, those of the tenant that holds and used least: a tenant that used
// much lately yields to one that used little.
//
// A tenant is a namespace, a user or the value of a label, within one queue. Its share is (1 − w)·held + w·used in what
// all nodes offer, in the resource in which that is largest, or in the one that the arguments name. Used is the decayed
// average of what its jobs held (ledger.Usage). The jobs of one tenant keep their order among each other, so a tenant's
// small jobs do not pass its large one because of what they use. Every turn counts at once: of two tenants that come
// with many jobs each, neither is served twice before the other is served once.
//
// It is an order and nothing else: no job waits because of it but behind other jobs of its queue, and none is evicted.
// It comes before drf, which would leave nothing to it: drf compares almost any two jobs.
//
// Source: Volcano 1.16's plugin of this name, for its arguments.
package fairshare

import (
	"cmp"
	"slices"
	"strings"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin "fairshare".
func Definition() policy.Definition {
	return policy.Define("fairshare", "jobs of tenants that used little lately first",
		func(a arguments, l *ledger.Ledger) (*plugin, error) {
			p := &plugin{l: l, set: a}
			for name := range strings.SplitSeq(a.queues, ",") {
				if name = strings.TrimSpace(name); name != "" {
					p.only = append(p.only, name)
				}
			}
			if a.Weight == 0 {
				return p, nil
			}
			label, err := a.label()
			if err != nil {
				return nil, err
			}
			return p, l.Usage.RememberTenants(ledger.TenantKey{Label: label}, a.HalfLife*aMinute)
		})
}

const aMinute = 60_000_000_000

// The words of fairshare.by.
const (
	byNamespace = "namespace"
	byUser      = "user"
	byLabel     = "label:"
)

type arguments struct {
	policy.Memory // HalfLife in minutes
	by            string
	queues        string
	resource      string
	resources     map[string]string // by queue
}

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Text(&a.by, "fairshare.by", byNamespace,
		"what a tenant is: namespace, user (label "+model.UserLabel+") or label:KEY")
	a.AddWeight(s, "fairshare.weight", 500, "how much of a tenant's share is what it used lately; 0: off")
	s.Int(&a.HalfLife, "fairshare.halfLifeMinutes", 24*60, "after this long what was used counts half").
		AtLeast(1).AtMost(100 * 366 * 24 * 60).In("minutes")
	s.Text(&a.queues, "fairshare.targetQueues", "", "the queues of which it orders the jobs, between commas; none: all").
		Kind = policy.KindList
	s.Text(&a.resource, "fairshare.resourceKey", "", "the resource that counts; none: that of the largest share")
	s.Prefixed(&a.resources, "fairshare.resourceKey.", "the same, for the queue named after the prefix")
	s.Later(policy.KindBool, "fairshare.enableEnqueueGate", "false", "no job is refused for what its tenant used")
	s.Later(policy.KindBool, "fairshare.persistState", "false", "what was used is always kept")
	s.Later(policy.KindText, "fairshare.stateNamespace", "", "it is kept beside the Lease")
	s.Later(policy.KindText, "fairshare.stateConfigMap", "", "in ConfigMaps of the scheduler's name")
	s.Later(policy.KindInt, "fairshare.flushIntervalSeconds", "30", "once a minute, where it changed")
}

// label is the label that names tenants, "" where namespaces are the tenants.
func (a *arguments) label() (string, error) {
	key, is := strings.CutPrefix(a.by, byLabel)
	switch {
	case a.by == byNamespace:
		return "", nil
	case a.by == byUser:
		return model.UserLabel, nil
	case is && key != "":
		return key, nil
	}
	return "", policy.BadArgument("fairshare.by", "must be namespace, user or label:KEY, not %q", a.by)
}

type plugin struct {
	set    arguments
	l      *ledger.Ledger
	only   []string // the queues that it orders; none: all
	shares []share  // by Tenant
}

// share is a tenant's, and when it was computed.
type share struct {
	fair.Ratio
	moved, version, offered uint64
	known                   bool
}

// OrdersTenants is true for the queues that the arguments name.
func (p *plugin) OrdersTenants(q ledger.QueueID) bool {
	return p.set.Weight > 0 && q != ledger.NoQueue && (len(p.only) == 0 || slices.Contains(p.only, p.l.Queue(q).Name))
}

// CompareJobs puts the job first of which the tenant has the smaller share.
func (p *plugin) CompareJobs(a, b ledger.JobID) int {
	if q := p.l.Job(a).Queue; q != p.l.Job(b).Queue || !p.OrdersTenants(q) {
		return 0
	}
	x, y := p.l.Usage.TenantOf(a), p.l.Usage.TenantOf(b)
	if x == y {
		return 0
	}
	return p.share(x).Compare(p.share(y))
}

// share is a tenant's.
func (p *plugin) share(t ledger.Tenant) fair.Ratio {
	for len(p.shares) < p.l.Usage.Tenants() {
		p.shares = append(p.shares, share{})
	}
	s := &p.shares[t]
	is := share{moved: p.l.Usage.Moved(t), version: p.l.Usage.Version(), offered: p.l.Changes.SpecEpoch(), known: true}
	if is.Ratio = s.Ratio; *s == is {
		return s.Ratio
	}
	is.Ratio, _ = p.largest(t)
	*s = is
	return is.Ratio
}

// largest is a tenant's share, and the dimension in which it is that large.
func (p *plugin) largest(t ledger.Tenant) (most fair.Ratio, of resource.Dim) {
	key := p.set.resource
	if own, has := p.set.resources[p.l.Usage.TenantKey(t).Queue]; has {
		key = own
	}
	for d := range resource.Dim(p.l.Dims.Len()) {
		total := p.l.Nodes.Total(d)
		if d == resource.Pods || total <= 0 || key != "" && p.l.Dims.Name(d) != key {
			continue
		}
		r := fair.Remembered(p.l.Usage.Held(t, d), p.l.Usage.OfTenant(t, d), total, p.set.Weight)
		if c := r.Compare(most); c > 0 || c == 0 && p.l.Dims.Name(d) < p.l.Dims.Name(of) {
			most, of = r, d
		}
	}
	return most, of
}

// TenantShares lists the tenants of a queue, the smallest share first, and of equal ones by name.
func (p *plugin) TenantShares(q ledger.QueueID) (out []trace.TenantShare) {
	for _, t := range p.l.Usage.TenantsIn(q) {
		share, d := p.largest(t)
		s := trace.TenantShare{Tenant: p.l.Usage.TenantKey(t).Tenant, Memory: trace.Memory{Weight: p.set.Weight,
			HalfLife: p.set.HalfLife * aMinute, ShareMicro: share.Micro()}}
		if share.Compare(fair.Ratio{}) > 0 {
			s.Dim, s.Held, s.Used = p.l.Dims.Name(d), p.l.Usage.Held(t, d), p.l.Usage.OfTenant(t, d).Int64()
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b trace.TenantShare) int {
		return cmp.Or(cmp.Compare(a.ShareMicro, b.ShareMicro), cmp.Compare(a.Tenant, b.Tenant))
	})
	return out
}
