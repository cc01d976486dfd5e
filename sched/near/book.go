package near

import (
	"fmt"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Name is the book's, for findings of an audit.
const Name = "neighbours"

// Book keeps the tallies of one ledger. It comes into being when the first pod asks
// something of those around it, and forgets everything when the last one is gone.
type Book struct {
	l     *ledger.Ledger
	live  bool
	stale bool // to be counted anew before the next answer
	bulk  bool // being counted: who sits is counted at the end

	nodes    []*model.Node // as last read; nil: not there
	static   uint64        // of the ledger's static journal
	spaced   uint64        // of its namespaces
	columns  map[string]*column
	scopes   map[string]*scope
	crowds   map[string]*crowd
	tallies  []*Tally
	byBirth  map[int64]*Tally
	births   int64 // never begins anew: Kin are told apart by it
	shape    uint64
	spent    []*user // may have lost their last pod
	empty    []*herd // … and so may these
	crowdsBy map[label][]*crowd
	anyCrowd []*crowd // without a handle

	herds   map[string]*herd
	herdsBy map[label][]*herd
	users   map[string]*user      // by what they ask
	known   map[*model.Spec]*user // those found lately
	places  []place               // by TaskID
	restale []*herd
	rules   map[uint64]*Rules // by Class.Born
	buf     []byte

	even    bool           // see Even
	owned   map[string]int // pods by controller, of kinds whose pods are spread
	stirred []label        // controllers, by namespace, that got their second pod, or lost it
	broods  map[string]*brood
	broodOf map[int64]*brood // by birth
	thinned bool             // some of them dissolved
	recast  []*herd          // whose waiting pods are to be classed anew: scores alone change
}

// label is a value of a label.
type label struct{ key, value string }

// place is where a task is found again.
type place struct {
	herd *herd
	user *user
	at   int32 // in the herd's seats
}

// user is the pods of one spec that ask something of those around, and what that is.
type user struct {
	form   string
	pods   int
	with   []*Tally // one for each key, all of one crowd
	apart  []*Tally
	prefer []*Tally
	spread []*Tally
	holds  []*Tally // of the terms
	weight []int64  // by holds
	used   []*Tally
}

// Of is the Book of a ledger; the first who asks opens it.
func Of(l *ledger.Ledger) *Book {
	if known, ok := l.FindBook(Name); ok {
		if b, is := known.(*Book); is {
			return b
		}
	}
	b := newBook(l)
	l.AddBook(b)
	l.HeedKin(b)
	return b
}

func newBook(l *ledger.Ledger) *Book {
	b := &Book{l: l}
	b.clear()
	return b
}

// clear forgets all but who was born.
func (b *Book) clear() {
	b.live, b.stale = false, false
	b.spent, b.empty, b.nodes, b.tallies, b.anyCrowd, b.places, b.restale = nil, nil, nil, nil, nil, nil, nil
	b.stirred, b.recast = nil, nil
	b.broods, b.broodOf = map[string]*brood{}, map[int64]*brood{}
	b.columns, b.scopes, b.crowds = map[string]*column{}, map[string]*scope{}, map[string]*crowd{}
	b.byBirth, b.crowdsBy = map[int64]*Tally{}, map[label][]*crowd{}
	b.herds, b.herdsBy = map[string]*herd{}, map[label][]*herd{}
	b.users, b.known, b.rules = map[string]*user{}, map[*model.Spec]*user{}, map[uint64]*Rules{}
	b.shape++
}

// Name implements ledger.Book.
func (b *Book) Name() string { return Name }

// Reads implements ledger.Book: namespaces have labels by which crowds may be named.
func (b *Book) Reads(k model.Kind) bool { return k == model.KindNamespace }

// Fact implements ledger.Book: namespaces are the ledger's.
func (b *Book) Fact(model.Fact) {}

// Take counts a task where it sits.
func (b *Book) Take(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	if b.live && !b.stale {
		b.sit(t, task, n, how, 1)
	}
}

// Give takes a Take back.
func (b *Book) Give(t ledger.TaskID, task *ledger.Task, n ledger.NodeID, how ledger.Hold) {
	if b.live && !b.stale {
		b.sit(t, task, n, how, -1)
	}
}

func (b *Book) sit(t ledger.TaskID, _ *ledger.Task, n ledger.NodeID, how ledger.Hold, x int64) {
	if int(t) >= len(b.places) {
		return
	}
	p := &b.places[t]
	if p.herd == nil {
		return
	}
	for _, c := range p.herd.crowds {
		for _, y := range c.members {
			y.sit(n, how, x)
		}
	}
	if p.user != nil {
		for i, y := range p.user.holds {
			y.sit(n, how, x*p.user.weight[i])
		}
	}
}

// Enter makes a pod one of a herd, and what it asks for something that is counted. The
// first that asks for anything opens the book.
func (b *Book) Enter(t ledger.TaskID, task *ledger.Task) {
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
func (b *Book) Leave(t ledger.TaskID, task *ledger.Task) {
	b.count(task.Pod, -1)
	if !b.live || b.stale || int(t) >= len(b.places) || b.places[t].herd == nil {
		return
	}
	p := b.places[t]
	last := len(p.herd.seats) - 1
	moved := p.herd.seats[last]
	p.herd.seats[p.at] = moved
	b.places[moved].at = p.at
	p.herd.seats = p.herd.seats[:last]
	b.places[t] = place{}
	if last == 0 {
		b.empty = append(b.empty, p.herd)
	}
	if p.user != nil {
		if p.user.pods--; p.user.pods == 0 {
			b.spent = append(b.spent, p.user)
		}
	}
}

func (b *Book) enter(t ledger.TaskID, pod *model.Pod) {
	for int(t) >= len(b.places) {
		b.places = append(b.places, place{})
	}
	h := b.herdOf(pod)
	p := place{herd: h, at: int32(len(h.seats))}
	h.seats = append(h.seats, int32(t))
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

// Kin are the terms of others that a task's pod is one of the crowd of, and the crowds of
// its own terms that it is one of.
func (b *Book) Kin(t ledger.TaskID, task *ledger.Task) []int64 {
	if !b.live || b.stale || int(t) >= len(b.places) || b.places[t].herd == nil {
		return nil
	}
	p := &b.places[t]
	if p.herd.stale {
		b.findKin(p.herd)
	}
	kin := p.herd.kin
	brood := p.herd.brood
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
		if y.role == Members && slices.Contains(p.herd.crowds, y.crowd) {
			own = append(own, y.crowd.birth)
		}
	}
	slices.Sort(own)
	return slices.Compact(own)
}

func (b *Book) findKin(h *herd) {
	h.stale, h.kin = false, nil
	for _, c := range h.crowds {
		for _, y := range c.holders {
			h.kin = append(h.kin, y.birth)
		}
	}
	slices.Sort(h.kin)
}

// herdOf finds the herd of a pod, or founds it.
func (b *Book) herdOf(pod *model.Pod) *herd {
	b.buf = append(append(b.buf[:0], pod.Namespace...), 0)
	labels := pod.Labels
	if b.even && spreads(pod) {
		b.buf = append(append(b.buf, pod.OwnerID...), 0)
		labels = append([]model.Label{{Key: ownerKey, Value: pod.OwnerID}}, labels...)
	}
	for _, l := range pod.Labels {
		b.buf = append(append(append(append(b.buf, l.Key...), 0), l.Value...), 0)
	}
	if h := b.herds[string(b.buf)]; h != nil {
		return h
	}
	h := &herd{form: string(b.buf), namespace: pod.Namespace, labels: labels, brood: b.broods[broodKey(pod.Namespace, pod.OwnerID)]}
	b.herds[h.form] = h
	for _, l := range h.labels {
		at := label{l.Key, l.Value}
		b.herdsBy[at] = append(b.herdsBy[at], h)
		for _, c := range b.crowdsBy[at] {
			b.gather(c, h)
		}
	}
	for _, c := range b.anyCrowd {
		b.gather(c, h)
	}
	b.findKin(h)
	return h
}

// gather makes a herd one of a crowd's, if it is about it.
func (b *Book) gather(c *crowd, h *herd) {
	if b.has(c, h) {
		h.crowds = append(h.crowds, c)
		c.herds = append(c.herds, h)
	}
}

// Audit counts again from nothing and compares.
func (b *Book) Audit(func(yield func(ledger.TaskID, *ledger.Task, ledger.NodeID, ledger.Hold) bool)) []string {
	if !b.live {
		return nil
	}
	b.Follow()
	again := newBook(b.l)
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
		if want := b.Kin(t, row); row.Placeable() && !slices.Equal(b.l.Class(row.Class).Spec.Kin, want) && !b.loose(t) {
			found = append(found, fmt.Sprintf("task %v: kin %v, recounted %v", row.Key, b.l.Class(row.Class).Spec.Kin, want))
		}
		return true
	})
	return found
}

// loose says that a task's class is still to be found, at the next Open.
func (b *Book) loose(t ledger.TaskID) bool {
	return slices.Contains(b.restale, b.places[t].herd) || slices.Contains(b.recast, b.places[t].herd)
}

// dump writes every count as a line, sorted.
func (b *Book) dump() []string {
	var out []string
	for _, t := range b.tallies {
		for d, c := range t.by {
			if c != [ledger.NumHolds]int64{} {
				out = append(out, fmt.Sprintf("%s by %s, role %d, %s: %s has %v", t.crowd.form, t.col.key, t.role, t.scopeForm(), t.Value(int32(d)), c))
			}
		}
		out = append(out, fmt.Sprintf("%s by %s, role %d, %s: all %v, %d domains, least %d, %d herds", t.crowd.form, t.col.key, t.role,
			t.scopeForm(), t.all, t.domains, t.least, len(t.crowd.herds)))
	}
	slices.Sort(out)
	return out
}

func (t *Tally) scopeForm() string {
	if t.scope == nil {
		return "all nodes"
	}
	return t.scope.form
}
