package loop

import (
	"strings"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// curable reports whether one more node could end the wait (decision 26): no node has room or is
// allowed; or a queue holds its share, and that share is bounded by what the cluster has and not by
// the capability of the queue or of a queue above it.
func curable(led *ledger.Ledger, r trace.Reason) bool {
	root := r.Root()
	switch root.Code {
	case trace.NoNodes, trace.NotEnoughResources, trace.NodesRefuse, trace.InsufficientResource, trace.NodePorts,
		trace.NodeUnschedulable, trace.NodeTaint, trace.NodeAffinity, trace.NodeSelector, trace.NodeVolume, trace.NodeNUMA,
		trace.NodeBooked,
		trace.NodeNUMAPolicy, trace.NodeFeatures,
		trace.TopologyNoRoom, trace.PodAffinityNoRoom, trace.SearchExhausted,
		trace.PodAntiAffinity, trace.PodRepelled, trace.PodTopologySpread, trace.TopologyKeyMissing, trace.NodeKept:
		return true
	case trace.NodeDevices:
		return !strings.HasSuffix(root.Text, trace.NotAllocated)
	case trace.QueueDeserved, trace.QueueOverused, trace.QueueCapability, trace.QueueQuotaInsufficient:
		return sched.ShareGrows(led, root)
	}
	return false
}
