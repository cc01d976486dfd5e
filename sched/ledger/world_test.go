package ledger

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"ashlar.sh/sched/model"
)

// world drives a ledger through a random history. Names are few, so that objects
// meet, vanish and come back; everything drawn comes from rapid, so a failing history
// shrinks.
type world struct {
	t       *rapid.T
	l       *Ledger
	version uint64
	item    uint64

	wild    bool                // also facts that no door would let through
	huge    bool                // amounts so large that sums of them need their width
	failing func(f func() bool) // wraps every try that may fail; nil: called as it is
}

func newWorld(t *rapid.T) *world {
	return &world{t: t, l: New(), huge: rapid.IntRange(0, 5).Draw(t, "huge") == 5}
}

func (w *world) n(most int) int { return rapid.IntRange(0, most).Draw(w.t, "n") }

func (w *world) yes() bool { return rapid.Bool().Draw(w.t, "yes") }

// rarely is true one time in about eight.
func (w *world) rarely() bool { return w.n(7) == 7 }

// run makes up to most steps and calls after behind each of them.
func (w *world) run(most int, after func()) {
	for range rapid.IntRange(1, most).Draw(w.t, "steps") {
		w.step()
		after()
	}
}

func (w *world) step() {
	switch k := w.n(12); {
	case k <= 7:
		w.l.Apply(w.fact())
	case k <= 10:
		w.cycle()
	case k == 11:
		w.receipt()
	default:
		w.phase()
	}
}

// cycle is what one Decide does to the ledger: provisional places go, tries come, and what
// held is committed.
func (w *world) cycle() {
	w.l.ExtendDims()
	w.l.Statements.TakeBackProvisional()
	w.l.Charges.Begin()
	for range 1 + w.n(2) {
		w.try(0)
	}
	if w.rarely() {
		w.phase()
	}
	w.l.Commit(func(op Op) PlanItem {
		w.item++
		return PlanItem{Item: w.item, Statement: op.Statement, Until: int64(w.item) * 1000}
	})
	w.l.Charges.Begin()
}

// try is a statement with up to three operations and statements inside it.
func (w *world) try(depth int) {
	f := func() bool {
		return w.l.Try(func(tx *Tx) bool {
			for range w.n(3) {
				if depth < 3 && w.rarely() {
					w.try(depth + 1)
				} else {
					w.operate(tx)
				}
			}
			if w.rarely() {
				tx.Provisional()
			}
			return w.yes()
		})
	}
	if w.failing != nil {
		w.failing(f)
		return
	}
	f()
}

func (w *world) operate(tx *Tx) {
	l := w.l
	var nodes []NodeID
	l.Nodes.Present(func(n NodeID) bool { nodes = append(nodes, n); return true })
	place := w.tasks(func(t TaskID) bool { return l.Task(t).Placeable() })
	victims := w.tasks(func(t TaskID) bool {
		s := l.Task(t).Status
		return l.Task(t).Job != NoJob && (s == model.Running || s == model.Bound)
	})
	promised := w.tasks(func(t TaskID) bool {
		return l.Task(t).Status == model.Pipelined && (l.Task(t).provisional || l.Task(t).Commitment.Kind == CommitNominate)
	})
	leaving := w.tasks(func(t TaskID) bool {
		return l.Task(t).Status == model.Releasing && l.Task(t).Commitment.Kind != CommitEvict && !l.Task(t).Pod.Deleting
	})
	switch k := w.n(8); {
	case k == 8 && len(leaving) > 0:
		tx.Reprieve(leaving[w.n(len(leaving)-1)])
	case k == 7 && len(promised) > 0:
		if t := promised[w.n(len(promised)-1)]; l.Task(t).Commitment.Kind == CommitNominate {
			tx.EndNomination(t, "preempt", NoTask)
			if w.yes() {
				tx.ResumeNomination(t)
			}
		}
	case k == 6 && len(promised) > 0:
		t := promised[w.n(len(promised)-1)]
		n := l.Task(t).Node
		tx.Unpipeline(t)
		tx.Allocate(t, n)
	case k == 5 && len(victims) > 0:
		tx.Evict(victims[w.n(len(victims)-1)], "reclaim", NoTask)
	case len(place) == 0 || len(nodes) == 0:
	case k == 4:
		tx.Nominate(place[w.n(len(place)-1)], nodes[w.n(len(nodes)-1)])
	case k == 3:
		tx.Pipeline(place[w.n(len(place)-1)], nodes[w.n(len(nodes)-1)])
	default:
		tx.Allocate(place[w.n(len(place)-1)], nodes[w.n(len(nodes)-1)])
	}
}

