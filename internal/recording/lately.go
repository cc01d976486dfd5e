package recording

import (
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Lately is what a ring held at one moment, without the facts that were known before. Any goroutine may read it.
type Lately struct {
	Since int64 // nanoseconds since the epoch
	parts [][]packed
}

// Lately returns what is kept; false where nothing is. It costs a word for each part.
func (r *Ring) Lately() (Lately, bool) {
	if !r.Recording() {
		return Lately{}, false
	}
	l := Lately{Since: r.parts[0].base.Now}
	for _, p := range r.parts {
		l.parts = append(l.parts, p.steps[:len(p.steps):len(p.steps)]) // complete steps do not change any more
	}
	return l, true
}

// OfJob is what concerned a job in one cycle.
type OfJob struct {
	Cycle    uint64
	Now      int64
	Is, Was  []model.Fact // what came, changed or went, with what was known of it before
	Receipts []sched.Receipt
	Items    []sched.Item
	Open     bool // the cycle panicked
}

// Job returns what concerned a job, which is called namespace/name, in each cycle that did; alive are the pods that it
// has now.
func (l Lately) Job(job string, alive map[ledger.Key]bool) (out []OfJob) {
	pods := l.first(job, alive)
	asked := map[uint64]sched.Item{} // of which the answer has not come: an answer does not repeat all of it
	var now OfJob
	for _, part := range l.parts {
		for i := range part {
			k := &part[i]
			now.facts(k.facts, job, pods)
			now.receipts(k.receipts, job, pods, asked)
			if k.number == 0 {
				continue
			}
			for j := range k.items {
				if item := &k.items[j]; item.concerns(job, pods) {
					whole := item.item()
					now.Items, asked[whole.ID] = append(now.Items, whole), whole
				}
			}
			now.Cycle, now.Now, now.Open = k.number, k.now, k.open
			if len(now.Is)+len(now.Receipts)+len(now.Items) > 0 {
				out = append(out, now)
			}
			now = OfJob{}
		}
	}
	return out
}

// first are the pods of the job when the recording began: those that it has now and that did not change, and those that
// were its own before their first change.
func (l Lately) first(job string, alive map[ledger.Key]bool) map[ledger.Key]bool {
	out, seen := map[ledger.Key]bool{}, map[ledger.Key]bool{}
	for _, part := range l.parts {
		for i := range part {
			for j := range part[i].facts {
				f := &part[i].facts[j]
				if pod, ok := f.subject().(*model.Pod); ok {
					if key := (ledger.Key{Namespace: pod.Namespace, Name: pod.Name}); !seen[key] {
						seen[key] = true
						if ofJob(f.was, job) {
							out[key] = true
						}
					}
				}
			}
		}
	}
	for key := range alive {
		if !seen[key] {
			out[key] = true
		}
	}
	return out
}

// ofJob says that an object is a pod of the job, or its PodGroup.
func ofJob(o model.Object, job string) bool {
	switch o := o.(type) {
	case *model.PodGroup:
		return o.Name != "" && is(job, o.Namespace, o.Name)
	case *model.Pod:
		if !o.Ours {
			return false
		}
		key := ledger.KeyOf(o)
		return len(job) > len(o.Namespace) && job[:len(o.Namespace)] == o.Namespace && key.String() == job
	}
	return false
}

// is says that a name is that of namespace and name, without making it.
func is(whole, namespace, name string) bool {
	return len(whole) == len(namespace)+1+len(name) && whole[:len(namespace)] == namespace &&
		whole[len(namespace)] == '/' && whole[len(namespace)+1:] == name
}

func (o *OfJob) facts(list []packedFact, job string, pods map[ledger.Key]bool) {
	for i := range list {
		f := &list[i]
		mine, before := ofJob(f.object, job), ofJob(f.was, job)
		if pod, ok := f.object.(*model.Pod); ok {
			if key := (ledger.Key{Namespace: pod.Namespace, Name: pod.Name}); mine {
				pods[key] = true
			} else {
				delete(pods, key) // another job has a pod of that name now
			}
		}
		if !mine && !before {
			continue
		}
		fact := f.fact()
		was, _ := f.before(fact)
		o.Is, o.Was = append(o.Is, fact), append(o.Was, was)
	}
}

func (o *OfJob) receipts(list []packedReceipt, job string, pods map[ledger.Key]bool, asked map[uint64]sched.Item) {
	for _, r := range list {
		item, known := asked[r.id]
		if !known && !pods[r.of] && (r.kind != sched.SetPhase || !is(job, r.of.Namespace, r.of.Name)) {
			continue
		}
		whole := r.receipt()
		if known {
			whole.Item = item
			delete(asked, r.id)
		}
		o.Receipts = append(o.Receipts, whole)
	}
}

// concerns says that an item is done to the job, or for it.
func (k *packedItem) concerns(job string, pods map[ledger.Key]bool) bool {
	w := k.whole
	if w == nil {
		return pods[k.pod]
	}
	return pods[w.Pod] || pods[w.Preemptor] || w.Group.Name != "" && is(job, w.Group.Namespace, w.Group.Name) ||
		w.Record != nil && (w.Record.Job == job || w.Record.PreemptorJob == job)
}

// OfCycle is what one cycle decided, in figures, and its evictions.
type OfCycle struct {
	Cycle     uint64
	Now, Took int64 // nanoseconds: since the epoch; for which it was decided
	Open      bool  // the cycle panicked
	Bound     int   // pods
	Other     []sched.Item
}

// Cycles returns what each cycle after a number decided, and by their ID the evictions that were not carried out, as
// was told since then or shortly before. last is the last cycle that ran.
func (l Lately) Cycles(after uint64) (out []OfCycle, undone map[uint64]bool, last uint64) {
	undone = map[uint64]bool{}
	for i, part := range l.parts {
		if n := lastOf(part); i+1 < len(l.parts) && n > 0 && n < after {
			last = n
			continue
		}
		for j := range part {
			k := &part[j]
			for _, r := range k.receipts {
				if r.kind == sched.EvictPod && r.outcome != sched.Done {
					undone[r.id] = true
				}
			}
			if k.number == 0 {
				continue
			}
			if last = k.number; last > after {
				out = append(out, k.figures())
			}
		}
	}
	return out, undone, last
}

// Cycle returns one cycle with all that it decided; false: it is not known.
func (l Lately) Cycle(number uint64) (*Cycle, bool) {
	for _, part := range l.parts {
		if lastOf(part) < number {
			continue
		}
		for i := range part {
			if part[i].number == number {
				return part[i].step().Cycle, true
			}
		}
	}
	return nil, false
}

// lastOf is the last cycle of a part, 0 for none.
func lastOf(part []packed) uint64 {
	for i := len(part) - 1; i >= 0; i-- {
		if part[i].number > 0 {
			return part[i].number
		}
	}
	return 0
}

// figures counts bindings, of which there are many, and keeps the others.
func (k *packed) figures() OfCycle {
	out := OfCycle{Cycle: k.number, Now: k.now, Took: k.took, Open: k.open}
	for i := range k.items {
		switch item := &k.items[i]; {
		case item.whole == nil || item.whole.Kind == sched.BindPod:
			out.Bound++
		default:
			out.Other = append(out.Other, *item.whole)
		}
	}
	return out
}
