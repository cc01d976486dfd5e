package interpod

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Open brings the counts up to date and gives waiting pods the classes that follow from the terms they match
// now. Each cycle begins with it.
func (b *Affinities) Open() {
	if b.live && b.respaced() {
		b.rebuild()
		for n := range b.nodes { // other pods count there than before
			b.l.Nodes.Restate(ledger.NodeID(n))
		}
	}
	b.spaced = b.l.Namespaces.LabelEpoch()
	b.Follow()
	b.waiting(b.restale, b.l.Classes.RematchTerms)
	b.waiting(b.recast, b.l.Classes.Recast)
	b.restale, b.recast = b.restale[:0], b.recast[:0]
}

// waiting calls f for those of some pods that wait. A pod that left after counting had ended is still among them.
func (b *Affinities) waiting(of []*labelledPods, f func(ledger.TaskID)) {
	for _, h := range of {
		for _, t := range h.members {
			if p := b.l.Task(ledger.TaskID(t)).Pod; p != nil && p.Node == "" {
				f(ledger.TaskID(t))
			}
		}
	}
}

// Follow brings the counts up to date with all facts but the labels of namespaces, which Open reads. Within a
// cycle it finds nothing to do: moves are counted as they happen.
func (b *Affinities) Follow() {
	if !b.live {
		return
	}
	if b.stale {
		b.rebuild()
	}
	if b.static != b.l.Changes.NodeFacts.Now() {
		if !b.l.Changes.NodeFacts.Each(b.static, b.domains.recount) || b.domains.tooMany() {
			b.rebuild()
		}
		b.static = b.l.Changes.NodeFacts.Now()
	}
	b.controllers.regroup()
	if b.controllers.dropped || len(b.spent)+len(b.empty) > 0 {
		b.dropUnused()
	}
}

// respaced says that labels of namespaces changed that selectors name.
func (b *Affinities) respaced() bool {
	return b.spaced != b.l.Namespaces.LabelEpoch() && b.selectors.byNamespace()
}

// byNamespace says that some selector names namespaces by their labels.
func (si *selectorIndex) byNamespace() bool {
	for _, c := range si.byKey { // order-free: one is enough
		if c.byLabels() {
			return true
		}
	}
	return false
}

// tooMany says that a column remembers many domains that no node is in any more.
func (dc *domainColumns) tooMany() bool {
	for _, c := range dc.byKey { // order-free: one is enough
		if len(c.values) > 2*len(dc.b.nodes)+1024 {
			return true
		}
	}
	return false
}

// rebuild counts everything anew.
func (b *Affinities) rebuild() {
	b.clear()
	b.live = true
	for n := range b.l.Nodes.Len() {
		var now *model.Node
		if row := b.l.Node(ledger.NodeID(n)); row.Present() {
			now = row.Fact
		}
		b.nodes = append(b.nodes, now)
	}
	b.static = b.l.Changes.NodeFacts.Now()
	b.bulk = true
	b.l.Tasks.Each(func(t ledger.TaskID) bool {
		b.enter(t, b.l.Task(t).Pod)
		return true
	})
	b.controllers.regroup()
	b.bulk = false
	b.l.PluginStates.Placements(func(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) bool {
		b.add(t, task, n, how, 1)
		return true
	})
	for _, h := range b.selectors.labelled { // order-free: each pod's class is found for itself
		b.restale = append(b.restale, h)
	}
	slices.SortFunc(b.restale, func(x, y *labelledPods) int { return int(x.members[0]) - int(y.members[0]) })
	if b.idle() {
		b.close()
	}
}

