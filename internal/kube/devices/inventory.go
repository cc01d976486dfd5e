package devices

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"

	"ashlar.sh/sched/model"
)

// pool names the devices that one driver manages together.
type pool struct{ driver, name string }

// inventory holds the slices, so that a question about a node costs what that node can reach
// and not what the cluster has.
type inventory struct {
	slices map[string]*publishedSlice // by the name of the slice
	pools  map[pool]map[string]*publishedSlice
	onNode map[string]map[string]*publishedSlice // those of one node alone, by its name
	spread map[string]*publishedSlice            // the others: of all nodes, of a selector, or by device
	near   map[string]*reach                     // remembered answers of reach

	changed    []string // the nodes that reach other slices since somebody looked
	everywhere bool     // any node may
}

// publishedSlice is one slice, and what was found out about its devices.
type publishedSlice struct {
	slice   *resourcev1.ResourceSlice
	content digest
	ids     []structured.DeviceID
	fits    map[digest]*matched // by wish
	classed map[digest]*matched // by what classes select, for Offered
}

// reach is what a node reaches: the slices by name, and the pools that they are of.
type reach struct {
	slices   []*publishedSlice
	usable   []*publishedSlice // of pools that are whole
	pools    []pool
	uses     []*poolUse // of pools, since they were asked for
	content  digest
	counters bool // some devices of it share counters
	shared   bool // other nodes may reach some of its pools, too

	node    *model.Node // that still is about, with the classes as they were
	classes digest
	still   digest
}

func newInventory() inventory {
	return inventory{slices: map[string]*publishedSlice{}, pools: map[pool]map[string]*publishedSlice{},
		onNode: map[string]map[string]*publishedSlice{},
		spread: map[string]*publishedSlice{}, near: map[string]*reach{}}
}

func poolOf(s *resourcev1.ResourceSlice) pool { return pool{s.Spec.Driver, s.Spec.Pool.Name} }

// put takes a slice in in the place of the one of its name; nil: there is none any more. A
// slice that is published again as it was is no news.
func (s *inventory) put(name string, slice *resourcev1.ResourceSlice) (news bool) {
	old, now := s.slices[name], newPublishedSlice(slice)
	if old != nil && now != nil && old.content == now.content {
		old.slice = slice
		return false
	}
	s.forget(old)
	if old != nil {
		delete(s.slices, name)
		delete(s.spread, name)
		drop(s.pools, poolOf(old.slice), name)
		if n := old.slice.Spec.NodeName; n != nil {
			drop(s.onNode, *n, name)
		}
	}
	if now == nil {
		return old != nil
	}
	s.slices[name] = now
	add(s.pools, poolOf(slice), name, now)
	if n := slice.Spec.NodeName; n != nil && *n != "" {
		add(s.onNode, *n, name, now)
	} else {
		s.spread[name] = now
	}
	s.forget(now)
	return true
}

func newPublishedSlice(slice *resourcev1.ResourceSlice) *publishedSlice {
	if slice == nil {
		return nil
	}
	b := &publishedSlice{slice: slice, fits: map[digest]*matched{}, classed: map[digest]*matched{}}
	text, err := slice.Spec.Marshal()
	if err != nil {
		text = []byte(slice.UID + "/" + types.UID(slice.ResourceVersion))
	}
	b.content = digestOf(append(append([]byte(slice.Name), 0), text...))
	for i := range slice.Spec.Devices {
		b.ids = append(b.ids, structured.MakeDeviceID(slice.Spec.Driver, slice.Spec.Pool.Name, slice.Spec.Devices[i].Name))
	}
	return b
}

// forget drops what is remembered of the nodes that reach the pool of a slice.
func (s *inventory) forget(b *publishedSlice) {
	if b == nil {
		return
	}
	if n := s.only(poolOf(b.slice)); n != "" {
		delete(s.near, n)
		if s.changed = append(s.changed, n); len(s.changed) > mostTouched {
			s.everywhere, s.changed = true, s.changed[:0]
		}
		return
	}
	clear(s.near)
	s.everywhere, s.changed = true, s.changed[:0]
}

