package predicates

import "ashlar.sh/sched/policy"

// Name and Meaning are the plugin's in a configuration.
const (
	Name    = "predicates"
	Meaning = "which nodes can take a task"
)

// Arguments are the plugin's, those that a host reads included.
type Arguments struct {
	taints, affinity, ports, podAffinity, spread bool
	cache                                        bool  // changes no outcome
	BindTimeout                                  int64 // of volumes, in seconds; read by the host

	// Volumes that can be bound, zones of volumes, volumes that a node can attach, and devices of resource
	// claims: the host judges them.
	VolumeBinding, VolumeZones, VolumeLimits, Devices bool
}

// AddArguments implements the constraint of policy.Define.
func (a *Arguments) AddArguments(s *policy.ArgumentSet) {
	s.Bool(&a.affinity, "predicate.NodeAffinityEnable", true, "node selector and affinity")
	s.Bool(&a.ports, "predicate.NodePortsEnable", true, "host ports")
	s.Bool(&a.taints, "predicate.TaintTolerationEnable", true, "taints and tolerations")
	s.Bool(&a.podAffinity, "predicate.PodAffinityEnable", true, "required pod affinity and anti-affinity")
	s.Bool(&a.spread, "predicate.PodTopologySpreadEnable", true, "required topology spread")
	s.Bool(&a.cache, "predicate.CacheEnable", false, "remember answers; changes no outcome")
	s.Bool(&a.VolumeLimits, "predicate.NodeVolumeLimitsEnable", true, "volumes a node can attach")
	s.Bool(&a.VolumeZones, "predicate.VolumeZoneEnable", true, "zones of volumes")
	s.Bool(&a.VolumeBinding, "predicate.VolumeBindingEnable", true, "volumes that can be bound")
	s.Bool(&a.Devices, "predicate.DynamicResourceAllocationEnable", true,
		"devices for resource claims; without, such pods wait")
	s.Later(policy.KindInt, "volumebinding.weight", "1", "weight of storage capacity")
	s.Int(&a.BindTimeout, "volumebinding.bindTimeoutSeconds", 600, "how long a volume may take to bind").AtLeast(0).In("s")
	s.Later(policy.KindSequence, "volumebinding.shape", "", "score by storage utilization")
	s.Later(policy.KindInt, "dynamicresources.filterTimeoutSeconds", "10", "how long a claim may be examined")
	const older = "of an older Volcano, see "
	s.Later(policy.KindBool, "predicate.GPUSharingEnable", "", older+"deviceshare")
	s.Later(policy.KindBool, "predicate.GPUNumberEnable", "", older+"deviceshare")
	s.Later(policy.KindBool, "predicate.ProportionalEnable", "", older+"resource-strategy-fit")
	s.Later(policy.KindList, "predicate.resources", "", older+"resource-strategy-fit")
	s.Later(policy.KindDecimal, "predicate.resources.", "", older+"resource-strategy-fit").Prefix = true
}
