package model

import (
	"strings"

	"ashlar.sh/sched/resource"
)

// Phase is the phase of a pod as its kubelet reports it.
type Phase uint8

// The phases of Kubernetes.
const (
	PodPending Phase = iota
	PodRunning
	PodSucceeded
	PodFailed
	PodUnknown
)

// Finished says that a pod has run to its end.
func (p Phase) Finished() bool { return p == PodSucceeded || p == PodFailed }

// QueueGate is the state of the scheduling gate that a pod's queue opens
// (scheduling.volcano.sh/queue-allocation-gate). Autoscalers do not see a pod that has it.
type QueueGate uint8

// The states of the gate.
const (
	NoQueueGate   QueueGate = iota // the pod has no such gate, or other gates hold it back too
	QueueGateShut                  // it is the last gate that the pod has
	QueueGateOpen                  // it was removed: until the pod has a node, its queue's room counts as used
)

// Pod is one pod: a Task once it belongs to a Job.
type Pod struct {
	Meta
	Scheduler string // its schedulerName, to be listed

	Group string // name of its PodGroup in its namespace, "" when it names none
	Owner string // name of its top controller, "" for a bare pod
	// OwnerID identifies the controller: its kind and group, "/", and its UID.
	OwnerID string

	Role  string // volcano.sh/task-spec: the key of minTaskMember
	Index int64  // the number its name ends in, -1 without one; orders tasks of a job
	// Template is the same for pods that are likely to run for equally long: a hash of what they run and ask for. 0: not
	// known.
	Template uint64

	Started int64  // status.startTime, in nanoseconds since the epoch; 0 before its kubelet has seen it
	Grace   int64  // terminationGracePeriodSeconds, in nanoseconds
	Node    string // spec.nodeName

	PriorityClass string // spec.priorityClassName, resolved by the engine where Priority is not set

	// From here to Spec is what placing a pod reads of it, as near to each other as one line of
	// a processor's cache is long: of ten thousand pods in a cycle each line is waited for.

	// Adopt is what its owner's annotations ask of the job made for it; of one with Group the queue
	// alone, read where that PodGroup is missing.
	Adopt     Adopt
	Nominated string // status.nominatedNodeName

	// What is small stands together: packed, it saves each pod the room of four words.
	Priority        int32 // resolved spec.priority, or 0
	TaskPriority    int32 // volcano.sh/task-priority: among the tasks of its own job, and nowhere else
	Ours            bool  // its schedulerName is one of ours; others are only counted where they run
	Phase           Phase
	Deleting        bool // has a deletionTimestamp
	Healthy         bool // its condition Ready holds, as PodDisruptionBudgets count
	Gated           bool // has scheduling gates
	QueueGate       QueueGate
	HasPriority     bool // spec.priority was set
	HasTaskPriority bool // volcano.sh/task-priority was
	PreemptNever    bool // preemptionPolicy: Never
	PreemptSet      bool // preemptionPolicy was set: that of its priority class plays no part
	Preemptable     bool // volcano.sh/preemptable, true by default

	Spec *Spec // what filters and scores read; shared by pods of one template

	Labels []Label // sorted by key; shared by pods of one template; what selects pods reads them, no filter does by itself

	Times *Times // read them through Rare; nil: it has none of them

	Opaque any // the original object, for PluginStates that wrap Kubernetes' own plugins; the engine never reads it
}

// Began is when a pod began to hold its room, as far as is known: when its kubelet saw it, else when it was
// created.
func (p *Pod) Began() int64 {
	if p.Started != 0 {
		return p.Started
	}
	return p.Created
}

// Anew is the pod that a controller makes in the place of one that is gone: nothing is left of what nodes and
// schedulers wrote, and it has the gate of its queue again.
func (p *Pod) Anew(uid string, created int64) *Pod {
	again := *p
	again.UID, again.Created = uid, created
	again.Node, again.Nominated, again.Phase, again.Deleting = "", "", PodPending, false
	again.Started, again.Healthy = 0, false
	if again.QueueGate == QueueGateOpen {
		again.Gated, again.QueueGate = true, QueueGateShut
	}
	times := again.Rare()
	times.GoneBy, times.Ended, times.Charge = 0, 0, nil
	again.SetRare(times)
	return &again
}

