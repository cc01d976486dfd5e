package config

// builtPlugins are the plugins this version has.
func builtPlugins() []Entry {
	return []Entry{
		{Name: "priority", Built: true, Meaning: "jobs and tasks of higher priority first"},
		{Name: "gang", Built: true, Meaning: "a job starts with its minimum or not at all"},
		{Name: "conformance", Built: true, Meaning: "pods of the system are never victims"},
		{Name: "pdb", Built: true, Meaning: "victims within their PodDisruptionBudget"},
		{Name: "cdp", Built: true, Meaning: "pods are no victims for a while after their start"},
		{Name: "tdm", Built: true, Meaning: "nodes that are to be had at certain hours", Arguments: []Spec{
			{Key: "tdm.revocable-zone.", Prefix: true, Kind: String, Meaning: "hours of the zone named after the prefix, 22:00-06:30"},
			{Key: "tdm.utc-offset", Kind: String, Meaning: "where the hours are read, +08:00; nothing is the time zone of the process, UTC in simulations"},
			{Key: "tdm.evict.period", Kind: Duration, Default: "1m", Meaning: "how often to evict"}}},
		{Name: "rescheduling", Built: true, Meaning: "move pods to even out the nodes", Arguments: []Spec{
			{Key: "interval", Kind: Duration, Default: "5m", Meaning: "how often"},
			{Key: "metricsPeriod", Kind: Duration, Later: true, Meaning: "span of the averages"},
			{Key: "strategies", Kind: Sequence, Meaning: "what to even out: lowNodeUtilization, offlineOnly"}}},
		{Name: "proportion", Built: true, Meaning: "queues share the cluster by weight"},
		{Name: "capacity", Built: true, Meaning: "queues share the cluster by spec.deserved, flat or as a tree", Arguments: []Spec{
			{Key: "ancestorReclaimLevel", Kind: Int, Default: "0", Meaning: "how far up the tree reclaiming looks"},
			{Key: "capacity.DynamicResourceAllocationEnable", Kind: Bool, Default: "true", Meaning: "a queue's capability bounds devices of resource claims"},
			{Key: "capacity.DRAConsumableCapacityEnable", Kind: Bool, Default: "false", Meaning: "and what is consumed of their capacity"},
		}},
		{Name: "drf", Built: true, Meaning: "jobs with the smaller dominant share first"},
		{Name: "overcommit", Built: true, Meaning: "let more jobs leave Pending than fit", Arguments: []Spec{
			{Key: "overcommit-factor", Kind: Float, Default: "1.2", Meaning: "how often the cluster may be promised"}}},
		{Name: "resourcequota", Built: true, Meaning: "a namespace's ResourceQuota holds before pods exist"},
		{Name: "sla", Built: true, Meaning: "jobs that waited too long go first", Arguments: []Spec{
			{Key: "sla-waiting-time", Kind: Duration, Meaning: "the longest wait of jobs that name none"}}},
		{Name: "predicates", Built: true, Meaning: "which nodes can take a task", Arguments: predicateArguments()},
		{Name: "nodeorder", Built: true, Meaning: "which of the nodes is best", Arguments: []Spec{
			{Key: "leastrequested.weight", Kind: Int, Default: "1", Meaning: "prefer nodes with much room"},
			{Key: "mostrequested.weight", Kind: Int, Default: "0", Meaning: "prefer nodes with little room"},
			{Key: "nodeaffinity.weight", Kind: Int, Default: "2", Meaning: "preferred node affinity"},
			{Key: "podaffinity.weight", Kind: Int, Default: "2", Meaning: "preferred pod affinity"},
			{Key: "balancedresource.weight", Kind: Int, Default: "1", Meaning: "cpu, memory and GPUs used in equal measure"},
			{Key: "tainttoleration.weight", Kind: Int, Default: "3", Meaning: "avoid PreferNoSchedule taints"},
			{Key: "imagelocality.weight", Kind: Int, Default: "1", Meaning: "prefer nodes that hold the images"},
			{Key: "podtopologyspread.weight", Kind: Int, Default: "2", Meaning: "preferred topology spread"},
		}},
		{Name: "nodegroup", Built: true, Meaning: "queues on their groups of nodes", Arguments: []Spec{
			{Key: "strict", Kind: Bool, Default: "true", Meaning: "nodes without a group take no jobs; otherwise those of queues without an affinity"},
			{Key: "enablePreferredOrder", Kind: Bool, Default: "false", Meaning: "earlier preferred groups are better"}}},
		{Name: "network-topology-aware", Built: true, Meaning: "members of a job close together, by HyperNodes", Arguments: []Spec{
			{Key: "weight", Kind: Int, Default: "1", Meaning: "weight of the plugin"},
			{Key: "hypernode.binpack.cpu", Kind: Int, Default: "1", Meaning: "weight of cpu"},
			{Key: "hypernode.binpack.memory", Kind: Int, Default: "1", Meaning: "weight of memory"},
			{Key: "hypernode.binpack.resources", Kind: List, Meaning: "further resources that count"},
			{Key: "hypernode.binpack.resources.", Prefix: true, Kind: Int, Default: "1", Meaning: "weight of the resource named after the prefix"},
			{Key: "hypernode.gradient.evict.max-hypernodes", Kind: Int, Default: "8", Later: true, Meaning: "domains to try when evicting: maxDomains of gangpreempt and gangreclaim says it"},
			{Key: "hypernode.binpack.normal-pod.enable", Kind: Bool, Default: "true", Meaning: "also for pods without a topology"},
			{Key: "hypernode.binpack.normal-pod.fading", Kind: Float, Default: "0.8", Meaning: "what a tier weighs beside the one below it"}}},
		{Name: "numa-aware", Built: true, Meaning: "pods with cpus of their own near to each other, where the kubelet takes them", Arguments: []Spec{
			{Key: "weight", Kind: Int, Default: "1", Meaning: "weight of the plugin"}}},
		{Name: "binpack", Built: true, Meaning: "fill nodes before opening others", Arguments: []Spec{
			{Key: "binpack.weight", Kind: Int, Default: "1", Meaning: "weight of the plugin"},
			{Key: "binpack.cpu", Kind: Int, Default: "1", Meaning: "weight of cpu"},
			{Key: "binpack.memory", Kind: Int, Default: "1", Meaning: "weight of memory"},
			{Key: "binpack.resources", Kind: List, Meaning: "further resources that count"},
			{Key: "binpack.resources.", Prefix: true, Kind: Int, Default: "1", Meaning: "weight of the resource named after the prefix"},
		}},
	}
}