// newUser makes the domain counts for the terms of a spec. The pod t that brings the spec is not counted yet:
// its Take follows. In a rebuild all pods are counted at the end.
func (b *Affinities) newUser(s *model.Spec, t ledger.TaskID) *user {
	u := &user{form: askForm(s)}
	b.users[u.form] = u
	n := s.Neighbours
	use := func(parts []model.PodSelector, key string, sc *scope, role Role) *DomainCount {
		y := b.domainCount(parts, key, sc, role, t)
		y.refs++
		u.used = append(u.used, y)
		return y
	}
	if len(n.With) > 0 {
		var all []model.PodSelector
		var keys []string
		for i := range n.With {
			all = append(all, n.With[i].Pods)
			keys = append(keys, n.With[i].Key)
		}
		slices.Sort(keys)
		for _, k := range slices.Compact(keys) {
			u.with = append(u.with, use(all, k, nil, Members))
		}
	}
	for i := range n.Apart {
		one := []model.PodSelector{n.Apart[i].Pods}
		u.apart = append(u.apart, use(one, n.Apart[i].Key, nil, Members))
		u.holds = append(u.holds, use(one, n.Apart[i].Key, nil, AntiAffinityHolders))
		u.weight = append(u.weight, 1)
	}
	for i := range n.Prefer {
		one := []model.PodSelector{n.Prefer[i].Pods}
		u.prefer = append(u.prefer, use(one, n.Prefer[i].Key, nil, Members))
		u.holds = append(u.holds, use(one, n.Prefer[i].Key, nil, PreferredHolders))
		u.weight = append(u.weight, int64(n.Prefer[i].Weight))
	}
	for i := range n.Spread {
		c := &n.Spread[i]
		u.spread = append(u.spread, use([]model.PodSelector{c.Pods}, c.Key, b.domains.scopeOf(s, c), Members))
	}
	return u
}

// domainCount returns the domain count of a selector, key, scope and role. A new one counts all matching pods
// but the pod that brings it.
func (b *Affinities) domainCount(parts []model.PodSelector, key string, sc *scope, role Role,
	but ledger.TaskID) *DomainCount {
	c := b.selectors.of(parts)
	list := &c.members
	if role != Members {
		list = &c.holders
	}
	for _, y := range *list {
		if y.col.key == key && y.scope == sc && y.role == role {
			return y
		}
	}
	b.lastID++
	y := &DomainCount{selector: c, col: b.domains.of(key), scope: sc, role: role, id: b.lastID}
	b.byID[y.id] = y
	b.domainCounts = append(b.domainCounts, y)
	*list = append(*list, y)
	y.col.refs++
	if sc != nil {
		sc.refs++
	}
	c.refs++
	b.shape++
	for n := range b.nodes {
		y.node(ledger.NodeID(n), 1)
	}
	if role != Members {
		b.invalidate(c)
		return y // a pod that holds the term brings it: no pod holds it yet
	}
	if b.bulk {
		return y
	}
	for _, h := range c.pods {
		for _, t := range h.members {
			if row := b.l.Task(ledger.TaskID(t)); ledger.TaskID(t) != but && row.Node != ledger.NoNode {
				y.add(row.Node, y.how(row, row.Hold()), 1)
			}
		}
	}
	return y
}

// invalidate notes that the pods of a selector are to be matched to terms anew.
func (b *Affinities) invalidate(c *selector) {
	for _, h := range c.pods {
		if !h.stale {
			h.stale = true
			b.restale = append(b.restale, h)
		}
	}
}

// of returns the selector for these PodSelectors, a new one if there is none.
func (si *selectorIndex) of(parts []model.PodSelector) *selector {
	form := formOf(parts)
	if c := si.byKey[form]; c != nil {
		return c
	}
	si.b.lastID++
	c := &selector{form: form, parts: parts, id: si.b.lastID, text: textOf(parts)}
	si.byKey[form] = c
	key, values, ok := c.handle()
	if !ok {
		si.any = append(si.any, c)
		for _, h := range si.labelled { // order-free: a set
			si.gather(c, h)
		}
		return c
	}
	for _, v := range values {
		at := label{key, v}
		si.byLabel[at] = append(si.byLabel[at], c)
		for _, h := range si.labelledBy[at] {
			si.gather(c, h)
		}
	}
	return c
}