// Adopt is what a pod without a PodGroup asks of the job made for it (decision 25).
type Adopt struct {
	Queue     string // scheduling.volcano.sh/queue-name, "" for the default queue
	MinMember int32  // scheduling.volcano.sh/group-min-member, 1 without
	MaxWait   int64  // sla-waiting-time in nanoseconds, 0 without
	Open      bool   // its owner is not known yet and may ask for more
}

// Spec is everything of a pod that filters and scores read. Pods with equal Specs are of one class: what holds
// for one of them on a node holds for all.
type Spec struct {
	Requests    resource.List // the full Kubernetes formula (decision 23), pods: 1 included
	Selector    []Label       // spec.nodeSelector
	Affinity    []Term        // required node affinity: one of the terms must hold; nil: none asked
	Preferred   []Preference  // preferred node affinity
	Tolerations []Toleration
	Ports       []HostPort
	Revocable   bool        // volcano.sh/revocable-zone "*", or preemptable: it may run where room is lent by the hour
	Extra       string      // canonical form of what an opaque filter reads (volume claims), "" without
	Neighbours  *Neighbours // what it asks of the pods around it; nil: nothing
	// Devices are its spec.resourceClaims, sorted: the name that the pod has for each and,
	// after DeviceOf, which claim or template it means. The devices have to be allocated
	// before the pod can run.
	Devices []string
	// Features are those that its node's kubelet has to declare (Node.Features), sorted.
	Features []string
	NUMA     *NUMADemand // what it asks of the NUMA nodes of its node; nil: nothing
	// Images are those of its containers, init containers too, sorted: one for each, "" of
	// one that names none; nil where none does.
	Images []string
	// Groups are those of the job's queue, set by the ledger if a plugin reads them; nil in a pod's fact.
	Groups *NodeGroups
	// MatchedTerms are the affinity terms of other pods that this pod matches, set by the ledger if a plugin
	// reads them: sorted ids, which only that plugin's PluginState understands, in this engine only.
	MatchedTerms []int64
}

// DeviceOf ends a pod's own name for a resource claim in Spec.Devices.
const DeviceOf = "="

// DeviceNames are a pod's own names for its resource claims, sorted.
func (s *Spec) DeviceNames() (out []string) {
	for _, d := range s.Devices {
		name, _, _ := strings.Cut(d, DeviceOf)
		out = append(out, name)
	}
	return out
}

// BestEffort says that the pod requests nothing but a place among the node's pods.
func (s *Spec) BestEffort() bool {
	for _, a := range s.Requests {
		if a.Value != 0 && a.Name != resource.PodsName {
			return false
		}
	}
	return true
}

// Operator relates a node's label (or field) to a requirement's values.
type Operator string

// The operators of node affinity.
const (
	In           Operator = "In"
	NotIn        Operator = "NotIn"
	Exists       Operator = "Exists"
	DoesNotExist Operator = "DoesNotExist"
	Gt           Operator = "Gt"
	Lt           Operator = "Lt"
)

// Requirement is one condition on a node's labels; Field: on its name instead
// (metadata.name).
type Requirement struct {
	Key    string
	Op     Operator
	Values []string
	Field  bool
}

// Term holds when all its requirements do. A term without requirements holds for no
// node, as in Kubernetes.
type Term struct{ All []Requirement }

// Preference is a term that adds to the score of the nodes it matches. A preferred term without requirements
// matches no node, as in kube-scheduler.
type Preference struct {
	Weight int32
	Term   Term
}

// Toleration lets a pod onto nodes with matching taints. An empty Key with Exists
// matches every taint, an empty Effect every effect.
type Toleration struct {
	Key, Value string
	Exists     bool // operator Exists; otherwise Equal
	Effect     Effect
}

// HostPort is a port of the node that the pod occupies.
type HostPort struct {
	IP       string // "0.0.0.0" when the pod names none
	Protocol string // TCP, UDP, SCTP
	Port     int32
}
