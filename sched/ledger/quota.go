package ledger

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
)

// applyQuota keeps a namespace's quota. Nothing here is derived from it, and no refusal
// of room rests on it: quotas are asked when a job is let in, in every cycle anew.
func (l *Ledger) applyQuota(r model.Ref, o *model.Quota) {
	of := l.quotas[r.Namespace]
	at, known := slices.BinarySearchFunc(of, r.Name, func(q *model.Quota, name string) int { return cmp.Compare(q.Name, name) })
	if known {
		of = slices.Delete(of, at, at+1)
	}
	if o != nil && !setAside(o) {
		of = slices.Insert(of, at, o)
	}
	if len(of) == 0 {
		delete(l.quotas, r.Namespace)
		return
	}
	l.quotas[r.Namespace] = of
}

func setAside(o *model.Quota) bool {
	_, bad := o.SetAside()
	return bad
}

// Quotas are a namespace's quotas by name, nil when it has none. The slice is good until
// the next fact.
func (l *Ledger) Quotas(namespace string) []*model.Quota { return l.quotas[namespace] }

// HasQuotas says that some namespace has a quota.
func (l *Ledger) HasQuotas() bool { return len(l.quotas) > 0 }
