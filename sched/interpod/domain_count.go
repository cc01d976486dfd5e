package interpod

import "ashlar.sh/sched/ledger"

// Role is what a domain count counts.
type Role uint8

// The roles.
const (
	Members             Role = iota // the pods of a selection
	AntiAffinityHolders             // those who may not be together with one of the selected pods
	PreferredHolders                // the weights of those who prefer to be together with the selected pods, or, below zero, apart
)

// DomainCount counts by domain of a topology key.
type DomainCount struct {
	selector *selector
	col      *column
	scope    *scope // of spread: the nodes that count; nil: all
	role     Role
	birth    int64
	refs     int // pods' templates

	by  [][ledger.NumHolds]int64 // by number of the domain
	all [ledger.NumHolds]int64

	// Of spread: the number of nodes that count, by domain, and how many domains that have
	// some hold how many pods.
	nodes   []int32
	domains int
	hist    []int32
	least   int
}

// Key is the topology key.
func (t *DomainCount) Key() string { return t.col.key }

// Pods is the selected pods, as a selector is written.
func (t *DomainCount) Pods() string { return t.selector.text }

// Domain is the number of a node's domain, 0 for none; Value is its name.
func (t *DomainCount) Domain(n ledger.NodeID) int32 {
	if int(n) >= len(t.col.of) {
		return 0
	}
	return t.col.of[n]
}

// Value is the label's value that names a domain.
func (t *DomainCount) Value(d int32) string { return t.col.values[d] }

// There is the count of those who are in a domain now; future: of those who will stay.
// Those who are promised a place there are left out.
func (t *DomainCount) There(d int32, future bool) int64 {
	c := t.at(d)
	if future {
		return c[ledger.Firm]
	}
	return c[ledger.Firm] + c[ledger.Leaving]
}

// Promised is the count of those who are promised a place in a domain.
func (t *DomainCount) Promised(d int32) int64 { return t.at(d)[ledger.Promised] }

// All is There over all domains, AllPromised Promised.
func (t *DomainCount) All(future bool) int64 {
	if future {
		return t.all[ledger.Firm]
	}
	return t.all[ledger.Firm] + t.all[ledger.Leaving]
}

// AllPromised is the count of those who are promised a place in some domain.
func (t *DomainCount) AllPromised() int64 { return t.all[ledger.Promised] }

// Kept is the count of those in a domain who are not leaving, or are promised a place.
func (t *DomainCount) Kept(d int32) int64 {
	if int(d) >= len(t.by) {
		return 0
	}
	return t.by[d][ledger.Firm] + t.by[d][ledger.Promised]
}

// Weigh adds to sums[i] weight points for each who is in the domain of nodes[i], or promised
// a place there.
func (t *DomainCount) Weigh(nodes []ledger.NodeID, weight int64, sums []int64) {
	sums = sums[:len(nodes)]
	for i, n := range nodes {
		if d := t.Domain(n); d != 0 && int(d) < len(t.by) {
			c := &t.by[d]
			sums[i] += weight * (c[ledger.Firm] + c[ledger.Leaving] + c[ledger.Promised])
		}
	}
}

// WeighKept is Weigh without those who are leaving; nodes[i] is left out where sums[i] is
// below zero, or it has no domain.
func (t *DomainCount) WeighKept(nodes []ledger.NodeID, weight, plus int64, sums []int64) {
	sums = sums[:len(nodes)]
	for i, n := range nodes {
		if d := t.Domain(n); sums[i] >= 0 && d != 0 {
			sums[i] += weight*t.Kept(d) + plus
		}
	}
}

// Least is the smallest Kept of all domains in which a node counts, and how many domains
// that are.
func (t *DomainCount) Least() (least int64, domains int) { return int64(t.least), t.domains }

// LeastFirm is Least without those who are only promised a place.
func (t *DomainCount) LeastFirm() int64 {
	if t.all[ledger.Promised] == 0 {
		return int64(t.least)
	}
	least, any := int64(0), false
	for d, n := range t.nodes {
		if n > 0 && (!any || t.at(int32(d))[ledger.Firm] < least) {
			least, any = t.at(int32(d))[ledger.Firm], true
		}
	}
	return least
}

// Counts says that a node counts for the constraint.
func (t *DomainCount) Counts(n ledger.NodeID) bool {
	return t.scope == nil || int(n) < len(t.scope.ok) && t.scope.ok[n]
}

func (t *DomainCount) at(d int32) [ledger.NumHolds]int64 {
	if int(d) < len(t.by) {
		return t.by[d]
	}
	return [ledger.NumHolds]int64{}
}

// add counts x who sit on a node in one way.
func (t *DomainCount) add(n ledger.NodeID, how ledger.Hold, x int64) {
	d := t.Domain(n)
	if d == 0 || t.scope != nil && !t.scope.ok[n] {
		return
	}
	for int(d) >= len(t.by) {
		t.by = append(t.by, [ledger.NumHolds]int64{})
	}
	was := t.Kept(d)
	t.by[d][how] += x
	t.all[how] += x
	if t.scope != nil && how != ledger.Leaving && int(d) < len(t.nodes) && t.nodes[d] > 0 {
		t.shift(was, -1)
		t.shift(was+x, 1)
		t.settle()
	}
}

// node counts a node, or takes it out.
func (t *DomainCount) node(n ledger.NodeID, x int64) {
	d := t.Domain(n)
	if t.scope == nil || d == 0 || !t.scope.ok[n] {
		return
	}
	for int(d) >= len(t.nodes) {
		t.nodes = append(t.nodes, 0)
	}
	was := t.nodes[d]
	t.nodes[d] += int32(x)
	if was == 0 || t.nodes[d] == 0 {
		t.domains += int(x)
		t.shift(t.Kept(d), int32(x))
		t.settle()
	}
}

// shift adds x to the number of domains with so many pods.
func (t *DomainCount) shift(pods int64, x int32) {
	for int(pods) >= len(t.hist) {
		t.hist = append(t.hist, 0)
	}
	t.hist[pods] += x
	if x > 0 && int(pods) < t.least {
		t.least = int(pods)
	}
}

// settle moves least up to the first number of pods that some domain has.
func (t *DomainCount) settle() {
	if t.domains == 0 {
		t.least = 0
		return
	}
	for t.least < len(t.hist) && t.hist[t.least] == 0 {
		t.least++
	}
}
