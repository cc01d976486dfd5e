package observe

import (
	"fmt"
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

// shard is the nodes that this scheduler's NodeShard wants (spec.nodesDesired). While
// there is no such NodeShard it has none.
type shard struct {
	mu    sync.Mutex
	nodes map[string]bool
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

// shardHandler takes the nodes of this scheduler's NodeShard over. Those that come or go
// are handed on anew: where a node belongs is a fact about the node.
func (w *Observer) shardHandler() cache.ResourceEventHandler {
	take := func(o any, gone bool) {
		s, ok := last(o).(*shardv1alpha1.NodeShard)
		if !ok || s.Name != w.options.Shard.Name {
			return
		}
		now := map[string]bool{}
		if !gone {
			for _, n := range s.Spec.NodesDesired {
				now[n] = true
			}
		}
		w.shard.mu.Lock()
		was := w.shard.nodes
		w.shard.nodes = now
		w.shard.mu.Unlock()
		var changed []string
		for n := range now {
			if !was[n] {
				changed = append(changed, n)
			}
		}
		for n := range was {
			if !now[n] {
				changed = append(changed, n)
			}
		}
		slices.Sort(changed)
		for _, n := range changed {
			if known := w.Node(n); known != nil {
				w.queue.add(known, false)
			}
		}
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
