package interpod

import (
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Name is the book's, for findings of an audit.
const Name = "neighbours"

// Affinities keeps the domain counts of one ledger. It comes into being when the first pod asks
// something of those around it, and forgets everything when the last one is gone.
type Affinities struct {
	l     *ledger.Ledger
	live  bool
	stale bool // to be counted anew before the next answer
	bulk  bool // being counted: who sits is counted at the end

	nodes        []*model.Node // as last read; nil: not there
	static       uint64        // of the ledger's static journal
	spaced       uint64        // of its namespaces
	columns      map[string]*column
	scopes       map[string]*scope
	selectors    map[string]*selector
	domainCounts []*DomainCount
	byBirth      map[int64]*DomainCount
	births       int64 // never begins anew: MatchedTerms are told apart by it
	shape        uint64
	spent        []*user         // may have lost their last pod
	empty        []*labelledPods // … and so may these
	selectorsBy  map[label][]*selector
	anySelector  []*selector // without a handle

	labelled   map[string]*labelledPods
	labelledBy map[label][]*labelledPods
	users      map[string]*user      // by what they ask
	known      map[*model.Spec]*user // those found lately
	places     []place               // by TaskID
	restale    []*labelledPods
	rules      map[uint64]*Rules // by Class.Born
	buf        []byte

	even    bool           // see Even
	owned   map[string]int // pods by controller, of kinds whose pods are spread
	stirred []label        // controllers, by namespace, that got their second pod, or lost it
	broods  map[string]*brood
	broodOf map[int64]*brood // by birth
	thinned bool             // some of them dissolved
	recast  []*labelledPods  // whose waiting pods are to be classed anew: scores alone change
}

// label is a value of a label.
type label struct{ key, value string }

// place is where a task is found again.
type place struct {
	pods *labelledPods
	user *user
	at   int32 // in the members of the set of pods with the same labels
}

// user is the pods of one spec that ask something of those around, and what that is.
type user struct {
	form   string
	pods   int
	with   []*DomainCount // one for each key, all of one selected pods
	apart  []*DomainCount
	prefer []*DomainCount
	spread []*DomainCount
	holds  []*DomainCount // of the terms
	weight []int64        // by holds
	used   []*DomainCount
}

// Of is the Affinities of a ledger; the first who asks opens it.
func Of(l *ledger.Ledger) *Affinities {
	if known, ok := l.FindPluginState(Name); ok {
		if b, is := known.(*Affinities); is {
			return b
		}
	}
	b := newAffinities(l)
	l.AddPluginState(b)
	l.HeedMatchedTerms(b)
	return b
}

func newAffinities(l *ledger.Ledger) *Affinities {
	b := &Affinities{l: l}
	b.clear()
	return b
}

// clear forgets all but who was born.
func (b *Affinities) clear() {
	b.live, b.stale = false, false
	b.spent, b.empty, b.nodes, b.domainCounts, b.anySelector, b.places, b.restale = nil, nil, nil, nil, nil, nil, nil
	b.stirred, b.recast = nil, nil
	b.broods, b.broodOf = map[string]*brood{}, map[int64]*brood{}
	b.columns, b.scopes, b.selectors = map[string]*column{}, map[string]*scope{}, map[string]*selector{}
	b.byBirth, b.selectorsBy = map[int64]*DomainCount{}, map[label][]*selector{}
	b.labelled, b.labelledBy = map[string]*labelledPods{}, map[label][]*labelledPods{}
	b.users, b.known, b.rules = map[string]*user{}, map[*model.Spec]*user{}, map[uint64]*Rules{}
	b.shape++
}

// Name implements ledger.PluginState.
func (b *Affinities) Name() string { return Name }

// Reads implements ledger.PluginState: namespaces have labels by which selected pods may be named.
func (b *Affinities) Reads(k model.Kind) bool { return k == model.KindNamespace }

// Fact implements ledger.PluginState: namespaces are the ledger's.
func (b *Affinities) Fact(model.Fact) {}

// Take counts a task where it sits.
func (b *Affinities) Take(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	if b.live && !b.stale {
		b.add(t, task, n, how, 1)
	}
}

// Give takes a Take back.
func (b *Affinities) Give(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	if b.live && !b.stale {
		b.add(t, task, n, how, -1)
	}
}

func (b *Affinities) add(t ledger.TaskID, _ *ledger.Task, n ledger.NodeID, how ledger.Hold, x int64) {
	if int(t) >= len(b.places) {
		return
	}
	p := &b.places[t]
	if p.pods == nil {
		return
	}
	for _, c := range p.pods.selectors {
		for _, y := range c.members {
			y.add(n, how, x)
		}
	}
	if p.user != nil {
		for i, y := range p.user.holds {
			y.add(n, how, x*p.user.weight[i])
		}
	}
}

// Enter makes a pod one of a set of pods with the same labels, and what it asks for something that is counted. The
// first that asks for anything opens the book.
func (b *Affinities) Enter(t ledger.TaskID, task *ledger.Task) {
	b.count(task.Pod, 1)
	switch {
	case b.stale:
	case b.live:
		b.enter(t, task.Pod)
	case task.Pod.Spec.Neighbours != nil:
		b.live, b.stale = true, true
	}
}

// Leave takes an Enter back. What nobody asks for any more is dropped later: most pods
// that leave come back at once, changed.
func (b *Affinities) Leave(t ledger.TaskID, task *ledger.Task) {
	b.count(task.Pod, -1)
	if !b.live || b.stale || int(t) >= len(b.places) || b.places[t].pods == nil {
		return
	}
	p := b.places[t]
	last := len(p.pods.members) - 1
	moved := p.pods.members[last]
	p.pods.members[p.at] = moved
	b.places[moved].at = p.at
	p.pods.members = p.pods.members[:last]
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
	h := b.labelledOf(pod)
	p := place{pods: h, at: int32(len(h.members))}
	h.members = append(h.members, int32(t))
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

// MatchedTerms are the terms of others that a task's pod is one of the selected pods of, and the selected pods of
// its own terms that it is one of.
func (b *Affinities) MatchedTerms(t ledger.TaskID, task *ledger.Task) []int64 {
	if !b.live || b.stale || int(t) >= len(b.places) || b.places[t].pods == nil {
		return nil
	}
	p := &b.places[t]
	if p.pods.stale {
		b.findMatchedTerms(p.pods)
	}
	kin := p.pods.matchedTerms
	brood := p.pods.brood
	if asksSpread(task.Pod.Spec) {
		brood = nil
	}
	if p.user == nil && brood == nil {
		return kin
	}
	own := slices.Clone(kin)
	if brood != nil {
		own = append(own, brood.birth)
	}
	if p.user == nil {
		slices.Sort(own)
		return own
	}
	for _, y := range p.user.used {
		if y.role == Members && slices.Contains(p.pods.selectors, y.selector) {
			own = append(own, y.selector.birth)
		}
	}
	slices.Sort(own)
	return slices.Compact(own)
}

func (b *Affinities) findMatchedTerms(h *labelledPods) {
	h.stale, h.matchedTerms = false, nil
	for _, c := range h.selectors {
		for _, y := range c.holders {
			h.matchedTerms = append(h.matchedTerms, y.birth)
		}
	}
	slices.Sort(h.matchedTerms)
}

// labelledOf finds the set of pods with the same labels of a pod, or founds it.
func (b *Affinities) labelledOf(pod *model.Pod) *labelledPods {
	b.buf = append(append(b.buf[:0], pod.Namespace...), 0)
	labels := pod.Labels
	if b.even && spreads(pod) {
		b.buf = append(append(b.buf, pod.OwnerID...), 0)
		labels = append([]model.Label{{Key: ownerKey, Value: pod.OwnerID}}, labels...)
	}
	for _, l := range pod.Labels {
		b.buf = append(append(append(append(b.buf, l.Key...), 0), l.Value...), 0)
	}
	if h := b.labelled[string(b.buf)]; h != nil {
		return h
	}
	h := &labelledPods{form: string(b.buf), namespace: pod.Namespace, labels: labels, brood: b.broods[broodKey(pod.Namespace, pod.OwnerID)]}
	b.labelled[h.form] = h
	for _, l := range h.labels {
		at := label{l.Key, l.Value}
		b.labelledBy[at] = append(b.labelledBy[at], h)
		for _, c := range b.selectorsBy[at] {
			b.gather(c, h)
		}
	}
	for _, c := range b.anySelector {
		b.gather(c, h)
	}
	b.findMatchedTerms(h)
	return h
}

// gather makes a set of pods with the same labels one of a selection's, if it is about it.
func (b *Affinities) gather(c *selector, h *labelledPods) {
	if b.has(c, h) {
		h.selectors = append(h.selectors, c)
		c.pods = append(c.pods, h)
	}
}

// Audit counts again from nothing and compares.
func (b *Affinities) Audit(func(yield func(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) bool)) []string {
	if !b.live {
		return nil
	}
	b.Follow()
	again := newAffinities(b.l)
	again.even, again.owned = b.even, b.owned
	again.live, again.stale = true, true
	again.Follow()
	is, should := b.dump(), again.dump()
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
	b.l.Tasks(func(t ledger.TaskID) bool {
		row := b.l.Task(t)
		if want := b.MatchedTerms(t, row); row.Placeable() && !slices.Equal(b.l.Class(row.Class).Spec.MatchedTerms, want) && !b.loose(t) {
			found = append(found, fmt.Sprintf("task %v: kin %v, recounted %v", row.Key, b.l.Class(row.Class).Spec.MatchedTerms, want))
		}
		return true
	})
	return found
}

// loose says that a task's class is still to be found, at the next Open.
func (b *Affinities) loose(t ledger.TaskID) bool {
	return slices.Contains(b.restale, b.places[t].pods) || slices.Contains(b.recast, b.places[t].pods)
}

// dump writes every count as a line, sorted.
func (b *Affinities) dump() []string {
	var out []string
	for _, t := range b.domainCounts {
		for d, c := range t.by {
			if c != [ledger.NumHolds]int64{} {
				out = append(out, fmt.Sprintf("%s by %s, role %d, %s: %s has %v", t.selector.form, t.col.key, t.role, t.scopeForm(), t.Value(int32(d)), c))
			}
		}
		out = append(out, fmt.Sprintf("%s by %s, role %d, %s: all %v, %d domains, least %d, %d herds", t.selector.form, t.col.key, t.role,
			t.scopeForm(), t.all, t.domains, t.least, len(t.selector.pods)))
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
