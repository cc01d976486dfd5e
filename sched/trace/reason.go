package trace

import "cmp"

// Code names a reason. It is part of the contract with users: codes are added,
// never renamed.
type Code string

// Why a job or a task waits, from the outermost gate to the innermost.
const (
	None Code = ""

	// The object or what it refers to.
	InvalidObject    Code = "InvalidObject"    // set aside at the door; Text says which field
	PodGroupNotFound Code = "PodGroupNotFound" // pods name a PodGroup that does not exist
	NoPods           Code = "NoPods"           // admitted, but no pod has come yet
	QueueNotFound    Code = "QueueNotFound"
	QueueInvalid     Code = "QueueInvalid"  // the queue was set aside at the door
	QueueNotOpen     Code = "QueueNotOpen"  // Text is the state; Cause names the queue above that closes it, if one does
	QueueNotLeaf     Code = "QueueNotLeaf"  // the queue has children
	QueueCyclic      Code = "QueueCyclic"   // its parents form a ring
	QueueOrphaned    Code = "QueueOrphaned" // Text is the ancestor that is missing

	// The gang.
	NotEnoughTasks      Code = "NotEnoughTasks"      // Have pods exist, Need are the minimum
	NotEnoughPodsOfTask Code = "NotEnoughPodsOfTask" // the same for role Text
	NotEnoughSubGroups  Code = "NotEnoughSubGroups"  // Have sub-groups of policy Text have their size, Need are the minimum
	SubGroupIncomplete  Code = "SubGroupIncomplete"  // Have pods of sub-group Text exist, Need start together
	SchedulingGated     Code = "SchedulingGated"     // Have pods carry scheduling gates
	QueueGateShut       Code = "QueueGateShut"       // Have pods stand at the gate of their queue, which has no room for them; Cause
	GangIncomplete      Code = "GangIncomplete"      // Have of Need could be placed; Cause is the refusal that stopped it

	// The queue.
	QueueQuotaInsufficient Code = "QueueQuotaInsufficient" // enqueue: minResources do not fit realCapability; Shorts
	ClusterOvercommitted   Code = "ClusterOvercommitted"   // enqueue: the cluster has been promised often enough; Shorts
	NamespaceQuotaExceeded Code = "NamespaceQuotaExceeded" // enqueue: minResources would exceed ResourceQuota Text; Shorts
	QueueOverused          Code = "QueueOverused"          // Shorts: deserved (Need) and allocated (Have)
	QueueDeserved          Code = "QueueDeserved"          // the task would lift the queue above deserved; Shorts
	QueueCapability        Code = "QueueCapability"        // … above realCapability; Shorts; Text: see KeptFree
	QueueDevices           Code = "QueueDevices"           // with the devices of its resource claims the queue would hold more (Need) than its capability (Have); Shorts; Text: see KeptFree

	// The victims of a reclaim; Queue is the one that keeps them.
	VictimGuaranteed Code = "VictimGuaranteed" // the queue would be left with less (Have) than its guarantee (Need); Shorts
	VictimDeserved   Code = "VictimDeserved"   // the queue holds (Have) no more than it deserves (Need); Shorts
	VictimOfNoUse    Code = "VictimOfNoUse"    // they give nothing of what is asked for and lacks
	VictimNotOwed    Code = "VictimNotOwed"    // the queue that asks would hold (Have) more than it deserves (Need) of all that they give; Shorts
	VictimReturns    Code = "VictimReturns"    // they could be claimed back: the queue deserves (Need) what it would be left with (Have) and that with them again; Shorts; Text is the queue that asks
	VictimOutside    Code = "VictimOutside"    // the queue is out of place, or the claim's own

	// The victims of any action.
	VictimNotLower    Code = "VictimNotLower"    // its priority (Have) is not below that of the claim (Need)
	VictimShare       Code = "VictimShare"       // drf: the claim's job would have more than its job is left with
	VictimSooner      Code = "VictimSooner"      // joborder: its job has no more left than the claim's; Text is how much
	VictimCritical    Code = "VictimCritical"    // conformance: it keeps the cluster running
	VictimBudget      Code = "VictimBudget"      // PodDisruptionBudget Text allows Have more disruptions, Need are wanted
	VictimCooling     Code = "VictimCooling"     // cdp: Text is how long it is still protected
	VictimTooYoung    Code = "VictimTooYoung"    // it has not run for the time its queue promises; Text is what is left
	VictimCapped      Code = "VictimCapped"      // Have evictions of Need allowed took place lately; Text says by which plugin, of what
	VictimOutOfZone   Code = "VictimOutOfZone"   // tdm: it runs on a node that is lent by the hour, or the claim may itself be revoked; Text says which
	VictimKept        Code = "VictimKept"        // marked volcano.sh/preemptable: "false"
	VictimGang        Code = "VictimGang"        // its gang would be left with less than its minimum
	VictimUnreclaimed Code = "VictimUnreclaimed" // its queue has reclaimable: false
	VictimUnasked     Code = "VictimUnasked"     // no plugin permits it
	VictimBusy        Code = "VictimBusy"        // a member of its gang is being bound, or cannot be evicted

	// Why no eviction helps; Text is the action, Nodes counts who was spared for what.
	PreemptionNever Code = "PreemptionNever" // its preemptionPolicy is Never
	NoVictims       Code = "NoVictims"       // nobody may be evicted for it
	VictimsTooFew   Code = "VictimsTooFew"   // with all who may be evicted gone it still finds no place
	TopologyByGang  Code = "TopologyByGang"  // its members have to be near each other: gangpreempt and gangreclaim evict for such jobs, action Text does not
	SearchExhausted Code = "SearchExhausted" // the search for Text ("": whom to evict) was given up after Have steps

	// The nodes.
	NoNodes                Code = "NoNodes"                // the cluster has no nodes
	NotEnoughResources     Code = "NotEnoughResources"     // every node that may take it lacks room; Nodes, Shorts of the best
	NodesRefuse            Code = "NodesRefuse"            // nodes refuse for several reasons; Nodes counts them
	NodeUnschedulable      Code = "NodeUnschedulable"      // cordoned
	NodeTaint              Code = "NodeTaint"              // untolerated taint; Text is key=value:effect
	NodeAffinity           Code = "NodeAffinity"           // required node affinity does not match
	NodeSelector           Code = "NodeSelector"           // nodeSelector does not match
	NodeGroup              Code = "NodeGroup"              // the queue may not use the node's group Text, "" for a node in none
	NodeGroupLimit         Code = "NodeGroupLimit"         // the queue would hold more of the node's group than it may: Domain; without it, its limits cannot be read
	NodeRevocable          Code = "NodeRevocable"          // the node is lent by the hour; Text is its zone and why not
	NodePorts              Code = "NodePorts"              // a host port is taken; Text is the port
	NodeVolume             Code = "NodeVolume"             // a volume cannot be had there
	VolumeInUse            Code = "VolumeInUse"            // another pod uses volume claim Text, which is for one alone (ReadWriteOncePod)
	NodeDevices            Code = "NodeDevices"            // Have devices of class Text are free there, Need are asked; without amounts: its resource claims Text cannot be met there, or nobody allocates devices
	ClaimSearchExhausted   Code = "ClaimSearchExhausted"   // whether devices there meet resource claims Text together was not found out in Have steps
	ClaimElsewhere         Code = "ClaimElsewhere"         // resource claim Text was allocated devices that the node does not reach
	NodeNUMAPolicy         Code = "NodeNUMAPolicy"         // its kubelet has not the topology policy that is asked for; Text is the one it has, "" where nothing is known
	NodeNUMA               Code = "NodeNUMA"               // its kubelet might find no place for the cpus of a container together; Domain: Least are asked for, Have are free in the NUMA node that has most
	PodAffinity            Code = "PodAffinity"            // no pod that it must be with sits in the node's domain; Domain
	PodAffinityNoRoom      Code = "PodAffinityNoRoom"      // its pods have to share a domain of label Text, and none has room for Need of them; Nodes has the one that comes nearest (Example), with room for Have, and how many there are; where that is enough by amounts, Cause
	PodAntiAffinity        Code = "PodAntiAffinity"        // a pod that it must not be with sits in the node's domain; Domain
	PodRepelled            Code = "PodRepelled"            // a pod sits there that must not be with it: its anti-affinity, not this pod's; Domain
	PodTopologySpread      Code = "PodTopologySpread"      // the domain would have too many more than others; Domain
	TopologyKeyMissing     Code = "TopologyKeyMissing"     // the node lacks label Text, by which pods are to be spread
	NodeKept               Code = "NodeKept"               // the room it has is kept for a job that waits
	InsufficientResource   Code = "InsufficientResource"   // one node lacks room in Text (a dimension)
	TopologyNoRoom         Code = "TopologyNoRoom"         // no domain of tier Text or below has room for Need pods together; Nodes has the one that comes nearest (Example), with room for Have, and how many were asked
	TopologySpread         Code = "TopologySpread"         // its pods are further apart than it allows (tier Text) already: in domain Example of Nodes
	HyperNodesNotReady     Code = "HyperNodesNotReady"     // there is no domain of tier Text or below that can be used; Have HyperNodes are set aside
	PipelinedOnReleasing   Code = "Pipelined"              // waits for room that is being freed on node Text
	Reserved               Code = "Reserved"               // room was freed for it on node Text; waits for the last victim to go
	RoomKept               Code = "RoomKept"               // room is kept for it on nodes Text, where others that came later still run; Cause is why it cannot start yet
	LostMemberFirst        Code = "LostMemberFirst"        // it would take the room of Have members that gangs of its queue have lost, the first of them Text's, which asks for Shorts (Need) and has that room until Until; Cause is what stops it beside that room
	WaitsForTurn           Code = "WaitsForTurn"           // others were served first and the cycle ended
	MinimumsFirst          Code = "MinimumsFirst"          // it has its minimum; members above it are placed after the minimums of all that come within a scheduling period
	BindInFlight           Code = "BindInFlight"           // its bind is under way
	BindRefused            Code = "BindRefused"            // the API server has refused Have times in a row to bind Task, at last with the answer Text; the next try is at Until
	PrePredicateFailed     Code = "PrePredicateFailed"     // no node was asked: Text says why
	ClaimNotFound          Code = "ClaimNotFound"          // no node was asked: resource claim Text is not there, or has not been made from its template yet
	ClaimUnusable          Code = "ClaimUnusable"          // Text says which resource claim cannot be used and why
	ClaimCompiling         Code = "ClaimCompiling"         // no node was asked: the selectors of resource claim Text are not compiled yet
	ClaimBudgetSpent       Code = "ClaimBudgetSpent"       // what may be spent on finding devices for resource claims is spent for now: of the cycle, its namespace, or such claims in it (Text)
	DeviceClassNotFound    Code = "DeviceClassNotFound"    // no node was asked: a resource claim asks for devices of class Text, which is not there
	ResourceOfClass        Code = "ResourceOfClass"        // no node was asked: it asks for a resource (Shorts) that no node offers and for which device class Text stands; only resource claims are given devices
	ActionNotConfigured    Code = "ActionNotConfigured"    // no configured action would place it; Text names the action
	PodsOfOtherSchedulers  Code = "OtherScheduler"         // not ours: listed and left alone
	TerminatingBeforePlace Code = "TerminatingBeforePlace" // deleted while it waited
)

