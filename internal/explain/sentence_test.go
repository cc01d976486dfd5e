package explain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"ashlar.sh/sched/trace"
)

const gi = 1 << 30

var noRoom = trace.Reason{
	Code: trace.NotEnoughResources, Task: "default/train-1", Text: "n2", Need: 4,
	Shorts: []trace.Short{{Dim: "memory", Need: 8 * gi, Have: gi}, {Dim: "nvidia.com/gpu", Need: 4000, Have: 2000}},
	Nodes: []trace.NodeCount{
		{Code: trace.InsufficientResource, Text: "nvidia.com/gpu", Count: 2, Example: "n1"},
		{Code: trace.InsufficientResource, Text: "memory", Count: 1, Example: "n2"},
		{Code: trace.NodeTaint, Text: "dedicated=infra:NoSchedule", Count: 1, Example: "n3"},
		{Code: trace.NodeUnschedulable, Count: 1, Example: "n4"},
	},
}

const noRoomText = "default/train-1: none of 4 nodes takes it: 2 lack nvidia.com/gpu (on n2: 4 asked, 2 free), " +
	"1 lacks memory (on n2: 8Gi asked, 1Gi free), 1 has taint dedicated=infra:NoSchedule, 1 is cordoned"

func refusedBy(code trace.Code, text string) trace.Reason {
	return trace.Reason{Code: code, Text: text, Need: 3, Nodes: []trace.NodeCount{{Code: code, Text: text, Count: 3}}}
}

