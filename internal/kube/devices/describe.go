package devices

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"sync"

	resourcev1 "k8s.io/api/resource/v1"

	"ashlar.sh/sched/policy"
)

// describer makes reports of slices, classes and claims. Any goroutine may call it: nothing of it is the engine's.
type describer struct {
	programs *Programs

	mu      sync.Mutex
	heard   []news
	classes []classSelection
	slices  map[string]*toldSlice
	of      map[pool]*toldPool
	claims  map[string]*holding
	list    []*policy.DevicePool // of all; nil: it is to be made anew
}

// news is what is otherwise now; nil in a map is what is gone.
type news struct {
	slices  map[string]*resourcev1.ResourceSlice
	claims  map[string]*holding
	classes []classSelection // nil: as they were
}

// classSelection is what a class selects.
type classSelection struct {
	name string
	selection
}

// toldSlice is a slice and which of its devices the classes select.
type toldSlice struct {
	*resourcev1.ResourceSlice

	selected map[digest]*matched // by selection
}

// toldPool is what was heard and told of a pool.
type toldPool struct {
	slices map[string]*toldSlice
	claims map[string]bool // that have devices of it
	told   []*policy.DevicePool
	stale  bool
}

func newDescriber(p *Programs) *describer {
	return &describer{programs: p, slices: map[string]*toldSlice{}, of: map[pool]*toldPool{},
		claims: map[string]*holding{}}
}

// hear takes news for later.
func (t *describer) hear(n news) {
	if len(n.slices)+len(n.claims) == 0 && n.classes == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard = append(t.heard, n)
}

// pools describes all pools. What stands as it stood is what it returned before.
func (t *describer) pools() []*policy.DevicePool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range t.heard {
		t.take(n)
	}
	t.heard = nil
	changed := false
	for id, p := range t.of { // order-free: sorted below
		if p.stale {
			t.describe(id, p)
			changed = true
		}
		if len(p.slices)+len(p.claims) == 0 {
			delete(t.of, id)
		}
	}
	if changed {
		t.list = nil
		for _, p := range t.of { // order-free: sorted below
			t.list = append(t.list, p.told...)
		}
		slices.SortFunc(t.list, (*policy.DevicePool).Compare)
	}
	return t.list
}

func (t *describer) take(n news) {
	for name, s := range n.slices { // order-free: each for itself
		if old := t.slices[name]; old != nil {
			p := t.at(poolOf(old.ResourceSlice))
			delete(p.slices, name)
			delete(t.slices, name)
		}
		if s != nil {
			t.slices[name] = &toldSlice{s, map[digest]*matched{}}
			t.at(poolOf(s)).slices[name] = t.slices[name]
		}
	}
	for key, h := range n.claims { // order-free: each for itself
		for _, r := range t.claims[key].devices() {
			delete(t.at(pool{r.Driver, r.Pool}).claims, key)
		}
		delete(t.claims, key)
		for _, r := range h.devices() {
			t.claims[key] = h
			t.at(pool{r.Driver, r.Pool}).claims[key] = true
		}
	}
	if n.classes == nil {
		return
	}
	t.classes = n.classes
	for _, p := range t.of { // order-free: each for itself
		p.stale = true
	}
	for _, s := range t.slices { // order-free: each for itself
		maps.DeleteFunc(s.selected, func(id digest, _ *matched) bool {
			return !slices.ContainsFunc(t.classes, func(c classSelection) bool { return c.id == id })
		})
	}
}

func (h *holding) devices() []*resourcev1.DeviceRequestAllocationResult {
	if h == nil {
		return nil
	}
	return h.results
}

// at is a pool that is to be described again.
func (t *describer) at(id pool) *toldPool {
	p := t.of[id]
	if p == nil {
		p = &toldPool{slices: map[string]*toldSlice{}, claims: map[string]bool{}}
		t.of[id] = p
	}
	p.stale = true
	return p
}

// describe describes a pool anew. Parts that stand as they stood are kept.
func (t *describer) describe(id pool, p *toldPool) {
	before := p.told
	p.told, p.stale = nil, false
	w := t.writing(id, p)
	for _, s := range w.newest {
		for i := range s.Spec.Devices {
			w.add(s, i)
		}
	}
	for _, node := range slices.Sorted(maps.Keys(w.parts)) {
		part := w.parts[node]
		for _, old := range before {
			if old.Node == node && reflect.DeepEqual(old, part.DevicePool) {
				part.DevicePool = old
			}
		}
		p.told = append(p.told, part.DevicePool)
	}
}

