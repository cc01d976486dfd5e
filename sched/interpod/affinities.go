package interpod

import (
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Name is the name of this PluginState, for the findings of an audit.
const Name = "neighbours"

// Affinities keeps the domain counts of one ledger. It begins to count when the first pod with terms about
// other pods comes, and drops everything when the last such pod is gone.
type Affinities struct {
	l     *ledger.Ledger
	live  bool
	stale bool // everything is to be counted anew before the next answer
	bulk  bool // all pods are being counted: those that have a node are counted at the end

	nodes        []*model.Node // as last read; nil: not present
	static       ledger.Cursor // of facts of nodes: nodes were read up to it
	spaced       uint64        // the ledger's Namespaces.LabelEpoch up to which namespaces were read
	domainCounts []*DomainCount
	byID         map[int64]*DomainCount
	lastID       int64 // the last id that was given; it is never reset, so that MatchedTerms stay distinct
	shape        uint64
	spent        []*user         // they may have lost their last pod
	empty        []*labelledPods // they may have lost their last pod

	users   map[string]*user      // by what they ask for, see askForm
	known   map[*model.Spec]*user // those found lately
	places  []place               // by TaskID
	restale []*labelledPods
	rules   map[uint64]*Rules // by Class.Born

	recast      []*labelledPods // their waiting pods are to be classed anew; only scores change
	controllers controllerCounts
	services    serviceIndex
	selectors   selectorIndex
	domains     domainColumns
}

// label is a value of a label.
type label struct{ key, value string }

// place is where Affinities keeps a task.
type place struct {
	pods *labelledPods
	user *user
	at   int32 // the task's index in pods.members
}

// user is the pods of one spec that have terms about other pods, and the domain counts of these terms.
type user struct {
	form   string
	pods   int
	with   []*DomainCount // one for each topology key, all with the same selector
	apart  []*DomainCount
	prefer []*DomainCount
	spread []*DomainCount
	holds  []*DomainCount // of the holders of the terms
	weight []int64        // of each of holds
	used   []*DomainCount
}

// Of returns the Affinities of a ledger. The first call adds it to the ledger.
func Of(l *ledger.Ledger) *Affinities {
	if known, ok := l.PluginStates.Find(Name); ok {
		if b, is := known.(*Affinities); is {
			return b
		}
	}
	b := newAffinities(l)
	l.PluginStates.Add(b)
	l.Classes.HeedMatchedTerms(b)
	return b
}

func newAffinities(l *ledger.Ledger) *Affinities {
	b := (&Affinities{l: l}).wire()
	b.clear()
	return b
}

// clear drops everything but the last id.
func (b *Affinities) clear() {
	b.live, b.stale = false, false
	b.spent, b.empty, b.nodes, b.domainCounts, b.selectors.any, b.places, b.restale = nil, nil, nil, nil, nil, nil, nil
	b.controllers.changed, b.recast = nil, nil
	b.controllers.byKey, b.controllers.byID = map[string]*spreadGroup{}, map[int64]*spreadGroup{}
	b.services.clear()
	b.domains.byKey, b.domains.scopes = map[string]*column{}, map[string]*scope{}
	b.selectors.byKey = map[string]*selector{}
	b.byID, b.selectors.byLabel = map[int64]*DomainCount{}, map[label][]*selector{}
	b.selectors.labelled, b.selectors.labelledBy = map[string]*labelledPods{}, map[label][]*labelledPods{}
	b.users, b.known, b.rules = map[string]*user{}, map[*model.Spec]*user{}, map[uint64]*Rules{}
	b.shape++
}

// Name implements ledger.PluginState.
func (b *Affinities) Name() string { return Name }

// Reads implements ledger.FactReader: selectors may name namespaces by their labels, and default spreading is over the
// pods of Services.
func (b *Affinities) Reads(k model.Kind) bool {
	return k == model.KindNamespace || k == model.KindService && b.controllers.even
}

// Fact implements ledger.PluginState: it keeps the Services. The ledger keeps the namespaces.
func (b *Affinities) Fact(f model.Fact) {
	if f.Ref.Kind == model.KindService {
		b.services.fact(f)
	}
}

// Take implements ledger.PluginState: it counts a task on its node.
func (b *Affinities) Take(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	if b.live && !b.stale {
		b.add(t, task, n, how, 1)
	}
}

// Give implements ledger.PluginState: it undoes Take.
func (b *Affinities) Give(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	if b.live && !b.stale {
		b.add(t, task, n, how, -1)
	}
}

func (b *Affinities) add(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold, x int64) {
	if int(t) >= len(b.places) {
		return
	}
	p := &b.places[t]
	if p.pods == nil {
		return
	}
	for _, c := range p.pods.selectors {
		for _, y := range c.members {
			y.add(n, y.how(task, how), x)
		}
	}
	if p.user != nil {
		for i, y := range p.user.holds {
			y.add(n, how, x*p.user.weight[i])
		}
	}
}

// Enter adds a pod to the pods with its labels, and the pod's own terms to those that are counted. The first
// pod that has terms about other pods starts the counting.
func (b *Affinities) Enter(t ledger.TaskID, task *ledger.Task) {
	b.controllers.count(task.Pod, 1)
	switch {
	case b.stale:
	case b.live:
		b.enter(t, task.Pod)
	case task.Pod.Spec.Neighbours != nil:
		b.live, b.stale = true, true
	}
}

// Leave undoes Enter. Terms that no pod holds any more are dropped later, since most pods that leave come back
// at once, changed.
func (b *Affinities) Leave(t ledger.TaskID, task *ledger.Task) {
	b.controllers.count(task.Pod, -1)
	if !b.live || b.stale || int(t) >= len(b.places) || b.places[t].pods == nil {
		return
	}
	p := b.places[t]
	last := len(p.pods.members) - 1
	moved := p.pods.members[last]
	p.pods.members[p.at] = moved
	b.places[moved].at = p.at
	p.pods.members = p.pods.members[:last]
	b.services.count(p.pods, -1)
	b.places[t] = place{}
	if last == 0 {
		b.empty = append(b.empty, p.pods)
	}
	if p.user != nil {
		if p.user.pods--; p.user.pods == 0 {
			b.spent = append(b.spent, p.user)
		}
	}
}

func (b *Affinities) enter(t ledger.TaskID, pod *model.Pod) {
	for int(t) >= len(b.places) {
		b.places = append(b.places, place{})
	}
	h := b.selectors.labelledOf(pod)
	p := place{pods: h, at: int32(len(h.members))}
	h.members = append(h.members, int32(t))
	b.services.count(h, 1)
	b.places[t] = p
	if pod.Spec.Neighbours == nil {
		return
	}
	u := b.userOf(pod.Spec)
	if u == nil {
		u = b.newUser(pod.Spec, t)
	}
	u.pods++
	b.places[t].user = u
}

// MatchedTerms returns, sorted, the ids of the terms of other pods that a task's pod matches, and the ids of
// those selectors of its own terms that match it.
func (b *Affinities) MatchedTerms(t ledger.TaskID, task *ledger.Task) []int64 {
	if !b.live || b.stale || int(t) >= len(b.places) || b.places[t].pods == nil {
		return nil
	}
	p := &b.places[t]
	if p.pods.stale {
		b.findMatchedTerms(p.pods)
	}
	matched := p.pods.matchedTerms
	group := p.pods.group
	if asksSpread(task.Pod.Spec) {
		group = nil
	}
	if p.user == nil && group == nil {
		return matched
	}
	own := slices.Clone(matched)
	if group != nil {
		own = append(own, group.id)
	}
	if p.user == nil {
		slices.Sort(own)
		return own
	}
	for _, y := range p.user.used {
		if y.role == Members && slices.Contains(p.pods.selectors, y.selector) {
			own = append(own, y.selector.id)
		}
	}
	slices.Sort(own)
	return slices.Compact(own)
}

func (b *Affinities) findMatchedTerms(h *labelledPods) {
	h.stale, h.matchedTerms = false, nil
	for _, c := range h.selectors {
		for _, y := range c.holders {
			h.matchedTerms = append(h.matchedTerms, y.id)
		}
	}
	slices.Sort(h.matchedTerms)
}

// labelledOf returns the pods with the labels of a pod, a new set of them if there is none.
func (si *selectorIndex) labelledOf(pod *model.Pod) *labelledPods {
	si.buf = append(append(si.buf[:0], pod.Namespace...), 0)
	labels, owner := pod.Labels, ""
	if si.b.controllers.even && spreads(pod) {
		si.buf = append(append(si.buf, pod.OwnerID...), 0)
		owner = pod.OwnerID
		labels = append([]model.Label{{Key: ownerKey, Value: owner}}, labels...)
	}
	for _, l := range pod.Labels {
		si.buf = append(append(append(append(si.buf, l.Key...), 0), l.Value...), 0)
	}
	if h := si.labelled[string(si.buf)]; h != nil {
		return h
	}
	h := &labelledPods{form: string(si.buf), namespace: pod.Namespace, labels: labels, owner: owner}
	si.labelled[h.form] = h
	for _, l := range h.labels {
		at := label{l.Key, l.Value}
		si.labelledBy[at] = append(si.labelledBy[at], h)
		for _, c := range si.byLabel[at] {
			si.gather(c, h)
		}
	}
	for _, c := range si.any {
		si.gather(c, h)
	}
	si.b.findMatchedTerms(h)
	si.b.services.enter(h)
	return h
}

// gather adds pods with the same labels to a selector, if it matches them.
func (si *selectorIndex) gather(c *selector, h *labelledPods) {
	if si.has(c, h) {
		h.selectors = append(h.selectors, c)
		c.pods = append(c.pods, h)
	}
}

// Audit counts everything anew and reports the differences. What is to be counted anew at the next Open has none.
func (b *Affinities) Audit(func(yield func(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) bool)) []string {
	if !b.live || b.respaced() {
		return nil
	}
	b.Follow()
	again := newAffinities(b.l)
	again.controllers.even, again.controllers.owned = b.controllers.even, b.controllers.owned
	again.services.takeAll(b.services.byName)
	again.live, again.stale = true, true
	again.Follow()
	is, should := b.findings(), again.findings()
	var found []string
	for _, line := range is {
		if _, ok := slices.BinarySearch(should, line); !ok {
			found = append(found, "kept "+line)
		}
	}
	for _, line := range should {
		if _, ok := slices.BinarySearch(is, line); !ok {
			found = append(found, "counted "+line)
		}
	}
	b.l.Tasks.Each(func(t ledger.TaskID) bool {
		row := b.l.Task(t)
		is, want := b.l.Class(row.Class).Spec.MatchedTerms, b.MatchedTerms(t, row)
		if row.Placeable() && !slices.Equal(is, want) && !b.loose(t) {
			found = append(found, fmt.Sprintf("task %v: matched %v, recounted %v", row.Key, is, want))
		}
		return true
	})
	return found
}

// loose says that a task's class is to be found anew at the next Open. When counting has ended, the tasks have no
// places any more.
func (b *Affinities) loose(t ledger.TaskID) bool {
	in := func(h *labelledPods) bool { return slices.Contains(h.members, int32(t)) }
	return slices.ContainsFunc(b.restale, in) || slices.ContainsFunc(b.recast, in)
}

// findings writes every count as a line, sorted.
func (b *Affinities) findings() []string {
	var out []string
	for _, t := range b.domainCounts {
		for d, c := range t.by {
			if c != [ledger.NumHolds]int64{} {
				out = append(out, fmt.Sprintf("%s by %s, role %d, %s: %s has %v", t.selector.form, t.col.key, t.role,
					t.scopeForm(), t.Value(int32(d)), c))
			}
		}
		out = append(out, fmt.Sprintf("%s by %s, role %d, %s: all %v, %d domains, least %d, %d label sets",
			t.selector.form, t.col.key, t.role, t.scopeForm(), t.all, t.domains, t.least, len(t.selector.pods)))
	}
	slices.Sort(out)
	return out
}

func (t *DomainCount) scopeForm() string {
	if t.scope == nil {
		return "all nodes"
	}
	return t.scope.form
}

// wire tells the parts what they are parts of.
func (b *Affinities) wire() *Affinities {
	b.controllers.b = b
	b.services.b = b
	b.selectors.b = b
	b.domains.b = b
	return b
}
