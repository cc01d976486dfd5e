package trace

import (
	"cmp"
	"slices"
)

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
	QueueInvalid     Code = "QueueInvalid" // the queue was set aside at the door
	// Text is the state; Cause names the queue above that closes it, if one does
	QueueNotOpen  Code = "QueueNotOpen"
	QueueNotLeaf  Code = "QueueNotLeaf"  // the queue has children
	QueueCyclic   Code = "QueueCyclic"   // its parents form a ring
	QueueOrphaned Code = "QueueOrphaned" // Text is the ancestor that is missing, or set aside: Cause says why

	// The gang.
	NotEnoughTasks      Code = "NotEnoughTasks"      // Have pods exist, Need are the minimum
	NotEnoughPodsOfTask Code = "NotEnoughPodsOfTask" // the same for role Text
	// Have sub-groups of policy Text have their size, Need are the minimum
	NotEnoughSubGroups Code = "NotEnoughSubGroups"
	SubGroupIncomplete Code = "SubGroupIncomplete" // Have pods of sub-group Text exist, Need start together
	SchedulingGated    Code = "SchedulingGated"    // Have pods carry scheduling gates
	// The queue gate of Have pods is shut: the queue has no room for them; Cause
	QueueGateShut Code = "QueueGateShut"
	// Have of Need could be placed; Cause is the refusal that stopped it
	GangIncomplete Code = "GangIncomplete"

	// The queue.
	QueueQuotaInsufficient Code = "QueueQuotaInsufficient" // enqueue: minResources do not fit realCapability; Shorts
	// enqueue: as much of the cluster is kept for admitted jobs as may be; Shorts
	ClusterOvercommitted Code = "ClusterOvercommitted"
	// enqueue: minResources would exceed ResourceQuota Text; Shorts
	NamespaceQuotaExceeded Code = "NamespaceQuotaExceeded"
	QueueOverused          Code = "QueueOverused"   // Shorts: deserved (Need) and allocated (Have)
	QueueDeserved          Code = "QueueDeserved"   // the task would lift the queue above deserved; Shorts
	QueueCapability        Code = "QueueCapability" // … above realCapability; Shorts; Text: see CountsGuarantees
	// With the devices of its resource claims the queue would hold more (Need) than its capability (Have); Shorts;
	// Text: see CountsGuarantees
	QueueDevices Code = "QueueDevices"

	// Why a job can never start as it, its queue and the nodes are: Reason.Never.

	// Task asks for more (Need) of a resource than any node has (Have); Shorts
	PodTooLarge   Code = "PodTooLarge"
	NoNodeMatches Code = "NoNodeMatches" // none of Need nodes has the labels that Task requires, or only with taints
	// The minimum of Need pods asks for more than the capability of Queue; Shorts
	QueueTooSmall Code = "QueueTooSmall"
	// Of the minimum of Need pods the nodes, were they empty, have room for Have; Shorts: where the pods together
	// ask for more than all nodes have
	GangTooLarge Code = "GangTooLarge"

	// Why a pod is no victim of a reclaim; Queue is its queue.

	// The queue would be left with less (Have) than its guarantee (Need); Shorts
	VictimGuaranteed Code = "VictimGuaranteed"
	VictimDeserved   Code = "VictimDeserved" // the queue holds (Have) no more than it deserves (Need); Shorts
	// The gang can only go together, but for members that it can spare: without those, the queue would hold (Have) no
	// more than it deserves (Need); Shorts
	VictimMinimum Code = "VictimMinimum"
	VictimOfNoUse Code = "VictimOfNoUse" // they hold nothing of what is lacking
	// The queue that asks would hold (Have) more than it deserves (Need) in every dimension that they hold; Shorts
	VictimNotOwed Code = "VictimNotOwed"
	// Their queue could reclaim the room at once: it deserves (Need) at least what it would
	// be left with (Have) and what they hold; Shorts;
	// Text is the queue that asks
	VictimReturns Code = "VictimReturns"
	VictimOutside Code = "VictimOutside" // the queue has no sound place in the tree, or is the preemptor's own

	// Why a pod is no victim of any action.
	VictimNotLower Code = "VictimNotLower" // its priority (Have) is not below that of the preemptor (Need)
	// drf: the preemptor's job would have a larger share than the victim's job is left with
	VictimShare Code = "VictimShare"
	// joborder: its job has no more work left than the preemptor's; Text is how much
	VictimSooner   Code = "VictimSooner"
	VictimCritical Code = "VictimCritical" // conformance: a critical pod of the system
	// PodDisruptionBudget Text allows Have more disruptions, Need are wanted
	VictimBudget   Code = "VictimBudget"
	VictimCooling  Code = "VictimCooling"  // cdp: Text is how long it is still protected
	VictimTooYoung Code = "VictimTooYoung" // it has not run for the minimum run time of its queue; Text is what is left
	// Have evictions of Need allowed took place lately; Text says by which plugin, of what
	VictimCapped Code = "VictimCapped"
	// tdm: it runs on a node that is lent by the hour; Text says in which zone
	VictimOutOfZone   Code = "VictimOutOfZone"
	VictimForKept     Code = "VictimForKept"     // tdm: the preemptor may be evicted itself, so it takes nothing
	VictimKept        Code = "VictimKept"        // marked volcano.sh/preemptable: "false"
	VictimGang        Code = "VictimGang"        // its gang would be left with less than its minimum
	VictimUnreclaimed Code = "VictimUnreclaimed" // its queue has reclaimable: false
	VictimUnasked     Code = "VictimUnasked"     // no plugin permits its eviction
	VictimBusy        Code = "VictimBusy"        // a member of its gang is being bound, or cannot be evicted
	// its queue has a pod that was asked to leave and then to stay, and it is not known yet which of the two it does
	VictimInDoubt Code = "VictimInDoubt"

	// Why no eviction helps; Text is the action, Nodes counts the pods that were no victims, by reason.
	PreemptionNever Code = "PreemptionNever" // its preemptionPolicy is Never
	NoVictims       Code = "NoVictims"       // no pod may be evicted for it
	VictimsTooFew   Code = "VictimsTooFew"   // it finds no place even without all the pods that may be evicted
	// Its members have to be near each other: gangpreempt and gangreclaim evict for such jobs, action Text does not
	TopologyByGang  Code = "TopologyByGang"
	SearchExhausted Code = "SearchExhausted" // the search for Text ("": for victims) was given up after Have steps

	// The nodes.
	NoNodes Code = "NoNodes" // the cluster has no nodes
	// Every node that may take it lacks room; Nodes, Shorts of the best
	NotEnoughResources Code = "NotEnoughResources"
	NodesRefuse        Code = "NodesRefuse"       // nodes refuse for several reasons; Nodes counts them
	NodeUnschedulable  Code = "NodeUnschedulable" // cordoned
	NodeTaint          Code = "NodeTaint"         // untolerated taint; Text is key=value:effect
	NodeAffinity       Code = "NodeAffinity"      // required node affinity does not match
	NodeSelector       Code = "NodeSelector"      // nodeSelector does not match
	NodeFeatures       Code = "NodeFeatures"      // its kubelet lacks feature Text, which the pod needs
	// The queue may not use the node's group Text, "" for a node in none
	NodeGroup Code = "NodeGroup"
	// The queue would hold more of the node's group than it may: Domain; without it, its limits cannot be read
	NodeGroupLimit Code = "NodeGroupLimit"
	NodeRevocable  Code = "NodeRevocable" // the node is lent by the hour; Text is its zone and why not
	// The node is booked. Domain: Key is the booking, Value is Maintenance, Owned, or "" for one of others, Least and Most
	// are when it begins and ends, Have is how long the pod may run in nanoseconds, 0 where nothing limits it
	NodeBooked Code = "NodeBooked"
	NodePorts  Code = "NodePorts"  // a host port is taken; Text is the port
	NodeVolume Code = "NodeVolume" // a volume cannot be had there
	// Another pod uses volume claim Text, which is for one alone (ReadWriteOncePod)
	VolumeInUse Code = "VolumeInUse"
	// Have devices of class Text are free there, Need are asked; without amounts: its resource claims Text cannot be
	// met there, or nothing allocates devices
	NodeDevices Code = "NodeDevices"
	// Have steps did not suffice to find out whether devices there meet resource claims Text together
	ClaimSearchExhausted Code = "ClaimSearchExhausted"
	// Resource claim Text was allocated devices that the node does not reach
	ClaimElsewhere Code = "ClaimElsewhere"
	// Its kubelet has another topology policy than the pod asks for; Text is that policy, "" where it is not known
	NodeNUMAPolicy Code = "NodeNUMAPolicy"
	// Its kubelet might not find the cpus of a container in one NUMA node; Domain: Least are asked for, Have are free
	// in the NUMA node with the most
	NodeNUMA Code = "NodeNUMA"
	// The node's domain has no pod that its affinity requires; Domain
	PodAffinity Code = "PodAffinity"
	// Its pods have to share a domain of label Text, and none has room for Need of them; Nodes has the one that comes
	// nearest (Example), with room for Have, and how many there are; where that is enough by amounts, Cause
	PodAffinityNoRoom Code = "PodAffinityNoRoom"
	// The node's domain has a pod that its anti-affinity forbids; Domain
	PodAntiAffinity Code = "PodAntiAffinity"
	// The node's domain has a pod of which the anti-affinity forbids this one; Domain
	PodRepelled Code = "PodRepelled"
	// The domain would have more pods than others by more than maxSkew; Domain
	PodTopologySpread    Code = "PodTopologySpread"
	TopologyKeyMissing   Code = "TopologyKeyMissing"   // the node lacks label Text, by which pods are to be spread
	NodeKept             Code = "NodeKept"             // the room on it is kept for a job that waits
	InsufficientResource Code = "InsufficientResource" // one node lacks room in Text (a dimension)
	// No domain of tier Text or below has room for Need pods together; Nodes has the one that comes nearest (Example),
	// with room for Have, and how many were asked
	TopologyNoRoom Code = "TopologyNoRoom"
	// Its pods are further apart already than it allows (tier Text): in domain Example of Nodes
	TopologySpread Code = "TopologySpread"
	// There is no domain of tier Text or below that can be used; Have HyperNodes are set aside
	HyperNodesNotReady   Code = "HyperNodesNotReady"
	PipelinedOnReleasing Code = "Pipelined" // waits for room that is being freed on node Text
	// Room was freed for it on node Text; waits for the last victim to go
	Reserved Code = "Reserved"
	// Room is kept for it on nodes Text, where pods that came later still run; Cause is why it cannot start yet
	RoomKept Code = "RoomKept"
	// It is to start at Until (0: that has passed), on nodes Text, when pods that run there have ended; Cause is why it
	// cannot start yet
	StartPlanned Code = "StartPlanned"
	// It would take the room of Have members that gangs of its queue have lost, the first of them the gang Text, which
	// asks for Shorts (Need) and keeps that room until Until; Cause is what refuses it without that room
	LostMemberFirst Code = "LostMemberFirst"
	// In its queue, which is served strictly in order, job Text comes first and has not started: both could use the
	// nodes of which Nodes has the number and the first, or the room of Queue for one of them, where Shorts are lacking
	BehindJob    Code = "BehindJob"
	WaitsForTurn Code = "WaitsForTurn" // other jobs were served first, and the cycle ended
	// It has its minimum; members above it are placed after the minimums of all that come within a scheduling period
	MinimumsFirst Code = "MinimumsFirst"
	BindInFlight  Code = "BindInFlight" // its bind is under way
	// The API server has refused Have times in a row to bind Task, at last with the answer Text; the next try is at
	// Until
	BindRefused        Code = "BindRefused"
	PrePredicateFailed Code = "PrePredicateFailed" // no node was asked: Text says why
	// No node was asked: resource claim Text does not exist, or has not been made from its template yet
	ClaimNotFound Code = "ClaimNotFound"
	ClaimUnusable Code = "ClaimUnusable" // Text says which resource claim cannot be used and why
	// No node was asked: the selectors of resource claim Text are not compiled yet
	ClaimCompiling Code = "ClaimCompiling"
	// The budget for finding devices for resource claims is spent for now: that of the cycle, of its namespace, or of
	// such claims in it (Text)
	ClaimBudgetSpent Code = "ClaimBudgetSpent"
	// No node was asked: a resource claim asks for devices of class Text, which is not there
	DeviceClassNotFound Code = "DeviceClassNotFound"
	// No node was asked: it asks for a resource (Shorts) that no node offers, and no node has devices of class Text,
	// which stands for it
	ResourceOfClass     Code = "ResourceOfClass"
	ActionNotConfigured Code = "ActionNotConfigured" // no configured action would place it; Text names the action
	// A pod of another scheduler: listed, never placed or evicted
	PodsOfOtherSchedulers  Code = "OtherScheduler"
	TerminatingBeforePlace Code = "TerminatingBeforePlace" // deleted while it waited
)