// only is the one node that reaches a pool; "" where several may, or none does.
func (s *inventory) only(p pool) (node string) {
	for _, b := range s.pools[p] { // order-free: all have to be of one node
		n := b.slice.Spec.NodeName
		if n == nil || *n == "" || node != "" && node != *n {
			return ""
		}
		node = *n
	}
	return node
}

// shared are the pools that several nodes may reach.
func (s *inventory) shared(out []pool) []pool {
	for p := range s.pools { // order-free: summed up
		if s.only(p) == "" {
			out = append(out, p)
		}
	}
	return out
}

func add[K comparable](in map[K]map[string]*publishedSlice, key K, name string, b *publishedSlice) {
	if in[key] == nil {
		in[key] = map[string]*publishedSlice{}
	}
	in[key][name] = b
}

func drop[K comparable](in map[K]map[string]*publishedSlice, key K, name string) {
	delete(in[key], name)
	if len(in[key]) == 0 {
		delete(in, key)
	}
}

// mostNear bounds what reach remembers.
const mostNear = 1 << 14

// reach returns what a question about a node is asked with: the slices that may serve the node, and all other slices of
// their pools, because a pool is used as a whole or not at all.
func (s *inventory) reach(node string) *reach {
	if known, ok := s.near[node]; ok {
		return known
	}
	all := map[string]*publishedSlice{}
	out := &reach{}
	for _, of := range []map[string]*publishedSlice{s.onNode[node], s.spread} {
		for _, b := range of { // order-free: into a map
			for name, sibling := range s.pools[poolOf(b.slice)] { // order-free: into a map
				all[name] = sibling
			}
		}
	}
	var text []byte
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b := all[name]
		out.slices = append(out.slices, b)
		text = append(text, b.content[:]...)
		out.counters = out.counters || len(b.slice.Spec.SharedCounters) > 0
		if p := poolOf(b.slice); !slices.Contains(out.pools, p) {
			out.pools = append(out.pools, p)
			out.shared = out.shared || s.only(p) == ""
		}
	}
	out.content, out.usable = digestOf(text), current(out.slices)
	if len(s.near) >= mostNear {
		clear(s.near)
	}
	s.near[node] = out
	return out
}

// current returns the slices of pools that are complete in their newest generation: nothing is allocated from the
// others.
func current(list []*publishedSlice) []*publishedSlice {
	type state struct{ generation, count, have int64 }
	pools := map[pool]state{}
	for _, b := range list {
		p := &b.slice.Spec.Pool
		at, known := pools[poolOf(b.slice)]
		switch {
		case !known || p.Generation > at.generation:
			at = state{p.Generation, p.ResourceSliceCount, 1}
		case p.Generation == at.generation:
			at.have++
		}
		pools[poolOf(b.slice)] = at
	}
	out := make([]*publishedSlice, 0, len(list))
	for _, b := range list {
		if at := pools[poolOf(b.slice)]; b.slice.Spec.Pool.Generation == at.generation && at.have == at.count {
			out = append(out, b)
		}
	}
	return out
}

// serves says that a node reaches the ith device of a slice.
func (b *publishedSlice) serves(node *corev1.Node, i int) bool {
	s := &b.slice.Spec
	name, all, selector := s.NodeName, s.AllNodes, s.NodeSelector
	if s.PerDeviceNodeSelection != nil && *s.PerDeviceNodeSelection {
		d := &s.Devices[i]
		name, all, selector = d.NodeName, d.AllNodes, d.NodeSelector
	}
	switch {
	case name != nil && *name != "":
		return *name == node.Name
	case all != nil && *all:
		return true
	case selector != nil:
		yes, err := structured.NodeMatches(features, node, "", false, selector)
		return err == nil && yes
	}
	return false
}

// repels says that a taint of a device is not among those that are tolerated.
func repels(d *resourcev1.Device, tolerations []resourcev1.DeviceToleration) bool {
	return slices.ContainsFunc(d.Taints, func(t resourcev1.DeviceTaint) bool {
		if t.Effect != resourcev1.DeviceTaintEffectNoExecute && t.Effect != resourcev1.DeviceTaintEffectNoSchedule {
			return false
		}
		return !slices.ContainsFunc(tolerations,
			func(o resourcev1.DeviceToleration) bool { return resourceclaim.ToleratesTaint(o, t) })
	})
}
