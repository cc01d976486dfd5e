package devices

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"ashlar.sh/sched/model"
)

// reach is what a node reaches: the slices by name, and the pools that they are of.
type reach struct {
	of       *corev1.Node
	slices   []*publishedSlice
	usable   []*publishedSlice // of pools that are whole
	pools    []pool
	uses     []*poolUse // of pools, since they were asked for
	content  digest
	counters bool // some devices of it share counters
	shared   bool // other nodes may reach some of its pools, too

	counts map[*resourcev1.DeviceClass]classCount

	node    *model.Node // that still is about, with the classes as they were
	classes digest
	still   digest
}

// classCount is how many devices of a class a node reaches, taken or not: with and without those that have a taint.
type classCount struct {
	all, clean int64
	many       bool // they may meet more requests than they are, or it is not known which the class selects
}

// mostNear bounds what reach remembers.
const mostNear = 1 << 14

// reach returns what a question about a node is asked with: the slices that may serve the node, and all other slices of
// their pools, because a pool is used as a whole or not at all.
func (s *inventory) reach(node *corev1.Node) *reach {
	if known := s.near[node.Name]; known != nil && known.of == node {
		return known
	}
	all := map[string]*publishedSlice{}
	out := &reach{of: node}
	take := func(b *publishedSlice) {
		for name, sibling := range s.pools[poolOf(b.slice)] { // order-free: into a map
			all[name] = sibling
		}
	}
	for _, b := range s.onNode[node.Name] { // order-free: into a map
		take(b)
	}
	for name, b := range s.spread { // order-free: into a map
		if all[name] == nil && b.concerns(node) {
			take(b)
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
	s.near[node.Name] = out
	return out
}

// forgetNear drops what is remembered of the nodes that reach a pool, or would now.
func (s *inventory) forgetNear(p pool) {
	for name, r := range s.near { // order-free: each for itself
		reaches := slices.Contains(r.pools, p)
		for _, b := range s.pools[p] { // order-free: whether any does
			reaches = reaches || b.concerns(r.of)
		}
		if reaches {
			delete(s.near, name)
		}
	}
}

// where says of which nodes a slice is, or one of its devices.
type where struct {
	name     string
	all      bool
	selector *nodeaffinity.NodeSelector
	faulty   bool // the selector cannot be read
}

func whereOf(name *string, all *bool, selector *corev1.NodeSelector) (w where) {
	switch {
	case name != nil && *name != "":
		w.name = *name
	case all != nil && *all:
		w.all = true
	case selector != nil:
		var err error
		w.selector, err = nodeaffinity.NewNodeSelector(selector)
		w.faulty = err != nil
	}
	return w
}

func (w *where) is(node *corev1.Node) bool {
	switch {
	case w.name != "":
		return w.name == node.Name
	case w.all:
		return true
	}
	return w.selector != nil && !w.faulty && w.selector.Match(node)
}

// place reads of which nodes the slice is, once: to read a selector costs far more than to match it.
func (b *publishedSlice) place() {
	s := &b.slice.Spec
	if s.PerDeviceNodeSelection == nil || !*s.PerDeviceNodeSelection {
		b.on = []where{whereOf(s.NodeName, s.AllNodes, s.NodeSelector)}
		return
	}
	b.on = make([]where, len(s.Devices))
	for i := range s.Devices {
		d := &s.Devices[i]
		b.on[i] = whereOf(d.NodeName, d.AllNodes, d.NodeSelector)
	}
	b.each = true
}

// serves says that a node reaches the ith device of a slice.
func (b *publishedSlice) serves(node *corev1.Node, i int) bool {
	if b.each {
		return b.on[i].is(node)
	}
	if b.asked != node {
		b.asked, b.yes = node, b.on[0].is(node)
	}
	return b.yes
}

// concerns says that Kubernetes' allocator reads a slice when it looks for devices for a node: one with counters, one
// of which the node reaches a device, and one with a selector that cannot be read, about which it complains.
func (b *publishedSlice) concerns(node *corev1.Node) bool {
	if len(b.slice.Spec.SharedCounters) > 0 {
		return true
	}
	return slices.ContainsFunc(b.on, func(w where) bool { return w.faulty || w.is(node) })
}
