package class

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// mostKinds bounds the kinds of refusal that a reason lists; the rest are counted together as NodesRefuse.
const mostKinds = 12

// Why says why no node takes a task: for every reason the number of nodes that gave it, and where room is
// lacking the amounts on the node that comes nearest. It asks every node, so it is for tasks that were
// refused.
func (x *Index) Why(t ledger.TaskID) trace.Reason {
	task := x.l.Task(t)
	r := x.look(task.Class)
	if r.why.Is() && r.whyAt == x.l.Changes.Nodes.Now() && len(r.taskFilters) == 0 {
		reason := r.why
		reason.Task = task.Key.String()
		return reason
	}
	x.set.Explain(true)
	defer x.set.Explain(false)
	w := why{x: x, r: r, at: map[kind]int{}, nearest: ledger.NoNode, kept: x.l.KeptRoom.On()}
	nodes := 0
	x.l.Nodes.Present(func(n ledger.NodeID) bool {
		nodes++
		w.ask(t, n)
		return true
	})
	reason := trace.Reason{Code: w.code(), Task: task.Key.String(), Nodes: w.sorted(), Need: nodes}
	if nodes == 0 {
		reason.Code = trace.NoNodes
	}
	if w.nearest != ledger.NoNode {
		reason.Text = x.l.Node(w.nearest).Name
		reason.Shorts = w.shortsOn(w.nearest)
	}
	if len(reason.Nodes) == 1 && reason.Code != trace.NotEnoughResources {
		reason.Text = reason.Nodes[0].Text
	}
	r.whyAt, r.why = x.l.Changes.Nodes.Now(), reason
	return reason
}

// million is the number of parts in which the missing share of a request is measured.
const million = 1_000_000

type kind struct {
	code       trace.Code
	text       string
	domain     trace.Domain
	need, have int32
}

func kindOf(v policy.Verdict) kind { return kind{v.Code, v.Text, v.Domain, v.Need, v.Have} }

// why gathers the refusals of one task.
type why struct {
	x       *Index
	r       *row
	counts  []trace.NodeCount
	at      map[kind]int
	nearest ledger.NodeID // of nodes that lack only room: see nearer
	short   int
	missing int64
	onlyRes bool
	all     policy.Verdict                 // of every node that passes the checks before
	kept    map[ledger.NodeID]resource.Vec // on each node, for waiting jobs
}

func (w *why) ask(t ledger.TaskID, n ledger.NodeID) {
	name := w.x.l.Node(n).Name
	if v := w.r.refusedStatically(n); !v.Admits() {
		w.add(kindOf(v), name)
		return
	}
	if w.keeps(n) {
		w.add(kind{code: trace.NodeKept}, name)
		return
	}
	short, missing := 0, int64(0)
	for _, need := range w.r.class.Need {
		if room := w.x.l.Nodes.Room(need.Dim)[n]; room < need.Amount {
			short++
			missing = max(missing, resource.MulDiv(need.Amount-max(0, room), million, need.Amount))
			w.add(kind{code: trace.InsufficientResource, text: w.x.l.Dims.Name(need.Dim)}, name)
		}
	}
	if short > 0 {
		w.onlyRes = true
		if w.nearest == ledger.NoNode || w.nearer(n, short, missing) {
			w.nearest, w.short, w.missing = n, short, missing
		}
		return
	}
	for _, f := range w.r.nodeFilters {
		if v := f.FilterNode(w.r.class, n, false); !v.Admits() {
			w.add(kindOf(v), name)
			return
		}
	}
	if v := w.r.refusedByDomain(n, false, nil); !v.Admits() {
		w.add(kindOf(v), name)
		return
	}
	v := w.all
	if v.Admits() {
		v = w.r.refusedForTask(t, n, false)
	}
	if v.Everywhere {
		w.all = v
	}
	if !v.Admits() {
		w.add(kindOf(v), name)
	}
}

// keeps says that a node lacks room only because room is kept for waiting jobs.
func (w *why) keeps(n ledger.NodeID) bool {
	kept, lacks := w.kept[n], false
	for _, need := range w.r.class.Need {
		room := w.x.l.Nodes.Room(need.Dim)[n]
		if lacks = lacks || room < need.Amount; min(room+kept.Get(need.Dim), w.x.l.Nodes.Idle(need.Dim)[n]) < need.Amount {
			return false
		}
	}
	return lacks
}

// nearer says that a node comes nearer to taking the task than the nearest one so far: first a node that could
// hold it when empty, then one with fewer dimensions short, then one that lacks a smaller part of the request,
// then by name.
func (w *why) nearer(n ledger.NodeID, short int, missing int64) bool {
	if a, b := w.couldHold(n), w.couldHold(w.nearest); a != b {
		return a
	}
	return cmp.Or(cmp.Compare(short, w.short), cmp.Compare(missing, w.missing),
		cmp.Compare(w.x.l.Node(n).Name, w.x.l.Node(w.nearest).Name)) < 0
}

func (w *why) couldHold(n ledger.NodeID) bool {
	for _, need := range w.r.class.Need {
		if w.x.l.Nodes.Allocatable(need.Dim)[n] < need.Amount {
			return false
		}
	}
	return true
}

func (w *why) add(k kind, node string) {
	i, known := w.at[k]
	if !known {
		i = len(w.counts)
		w.at[k] = i
		w.counts = append(w.counts, trace.NodeCount{Code: k.code, Text: k.text, Domain: k.domain, Need: int(k.need),
			Have: int(k.have), Example: node})
	}
	w.counts[i].Count++
	w.counts[i].Example = min(w.counts[i].Example, node)
}

// code is the reason in one word: lack of room where every node that may take the task lacks it, the common
// reason where all nodes give the same, else NodesRefuse.
func (w *why) code() trace.Code {
	switch {
	case w.onlyRes:
		return trace.NotEnoughResources
	case len(w.counts) > 0 &&
		!slices.ContainsFunc(w.counts, func(c trace.NodeCount) bool { return c.Code != w.counts[0].Code }):
		return w.counts[0].Code
	default:
		return trace.NodesRefuse
	}
}

func (w *why) sorted() []trace.NodeCount {
	slices.SortFunc(w.counts, func(a, b trace.NodeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Text, b.Text),
			a.Domain.Compare(b.Domain), cmp.Compare(a.Need, b.Need), cmp.Compare(a.Have, b.Have))
	})
	if len(w.counts) <= mostKinds {
		return w.counts
	}
	rest := trace.NodeCount{Code: trace.NodesRefuse, Text: "other reasons"}
	for _, c := range w.counts[mostKinds:] {
		rest.Count += c.Count
	}
	return append(w.counts[:mostKinds:mostKinds], rest)
}

// shortsOn returns the dimensions in which a node lacks room, with the amounts.
func (w *why) shortsOn(n ledger.NodeID) []trace.Short {
	var dims []resource.Dim
	for _, need := range w.r.class.Need {
		if w.x.l.Nodes.Room(need.Dim)[n] < need.Amount {
			dims = append(dims, need.Dim)
		}
	}
	w.x.l.Dims.SortByName(dims)
	var out []trace.Short
	for _, d := range dims {
		have := w.x.l.Nodes.Room(d)[n]
		if kept := w.kept[n].Get(d); kept > 0 {
			have = max(0, have) // it may be kept while others still hold it
		}
		out = append(out, trace.Short{Dim: w.x.l.Dims.Name(d), Need: w.r.class.Request.Get(d), Have: have})
	}
	return out
}