// ownPlugins are those that Volcano does not have.
func ownPlugins() []Entry {
	return []Entry{
		{Name: "minruntime", Built: true, Meaning: "pods are no victims before they ran for what their queue promises", Arguments: []Spec{
			{Key: "min-runtime", Kind: Duration, Default: "0s", Meaning: "what queues promise that say nothing"}}},
		{Name: "evictioncap", Built: true, Meaning: "no more evictions within a minute", Arguments: []Spec{
			{Key: "max-per-minute", Kind: Int, Meaning: "of the cluster's pods"},
			{Key: "max-per-minute.queue", Kind: Int, Meaning: "of a queue's, unless it says so itself"},
			{Key: "max-per-minute.job", Kind: Int, Meaning: "of a job's"}}},
		{Name: "joborder", Built: true, Meaning: "jobs of a queue by age, time or service", Arguments: []Spec{
			{Key: "joborder.by", Kind: String, Default: "fifo", Values: []string{"fifo", "sjf", "srtf", "srsf"}, Meaning: "first come, shortest, least time left, least service left"},
			{Key: "joborder.resource", Kind: String, Default: "nvidia.com/gpu", Meaning: "what srsf multiplies a member's time with"},
			{Key: "joborder.preempt", Kind: Bool, Default: "false", Meaning: "srtf, srsf: jobs with more left are stopped for it (action preempt)"},
			{Key: "joborder.strict", Kind: Bool, Default: "false", Meaning: "who is first and does not fit holds up those behind"}}},
		{Name: "packing", Built: true, Meaning: "nodes in the orders that studies of packing compare, for simulations", Arguments: []Spec{
			{Key: "packing.by", Kind: String, Default: "bestfit", Values: []string{"random", "bestfit", "dotproduct", "fgd"}, Meaning: "by chance, least left behind, least aligned, least fragmented"},
			{Key: "packing.resource", Kind: String, Default: "nvidia.com/gpu", Meaning: "what is packed, beside cpu"},
			{Key: "packing.seed", Kind: Int, Default: "1", Meaning: "of random"}}},
	}
}

func predicateArguments() []Spec {
	const older = "of an older Volcano"
	return []Spec{
		{Key: "predicate.NodeAffinityEnable", Kind: Bool, Default: "true", Meaning: "node selector and affinity"},
		{Key: "predicate.NodePortsEnable", Kind: Bool, Default: "true", Meaning: "host ports"},
		{Key: "predicate.TaintTolerationEnable", Kind: Bool, Default: "true", Meaning: "taints and tolerations"},
		{Key: "predicate.PodAffinityEnable", Kind: Bool, Default: "true", Meaning: "required pod affinity and anti-affinity"},
		{Key: "predicate.PodTopologySpreadEnable", Kind: Bool, Default: "true", Meaning: "required topology spread"},
		{Key: "predicate.CacheEnable", Kind: Bool, Default: "false", Meaning: "remember answers; changes no outcome"},
		{Key: "predicate.NodeVolumeLimitsEnable", Kind: Bool, Default: "true", Meaning: "volumes a node can attach"},
		{Key: "predicate.VolumeZoneEnable", Kind: Bool, Default: "true", Meaning: "zones of volumes"},
		{Key: "predicate.VolumeBindingEnable", Kind: Bool, Default: "true", Meaning: "volumes that can be bound"},
		{Key: "predicate.DynamicResourceAllocationEnable", Kind: Bool, Default: "true", Meaning: "devices for resource claims; without, such pods wait"},
		{Key: "volumebinding.weight", Kind: Int, Default: "1", Later: true, Meaning: "weight of storage capacity"},
		{Key: "volumebinding.bindTimeoutSeconds", Kind: Int, Default: "600", Meaning: "how long a volume may take to bind"},
		{Key: "volumebinding.shape", Kind: Sequence, Later: true, Meaning: "score by storage utilization"},
		{Key: "dynamicresources.filterTimeoutSeconds", Kind: Int, Default: "10", Later: true, Meaning: "how long a claim may be examined"},
		{Key: "predicate.GPUSharingEnable", Kind: Bool, Later: true, Meaning: older + ", see deviceshare"},
		{Key: "predicate.GPUNumberEnable", Kind: Bool, Later: true, Meaning: older + ", see deviceshare"},
		{Key: "predicate.ProportionalEnable", Kind: Bool, Later: true, Meaning: older + ", see resource-strategy-fit"},
		{Key: "predicate.resources", Kind: List, Later: true, Meaning: older + ", see resource-strategy-fit"},
		{Key: "predicate.resources.", Prefix: true, Kind: Float, Later: true, Meaning: older + ", see resource-strategy-fit"},
	}
}