var sentencesByCode = []said{
	{trace.Reason{}, ""},
	{trace.Reason{Code: trace.InvalidObject, Task: "default/p",
		Text: "spec.containers[0].resources.requests.cpu: -1 is negative"},
		"default/p: it was set aside because of an error in it: spec.containers[0].resources.requests.cpu: -1 is negative"},
	{trace.Reason{Code: trace.PodGroupNotFound, Text: "train"}, "its pods name PodGroup train, which does not exist"},
	{trace.Reason{Code: trace.NoPods, Need: 3}, "it may start, but none of its pods (at least 3) has been created yet"},
	{trace.Reason{Code: trace.NoPods}, "it may start, but none of its pods has been created yet"},
	{trace.Reason{Code: trace.QueueNotFound, Queue: "reserach"}, "queue reserach does not exist"},
	{trace.Reason{Code: trace.QueueInvalid, Queue: "a", Text: "spec.weight: -1"},
		"queue a was set aside because of an error in it: spec.weight: -1"},
	{trace.Reason{Code: trace.QueueNotOpen, Queue: "a", Text: "Closed"}, "queue a is closed and takes no jobs"},
	{trace.Reason{Code: trace.QueueNotLeaf, Queue: "a"},
		"queue a has child queues; only queues without children take jobs"},
	{trace.Reason{Code: trace.QueueCyclic, Queue: "a"}, "the parents of queue a form a ring that never reaches root"},
	{trace.Reason{Code: trace.QueueOrphaned, Queue: "a", Text: "eng"},
		"queue a hangs below queue eng, which does not exist"},
	{trace.Reason{Code: trace.NotEnoughTasks, Have: 2, Need: 3}, "2 of at least 3 pods exist"},
	{trace.Reason{Code: trace.NotEnoughPodsOfTask, Text: "ps", Have: 0, Need: 1}, "0 of at least 1 pod of task ps exist"},
	{trace.Reason{Code: trace.SchedulingGated, Have: 1}, "1 pod is held back by scheduling gates"},
	{trace.Reason{Code: trace.QueueGateShut, Have: 2, Cause: &trace.Reason{Code: trace.QueueNotLeaf, Queue: "a"}},
		"2 pods are held back by the gate of the queue; queue a has child queues; only queues without children take jobs"},
	{trace.Reason{Code: trace.GangIncomplete, Have: 1, Need: 3, Cause: &noRoom}, "there is room for 1 of the 3 " +
		"pods that start together; " + strings.ReplaceAll(noRoomText, " free)", " free beside its gang)")},
	{trace.Reason{Code: trace.GangIncomplete, Have: 1, Need: 3, Cause: &noRoom,
		Tried: []trace.Placement{{Task: "default/train-0", Node: "n1"}}}, "there is room for 1 of the 3 pods that start " +
		"together (train-0 on n1); " + noRoomText},
	{trace.Reason{Code: trace.GangIncomplete, Have: 0, Need: 1}, "there is room for 0 of 1 pod"},
	{trace.Reason{Code: trace.GangIncomplete, Have: 4, Need: 9,
		Tried: []trace.Placement{{Task: "ns/a", Node: "n1"}, {Task: "ns/b", Node: "n1"},
			{Task: "ns/c", Node: "n2"}, {Task: "ns/d", Node: "n2"}}},
		"there is room for 4 of the 9 pods that start together (a on n1, b on n1, c on n2, 1 more)"},
	{trace.Reason{Code: trace.BindRefused, Task: "default/p", Have: 5, Text: "a webhook says no",
		Until: 1_700_000_000_000_000_000},
		"default/p: the API server has refused to bind it 5 times in a row (a webhook says no); the next try is at " +
			"2023-11-14T22:13:20Z"},
	{trace.Reason{Code: trace.QueueQuotaInsufficient, Queue: "a",
		Shorts: []trace.Short{{Dim: "cpu", Need: 12000, Have: 6000}}},
		"queue a has no room for its minResources (cpu: 12 with it, 6 allowed)"},
	{trace.Reason{Code: trace.ClusterOvercommitted,
		Shorts: []trace.Short{{Dim: "cpu", Need: 12000, Have: 9600, Kept: 5000}}},
		"more would be admitted than the cluster's nodes and the overcommit factor allow (cpu: 12 with it, 5 of these " +
			"kept for jobs admitted before it, 9.6 allowed)"},
	{trace.Reason{Code: trace.ClusterOvercommitted, Shorts: []trace.Short{{Dim: "cpu", Need: 12000, Have: 9600}}},
		"more would be admitted than the cluster's nodes and the overcommit factor allow (cpu: 12 with it, 9.6 allowed)"},
	{trace.Reason{Code: trace.NamespaceQuotaExceeded, Text: "team",
		Shorts: []trace.Short{{Dim: "memory", Need: 3 * gi, Have: 2 * gi}}},
		"ResourceQuota team has no room for its minResources (memory: 3Gi with it, 2Gi allowed)"},
	{trace.Reason{Code: trace.QueueOverused, Queue: "a", Task: "default/p",
		Shorts: []trace.Short{{Dim: "cpu", Need: 28000, Have: 28000}, {Dim: "memory", Need: 2 * gi, Have: 3 * gi}}},
		"queue a holds all that it deserves (cpu: 28 deserved, 28 allocated; memory: 2Gi deserved, 3Gi allocated)"},
	{trace.Reason{Code: trace.QueueDeserved, Queue: "a", Task: "default/p",
		Shorts: []trace.Short{{Dim: "cpu", Need: 30000, Have: 28500}}},
		"default/p: queue a would hold more than it deserves (cpu: 30 with it, 28.5 deserved)"},
	{trace.Reason{Code: trace.QueueDevices, Queue: "ml", Shorts: []trace.Short{{Dim: "deviceclass/gpu.example.com",
		Need: 9000, Have: 8000}}},
		"queue ml would hold more devices than its capability (deviceclass/gpu.example.com: 9 with its claims, 8 allowed)"},
	{trace.Reason{Code: trace.QueueCapability, Shorts: []trace.Short{{Dim: "cpu", Need: 30000, Have: 28000}}},
		"its queue would hold more than its capability (cpu: 30 with it, 28 allowed)"},
	{trace.Reason{Code: trace.VictimGuaranteed, Queue: "a", Shorts: []trace.Short{{Dim: "cpu", Need: 10000, Have: 8000}}},
		"queue a would be left with less than its guarantee (cpu: 10 guaranteed, 8 left)"},
	{trace.Reason{Code: trace.VictimDeserved, Queue: "a", Shorts: []trace.Short{{Dim: "cpu", Need: 10000, Have: 8000}}},
		"queue a holds no more than it deserves (cpu: 10 deserved, 8 held)"},
	{trace.Reason{Code: trace.VictimMinimum, Queue: "a", Shorts: []trace.Short{{Dim: "cpu", Need: 10000, Have: 8000}}},
		"queue a would hold no more than it deserves without what its gang can spare (cpu: 10 deserved, 8 left)"},
	{trace.Reason{Code: trace.VictimOfNoUse, Queue: "a"}, "they hold none of the resources that are missing"},
	{trace.Reason{Code: trace.VictimOutside, Queue: "a"},
		"queue a or the queue that asks is invalid or not below root: nothing is reclaimed from it"},
	{trace.Reason{Code: trace.VictimNotLower, Have: 10, Need: 5},
		"its priority (10) is not below that of the one that asks (5)"},
	{trace.Reason{Code: trace.VictimShare, Text: "60%, the victim would be left with 20%"},
		"the job that asks would have the larger share of the cluster (60%, the victim would be left with 20%)"},
	{trace.Reason{Code: trace.VictimSooner, Text: "5m0s left, the one that asks needs 6m0s"},
		"it has no more left to do than the one that asks (5m0s left, the one that asks needs 6m0s)"},
	{trace.Reason{Code: trace.VictimCritical, Task: "kube-system/dns"}, "kube-system/dns: it keeps the cluster running"},
	{trace.Reason{Code: trace.VictimBudget, Text: "ml/keep", Have: 1, Need: 2},
		"the disruption budget ml/keep allows 1 disruption, and 2 would be made"},
	{trace.Reason{Code: trace.VictimCooling, Text: "5m0s left"}, "it is protected for a while yet (5m0s left)"},
	{trace.Reason{Code: trace.VictimTooYoung, Text: "3m0s left"},
		"it has not run for the minimum run time of its queue (3m0s left)"},
	{trace.Reason{Code: trace.VictimCapped, Text: "plugin evictioncap: queue ml", Have: 3, Need: 3},
		"3 of 3 evictions took place lately (plugin evictioncap: queue ml)"},
	{trace.Reason{Code: trace.VictimOutOfZone}, "it is on a node that is lent by the hour"},
	{trace.Reason{Code: trace.VictimForKept},
		`plugin tdm has it leave only for pods marked volcano.sh/preemptable: "false"`},
	{trace.Reason{Code: trace.VictimNotOwed, Queue: "b", Shorts: []trace.Short{{Dim: "cpu", Need: 4000, Have: 5000}}},
		"queue b would itself hold more than it deserves of what they give (cpu: 4 deserved, 5 with the pod)"},
	{trace.Reason{Code: trace.VictimReturns, Queue: "a", Text: "b",
		Shorts: []trace.Short{{Dim: "nvidia.com/gpu", Need: 8000, Have: 0}}},
		"queue a could claim it back at once from queue b (nvidia.com/gpu: 8 deserved, 0 left)"},
	{trace.Reason{Code: trace.VictimKept}, `it is marked volcano.sh/preemptable: "false"`},
	{trace.Reason{Code: trace.VictimGang}, "its gang would be left with less than its minimum"},
	{trace.Reason{Code: trace.VictimUnreclaimed, Queue: "a"}, "queue a has reclaimable: false"},
	{trace.Reason{Code: trace.VictimUnasked}, "no plugin permits it"},
	{trace.Reason{Code: trace.VictimBusy}, "its gang cannot go as a whole: a member is being bound, or may not be " +
		"evicted"},
	{trace.Reason{Code: trace.VictimInDoubt}, "whether another pod of its queue leaves is not known yet"},
	{trace.Reason{Code: trace.PreemptionNever}, "no pod is evicted for it, since its preemptionPolicy is Never"},
	{trace.Reason{Code: trace.NoVictims, Need: 15, Nodes: []trace.NodeCount{{Code: trace.VictimNotLower, Count: 12},
		{Code: trace.VictimGang, Count: 2}, {Code: trace.VictimKept, Count: 1}}},
		`no pod may be evicted for it: 12 pods have no lower priority, 2 belong to gangs at their minimum, 1 is marked ` +
			`preemptable: "false"`},
	{trace.Reason{Code: trace.NoVictims, Nodes: []trace.NodeCount{{Code: trace.VictimBudget, Text: "ml/a", Count: 1}}},
		"no pod may be evicted for it: 1 pod is kept by the disruption budget ml/a"},
	{trace.Reason{Code: trace.NoVictims, Nodes: []trace.NodeCount{{Code: trace.VictimCapped,
		Text: "plugin evictioncap: queue a", Count: 3},
		{Code: trace.VictimNotLower, Count: 2},
		{Code: trace.VictimCapped, Text: "plugin evictioncap: job b", Count: 1}}},
		"no pod may be evicted for it: 4 pods are spared by a limit on evictions (plugin evictioncap), 2 have no lower " +
			"priority"},
	{trace.Reason{Code: trace.NoVictims, Cause: &trace.Reason{Code: trace.QueueDeserved, Queue: "a",
		Shorts: []trace.Short{{Dim: "cpu", Need: 3000, Have: 2000}}}},
		"no pod may be evicted for it: queue a would hold more than it deserves (cpu: 3 with it, 2 deserved)"},
	{trace.Reason{Code: trace.NoVictims}, "there is no pod to evict for it"},
	{trace.Reason{Code: trace.VictimsTooFew, Have: 3, Need: 15,
		Nodes: []trace.NodeCount{{Code: trace.VictimNotLower, Count: 12}}},
		"even without the 3 pods that may be evicted it finds no place; of the others 12 pods have no lower priority"},
	{trace.Reason{Code: trace.VictimsTooFew, Have: 1, Need: 1},
		"even without the only pod that may be evicted it finds no place"},
	{trace.Reason{Code: trace.SearchExhausted, Have: 257, Text: "a place"},
		"the search for a place was given up after 257 steps"},
	{trace.Reason{Code: trace.SearchExhausted, Have: 2049}, "the search for victims was given up after 2049 steps"},
	{trace.Reason{Code: trace.QueueOverused, Queue: "a", Shorts: []trace.Short{{Dim: "cpu", Need: 8000, Have: 8000}},
		Evicting: &trace.Reason{Code: trace.NoVictims, Text: "preempt", Task: "ml/x-0",
			Nodes: []trace.NodeCount{{Code: trace.VictimNotLower, Count: 2}}}},
		"queue a holds all that it deserves (cpu: 8 deserved, 8 allocated); preempt: ml/x-0: no pod may be evicted for it: " +
			"2 pods have no lower priority"},
	{trace.Reason{Code: trace.NoNodes}, "the cluster has no nodes"},
	{trace.Reason{Code: trace.NoNodes, Task: "ml/x-0", Evicting: &trace.Reason{Code: trace.NoVictims, Text: "preempt",
		Task:     "ml/x-0",
		Evicting: &trace.Reason{Code: trace.PreemptionNever, Text: "reclaim", Task: "ml/x-0"}}},
		"ml/x-0: the cluster has no nodes; preempt: no pod of its queue can be evicted for it on a node that may take it; " +
			"reclaim: no pod is evicted for it, since its preemptionPolicy is Never"},
	{noRoom, noRoomText},
	{trace.Reason{Code: trace.NotEnoughResources, Shorts: []trace.Short{{Dim: "cpu", Need: 4000, Have: 1000}}},
		"no node takes it: not enough room (cpu: 4 asked, 1 free)"},
	{trace.Reason{Code: trace.NotEnoughResources, Need: 3, Nodes: []trace.NodeCount{{Code: trace.InsufficientResource,
		Text: "cpu", Count: 2}}}, "of 3 nodes: 2 lack cpu"},
	{trace.Reason{Code: trace.NodesRefuse, Need: 2, Nodes: []trace.NodeCount{{Code: trace.NodePorts, Text: "8080/TCP",
		Count: 1}, {Code: trace.NodesRefuse, Text: "other reasons", Count: 1}}},
		"none of 2 nodes takes it: 1 has host port 8080/TCP taken, 1 refuses for other reasons"},
	{refusedBy(trace.NodeUnschedulable, ""), "none of 3 nodes takes it: 3 are cordoned"},
	{refusedBy(trace.NodeFeatures, "UserNamespaces"), "none of 3 nodes takes it: 3 lack feature UserNamespaces"},
	{refusedBy(trace.NodeTaint, "gpu:NoSchedule"), "none of 3 nodes takes it: 3 have taint gpu:NoSchedule"},
	{refusedBy(trace.NodeAffinity, ""), "none of 3 nodes takes it: 3 do not match its node affinity"},
	{refusedBy(trace.NodeSelector, ""), "none of 3 nodes takes it: 3 do not match its nodeSelector"},
	{refusedBy(trace.NodeGroup, "gold"), "none of 3 nodes takes it: 3 are not for its queue (node group: gold)"},
	{refusedBy(trace.NodeRevocable, "rz is closed at this hour"),
		"none of 3 nodes takes it: 3 are lent by the hour (zone rz is closed at this hour)"},
	{refusedBy(trace.NodeGroup, ""), "none of 3 nodes takes it: 3 are not for its queue (node group: none)"},
	{refusedBy(trace.NodeNUMAPolicy, "restricted"),
		"none of 3 nodes takes it: 3 do not have its NUMA topology policy (restricted)"},
	{refusedBy(trace.NodeNUMAPolicy, ""), "none of 3 nodes takes it: 3 do not have its NUMA topology policy (unknown)"},
	{trace.Reason{Code: trace.NodeGroupLimit, Need: 2, Nodes: []trace.NodeCount{
		{Code: trace.NodeGroupLimit, Domain: trace.Domain{Key: "cpu", Value: "gold", Have: 1500, Least: 1000, Most: 2000},
			Count: 2}}},
		"none of 2 nodes takes it: 2 are of node group gold, of which its queue may hold 2 cpu: 1.5 held, 1 asked"},
	{refusedBy(trace.NodeGroupLimit, ""), "none of 3 nodes takes it: 3 cannot be judged: the limits of its queue " +
		"(annotation volcano.sh/nodegroup-resource-limits) cannot be read"},
	{trace.Reason{Code: trace.NodeNUMA, Need: 3, Nodes: []trace.NodeCount{
		{Code: trace.NodeNUMA, Domain: trace.Domain{Key: "NUMA", Least: 6, Have: 4}, Count: 3}}},
		"none of 3 nodes takes it: 3 might have no 6 cpus together: 4 were free on one NUMA node when it was last reported"},
	{refusedBy(trace.VolumeInUse, "data"),
		"none of 3 nodes takes it: 3 cannot have volume claim data, which is for one pod alone and in use"},
	{refusedBy(trace.NodePorts, "80/TCP"), "none of 3 nodes takes it: 3 have host port 80/TCP taken"},
	{refusedBy(trace.NodeVolume, "its volume v is elsewhere"),
		"none of 3 nodes takes it: 3 cannot have its volumes (its volume v is elsewhere)"},
	{trace.Reason{Code: trace.NodesRefuse, Need: 3, Nodes: []trace.NodeCount{{Code: trace.NodeDevices,
		Text: "gpu.example.com", Need: 2, Have: 1, Count: 2},
		{Code: trace.NodeDevices, Text: "gpu.example.com", Need: 2, Count: 1}}},
		"none of 3 nodes takes it: 2 have 1 of class gpu.example.com free, 2 asked, 1 has 0 of class gpu.example.com free, " +
			"2 asked"},
	{refusedBy(trace.ClaimElsewhere, "shared"),
		"none of 3 nodes takes it: 3 are not where the devices of resource claim shared are"},
	{trace.Reason{Code: trace.ClaimSearchExhausted, Text: "gpu", Need: 3,
		Nodes: []trace.NodeCount{{Code: trace.ClaimSearchExhausted, Text: "gpu", Have: 10000, Count: 3}}},
		"none of 3 nodes takes it: 3 may meet resource claim gpu or not: the search was given up after 10000 steps"},
	{trace.Reason{Code: trace.ClaimCompiling, Text: "gpu"},
		"the selectors of resource claim gpu are not compiled yet; it goes on by itself"},
	{trace.Reason{Code: trace.ClaimBudgetSpent, Text: "cycle"},
		"the search for devices has used up this cycle's steps; it goes on by itself in the next"},
	{trace.Reason{Code: trace.ClaimBudgetSpent, Text: "namespace"},
		"the search for devices has used up its namespace's steps for now; it goes on by itself within seconds"},
	{trace.Reason{Code: trace.ClaimBudgetSpent, Text: "claim"},
		"the search for devices has used up the steps for claims like its own for now; it goes on by itself within seconds"},
	{refusedBy(trace.ClaimUnusable, "gpu: too hard"),
		"none of 3 nodes takes it: 3 cannot meet resource claim gpu: too hard"},
	{trace.Reason{Code: trace.ClaimUnusable, Text: "gpu is being deleted"}, "resource claim gpu is being deleted"},
	{trace.Reason{Code: trace.ClaimNotFound, Text: "gpu (to be made from template one)"},
		"resource claim gpu (to be made from template one) is not there"},
	{trace.Reason{Code: trace.DeviceClassNotFound, Text: "gpu.example.com"},
		"its resource claims ask for devices of class gpu.example.com, which does not exist"},
	{trace.Reason{Code: trace.ResourceOfClass, Text: "gpu.example.com",
		Shorts: []trace.Short{{Dim: "example.com/gpu", Need: 2000}}},
		"it asks for a resource that no node offers (example.com/gpu: 2 asked, 0 offered); device class gpu.example.com " +
			"stands for it, and no node has devices of that class"},
	{refusedBy(trace.NodeDevices, "gpu"), "none of 3 nodes takes it: 3 cannot meet its resource claims (gpu)"},
	{trace.Reason{Code: trace.PodAffinity, Need: 3, Nodes: []trace.NodeCount{
		{Code: trace.PodAffinity, Domain: trace.Domain{Key: "topology.kubernetes.io/zone", Value: "a", Pods: "app=db"},
			Count: 2},
		{Code: trace.PodAffinity, Domain: trace.Domain{Key: "topology.kubernetes.io/zone", Pods: "app=db"}, Count: 1}}},
		"none of 3 nodes takes it: 2 are in zone a, without a pod app=db, 1 has no label topology.kubernetes.io/zone, by " +
			"which a pod app=db is to be near"},
	{trace.Reason{Code: trace.PodAntiAffinity, Need: 3, Nodes: []trace.NodeCount{
		{Code: trace.PodAntiAffinity, Domain: trace.Domain{Key: "kubernetes.io/hostname", Pods: "app=web"}, Count: 3}}},
		"none of 3 nodes takes it: 3 have a pod app=web, which it keeps away from"},
	{trace.Reason{Code: trace.PodRepelled, Need: 1, Nodes: []trace.NodeCount{
		{Code: trace.PodRepelled, Domain: trace.Domain{Key: "zone", Value: "b", Pods: "app=web"}, Count: 1}}},
		"the only node does not take it: it is in zone b, with a pod that keeps away from app=web"},
	{trace.Reason{Code: trace.PodTopologySpread, Need: 5, Nodes: []trace.NodeCount{
		{Code: trace.PodTopologySpread, Domain: trace.Domain{Key: "zone", Value: "a", Pods: "app=web", Have: 3, Least: 2,
			Most: 1}, Count: 3},
		{Code: trace.PodTopologySpread, Domain: trace.Domain{Key: "kubernetes.io/hostname", Pods: "app=web", Least: 1,
			Most: 1}, Count: 1},
		{Code: trace.TopologyKeyMissing, Text: "zone", Count: 1}}},
		"none of 5 nodes takes it: 3 are in zone a, with 3 pods app=web where some zone has 2 and maxSkew is 1, " +
			"1 has too many pods app=web where some node has 1 and maxSkew is 1, 1 lacks label zone"},
	{refusedBy(trace.TopologyKeyMissing, "zone"), "none of 3 nodes takes it: 3 lack label zone"},
	{trace.Reason{Code: trace.InsufficientResource, Need: 1, Text: "memory"},
		"the only node does not take it: it lacks memory"},
	{trace.Reason{Code: trace.PipelinedOnReleasing, Have: 1, Need: 2},
		"1 pod waits for room that is being freed (2 needed)"},
	{trace.Reason{Code: trace.PipelinedOnReleasing, Text: "n1"}, "it waits for room that is being freed on node n1"},
	{trace.Reason{Code: trace.Reserved, Text: "n1"},
		"room was freed for it on node n1; it waits for the last victim to go"},
	{trace.Reason{Code: trace.MinimumsFirst},
		"it has its minimum; pods above it are placed after the minimums of the jobs that came with it, a second later at " +
			"most"},
	{trace.Reason{Code: trace.StartPlanned, Text: "n1, n2", Until: 61_000_000_000, Task: "ml/train-0",
		Cause: &trace.Reason{Code: trace.InsufficientResource, Need: 1, Text: "cpu"}},
		"ml/train-0: its start is planned for 1970-01-01T00:01:01Z on n1, n2, when pods there have ended; the only node " +
			"does not take it: it lacks cpu"},
	{trace.Reason{Code: trace.BehindJob, Text: "ml/train", Nodes: []trace.NodeCount{{Count: 3, Example: "n1"}}},
		"ml/train comes before it in its queue, which is served in order (fifo), and has not started; both could use the " +
			"same nodes (3, such as n1)"},
	{trace.Reason{Code: trace.BehindJob, Text: "ml/train", Queue: "ml", Shorts: []trace.Short{{Dim: "cpu", Need: 12000,
		Have: 10000}}}, "ml/train comes before it in its queue, which is served in order (fifo), and has not started; both " +
		"count in queue ml (cpu: 12 with both, 10 allowed)"},
	{trace.Reason{Code: trace.WaitsForTurn}, "other jobs were served first; its turn has not come"},
	{trace.Reason{Code: trace.LostMemberFirst, Text: "ml/train", Have: 1, Until: 61_000_000_000,
		Shorts: []trace.Short{{Dim: "cpu", Need: 2000}},
		Cause:  &trace.Reason{Code: trace.InsufficientResource, Need: 1, Text: "cpu"}},
		"it would take the room of a member that ml/train has lost (cpu: 2), which is kept until 1970-01-01T00:01:01Z; " +
			"the only node does not take it: it lacks cpu"},
	{trace.Reason{Code: trace.LostMemberFirst, Text: "ml/train", Have: 3, Until: 61_000_000_000,
		Shorts: []trace.Short{{Dim: "cpu", Need: 2000}}},
		"it would take the room of 3 members that gangs of its queue have lost, the first of them ml/train (cpu: 2), which " +
			"is kept until 1970-01-01T00:01:01Z"},
	{trace.Reason{Code: trace.BindInFlight, Have: 2}, "2 pods are being bound"},
	{trace.Reason{Code: trace.PrePredicateFailed, Text: "claim data is not there"},
		"no node was asked: claim data is not there"},
	{trace.Reason{Code: trace.ActionNotConfigured, Text: "backfill"},
		"it requests nothing, and action backfill, which places such pods, is not configured"},
	{trace.Reason{Code: trace.PodsOfOtherSchedulers}, "its pods belong to another scheduler and are left alone"},
	{trace.Reason{Code: trace.TerminatingBeforePlace}, "it was deleted while it waited"},
	{trace.Reason{Code: trace.NotEnoughSubGroups, Text: "replica", Have: 1, Need: 2},
		"1 of at least 2 sub-groups of policy replica have all their pods"},
	{trace.Reason{Code: trace.SubGroupIncomplete, Text: "replica-2", Have: 1, Need: 2},
		"sub-group replica-2 has 1 pod, and 2 of it start together"},
	{trace.Reason{Code: trace.TopologyNoRoom, Text: "1", Have: 5, Need: 8,
		Nodes: []trace.NodeCount{{Count: 3, Example: "rack-b"}}},
		"none of 3 HyperNodes within tier 1 has room for 8 pods together: rack-b comes nearest with room for 5"},
	{trace.Reason{Code: trace.TopologyNoRoom, Text: "rack", Have: 1, Need: 2,
		Nodes: []trace.NodeCount{{Count: 1, Example: "rack-a"}}},
		"the only HyperNode in reach within tier rack has no room for 2 pods together: rack-a comes nearest with room for 1"},
	{trace.Reason{Code: trace.TopologyNoRoom, Text: "1", Have: 8, Need: 8,
		Nodes: []trace.NodeCount{{Count: 3, Example: "rack-b"}}},
		"none of 3 HyperNodes within tier 1 has room for 8 pods together: in rack-b, which has enough by amounts, " +
			"they do not all find a place"},
	{trace.Reason{Code: trace.PodAffinityNoRoom, Text: "zone", Have: 5, Need: 8,
		Nodes: []trace.NodeCount{{Count: 3, Example: "b"}}},
		"8 pods have to be together, and none of 3 domains of zone has room for them: b comes nearest with room for 5"},
	{trace.Reason{Code: trace.PodAffinityNoRoom, Text: "zone", Have: 8, Need: 8,
		Nodes: []trace.NodeCount{{Count: 3, Example: "b"}},
		Cause: &trace.Reason{Code: trace.NodesRefuse}},
		"8 pods have to be together, and none of 3 domains of zone takes them: b has enough room; no node takes it: it " +
			"refuses for other reasons"},
	{trace.Reason{Code: trace.TopologySpread, Text: "1", Nodes: []trace.NodeCount{{Count: 1, Example: "spine-1"}}},
		"its pods are further apart than it allows already: spine-1 holds them, and it allows tier 1"},
	{trace.Reason{Code: trace.HyperNodesNotReady, Text: "0", Have: 2},
		"there is no HyperNode within tier 0; 2 HyperNodes are set aside because of errors in them"},
	{trace.Reason{Code: trace.TopologyByGang, Text: "preempt"},
		"its members have to be near each other: gangpreempt and gangreclaim evict for such jobs, preempt does not"},
	{trace.Reason{Code: trace.NodeKept, Nodes: []trace.NodeCount{{Code: trace.NodeKept, Count: 2, Example: "n1"}}},
		"no node takes it: 2 are kept for a job that waits"},
	{trace.Reason{Code: trace.RoomKept, Task: "ml/gang-0", Text: "n1, n2", Cause: &trace.Reason{Code: trace.NoNodes}},
		"ml/gang-0: room is kept for it on n1, n2, until pods that came later have ended there; the cluster has no nodes"},
	{trace.Reason{Code: trace.QueueDeserved, Queue: "a", Text: trace.CountsKeptRoom,
		Shorts: []trace.Short{{Dim: "cpu", Need: 12000, Have: 8000}}},
		"queue a would hold more than it deserves (cpu: 12 with it and what is kept for a job that waits, 8 deserved)"},
	{trace.Reason{Code: trace.PodTooLarge, Task: "ml/serve-0",
		Shorts: []trace.Short{{Dim: "cpu", Need: 50000, Have: 32000}}},
		"it can never start on these nodes: ml/serve-0 asks for more than any of them has (cpu: 50 asked, 32 on the " +
			"largest)"},
	{trace.Reason{Code: trace.NoNodeMatches, Task: "ml/serve-0", Need: 3},
		"it can never start on these nodes: each of the 3 lacks a label that ml/serve-0 requires, is not for its queue, " +
			"or has a taint that it does not tolerate"},
	{trace.Reason{Code: trace.QueueTooSmall, Queue: "a", Need: 3,
		Shorts: []trace.Short{{Dim: "cpu", Need: 12000, Have: 6000}}},
		"it can never start in this queue: the 3 pods that start together ask for more than the capability of queue " +
			"a allows " +
			"(cpu: 12 asked, 6 allowed)"},
	{trace.Reason{Code: trace.QueueTooSmall, Queue: "a", Need: 1,
		Shorts: []trace.Short{{Dim: "cpu", Need: 12000, Have: 6000}}},
		"it can never start in this queue: its pod asks for more than the capability of queue a allows (cpu: 12 " +
			"asked, 6 allowed)"},
	{trace.Reason{Code: trace.GangTooLarge, Need: 20, Have: 8},
		"it can never start on these nodes: even empty they have room for 8 of the 20 pods that start together"},
	{trace.Reason{Code: trace.GangTooLarge, Need: 20, Shorts: []trace.Short{{Dim: "cpu", Need: 80000, Have: 32000}}},
		"it can never start on these nodes: the 20 pods that start together ask for more than all of them have " +
			"(cpu: 80 asked, 32 there)"},
	{trace.Reason{Code: trace.NotEnoughTasks, Have: 2, Need: 3,
		Never: &trace.Reason{Code: trace.GangTooLarge, Need: 3, Have: 1}},
		"it can never start on these nodes: even empty they have room for 1 of the 3 pods that start together; now: " +
			"2 of at " +
			"least 3 pods exist"},
	{trace.Reason{Code: trace.QueueCapability, Queue: "a", Text: trace.CapabilityHeld,
		Shorts: []trace.Short{{Dim: "cpu", Need: 4000, Have: 4000}}},
		"queue a holds all that its capability allows (cpu: 4 held, 4 allowed)"},
	{trace.Reason{Code: "OfTomorrow"}, "OfTomorrow"},
}

