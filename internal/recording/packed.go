package recording

import (
	"reflect"
	"slices"
	"unsafe"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// packed is a Step as a ring keeps it, in a quarter of the memory: what it takes is what recording costs.
type packed struct {
	facts    []packedFact
	receipts []packedReceipt
	items    []packedItem
	remade   *Remade

	number    uint64 // of the cycle; 0: there is none
	now, next int64
	took      int64
	open      bool
}

// packedFact is a fact, and what was known of its object before.
type packedFact struct {
	object, was         model.Object
	version, wasVersion uint64
	ref                 *unnamed // where neither object, nor of one that is gone was, says which fact it is
	wasGone             bool     // a fact that it is gone was known
}

// unnamed is what an object does not say, as one that is gone.
type unnamed struct {
	ref model.Ref
	uid string
}

// packedReceipt is what an engine reads of a receipt.
type packedReceipt struct {
	id      uint64
	of      ledger.Key // the pod or, of a phase, the PodGroup
	refused string
	kind    sched.ItemKind
	outcome sched.Outcome
	denials int32
}

// packedItem is a binding, of which there are many; or any other item whole.
type packedItem struct {
	id, statement uint64
	pod           ledger.Key
	uid, node     string
	whole         *sched.Item // nil: a binding for which nothing was chosen
}

func packFact(led *ledger.Ledger, f model.Fact) packedFact {
	k := packedFact{object: f.Object, version: f.Version}
	was, there := led.Replaced(f.Ref)
	k.was, k.wasVersion, k.wasGone = was.Object, was.Version, !there && (was.UID != "" || was.Version != 0)
	if !named(k.subject(), f) {
		k.ref = &unnamed{ref: f.Ref, uid: f.UID}
	}
	return k
}

// subject is the object that the fact is about: where it is gone, as it was.
func (k *packedFact) subject() model.Object {
	if k.object == nil {
		return k.was
	}
	return k.object
}

// named says that an object says itself which fact it is.
func named(o model.Object, f model.Fact) bool {
	switch o.(type) {
	case *model.Pod:
		if f.Ref.Kind != model.KindPod {
			return false
		}
	case *model.PodGroup:
		if f.Ref.Kind != model.KindPodGroup {
			return false
		}
	default:
		return false
	}
	m := o.Common()
	return m.Name == f.Ref.Name && m.Namespace == f.Ref.Namespace && m.UID == f.UID
}

func (k *packedFact) fact() model.Fact {
	if k.ref != nil {
		return model.Fact{Ref: k.ref.ref, UID: k.ref.uid, Version: k.version, Object: k.object}
	}
	o := k.subject()
	m := o.Common()
	f := model.Fact{UID: m.UID, Version: k.version, Object: k.object}
	f.Ref = model.Ref{Kind: model.KindPod, Namespace: m.Namespace, Name: m.Name}
	if _, group := o.(*model.PodGroup); group {
		f.Ref.Kind = model.KindPodGroup
	}
	return f
}

// before is what was known before, false for nothing.
func (k *packedFact) before(f model.Fact) (model.Fact, bool) {
	f.Object, f.Version = k.was, k.wasVersion
	if k.was != nil {
		f.UID = k.was.Common().UID
	}
	return f, k.was != nil || k.wasGone
}

func packReceipt(r sched.Receipt) packedReceipt {
	k := packedReceipt{id: r.Item.ID, of: r.Item.Pod, refused: r.Refused, kind: r.Item.Kind, outcome: r.Outcome,
		denials: r.Denials}
	if r.Item.Kind == sched.SetPhase {
		k.of = r.Item.Group
	}
	return k
}

func (k packedReceipt) receipt() sched.Receipt {
	r := sched.Receipt{Item: sched.Item{ID: k.id, Kind: k.kind}, Outcome: k.outcome, Refused: k.refused,
		Denials: k.denials}
	if k.kind == sched.SetPhase {
		r.Item.Group = k.of
	} else {
		r.Item.Pod = k.of
	}
	return r
}

func packItem(i *sched.Item) packedItem {
	if i.Kind == sched.BindPod && i.Chosen == "" && i.After == nil &&
		i.Action == "" && i.Record == nil && i.Preemptor == (ledger.Key{}) {
		return packedItem{id: i.ID, statement: i.Statement, pod: i.Pod, uid: i.UID, node: i.Node}
	}
	whole := *i
	return packedItem{whole: &whole}
}

func (k *packedItem) item() sched.Item {
	if k.whole != nil {
		return *k.whole
	}
	return sched.Item{ID: k.id, Kind: sched.BindPod, Statement: k.statement, Pod: k.pod, UID: k.uid, Node: k.node}
}

// step is the step that was kept.
func (k *packed) step() *Step {
	s := &Step{Remade: k.remade}
	for i := range k.facts {
		s.Facts = append(s.Facts, k.facts[i].fact())
	}
	for _, r := range k.receipts {
		s.Receipts = append(s.Receipts, r.receipt())
	}
	if k.number > 0 {
		s.Cycle = &Cycle{Number: k.number, Now: k.now, Next: k.next, Took: k.took, Open: k.open}
		for i := range k.items {
			s.Cycle.Items = append(s.Cycle.Items, k.items[i].item())
		}
	}
	return s
}

// shelves hold the lists of many steps, so that a step costs no list of its own.
type shelves struct {
	facts    []packedFact
	receipts []packedReceipt
	items    []packedItem
}

// own gives the step lists that are not used again, and returns how many bytes it took for them.
func (k *packed) own(in *shelves) int64 {
	var facts, receipts, items int64
	k.facts, facts = put(&in.facts, k.facts)
	k.receipts, receipts = put(&in.receipts, k.receipts)
	k.items, items = put(&in.items, k.items)
	return facts + receipts + items
}

// onShelf is how many entries a shelf has room for.
const onShelf = 256

// put copies a list onto a shelf, and begins another where it has no room. It returns how many bytes it took.
func put[T any](shelf *[]T, list []T) ([]T, int64) {
	if len(list) == 0 {
		return nil, 0
	}
	if len(list) > onShelf {
		own := slices.Clone(list)
		return own, weightOfList(own)
	}
	bytes := int64(0)
	if cap(*shelf)-len(*shelf) < len(list) {
		*shelf = make([]T, 0, onShelf)
		bytes = weightOfList(*shelf)
	}
	from := len(*shelf)
	*shelf = append(*shelf, list...)
	return (*shelf)[from:len(*shelf):len(*shelf)], bytes
}

// weight is what the step takes of memory beside its lists. What was replaced is only kept by it.
func (k *packed) weight(w weighed) (bytes int64) {
	for i := range k.facts {
		f := &k.facts[i]
		bytes += w.weight(f.was, f.object)
		if f.ref != nil {
			bytes += allocated(int(unsafe.Sizeof(unnamed{})))
		}
	}
	for i := range k.receipts {
		bytes += allocated(len(k.receipts[i].refused))
	}
	for i := range k.items {
		if whole := k.items[i].whole; whole != nil {
			bytes += allocated(int(unsafe.Sizeof(*whole))) + allocated(len(whole.Chosen)) +
				weightOfList(whole.After) + weightOfList(whole.Evictions) + weightOf(reflect.ValueOf(whole.Record))
		}
	}
	if k.remade != nil {
		bytes += int64(len(k.remade.Configuration))
	}
	return bytes
}
