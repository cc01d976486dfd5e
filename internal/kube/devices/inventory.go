package devices

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"
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
	on      []where // the slice as a whole or (each) its devices one by one
	each    bool
	asked   *corev1.Node // the last node that serves was asked about, where on is of the whole, and its answer
	yes     bool
	fits    map[digest]*matched // by wish
	classed map[digest]*matched // by what classes select, for Offered
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
	b.place()
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
	s.forgetNear(poolOf(b.slice))
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
