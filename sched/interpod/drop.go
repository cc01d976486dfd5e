package interpod

import (
	"cmp"
	"slices"
)

// dropUnused drops what no pod needs any more: users, their domain counts, selectors, labelledPods. When no
// user, no spreadGroup and no Service are left, counting ends.
func (b *Affinities) dropUnused() {
	for _, h := range b.empty {
		if len(h.members) == 0 {
			b.controllers.join(h, "")
		}
	}
	dropped := b.controllers.dropped
	b.controllers.dropped = false
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
	case b.idle():
		b.close()
		return
	case dropped:
		clear(b.known)
		b.dropDomainCounts()
	}
	b.selectors.dropLabelled()
}

// idle says that nothing is to be counted.
func (b *Affinities) idle() bool {
	return len(b.users)+len(b.controllers.byKey)+len(b.services.byForm) == 0
}

// close ends counting: from now on no pod matches a term.
func (b *Affinities) close() {
	old, recast := b.selectors.labelled, b.recast
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
		y.selector.members = slices.DeleteFunc(y.selector.members, gone)
		y.selector.holders = slices.DeleteFunc(y.selector.holders, gone)
		if y.selector.refs--; y.selector.refs == 0 {
			b.selectors.drop(y.selector)
		}
		if y.col.refs--; y.col.refs == 0 {
			delete(b.domains.byKey, y.col.key)
		}
		if y.scope != nil {
			if y.scope.refs--; y.scope.refs == 0 {
				delete(b.domains.scopes, y.scope.form)
			}
		}
	}
	b.domainCounts = slices.DeleteFunc(b.domainCounts, gone)
	b.shape++
}

func (si *selectorIndex) drop(c *selector) {
	is := func(o *selector) bool { return o == c }
	for _, h := range c.pods {
		h.selectors = slices.DeleteFunc(h.selectors, is)
	}
	delete(si.byKey, c.form)
	key, values, ok := c.handle()
	if !ok {
		si.any = slices.DeleteFunc(si.any, is)
	}
	for _, v := range values {
		drop(si.byLabel, label{key, v}, c)
	}
}

// dropLabelled drops the labelledPods that are still empty. It goes once through each list that names some of
// them.
func (si *selectorIndex) dropLabelled() {
	gone := func(h *labelledPods) bool { return len(h.members) == 0 }
	var selectors []*selector
	var services []*service
	var labels []label
	for _, h := range si.b.empty {
		if !gone(h) || si.labelled[h.form] != h {
			continue
		}
		delete(si.labelled, h.form)
		selectors = append(selectors, h.selectors...)
		services = append(services, h.services...)
		for _, l := range h.labels {
			labels = append(labels, label{l.Key, l.Value})
		}
	}
	si.b.empty = si.b.empty[:0]
	slices.SortFunc(selectors, func(a, b *selector) int { return cmp.Compare(a.id, b.id) })
	for _, c := range slices.Compact(selectors) {
		c.pods = slices.DeleteFunc(c.pods, gone)
	}
	slices.SortFunc(services, byForm)
	for _, s := range slices.Compact(services) {
		s.pods = slices.DeleteFunc(s.pods, gone)
	}
	slices.SortFunc(labels, func(a, b label) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.value, b.value))
	})
	for _, at := range slices.Compact(labels) {
		if si.labelledBy[at] = slices.DeleteFunc(si.labelledBy[at], gone); len(si.labelledBy[at]) == 0 {
			delete(si.labelledBy, at)
		}
	}
	si.b.restale, si.b.recast = slices.DeleteFunc(si.b.restale, gone), slices.DeleteFunc(si.b.recast, gone)
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
