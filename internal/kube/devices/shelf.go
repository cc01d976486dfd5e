package devices

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"
)

// pool names the devices that one driver manages together.
type pool struct{ driver, name string }

// shelf holds the slices, so that a question about a node costs what that node can reach
// and not what the cluster has.
type shelf struct {
	boards map[string]*board // by the name of the slice
	pools  map[pool]map[string]*board
	onNode map[string]map[string]*board // those of one node alone, by its name
	spread map[string]*board            // those that say otherwise whom they serve
	near   map[string][]*board          // remembered answers of reach
}

// board is one slice, and what was found out about its devices.
type board struct {
	slice *resourcev1.ResourceSlice
	ids   []structured.DeviceID
	fits  map[wish][]bool // by device
}

func newShelf() shelf {
	return shelf{boards: map[string]*board{}, pools: map[pool]map[string]*board{}, onNode: map[string]map[string]*board{},
		spread: map[string]*board{}, near: map[string][]*board{}}
}

func poolOf(s *resourcev1.ResourceSlice) pool { return pool{s.Spec.Driver, s.Spec.Pool.Name} }

// put takes a slice in in the place of the one of its name; nil: there is none any more.
func (s *shelf) put(name string, slice *resourcev1.ResourceSlice) {
	clear(s.near)
	if old := s.boards[name]; old != nil {
		delete(s.boards, name)
		delete(s.spread, name)
		drop(s.pools, poolOf(old.slice), name)
		if n := old.slice.Spec.NodeName; n != nil {
			drop(s.onNode, *n, name)
		}
	}
	if slice == nil {
		return
	}
	b := &board{slice: slice, fits: map[wish][]bool{}}
	for i := range slice.Spec.Devices {
		b.ids = append(b.ids, structured.MakeDeviceID(slice.Spec.Driver, slice.Spec.Pool.Name, slice.Spec.Devices[i].Name))
	}
	s.boards[name] = b
	add(s.pools, poolOf(slice), name, b)
	if n := slice.Spec.NodeName; n != nil && *n != "" {
		add(s.onNode, *n, name, b)
	} else {
		s.spread[name] = b
	}
}

func add[K comparable](in map[K]map[string]*board, key K, name string, b *board) {
	if in[key] == nil {
		in[key] = map[string]*board{}
	}
	in[key][name] = b
}

func drop[K comparable](in map[K]map[string]*board, key K, name string) {
	delete(in[key], name)
	if len(in[key]) == 0 {
		delete(in, key)
	}
}

// mostNear bounds what reach remembers.
const mostNear = 1 << 14

// reach is the slices that a question about a node is asked with, by name: those that may
// serve it, and what else belongs to their pools, for a pool is used whole or not at all.
func (s *shelf) reach(node string) []*board {
	if known, ok := s.near[node]; ok {
		return known
	}
	all := map[string]*board{}
	for _, of := range []map[string]*board{s.onNode[node], s.spread} {
		for _, b := range of { // order-free: into a map
			for name, sibling := range s.pools[poolOf(b.slice)] { // order-free: into a map
				all[name] = sibling
			}
		}
	}
	out := make([]*board, 0, len(all))
	for _, b := range all { // order-free: sorted below
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b *board) int { return cmp.Compare(a.slice.Name, b.slice.Name) })
	if len(s.near) >= mostNear {
		clear(s.near)
	}
	s.near[node] = out
	return out
}

// current leaves of slices those whose pools are whole in their newest generation: from
// the others nothing is allocated.
func current(list []*board) []*board {
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
	out := make([]*board, 0, len(list))
	for _, b := range list {
		if at := pools[poolOf(b.slice)]; b.slice.Spec.Pool.Generation == at.generation && at.have == at.count {
			out = append(out, b)
		}
	}
	return out
}

// forget drops what was found out about devices, since classes changed.
func (s *shelf) forget() {
	for _, b := range s.boards { // order-free: each is cleared by itself
		clear(b.fits)
	}
}

// wish is what selects devices: a class, and what a request adds to it.
type wish struct {
	class     *resourcev1.DeviceClass
	selectors string // the request's expressions, joined
}

// mostWishes bounds what is remembered of one slice.
const mostWishes = 64

// matches says which devices of a slice a wish selects. What a selector is in error about it does not
// select: the allocator says what is wrong.
func (b *board) matches(w wish, selectors []resourcev1.DeviceSelector, compiled *cel.Cache) []bool {
	if known, ok := b.fits[w]; ok {
		return known
	}
	out := make([]bool, len(b.ids))
	for i := range out {
		out[i] = selects(w.class.Spec.Selectors, b, i, compiled) && selects(selectors, b, i, compiled)
	}
	if len(b.fits) >= mostWishes {
		clear(b.fits)
	}
	b.fits[w] = out
	return out
}

func selects(list []resourcev1.DeviceSelector, b *board, i int, compiled *cel.Cache) bool {
	d := &b.slice.Spec.Devices[i]
	for _, s := range list {
		if s.CEL == nil {
			return false
		}
		program := compiled.GetOrCompile(s.CEL.Expression)
		if program.Error != nil {
			return false
		}
		yes, _, err := program.DeviceMatches(context.Background(), cel.Device{Driver: b.slice.Spec.Driver,
			AllowMultipleAllocations: d.AllowMultipleAllocations, Attributes: d.Attributes, Capacity: d.Capacity})
		if err != nil || !yes {
			return false
		}
	}
	return true
}

// serves says that a node reaches the ith device of a slice.
func (b *board) serves(node *corev1.Node, i int) bool {
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

// repels says that a taint keeps a device from being given to who tolerates so much.
func repels(d *resourcev1.Device, tolerations []resourcev1.DeviceToleration) bool {
	return slices.ContainsFunc(d.Taints, func(t resourcev1.DeviceTaint) bool {
		if t.Effect != resourcev1.DeviceTaintEffectNoExecute && t.Effect != resourcev1.DeviceTaintEffectNoSchedule {
			return false
		}
		return !slices.ContainsFunc(tolerations, func(o resourcev1.DeviceToleration) bool { return resourceclaim.ToleratesTaint(o, t) })
	})
}
