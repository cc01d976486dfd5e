package interpod

import "ashlar.sh/sched/ledger"

// Role is what a domain count counts.
type Role uint8

// The roles.
const (
	Members             Role = iota // the pods that a selector matches
	AntiAffinityHolders             // the pods with a required anti-affinity term about them
	PreferredHolders                // weights of the preferred terms about them, negative for anti-affinity
)

// DomainCount counts pods, or weights, by domain of a topology key.
type DomainCount struct {
	selector *selector
	col      *column
	scope    *scope // for spread constraints: the nodes that count; nil: all
	role     Role
	id       int64
	refs     int // how many users name it

	by  [][ledger.NumHolds]int64 // by number of the domain
	all [ledger.NumHolds]int64

	// For spread constraints: nodes is the number of nodes that count, by domain; domains is the number of
	// domains with at least one such node; hist[k] is how many of these domains have k pods; least is the
	// smallest such k.
	nodes   []int32
	domains int
	hist    []int32
	least   int
}

// Key is the topology key.
func (t *DomainCount) Key() string { return t.col.key }

// Pods returns the selector of the counted pods as kubectl writes one.
func (t *DomainCount) Pods() string { return t.selector.text }

// Domain returns the number of a node's domain, 0 for none. Value returns its name.
func (t *DomainCount) Domain(n ledger.NodeID) int32 {
	if int(n) >= len(t.col.of) {
		return 0
	}
	return t.col.of[n]
}

// Value returns the label value that names a domain.
func (t *DomainCount) Value(d int32) string { return t.col.values[d] }

// There counts the pods that are in a domain now. With future it counts only those that are not terminating.
// Pods that are pipelined in the domain are not counted.
func (t *DomainCount) There(d int32, future bool) int64 {
	c := t.at(d)
	if future {
		return c[ledger.Firm]
	}
	return c[ledger.Firm] + c[ledger.Leaving]
}

// Pipelined counts the pods that are pipelined onto nodes of a domain.
func (t *DomainCount) Pipelined(d int32) int64 { return t.at(d)[ledger.Pipelined] }

// All is the sum of There over all domains, AllPipelined that of Pipelined.
func (t *DomainCount) All(future bool) int64 {
	if future {
		return t.all[ledger.Firm]
	}
	return t.all[ledger.Firm] + t.all[ledger.Leaving]
}

// AllPipelined counts the pods that are pipelined in some domain.
func (t *DomainCount) AllPipelined() int64 { return t.all[ledger.Pipelined] }

// NotTerminating counts the pods of a domain that are not terminating, and those that are pipelined in it.
func (t *DomainCount) NotTerminating(d int32) int64 {
	if int(d) >= len(t.by) {
		return 0
	}
	return t.by[d][ledger.Firm] + t.by[d][ledger.Pipelined]
}

// Weigh adds to sums[i] the weight, once for each pod that is in the domain of nodes[i] or is pipelined
// in it.
func (t *DomainCount) Weigh(nodes []ledger.NodeID, weight int64, sums []int64) {
	sums = sums[:len(nodes)]
	for i, n := range nodes {
		if d := t.Domain(n); d != 0 && int(d) < len(t.by) {
			c := &t.by[d]
			sums[i] += weight * (c[ledger.Firm] + c[ledger.Leaving] + c[ledger.Pipelined])
		}
	}
}

// WeighNotTerminating adds weight × NotTerminating + plus to sums[i]. It leaves out nodes[i] where sums[i] is below
// zero or the node has no domain.
func (t *DomainCount) WeighNotTerminating(nodes []ledger.NodeID, weight, plus int64, sums []int64) {
	sums = sums[:len(nodes)]
	for i, n := range nodes {
		if d := t.Domain(n); sums[i] >= 0 && d != 0 {
			sums[i] += weight*t.NotTerminating(d) + plus
		}
	}
}

// Least returns the smallest NotTerminating of the domains that have a node that counts, and the number of such
// domains.
func (t *DomainCount) Least() (least int64, domains int) { return int64(t.least), t.domains }

// LeastFirm is Least without the pods that are only pipelined.
func (t *DomainCount) LeastFirm() int64 {
	if t.all[ledger.Pipelined] == 0 {
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

// how is the way in which a pod counts that holds room in a way: for a topology spread constraint, as for
// kube-scheduler, every terminating pod is leaving, also one that lingers.
func (t *DomainCount) how(task *ledger.Task, how ledger.Hold) ledger.Hold {
	if t.scope != nil && task.Lingers() {
		return ledger.Leaving
	}
	return how
}

// add counts x pods that hold room on a node in one way.
func (t *DomainCount) add(n ledger.NodeID, how ledger.Hold, x int64) {
	d := t.Domain(n)
	if d == 0 || t.scope != nil && !t.scope.ok[n] {
		return
	}
	for int(d) >= len(t.by) {
		t.by = append(t.by, [ledger.NumHolds]int64{})
	}
	was := t.NotTerminating(d)
	t.by[d][how] += x
	t.all[how] += x
	if t.scope != nil && how != ledger.Leaving && int(d) < len(t.nodes) && t.nodes[d] > 0 {
		t.shift(was, -1)
		t.shift(was+x, 1)
		t.raiseLeast()
	}
}

// node adds a node to its domain (x = 1), or takes it out (x = -1).
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
		t.shift(t.NotTerminating(d), int32(x))
		t.raiseLeast()
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

// raiseLeast moves least up to the smallest number of pods that a domain has.
func (t *DomainCount) raiseLeast() {
	if t.domains == 0 {
		t.least = 0
		return
	}
	for t.least < len(t.hist) && t.hist[t.least] == 0 {
		t.least++
	}
}