func TestSentence(t *testing.T) {
	for _, c := range allSentences() {
		if got := Sentence(c.reason); got != c.want {
			t.Errorf("%s is told as\n  %s\nwant\n  %s", c.reason.Code, got, c.want)
		}
	}
}

func TestEveryCodeHasASentence(t *testing.T) {
	shown := map[trace.Code]bool{}
	for _, c := range allSentences() {
		shown[c.reason.Code] = true
	}
	for _, value := range constants(t, "../../sched/trace/reason.go", "Code") {
		code, err := strconv.Unquote(value)
		if err != nil {
			t.Fatal(err)
		}
		if !shown[trace.Code(code)] {
			t.Errorf("no case of this test shows the sentence of %q", code)
		}
		if got := Sentence(trace.Reason{Code: trace.Code(code)}); code != "" &&
			(got == "" || got == code || strings.Contains(got, "%!")) {
			t.Errorf("%s has no sentence but %q", code, got)
		}
	}
}

// constants lists what the constants of a type are declared as in a file: their values
// where they have them, else their names.
func constants(t *testing.T, file, typeName string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		mine := false
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if id, ok := v.Type.(*ast.Ident); ok {
				mine = id.Name == typeName
			}
			if !mine || !v.Names[0].IsExported() {
				continue
			}
			if len(v.Values) > 0 {
				if lit, ok := v.Values[0].(*ast.BasicLit); ok {
					out = append(out, lit.Value)
					continue
				}
			}
			out = append(out, v.Names[0].Name)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s declares no constants of type %s", file, typeName)
	}
	return out
}