// OfNodes says that the code speaks of nodes: what it refuses rests on them alone.
func (c Code) OfNodes() bool {
	switch c {
	case NoNodes, NotEnoughResources, NodesRefuse, NodeUnschedulable, NodeTaint, NodeAffinity, NodeSelector,
		NodeFeatures, NodeGroup, NodeGroupLimit, NodeRevocable, NodeBooked, NodePorts, NodeVolume, VolumeInUse, NodeDevices,
		ClaimElsewhere, ClaimSearchExhausted, NodeNUMAPolicy, NodeNUMA, PodAffinity, PodAntiAffinity, PodRepelled,
		PodTopologySpread, TopologyKeyMissing, NodeKept, SearchExhausted:
		return true
	default:
		return c.OfTopology()
	}
}

// OfClaims says that the code speaks of a pod's resource claims, before any node is asked.
func (c Code) OfClaims() bool {
	return c == ClaimNotFound || c == ClaimUnusable || c == ClaimCompiling || c == ClaimBudgetSpent ||
		c == DeviceClassNotFound
}

// OfTopology says that the code speaks of how far apart nodes are. Its amounts are there
// whether or not events are recorded.
func (c Code) OfTopology() bool {
	return c == TopologyNoRoom || c == PodAffinityNoRoom || c == TopologySpread || c == HyperNodesNotReady
}