// classesOf names the classes that select a device.
func (t *describer) classesOf(s *toldSlice, i int) (out []string) {
	for _, c := range t.classes {
		m := s.selected[c.id]
		if m == nil {
			b := &publishedSlice{slice: s.ResourceSlice}
			m = &matched{of: make([]judged, len(s.Spec.Devices))}
			for k := range s.Spec.Devices {
				m.ask(c.selection, b, k, t.programs)
			}
			s.selected[c.id] = m
		}
		if m.of[i].yes {
			out = append(out, c.name)
		}
	}
	return out
}

// writing is a pool that is being described.
type writing struct {
	t       *describer
	newest  []*toldSlice // of the newest generation, by name
	fault   policy.DeviceFault
	holders map[string][]held // by device
	left    counters
	parts   map[string]*writtenPart // by node
}

// held is a claim's part of a device.
type held struct {
	*holding
	*resourcev1.DeviceRequestAllocationResult
}

type writtenPart struct {
	*policy.DevicePool

	details *details
}

func (t *describer) writing(id pool, p *toldPool) *writing {
	w := &writing{t: t, holders: map[string][]held{}, left: counters{}, parts: map[string]*writtenPart{}}
	generation, count := int64(-1), int64(0)
	for _, name := range slices.Sorted(maps.Keys(p.slices)) {
		s := p.slices[name]
		if g := s.Spec.Pool.Generation; g > generation {
			generation, count, w.newest = g, s.Spec.Pool.ResourceSliceCount, nil
		}
		if s.Spec.Pool.Generation == generation {
			w.newest = append(w.newest, s)
		}
	}
	if int64(len(w.newest)) != count {
		w.fault = policy.DeviceFault{Code: policy.DeviceOfPart, Have: count10(int64(len(w.newest))),
			Need: count10(count)}
	}
	for _, key := range slices.Sorted(maps.Keys(p.claims)) {
		for _, r := range t.claims[key].results {
			if (pool{r.Driver, r.Pool}) == id {
				w.holders[r.Device] = append(w.holders[r.Device], held{t.claims[key], r})
			}
		}
	}
	w.left.read(w.newest, w.holders)
	return w
}

// add describes a device.
func (w *writing) add(s *toldSlice, i int) {
	d := &s.Spec.Devices[i]
	at := ""
	if each := s.Spec.PerDeviceNodeSelection; each != nil && *each {
		at = deref(d.NodeName)
	} else {
		at = deref(s.Spec.NodeName)
	}
	part := w.parts[at]
	if part == nil {
		details := &details{}
		part = &writtenPart{&policy.DevicePool{Driver: s.Spec.Driver, Name: s.Spec.Pool.Name, Node: at,
			Details: details}, details}
		w.parts[at] = part
	}
	out := policy.Device{Name: d.Name, Classes: w.t.classesOf(s, i), Shared: yes(d.AllowMultipleAllocations)}
	sums := consumed{}
	whole := false
	for _, h := range w.holders[d.Name] {
		one := policy.DeviceHolder{Namespace: h.namespace, Claim: h.claim, Pods: h.pods,
			Share: shareOf(h.DeviceRequestAllocationResult), Consumes: labelled(h.ConsumedCapacity),
			Admin: yes(h.AdminAccess)}
		out.Holders = append(out.Holders, one)
		if !one.Admin {
			whole = whole || one.Share == ""
			sums.add(h.ConsumedCapacity)
		}
	}
	for _, taint := range d.Taints {
		out.Taints = append(out.Taints, taintText(&taint))
	}
	out.Fault = cmp.Or(w.fault, taintFault(d), w.left.lacks(d))
	out.State = stateOf(d, &out, whole, sums)
	if out.State == policy.DeviceAllocated && out.Fault.Code == policy.DeviceCounterUsed {
		out.Fault = policy.DeviceFault{} // it has itself what it needs
	}
	part.Devices = append(part.Devices, out)
	part.details.devices, part.details.held = append(part.details.devices, d), append(part.details.held, sums)
}

func stateOf(d *resourcev1.Device, out *policy.Device, whole bool, sums consumed) policy.DeviceState {
	taken := slices.ContainsFunc(out.Holders, func(h policy.DeviceHolder) bool { return !h.Admin })
	switch {
	case taken && (whole || sums.all(d)):
		return policy.DeviceAllocated
	case taken:
		return policy.DevicePartly
	case out.Fault.Code != "":
		return policy.DeviceUnusable
	}
	return policy.DeviceFree
}