// tasks are the tasks with a property, by key: what is drawn must not depend on rows.
func (w *world) tasks(has func(TaskID) bool) []TaskID {
	var out []TaskID
	w.l.Tasks.Each(func(t TaskID) bool {
		if has(t) {
			out = append(out, t)
		}
		return true
	})
	slices.SortFunc(out, func(a, b TaskID) int {
		if w.l.Task(a).Key.Compare(w.l.Task(b).Key) < 0 {
			return -1
		}
		return 1
	})
	return out
}

// receipt ends a commitment, or makes one as a restart does.
func (w *world) receipt() {
	l := w.l
	if held := w.tasks(func(t TaskID) bool { return l.Task(t).Commitment.Kind != NoCommit }); len(held) > 0 && w.yes() {
		l.Drop(held[w.n(len(held)-1)])
		return
	}
	var nodes []NodeID
	l.Nodes.Present(func(n NodeID) bool { nodes = append(nodes, n); return true })
	kind := CommitKind(1 + w.n(2))
	open := w.tasks(func(t TaskID) bool {
		row := l.Task(t)
		if kind == CommitEvict {
			return row.Status == model.Running || row.Status == model.Bound
		}
		return row.Placeable() && len(nodes) > 0
	})
	if len(open) == 0 {
		return
	}
	t := open[w.n(len(open)-1)]
	w.item++
	c := Commitment{Kind: kind, Node: l.Task(t).Node, Item: w.item}
	if kind != CommitEvict {
		c.Node = nodes[w.n(len(nodes)-1)]
	}
	l.SetCommitment(t, c)
}

func (w *world) phase() {
	var jobs []JobID
	w.l.Jobs.Each(func(j JobID) bool { jobs = append(jobs, j); return true })
	if len(jobs) == 0 {
		return
	}
	slices.SortFunc(jobs, func(a, b JobID) int {
		if w.l.Job(a).Key.Compare(w.l.Job(b).Key) < 0 {
			return -1
		}
		return 1
	})
	j := jobs[w.n(len(jobs)-1)]
	if _, held := w.l.Jobs.DecidedPhase(j); held && w.yes() {
		w.l.Jobs.DropPhase(j)
		return
	}
	w.item++
	w.l.Jobs.SetPhase(j, model.GroupPhase(w.n(4)), w.item)
}

// fact is an observation of any kind, a later one of an object as often as a first.
func (w *world) fact() model.Fact {
	var ref model.Ref
	var object model.Object
	uid := fmt.Sprintf("u%d", max(0, w.n(5)-3))
	switch k := w.n(13); {
	case k <= 6:
		ref = model.Ref{Kind: model.KindPod, Namespace: []string{"a", "b"}[w.n(1)], Name: fmt.Sprintf("p%d", w.n(4))}
		object = w.pod(w.meta(ref, uid))
	case k <= 8:
		ref = model.Ref{Kind: model.KindNode, Name: fmt.Sprintf("n%d", w.n(3))}
		object = w.node(w.meta(ref, uid))
	case k <= 10:
		ref = model.Ref{Kind: model.KindPodGroup, Namespace: []string{"a", "b"}[w.n(1)], Name: fmt.Sprintf("g%d", w.n(1))}
		object = w.group(w.meta(ref, uid))
	case k == 11:
		ref = model.Ref{Kind: model.KindQueue, Name: w.queueName()}
		object = w.queue(w.meta(ref, uid))
	case k == 12:
		ref = model.Ref{Kind: model.KindPriorityClass, Name: fmt.Sprintf("c%d", w.n(2))}
		object = &model.PriorityClass{Meta: w.meta(ref, uid), Value: int32(w.n(3)), GlobalDefault: w.yes()}
	default:
		ref = model.Ref{Kind: "PersistentVolume", Name: fmt.Sprintf("v%d", w.n(1))}
		object = &model.Opaque{Meta: w.meta(ref, uid), Content: w.n(9)}
	}
	if w.n(4) == 4 {
		object = nil
	} else if w.wild && w.rarely() {
		object = &model.Opaque{Meta: w.meta(ref, uid)}
	}
	w.version++
	version := w.version
	if w.rarely() {
		version = uint64(w.n(int(w.version)))
	}
	return model.Fact{Ref: ref, UID: uid, Version: version, Object: object}
}
