package ledger

import (
	"cmp"
	"maps"
	"slices"

	"ashlar.sh/sched/model"
)

// applyQuota keeps a namespace's quota, unless it is set aside. Nothing is derived from it here, and no
// refusal for lack of room depends on it: quotas are read anew in every cycle, when jobs are admitted.
func (l *Ledger) applyQuota(r model.Ref, o *model.Quota) { put(l.quotas, r, o, o == nil) }

// Quotas returns a namespace's quotas by name, nil when it has none. The slice is valid until the next fact.
func (l *Ledger) Quotas(namespace string) []*model.Quota { return l.quotas[namespace] }

// applyBudget keeps a namespace's budget, unless it is set aside. No refusal for lack of room depends on it.
func (l *Ledger) applyBudget(r model.Ref, o *model.Budget) {
	put(l.budgets, r, o, o == nil)
	l.budgeted++
}

// Budgets returns a namespace's disruption budgets by name, nil when it has none. The slice is valid until the
// next fact.
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

// Budgeted counts the changes to disruption budgets. As long as it and the pods that budgets select have not
// changed, what the budgets allow has not changed.
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

// Namespace returns the fact about a namespace, nil when there is none.
func (l *Ledger) Namespace(name string) *model.Namespace { return l.namespaces[name] }

// Spaced counts the changes to the labels of namespaces.
func (l *Ledger) Spaced() uint64 { return l.spaced }

// put puts an object into its namespace's list, or, when it is gone or set aside, removes its name from the
// list.
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