// OfNodes says that the code speaks of nodes: what it refuses rests on them alone.
func (c Code) OfNodes() bool {
	switch c {
	case NoNodes, NotEnoughResources, NodesRefuse, NodeUnschedulable, NodeTaint, NodeAffinity, NodeSelector,
		NodeGroup, NodeGroupLimit, NodeRevocable, NodePorts, NodeVolume, VolumeInUse, NodeDevices, ClaimElsewhere, ClaimSearchExhausted, ResourceOfClass, NodeNUMAPolicy, NodeNUMA, PodAffinity, PodAntiAffinity, PodRepelled, PodTopologySpread, TopologyKeyMissing,
		NodeKept, SearchExhausted:
		return true
	default:
		return c.OfTopology()
	}
}

// OfClaims says that the code speaks of a pod's resource claims, before any node is asked.
func (c Code) OfClaims() bool {
	return c == ClaimNotFound || c == ClaimUnusable || c == ClaimCompiling || c == ClaimBudgetSpent || c == DeviceClassNotFound
}

// OfTopology says that the code speaks of how far apart nodes are. Its amounts are there
// whether or not somebody watches.
func (c Code) OfTopology() bool {
	return c == TopologyNoRoom || c == PodAffinityNoRoom || c == TopologySpread || c == HyperNodesNotReady
}

