package observe

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	shardv1alpha1 "volcano.sh/apis/pkg/apis/shard/v1alpha1"
)

// ShardMode is what the nodes of other schedulers' shards are to this one.
type ShardMode string

// The modes of --scheduler-sharding-mode.
const (
	ShardNone ShardMode = "none" // shards play no part; "" is the same
	ShardSoft ShardMode = "soft" // nodes elsewhere are used where none of its own takes a task
	ShardHard ShardMode = "hard" // nodes elsewhere are as if they were not there
)

// ParseShardMode reads a mode; an error names those there are.
func ParseShardMode(text string) (ShardMode, error) {
	switch m := ShardMode(text); m {
	case "", ShardNone, ShardSoft, ShardHard:
		return m, nil
	}
	return "", fmt.Errorf("%q: expected none, soft or hard", text)
}

func (m ShardMode) on() bool { return m == ShardSoft || m == ShardHard }

// Sharding says which NodeShard is this scheduler's.
type Sharding struct {
	Mode ShardMode
	Name string
}

// shard is the NodeShards as they were last seen, and the nodes that follow to be this
// scheduler's: those that its own NodeShard wants (spec.nodesDesired) and no other one's scheduler
// still uses (status.nodesInUse). While there is no such NodeShard it has none.
type shard struct {
	mu    sync.Mutex
	all   map[string]*shardv1alpha1.NodeShard
	nodes map[string]bool
}

// Shard is this scheduler's NodeShard, nil without one, and the nodes that it has, by name.
func (w *Observer) Shard() (own *shardv1alpha1.NodeShard, nodes []string) {
	if !w.options.Shard.Mode.on() {
		return nil, nil
	}
	w.shard.mu.Lock()
	defer w.shard.mu.Unlock()
	return w.shard.all[w.options.Shard.Name], slices.Sorted(maps.Keys(w.shard.nodes))
}

// elsewhere says that a node is not of this scheduler's shard.
func (w *Observer) elsewhere(node string) bool {
	if !w.options.Shard.Mode.on() {
		return false
	}
	w.shard.mu.Lock()
	defer w.shard.mu.Unlock()
	return !w.shard.nodes[node]
}

// take takes a NodeShard over, and returns the nodes that come to this scheduler's or go.
func (s *shard) take(own string, of *shardv1alpha1.NodeShard, gone bool) (changed []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]*shardv1alpha1.NodeShard{}
	}
	if s.all[of.Name] = of; gone {
		delete(s.all, of.Name)
	}
	was, now := s.nodes, s.of(own)
	s.nodes = now
	for n := range now { // order-free: sorted below
		if !was[n] {
			changed = append(changed, n)
		}
	}
	for n := range was { // order-free: sorted below
		if !now[n] {
			changed = append(changed, n)
		}
	}
	slices.Sort(changed)
	return changed
}

// of is the nodes of a shard. Of two that both say that they use a node, which happens when
// both want it and begin at once, the first by name keeps it: else both would give it up, and
// both take it again.
func (s *shard) of(name string) map[string]bool {
	out := map[string]bool{}
	own := s.all[name]
	if own == nil {
		return out
	}
	for _, n := range own.Spec.NodesDesired {
		out[n] = true
	}
	for _, other := range s.all { // order-free: into a map
		if other.Name == name {
			continue
		}
		for _, n := range other.Status.NodesInUse {
			if name > other.Name || !slices.Contains(own.Status.NodesInUse, n) {
				delete(out, n)
			}
		}
	}
	return out
}

// shardHandler takes the NodeShards over. Nodes that come to this scheduler's or go are handed
// on anew: where a node belongs is a fact about the node.
func (w *Observer) shardHandler() cache.ResourceEventHandler {
	take := func(o any, gone bool) {
		s, ok := last(o).(*shardv1alpha1.NodeShard)
		if !ok {
			return
		}
		for _, n := range w.shard.take(w.options.Shard.Name, s, gone) {
			if known := w.Node(n); known != nil {
				w.queue.add(known, false)
			}
		}
		w.queue.awake() // its status may have to be written, though no node comes or goes
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { take(o, false) },
		UpdateFunc: func(_, o any) { take(o, false) },
		DeleteFunc: func(o any) { take(o, true) },
	}
}

// hidden says that a node is as if it were not there: it is not selected, or it belongs to
// another scheduler for good.
func (w *Observer) hidden(n *corev1.Node) bool {
	return !w.selected(n) || !w.options.Ring.owns(n.Name) || w.options.Shard.Mode == ShardHard && w.elsewhere(n.Name)
}
