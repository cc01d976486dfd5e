package ledger

import (
	"cmp"
	"maps"
	"slices"

	"ashlar.sh/sched/model"
)

// Namespaces holds what belongs to namespaces: labels, ResourceQuotas and PodDisruptionBudgets.
type Namespaces struct {
	changes *Changes

	quotas   map[string][]*model.Quota  // by namespace, each list by name
	budgets  map[string][]*model.Budget // likewise
	byName   map[string]*model.Namespace
	spaced   uint64 // the number of changes to namespaces' labels
	budgeted uint64
}

// applyQuota keeps a namespace's quota, unless it is set aside. Nothing is derived from it here, and no
// refusal for lack of room depends on it: quotas are read anew in every cycle, when jobs are admitted.
func (ns *Namespaces) applyQuota(r model.Ref, o *model.Quota) { put(ns.quotas, r, o, o == nil) }

// Quotas returns a namespace's quotas by name, nil when it has none. The slice is valid until the next fact.
func (ns *Namespaces) Quotas(namespace string) []*model.Quota { return ns.quotas[namespace] }

// applyBudget keeps a namespace's budget, unless it is set aside. No refusal for lack of room depends on it.
func (ns *Namespaces) applyBudget(r model.Ref, o *model.Budget) {
	put(ns.budgets, r, o, o == nil)
	ns.budgeted++
}

// AllBudgets yields every disruption budget by namespace and name.
func (ns *Namespaces) AllBudgets(yield func(*model.Budget) bool) {
	for _, namespace := range slices.Sorted(maps.Keys(ns.budgets)) {
		for _, b := range ns.budgets[namespace] {
			if !yield(b) {
				return
			}
		}
	}
}

// BudgetEpoch counts the changes to disruption budgets. As long as it and the pods that budgets select have not
// changed, what the budgets allow has not changed.
func (ns *Namespaces) BudgetEpoch() uint64 { return ns.budgeted }

// applyNamespace keeps a namespace's labels.
func (ns *Namespaces) applyNamespace(name string, o *model.Namespace) {
	was, known := ns.byName[name]
	if o == nil && !known || o != nil && known && slices.Equal(was.Labels, o.Labels) {
		return
	}
	delete(ns.byName, name)
	if o != nil {
		ns.byName[name] = o
	}
	ns.spaced++
	ns.changes.roomEpoch++
}

// Get returns the fact about a namespace, nil when there is none.
func (ns *Namespaces) Get(name string) *model.Namespace { return ns.byName[name] }

// LabelEpoch counts the changes to the labels of namespaces.
func (ns *Namespaces) LabelEpoch() uint64 { return ns.spaced }

// put puts an object into its namespace's list, or, when it is gone or set aside, removes its name from the
// list.
func put[T model.Object](lists map[string][]T, r model.Ref, o T, gone bool) {
	of := lists[r.Namespace]
	at, known := slices.BinarySearchFunc(of, r.Name,
		func(x T, name string) int { return cmp.Compare(x.Common().Name, name) })
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
