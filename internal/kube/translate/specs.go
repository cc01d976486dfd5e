package translate

import (
	"strconv"

	"ashlar.sh/sched/model"
)

// Specs shares equal specs, labels and names: pods of one template get one *model.Spec. The zero
// value is empty and works; a nil *Specs shares nothing. Not for use by several goroutines.
type Specs struct {
	byKey map[string]*model.Spec
	sets  map[string][]model.Label
	words words

	bytesOfSpecs, bytesOfSets int // of their keys
}

// These bound the memory of specs that no pod has any more: tenants choose how large each is, and a spec takes of
// memory about what its key does. When one is reached sharing begins anew, which costs memory and changes no meaning.
const (
	mostSpecs        = 1 << 16
	mostBytesOfSpecs = 32 << 20
)

// Intern returns the spec seen first among those equal to s.
func (t *Specs) Intern(s *model.Spec) *model.Spec {
	if t == nil {
		return s
	}
	key := key(s)
	if known, ok := t.byKey[key]; ok {
		return known
	}
	if t.byKey == nil || len(t.byKey) >= mostSpecs || t.bytesOfSpecs+len(key) > mostBytesOfSpecs {
		t.byKey, t.bytesOfSpecs = map[string]*model.Spec{}, 0
	}
	t.byKey[key] = s
	t.bytesOfSpecs += len(key)
	return s
}

// These are to labels what mostSpecs and mostBytesOfSpecs are to specs. They are lower: some controllers give every pod
// a label of its own.
const (
	mostSets        = 1 << 12
	mostBytesOfSets = 8 << 20
)

// labels sorts a pod's labels by key, and returns the list seen first among those equal.
// Of labels that no other pod has, the words at least are shared.
func (t *Specs) labels(m map[string]string) []model.Label {
	list := labels(m)
	if t == nil || len(list) == 0 {
		return list
	}
	k := keyer{buf: make([]byte, 0, 256)}
	for _, l := range list {
		k.str(l.Key, l.Value)
	}
	if known, ok := t.sets[string(k.buf)]; ok {
		return known
	}
	if t.sets == nil || len(t.sets) >= mostSets || t.bytesOfSets+len(k.buf) > mostBytesOfSets {
		t.sets, t.bytesOfSets = map[string][]model.Label{}, 0
	}
	for i, l := range list {
		list[i] = model.Label{Key: t.words.one(l.Key), Value: t.words.one(l.Value)}
	}
	t.sets[string(k.buf)] = list
	t.bytesOfSets += len(k.buf)
	return list
}

// key is a text that two specs share exactly if they are equal: every list with its
// length, every string with its own.
func key(s *model.Spec) string {
	k := keyer{buf: make([]byte, 0, 128)}
	k.yes(s.Revocable)
	k.num(len(s.Requests))
	for _, a := range s.Requests {
		k.str(a.Name)
		k.buf = append(strconv.AppendInt(k.buf, a.Value, 10), ' ')
	}
	k.num(len(s.Selector))
	for _, l := range s.Selector {
		k.str(l.Key, l.Value)
	}
	k.yes(s.Affinity != nil)
	k.num(len(s.Affinity))
	for _, t := range s.Affinity {
		k.term(t)
	}
	k.num(len(s.Preferred))
	for _, p := range s.Preferred {
		k.num(int(p.Weight))
		k.term(p.Term)
	}
	k.num(len(s.Tolerations))
	for _, t := range s.Tolerations {
		k.str(t.Key, t.Value, string(t.Effect))
		k.yes(t.Exists)
	}
	k.num(len(s.Ports))
	for _, p := range s.Ports {
		k.str(p.IP, p.Protocol)
		k.num(int(p.Port))
	}
	k.str(s.Extra)
	k.num(len(s.Devices))
	k.str(s.Devices...)
	k.num(len(s.Features))
	k.str(s.Features...)
	if s.NUMA != nil {
		var w model.Form
		w.Numa(s.NUMA)
		k.str(w.String())
	}
	k.num(len(s.Images))
	k.str(s.Images...)
	if s.Neighbours != nil {
		var w model.Form
		w.Neighbours(s.Neighbours)
		k.str(w.String())
	}
	return string(k.buf)
}

type keyer struct{ buf []byte }

func (k *keyer) num(n int) { k.buf = append(strconv.AppendInt(k.buf, int64(n), 10), ' ') }

func (k *keyer) str(list ...string) {
	for _, s := range list {
		k.num(len(s))
		k.buf = append(k.buf, s...)
	}
}

func (k *keyer) yes(b bool) { k.buf = strconv.AppendBool(k.buf, b) }

func (k *keyer) term(t model.Term) {
	k.num(len(t.All))
	for _, r := range t.All {
		k.str(r.Key, string(r.Op))
		k.yes(r.Field)
		k.num(len(r.Values))
		k.str(r.Values...)
	}
}