// CountsGuarantees is the Text of a QueueCapability, or a QueueDevices, in which the amount asked for counts what is
// kept free for the guarantees of others.
const CountsGuarantees = "guarantees"

// CapabilityHeld is the Text of a QueueCapability of a queue that holds all that its capability allows: the
// first amount is what it holds.
const CapabilityHeld = "held"

// CountsKeptRoom is the Text of a QueueDeserved or QueueCapability in which the amount asked for
// counts what is kept for a job that waits.
const CountsKeptRoom = "kept"

// Maintenance and Owned are Values of a NodeBooked: the booking is for maintenance, or it is the pod's own and ends
// before the pod has.
const (
	Maintenance = "maintenance"
	Owned       = "owner"
)

// NotAllocated ends the Text of a NodeDevices where no driver allocates devices.
const NotAllocated = ", which this scheduler does not allocate"

// Short is what a reason says of one dimension. Need units were asked of Have, but where the Code says otherwise: of a
// QueueOverused, and of the reasons for which a pod is no victim, Need is what a queue deserves or is guaranteed, Have
// what it holds.
type Short struct {
	Dim        string
	Need, Have int64
	// Kept is, for ClusterOvercommitted, how much of Need is kept for jobs that were admitted before.
	Kept int64 `json:",omitempty"`
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

// Domain is the part of a cluster that a refusal because of other pods is about: the
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

// Placement is where a task would have been placed if its gang had started.
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
	Never      *Reason     // a proof that it cannot start as it, its queue and the nodes are; nil: there is none
}

// MostTried bounds Reason.Tried.
const MostTried = 16

// Is says that there is a reason at all.
func (r Reason) Is() bool { return r.Code != None }

// Waits says that a job waits for something because of the reason: a bind under way is nothing to wait for.
func (r Reason) Waits() bool { return r.Is() && r.Code != BindInFlight }

// Clone returns a copy that shares nothing with r: another goroutine may keep it.
func (r Reason) Clone() Reason {
	r.Shorts, r.Nodes, r.Tried = slices.Clone(r.Shorts), slices.Clone(r.Nodes), slices.Clone(r.Tried)
	for _, part := range []**Reason{&r.Cause, &r.Evicting, &r.Never} {
		if *part != nil {
			c := (*part).Clone()
			*part = &c
		}
	}
	return r
}

// Root is the innermost cause.
func (r *Reason) Root() *Reason {
	for r.Cause != nil {
		r = r.Cause
	}
	return r
}
