package ledger

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
)

// applyQuota keeps a namespace's quota, unless it was set aside. Nothing here is derived from it, and no refusal
// of room rests on it: quotas are asked when a job is let in, in every cycle anew.
func (l *Ledger) applyQuota(r model.Ref, o *model.Quota) {
	of := l.quotas[r.Namespace]
	at, known := slices.BinarySearchFunc(of, r.Name, func(q *model.Quota, name string) int { return cmp.Compare(q.Name, name) })
	if known {
		of = slices.Delete(of, at, at+1)
	}
	if o != nil {
		if _, bad := o.SetAside(); !bad {
			of = slices.Insert(of, at, o)
		}
	}
	if len(of) == 0 {
		delete(l.quotas, r.Namespace)
		return
	}
	l.quotas[r.Namespace] = of
}

// Quotas are a namespace's quotas by name, nil when it has none. The slice is good until
// the next fact.
func (l *Ledger) Quotas(namespace string) []*model.Quota { return l.quotas[namespace] }
