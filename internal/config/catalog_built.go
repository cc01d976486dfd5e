package config

import (
	built "ashlar.sh/sched/plugins"
	"ashlar.sh/sched/policy"
)

// builtPlugins are the plugins this version has, in their order: those of which the definition does not list the
// arguments are described here.
func builtPlugins() []Entry {
	var all []Entry
	for _, d := range built.All() {
		if e, described := find(describedHere(), d.Name); described {
			all = append(all, e)
		} else {
			all = append(all, entryOf(d))
		}
	}
	return all
}

// entryOf is the entry of a plugin by its definition. One whose arguments are not listed takes any, which are
// kept as they are written.
func entryOf(d policy.Definition) Entry {
	e := Entry{Name: d.Name, Built: true, Meaning: d.Meaning}
	if d.Arguments == nil {
		e.Arguments = []Spec{{Prefix: true, Kind: Any, Meaning: "kept as written"}}
	}
	for _, a := range d.Arguments {
		e.Arguments = append(e.Arguments, Spec{Key: a.Key, Kind: kinds[a.Kind], Default: a.Default, Meaning: a.Meaning,
			Values: a.Words, Bounds: a.Bounds})
	}
	return e
}

var kinds = map[policy.Kind]Kind{policy.KindInt: Int, policy.KindBool: Bool, policy.KindDecimal: Float,
	policy.KindText: String, policy.KindDuration: Duration}

func describedHere() []Entry {
	return []Entry{
		{Name: "tdm", Built: true, Meaning: "nodes that are to be had at certain hours", Arguments: []Spec{
			{Key: "tdm.revocable-zone.", Prefix: true, Kind: String, Meaning: "hours of the zone named after the prefix, 22:00-06:30"},
			{Key: "tdm.utc-offset", Kind: String, Meaning: "where the hours are read, +08:00; nothing is the time zone of the process, UTC in simulations"},
			{Key: "tdm.evict.period", Kind: Duration, Default: "1m", Meaning: "how often to evict"}}},
		{Name: "rescheduling", Built: true, Meaning: "move pods to even out the nodes", Arguments: []Spec{
			{Key: "interval", Kind: Duration, Default: "5m", Meaning: "how often"},
			{Key: "metricsPeriod", Kind: Duration, Later: true, Meaning: "span of the averages"},
			{Key: "strategies", Kind: Sequence, Meaning: "what to even out: lowNodeUtilization, offlineOnly"}}},
		{Name: "overcommit", Built: true, Meaning: "let more jobs leave Pending than fit", Arguments: []Spec{
			{Key: "overcommit-factor", Kind: Float, Default: "1.2", Meaning: "how often the cluster may be promised"}}},
		{Name: "predicates", Built: true, Meaning: "which nodes can take a task", Arguments: predicateArguments()},
		{Name: "network-topology-aware", Built: true, Meaning: "members of a job close together, by HyperNodes", Arguments: []Spec{
			{Key: "weight", Kind: Int, Default: "1", Meaning: "weight of the plugin"},
			{Key: "hypernode.binpack.cpu", Kind: Int, Default: "1", Meaning: "weight of cpu"},
			{Key: "hypernode.binpack.memory", Kind: Int, Default: "1", Meaning: "weight of memory"},
			{Key: "hypernode.binpack.resources", Kind: List, Meaning: "further resources that count"},
			{Key: "hypernode.binpack.resources.", Prefix: true, Kind: Int, Default: "1", Meaning: "weight of the resource named after the prefix"},
			{Key: "hypernode.gradient.evict.max-hypernodes", Kind: Int, Default: "8", Later: true, Meaning: "domains to try when evicting: maxDomains of gangpreempt and gangreclaim says it"},
			{Key: "hypernode.binpack.normal-pod.enable", Kind: Bool, Default: "true", Meaning: "also for pods without a topology"},
			{Key: "hypernode.binpack.normal-pod.fading", Kind: Float, Default: "0.8", Meaning: "what a tier weighs beside the one below it"}}},
		{Name: "binpack", Built: true, Meaning: "fill nodes before opening others", Arguments: []Spec{
			{Key: "binpack.weight", Kind: Int, Default: "1", Meaning: "weight of the plugin"},
			{Key: "binpack.cpu", Kind: Int, Default: "1", Meaning: "weight of cpu"},
			{Key: "binpack.memory", Kind: Int, Default: "1", Meaning: "weight of memory"},
			{Key: "binpack.resources", Kind: List, Meaning: "further resources that count"},
			{Key: "binpack.resources.", Prefix: true, Kind: Int, Default: "1", Meaning: "weight of the resource named after the prefix"},
		}},
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
