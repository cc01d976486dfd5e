// Package topology knows which nodes are near each other: it makes a tree of domains from HyperNodes, and
// updates it as facts change.
//
// The nodes of a leaf reach each other fastest; every domain above is of a higher tier. At the top is a root
// without a name, one tier above the highest, which holds all nodes, with or without a HyperNode. Without
// HyperNodes it is the only domain.
//
// HyperNodes need not form a tree. If two of them claim the same node, or the same HyperNode, it belongs to
// the older one, then to the first by name, and not to the other: so every node of a domain is in it by all
// HyperNodes. A HyperNode that names itself, or a HyperNode of no lower tier, as a member is set aside, and
// only that one: so there are no cycles. All of this is reported (Faults), and affects no other HyperNode.
//
// The tree depends on the facts alone, not on their order. Domains are numbered anew whenever it changes.
// Lists of nodes must not be changed; a list that was returned before stays as it was.
package topology

import (
	"regexp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// ID numbers a domain until the tree changes.
type ID int32

// The root, and no domain at all.
const (
	Root ID = 0
	None ID = -1
)

// Domain is one node of the tree.
type Domain struct {
	Name  string // of its HyperNode; "" for the root
	Tier  int32
	Up    ID              // None above the root
	Down  []ID            // by name
	Nodes []ledger.NodeID // all below, by name
	Own   []ledger.NodeID // those in no domain below, by name
}

// Level is the domains of one tier, by name.
type Level struct {
	Tier    int32
	Domains []ID
}

// Fault is what is wrong between HyperNodes, and what becomes of it.
type Fault struct{ Object, Message string }

// Map is the tree for one ledger.
type Map struct {
	l        *ledger.Ledger
	heard    bool
	hyperAt  uint64
	staticAt ledger.Cursor
	version  uint64

	hypers   []hyper
	byName   map[string]int
	exact    map[string][]int32 // HyperNodes that name a node
	wide     []int32            // those that select nodes by pattern or label
	claims   [][]int32          // by NodeID: the HyperNodes that select it, in order
	called   []string           // by NodeID: its name; "" for a node that is not present
	patterns map[string]*regexp.Regexp

	domains []Domain
	levels  []Level // lowest first, the root's last
	leaf    []ID    // by NodeID
	names   []ledger.NodeID
	faults  []Fault
	unready int
}

// hyper is a HyperNode while the tree is made.
type hyper struct {
	fact  *model.HyperNode
	ready bool
	up    int // in hypers, -1 without
	down  []int
	id    ID
}

// New returns the map of a ledger; it looks at nothing yet.
func New(l *ledger.Ledger) *Map {
	return &Map{l: l, patterns: map[string]*regexp.Regexp{}}
}

// Fresh brings the map up to date and returns it. It costs nothing if neither HyperNodes nor nodes have
// changed, and little if nodes changed in what no HyperNode asks for.
func (m *Map) Fresh() *Map {
	hyper, static := m.l.HyperNodes.Epoch(), m.l.Changes.NodeFacts.Now()
	if m.heard && hyper == m.hyperAt && static == m.staticAt {
		return m
	}
	changed := !m.heard || hyper != m.hyperAt
	if changed {
		m.readHypers()
		m.claimAll()
	} else if !m.l.Changes.NodeFacts.Each(m.staticAt, func(n ledger.NodeID) { changed = m.claim(n) || changed }) {
		changed = true
		m.claimAll()
	}
	m.heard, m.hyperAt, m.staticAt = true, hyper, static
	if !changed {
		return m
	}
	m.version++
	m.link()
	return m
}

// Version changes whenever the tree may have changed.
func (m *Map) Version() uint64 { return m.version }

// Domain returns a domain; it must not be changed.
func (m *Map) Domain(d ID) *Domain { return &m.domains[d] }

// Len is the number of domains, the root among them.
func (m *Map) Len() int { return len(m.domains) }

// Levels are the domains tier by tier, the lowest first; the root is the last.
func (m *Map) Levels() []Level { return m.levels }

// Flat says that there is no domain but the root.
func (m *Map) Flat() bool { return len(m.domains) == 1 }

// Faults is what is wrong between HyperNodes, sorted.
func (m *Map) Faults() []Fault { return m.faults }

// Unready is the number of HyperNodes that were set aside.
func (m *Map) Unready() int { return m.unready }

// Leaf is the smallest domain that a node is in: the root where no HyperNode has it.
func (m *Map) Leaf(n ledger.NodeID) ID {
	if int(n) >= len(m.leaf) {
		return Root
	}
	return m.leaf[n]
}

// Holds says that a node is in a domain.
func (m *Map) Holds(d ID, n ledger.NodeID) bool {
	at := m.Leaf(n)
	for at != None && m.domains[at].Tier < m.domains[d].Tier {
		at = m.domains[at].Up
	}
	return at == d
}

// Within says that a domain is another or below it.
func (m *Map) Within(d, above ID) bool {
	for d != None && m.domains[d].Tier < m.domains[above].Tier {
		d = m.domains[d].Up
	}
	return d == above
}

// Join is the smallest domain that holds both.
func (m *Map) Join(a, b ID) ID {
	for a != b {
		if m.domains[a].Tier <= m.domains[b].Tier {
			a = m.domains[a].Up
		} else {
			b = m.domains[b].Up
		}
	}
	return a
}

// Limit is the highest tier that a topology allows: the root's tier where it names none, or a name that no
// HyperNode has (decision 41).
func (m *Map) Limit(t *model.Topology) int32 {
	if t == nil || !t.Hard {
		return m.domains[Root].Tier
	}
	if t.Highest >= 0 {
		return t.Highest
	}
	if tier, known := m.tierOf(t.HighestName); known {
		return tier
	}
	return m.domains[Root].Tier
}

// Unknown reports whether a topology names its highest tier by a name that no HyperNode has.
func (m *Map) Unknown(t *model.Topology) bool {
	if t == nil || !t.Hard || t.Highest >= 0 || t.HighestName == "" {
		return false
	}
	_, known := m.tierOf(t.HighestName)
	return !known
}

// tierOf is the tier of a name.
func (m *Map) tierOf(name string) (tier int32, known bool) {
	if name == "" {
		return 0, false
	}
	for _, l := range m.levels { // of tiers that share a name the lowest is meant
		for _, d := range l.Domains {
			if d != Root && m.hypers[m.byName[m.domains[d].Name]].fact.TierName == name {
				return l.Tier, true
			}
		}
	}
	return 0, false
}

// Reach is the smallest domain that holds the members of a job that have a node or are pipelined; of one
// sub-group (its index in the job's Subs), or with AllSubs of all members. None when there are none. Members
// on nodes that are gone do not count.
func (m *Map) Reach(j ledger.JobID, sub int32) ID {
	at := None
	join := func(t ledger.TaskID) bool {
		task := m.l.Task(t)
		switch {
		case task.Node == ledger.NoNode || !m.l.Node(task.Node).Present():
		case at == None:
			at = m.Leaf(task.Node)
		default:
			at = m.Join(at, m.Leaf(task.Node))
		}
		return at != Root
	}
	if sub != AllSubs {
		m.l.Jobs.SubTasks(j, sub, func(t ledger.TaskID) bool {
			return !slices.Contains(placed[:], m.l.Task(t).Status) || join(t)
		})
		return at
	}
	for _, s := range placed {
		m.l.Jobs.Tasks(j, s, join)
	}
	return at
}

// placed are the statuses of members that have a node or are pipelined.
var placed = [...]model.Status{model.Running, model.Bound, model.Binding, model.Allocated, model.Unknown,
	model.Pipelined}

// AllSubs stands for all members of a job, whatever sub-group they are of.
const AllSubs = -1

// Homes calls f for the domains inside another one of a tier up to limit, tier by tier, the lowest first,
// until f returns false. A job that has members already (reach, else None) may go to the domains that hold
// these: the domains above reach, each a Level of its own.
func (m *Map) Homes(inside ID, reach ID, limit int32, f func(Level) bool) {
	if reach != None {
		for d := reach; d != None && m.domains[d].Tier <= limit && m.Within(d, inside); d = m.domains[d].Up {
			if !f(Level{m.domains[d].Tier, []ID{d}}) {
				return
			}
		}
		return
	}
	for _, level := range m.levels {
		if level.Tier > limit || level.Tier > m.domains[inside].Tier {
			return
		}
		if inside != Root {
			level.Domains = slices.DeleteFunc(slices.Clone(level.Domains), func(d ID) bool { return !m.Within(d, inside) })
		}
		if len(level.Domains) > 0 && !f(level) {
			return
		}
	}
}

// Widest returns the largest of the domains for which Homes would call f, by name: every place that the limit
// allows is in one of them.
func (m *Map) Widest(inside ID, reach ID, limit int32) (out []ID) {
	at := inside
	if reach != None {
		for d := reach; d != None && m.Within(d, inside); d = m.domains[d].Up {
			at = d
			if up := m.domains[d].Up; up == None || m.domains[up].Tier > limit {
				break
			}
		}
		if m.domains[at].Tier > limit || !m.Within(reach, inside) {
			return nil
		}
		return []ID{at}
	}
	if m.domains[at].Tier <= limit {
		return []ID{at}
	}
	for _, level := range m.levels {
		for _, d := range level.Domains {
			if up := m.domains[d].Up; level.Tier <= limit && up != None && m.domains[up].Tier > limit && m.Within(d, inside) {
				out = append(out, d)
			}
		}
	}
	return out
}