// KeptFree is the Text of a QueueCapability, or a QueueDevices, in which the amount asked for counts what is
// kept free for the guarantees of others.
const KeptFree = "guarantees"

// KeptForWaiting is the Text of a QueueDeserved or QueueCapability in which the amount asked for
// counts what is kept for a job that waits.
const KeptForWaiting = "kept"

// NotAllocated ends the Text of a NodeDevices that says that nobody allocates devices here.
const NotAllocated = ", which this scheduler does not allocate"

// Short is a dimension that falls short: Need units were asked of Have.
type Short struct {
	Dim        string
	Need, Have int64
	Kept       int64 `json:",omitempty"` // ClusterOvercommitted: how much of Need is kept for jobs that were let in before
}

// NodeCount says how many nodes refused for one reason, with one of them as an
// example (the first by name).
type NodeCount struct {
	Code       Code
	Text       string
	Domain     Domain
	Need, Have int // of NodeDevices
	Count      int
	Example    string
}

// Domain is the part of a cluster that a refusal for the sake of other pods is about: the
// nodes on which label Key has one Value. Where every node is a domain of its own, Value
// and Have are left out, so that nodes can be counted together.
type Domain struct {
	Key, Value string
	// Have and Least are amounts of NodeNUMA, too. Of NodeGroupLimit Key is the resource, Value the
	// group, Have what the queue's jobs hold there, Least what is asked for and Most the limit.
	Pods  string // the pods in question, as a label selector is written
	Have  int64  // PodTopologySpread: how many of them the domain has
	Least int64  // … and the least that any domain has, or 0 where there are fewer domains than asked for
	Most  int64  // … and by how many it may have more, the pod included: maxSkew
}

