package ledger

import (
	"cmp"
	"maps"
	"slices"

	"ashlar.sh/sched/model"
)

// applyQuota keeps a namespace's quota, unless it was set aside. Nothing here is derived from it, and no refusal
// of room rests on it: quotas are asked when a job is let in, in every cycle anew.
func (l *Ledger) applyQuota(r model.Ref, o *model.Quota) { put(l.quotas, r, o, o == nil) }

// Quotas are a namespace's quotas by name, nil when it has none. The slice is good until
// the next fact.
func (l *Ledger) Quotas(namespace string) []*model.Quota { return l.quotas[namespace] }

// applyBudget keeps a namespace's budget, unless it was set aside. No refusal of room
// rests on it.
func (l *Ledger) applyBudget(r model.Ref, o *model.Budget) {
	put(l.budgets, r, o, o == nil)
	l.budgeted++
}

// Budgets are a namespace's disruption budgets by name, nil when it has none. The slice
// is good until the next fact.
func (l *Ledger) Budgets(namespace string) []*model.Budget { return l.budgets[namespace] }

// AllBudgets yields every disruption budget by namespace and name.
func (l *Ledger) AllBudgets(yield func(*model.Budget) bool) {
	for _, namespace := range slices.Sorted(maps.Keys(l.budgets)) {
		for _, b := range l.budgets[namespace] {
			if !yield(b) {
				return
			}
		}
	}
}

// Budgeted counts the changes to disruption budgets. While it stands still, and the pods
// that budgets are about do, so does what they allow.
func (l *Ledger) Budgeted() uint64 { return l.budgeted }

// applyNamespace keeps a namespace's labels.
func (l *Ledger) applyNamespace(name string, o *model.Namespace) {
	was, known := l.namespaces[name]
	if o == nil && !known || o != nil && known && slices.Equal(was.Labels, o.Labels) {
		return
	}
	delete(l.namespaces, name)
	if o != nil {
		l.namespaces[name] = o
	}
	l.spaced++
	l.roomEpoch++
}

// Namespace is what is known of a namespace, nil when nothing is.
func (l *Ledger) Namespace(name string) *model.Namespace { return l.namespaces[name] }

// Spaced counts the changes to the labels of namespaces.
func (l *Ledger) Spaced() uint64 { return l.spaced }

// put makes an object the one of its name in its namespace's list, or takes the name off
// it: when the object is gone, or set aside.
func put[T model.Object](lists map[string][]T, r model.Ref, o T, gone bool) {
	of := lists[r.Namespace]
	at, known := slices.BinarySearchFunc(of, r.Name, func(x T, name string) int { return cmp.Compare(x.Common().Name, name) })
	if known {
		of = slices.Delete(of, at, at+1)
	}
	if !gone {
		if _, bad := o.Common().SetAside(); !bad {
			of = slices.Insert(of, at, o)
		}
	}
	if len(of) == 0 {
		delete(lists, r.Namespace)
		return
	}
	lists[r.Namespace] = of
}
