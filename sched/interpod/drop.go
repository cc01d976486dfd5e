package interpod

import (
	"cmp"
	"slices"
)

// dropUnused drops what no pod needs any more: users, their domain counts, selectors, labelledPods. When no
// user and no controllerPods are left, counting ends.
func (b *Affinities) dropUnused() {
	dropped := b.dropped
	b.dropped = false
	for _, u := range b.spent {
		if u.pods > 0 || b.users[u.form] != u {
			continue
		}
		for _, y := range u.used {
			y.refs--
		}
		delete(b.users, u.form)
		dropped = true
	}
	b.spent = b.spent[:0]
	switch {
	case len(b.users)+len(b.controllers) == 0:
		b.close()
		return
	case dropped:
		clear(b.known)
		b.dropDomainCounts()
	}
	b.dropLabelled()
}

// close ends counting: from now on no pod matches a term.
func (b *Affinities) close() {
	old, recast := b.labelled, b.recast
	b.clear()
	b.recast = recast
	for _, h := range old { // order-free: each pod's class is found for itself
		if len(h.matchedTerms) > 0 && len(h.members) > 0 {
			b.restale = append(b.restale, h)
		}
	}
	slices.SortFunc(b.restale, func(x, y *labelledPods) int { return int(x.members[0]) - int(y.members[0]) })
}

func (b *Affinities) dropDomainCounts() {
	gone := func(y *DomainCount) bool { return y.refs == 0 }
	for _, y := range b.domainCounts {
		if !gone(y) {
			continue
		}
		delete(b.byID, y.id)
		if y.role != Members {
			b.invalidate(y.selector)
		}
		y.selector.members, y.selector.holders = slices.DeleteFunc(y.selector.members, gone), slices.DeleteFunc(y.selector.holders, gone)
		if y.selector.refs--; y.selector.refs == 0 {
			b.dropSelector(y.selector)
		}
		if y.col.refs--; y.col.refs == 0 {
			delete(b.columns, y.col.key)
		}
		if y.scope != nil {
			if y.scope.refs--; y.scope.refs == 0 {
				delete(b.scopes, y.scope.form)
			}
		}
	}
	b.domainCounts = slices.DeleteFunc(b.domainCounts, gone)
	b.shape++
}

func (b *Affinities) dropSelector(c *selector) {
	is := func(o *selector) bool { return o == c }
	for _, h := range c.pods {
		h.selectors = slices.DeleteFunc(h.selectors, is)
	}
	delete(b.selectors, c.form)
	key, values, ok := c.handle()
	if !ok {
		b.anySelector = slices.DeleteFunc(b.anySelector, is)
	}
	for _, v := range values {
		drop(b.selectorsBy, label{key, v}, c)
	}
}

// dropLabelled drops the labelledPods that are still empty. It goes once through each list that names some of
// them.
func (b *Affinities) dropLabelled() {
	gone := func(h *labelledPods) bool { return len(h.members) == 0 }
	var selectors []*selector
	var labels []label
	for _, h := range b.empty {
		if !gone(h) || b.labelled[h.form] != h {
			continue
		}
		delete(b.labelled, h.form)
		selectors = append(selectors, h.selectors...)
		for _, l := range h.labels {
			labels = append(labels, label{l.Key, l.Value})
		}
	}
	b.empty = b.empty[:0]
	slices.SortFunc(selectors, func(a, b *selector) int { return cmp.Compare(a.id, b.id) })
	for _, c := range slices.Compact(selectors) {
		c.pods = slices.DeleteFunc(c.pods, gone)
	}
	slices.SortFunc(labels, func(a, b label) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.value, b.value)) })
	for _, at := range slices.Compact(labels) {
		if b.labelledBy[at] = slices.DeleteFunc(b.labelledBy[at], gone); len(b.labelledBy[at]) == 0 {
			delete(b.labelledBy, at)
		}
	}
	b.restale, b.recast = slices.DeleteFunc(b.restale, gone), slices.DeleteFunc(b.recast, gone)
}

// drop removes one selector from a list, and the list with its last selector.
func drop(lists map[label][]*selector, at label, one *selector) {
	list := slices.DeleteFunc(lists[at], func(o *selector) bool { return o == one })
	if len(list) == 0 {
		delete(lists, at)
		return
	}
	lists[at] = list
}