// Compare orders domains, for lists to have one order.
func (d Domain) Compare(o Domain) int {
	return cmp.Or(cmp.Compare(d.Key, o.Key), cmp.Compare(d.Value, o.Value), cmp.Compare(d.Pods, o.Pods),
		cmp.Compare(d.Have, o.Have), cmp.Compare(d.Least, o.Least), cmp.Compare(d.Most, o.Most))
}

// Placement is where a task would have gone, had its gang started.
type Placement struct{ Task, Node string }

// Reason says why. The zero Reason means that nothing is in the way. Which fields
// carry meaning is said at each Code. Lists are sorted (Shorts by name, cpu and
// memory first; Nodes by falling count, then code and text).
type Reason struct {
	Code       Code
	Queue      string // the queue that is in the way, where one is
	Task       string // the task that was refused, namespace/name, where one was
	Text       string
	Need, Have int
	Until      int64 // BindRefused: a time in nanoseconds since the epoch
	Shorts     []Short
	Nodes      []NodeCount
	Cause      *Reason
	Tried      []Placement // GangIncomplete: what was tried and taken back, in that order; at most MostTried
	Evicting   *Reason     // why no eviction helps it, where some action would evict for it
}

// MostTried bounds Reason.Tried.
const MostTried = 16

// Is says that there is a reason at all.
func (r Reason) Is() bool { return r.Code != None }

// Root is the innermost cause.
func (r *Reason) Root() *Reason {
	for r.Cause != nil {
		r = r.Cause
	}
	return r
}
