package config

// Flag names one extension point that can be switched off for one plugin. In
// the file it is written with a prefix: enableJobOrder, enabledVictim.
type Flag string

// The flags of Volcano 1.14 and 1.15. Each governs the extension point of its
// name; Hierarchy chooses the queue tree instead of flat queues.
const (
	JobOrder          Flag = "JobOrder"
	Hierarchy         Flag = "Hierarchy"
	JobReady          Flag = "JobReady"
	JobPipelined      Flag = "JobPipelined"
	TaskOrder         Flag = "TaskOrder"
	Preemptable       Flag = "Preemptable"
	Reclaimable       Flag = "Reclaimable"
	Preemptive        Flag = "Preemptive"
	QueueOrder        Flag = "QueueOrder"
	Predicate         Flag = "Predicate"
	BestNode          Flag = "BestNode"
	NodeOrder         Flag = "NodeOrder"
	TargetJob         Flag = "TargetJob"
	ReservedNodes     Flag = "ReservedNodes"
	JobEnqueued       Flag = "JobEnqueued"
	JobStarving       Flag = "JobStarving"
	ClusterOrder      Flag = "ClusterOrder"
	Victim            Flag = "Victim"
	Overused          Flag = "Overused"
	Allocatable       Flag = "Allocatable"
	HyperNodeOrder    Flag = "HyperNodeOrder"
	SubJobReady       Flag = "SubJobReady"
	SubJobPipelined   Flag = "SubJobPipelined"
	SubJobOrder       Flag = "SubJobOrder"
	HyperNodeGradient Flag = "HyperNodeGradient"
)

// Volcano writes some flags with "enable" and some with "enabled"; its guides
// use both for the same flag. Both are read (decision 27); the prefix listed
// here is the one Volcano itself reads.
var (
	enableFlags = []Flag{
		JobOrder, Hierarchy, JobReady, JobPipelined, TaskOrder, Preemptable, Reclaimable, Preemptive,
		QueueOrder, Predicate, BestNode, NodeOrder, TargetJob, ReservedNodes, JobEnqueued, JobStarving,
	}
	enabledFlags = []Flag{
		ClusterOrder, Victim, Overused, Allocatable, HyperNodeOrder, SubJobReady, SubJobPipelined,
		SubJobOrder, HyperNodeGradient,
	}
)

// spelling is one way to write a flag in the file.
type spelling struct {
	key   string
	flag  Flag
	first bool // the spelling that Volcano reads
}

// spellings lists every way to write every flag, Volcano's own first, so that
// a suggestion prefers it.
var spellings = func() []spelling {
	var first, second []spelling
	for _, f := range enableFlags {
		first = append(first, spelling{"enable" + string(f), f, true})
		second = append(second, spelling{"enabled" + string(f), f, false})
	}
	for _, f := range enabledFlags {
		first = append(first, spelling{"enabled" + string(f), f, true})
		second = append(second, spelling{"enable" + string(f), f, false})
	}
	return append(first, second...)
}()

// Flags lists every flag, in the order of Volcano's documentation.
func Flags() []Flag {
	return append(append([]Flag(nil), enableFlags...), enabledFlags...)
}

// Default is what holds where the file does not mention f: true, but for
// Hierarchy and ClusterOrder.
func (f Flag) Default() bool { return f != Hierarchy && f != ClusterOrder }

// Spelling is the key Volcano reads, such as enableJobOrder or enabledVictim.
func (f Flag) Spelling() string {
	for _, s := range spellings {
		if s.flag == f {
			return s.key
		}
	}
	return ""
}
