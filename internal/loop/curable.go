package loop

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// curable says that a node more could end the wait (decision 26): no node has room or
// is allowed; or a queue holds its share, and its share is bounded by what the cluster
// has and not by a capability of its own or of a queue above it.
func curable(led *ledger.Ledger, r trace.Reason) bool {
	root := r.Root()
	switch root.Code {
	case trace.NoNodes, trace.NotEnoughResources, trace.NodesRefuse, trace.InsufficientResource, trace.NodePorts,
		trace.NodeUnschedulable, trace.NodeTaint, trace.NodeAffinity, trace.NodeSelector, trace.NodeVolume, trace.TopologyNoRoom,
		trace.PodAntiAffinity, trace.PodRepelled, trace.PodTopologySpread, trace.TopologyKeyMissing:
		return true
	case trace.QueueDeserved, trace.QueueOverused, trace.QueueCapability, trace.QueueQuotaInsufficient:
		return grows(led, root)
	}
	return false
}

// grows says that a queue's share would grow with the cluster: in every dimension that
// falls short, what it would hold lies within the capability that is written on it and
// on every queue above it.
func grows(led *ledger.Ledger, r *trace.Reason) bool {
	q, ok := led.FindQueue(r.Queue)
	if !ok || len(r.Shorts) == 0 {
		return false
	}
	for ; q != ledger.NoQueue; q = led.Parent(q) {
		for _, s := range r.Shorts {
			dim, ok := led.Dims.Lookup(s.Dim)
			if !ok {
				continue
			}
			bound, limited := led.Queue(q).Capability.Bound(dim)
			// Overused: Need is what it deserves and Have what it holds, and it wants more.
			if limited && (s.Need > bound || r.Code == trace.QueueOverused && s.Have >= bound) {
				return false
			}
		}
	}
	return true
}
