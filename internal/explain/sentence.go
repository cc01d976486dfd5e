package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ashlar.sh/sched/trace"
)

// Sentence says in English why something waits: the amounts and names of a Reason in
// one sentence without a capital or a full stop. A proof that it can never start comes
// first. It is empty for the zero Reason; a
// Code that it does not know (a newer engine's) is shown as it is. Where an action could
// evict others for it, why none does comes after a semicolon.
func Sentence(r trace.Reason) string {
	if !r.Is() {
		return ""
	}
	if r.Never != nil {
		return sentence(*r.Never) + "; now: " + sentence(r) // no eviction helps it
	}
	return sentence(r) + evicting(r)
}

// sentence leaves out what is said of evictions.
func sentence(r trace.Reason) string {
	if r.Code == trace.GangIncomplete {
		return gangIncomplete(r)
	}
	say, known := sentences[r.Code]
	if r.Code == trace.NoVictims {
		say, known = noVictims, true
	}
	if !known {
		say, known = ofVictims[r.Code]
	}
	if !known {
		say, known = ofTopology[r.Code]
	}
	if !known {
		say, known = ofNever[r.Code]
	}
	if !known {
		return string(r.Code)
	}
	text := say(r)
	if r.Code == trace.QueueGateShut || r.Code == trace.PodAffinityNoRoom || r.Code == trace.RoomKept ||
		r.Code == trace.StartPlanned ||
		r.Code == trace.LostMemberFirst {
		text += cause(r)
	}
	if r.Task != "" && !namesTask[r.Code] {
		return r.Task + ": " + text
	}
	return text
}

// namesTask are the codes with sentences about the job and not about the task for which
// it was noticed.
var namesTask = map[trace.Code]bool{trace.QueueOverused: true, trace.PodTooLarge: true, trace.NoNodeMatches: true}

// sentences has the words for every code but GangIncomplete's, which are made of its
// cause's, and those of ofVictims.
var sentences = map[trace.Code]func(trace.Reason) string{
	trace.InvalidObject: func(r trace.Reason) string { return "it was set aside because of an error in it: " + r.Text },
	trace.PodGroupNotFound: func(r trace.Reason) string {
		return fmt.Sprintf("its pods name PodGroup %s, which does not exist", r.Text)
	},
	trace.NoPods:        noPods,
	trace.QueueNotFound: func(r trace.Reason) string { return fmt.Sprintf("%s does not exist", queueOf(r)) },
	trace.QueueInvalid: func(r trace.Reason) string {
		return fmt.Sprintf("%s was set aside because of an error in it: %s", queueOf(r), r.Text)
	},
	trace.QueueNotOpen: func(r trace.Reason) string {
		return fmt.Sprintf("%s is %s and takes no jobs", queueOf(r), strings.ToLower(r.Text))
	},
	trace.QueueNotLeaf: func(r trace.Reason) string {
		return fmt.Sprintf("%s has child queues; only queues without children take jobs", queueOf(r))
	},
	trace.QueueCyclic: func(r trace.Reason) string {
		return fmt.Sprintf("the parents of %s form a ring that never reaches root", queueOf(r))
	},
	trace.QueueOrphaned: func(r trace.Reason) string {
		if r.Cause != nil {
			return fmt.Sprintf("%s hangs below %s, which was set aside because of an error in it: %s", queueOf(r),
				queueNamed(r.Text), r.Cause.Text)
		}
		return fmt.Sprintf("%s hangs below %s, which does not exist", queueOf(r), queueNamed(r.Text))
	},

	trace.NotEnoughTasks: func(r trace.Reason) string {
		return fmt.Sprintf("%d of at least %s exist", r.Have, Count(r.Need, "pod"))
	},
	trace.NotEnoughPodsOfTask: func(r trace.Reason) string {
		return fmt.Sprintf("%d of at least %s of task %s exist", r.Have, Count(r.Need, "pod"), r.Text)
	},
	trace.SchedulingGated: func(r trace.Reason) string {
		return fmt.Sprintf("%s held back by scheduling gates", isAre(r.Have, "pod"))
	},
	trace.QueueGateShut: func(r trace.Reason) string {
		return fmt.Sprintf("%s held back by the gate of the queue", isAre(r.Have, "pod"))
	},

	trace.QueueQuotaInsufficient: func(r trace.Reason) string {
		return fmt.Sprintf("%s has no room for its minResources%s", queueOf(r), shorts(r.Shorts, "with it", "allowed"))
	},
	trace.ClusterOvercommitted: func(r trace.Reason) string {
		return "more would be admitted than the cluster's nodes and the overcommit factor allow" + withKept(r.Shorts)
	},
	trace.NamespaceQuotaExceeded: func(r trace.Reason) string {
		return fmt.Sprintf("ResourceQuota %s has no room for its minResources%s", r.Text,
			shorts(r.Shorts, "with it", "allowed"))
	},
	trace.QueueOverused: func(r trace.Reason) string {
		return fmt.Sprintf("%s holds all that it deserves%s", queueOf(r), shorts(r.Shorts, "deserved", "allocated"))
	},
	trace.QueueDeserved: func(r trace.Reason) string {
		return fmt.Sprintf("%s would hold more than it deserves%s", queueOf(r), shorts(r.Shorts, withIt(r), "deserved"))
	},
	trace.QueueCapability: func(r trace.Reason) string {
		if r.Text == trace.CountsGuarantees {
			return fmt.Sprintf("%s would not keep free what other queues below it are guaranteed%s", queueOf(r),
				shorts(r.Shorts, "with it and that", "allowed"))
		}
		if r.Text == trace.CapabilityHeld {
			return fmt.Sprintf("%s holds all that its capability allows%s", queueOf(r), shorts(r.Shorts, "held", "allowed"))
		}
		return fmt.Sprintf("%s would hold more than its capability%s", queueOf(r), shorts(r.Shorts, withIt(r), "allowed"))
	},

	trace.QueueDevices: func(r trace.Reason) string {
		if r.Text == trace.CountsGuarantees {
			return fmt.Sprintf("%s would not keep free the devices that other queues below it are guaranteed%s", queueOf(r),
				shorts(r.Shorts, "with its claims and those", "allowed"))
		}
		return fmt.Sprintf("%s would hold more devices than its capability%s", queueOf(r),
			shorts(r.Shorts, "with its claims", "allowed"))
	},

	trace.PipelinedOnReleasing: pipelined,
	trace.Reserved: func(r trace.Reason) string {
		return fmt.Sprintf("room was freed for it on node %s; it waits for the last victim to go", r.Text)
	},
	trace.RoomKept: func(r trace.Reason) string {
		return fmt.Sprintf("room is kept for it on %s, until pods that came later have ended there", r.Text)
	},
	trace.StartPlanned:    startPlanned,
	trace.LostMemberFirst: lostMemberFirst,
	trace.BehindJob:       behindJob,
	trace.WaitsForTurn:    constant("other jobs were served first; its turn has not come"),
	trace.MinimumsFirst: constant(
		"it has its minimum; pods above it are placed after the minimums of the jobs that came with it, a second later at " +
			"most"),
	trace.BindInFlight: func(r trace.Reason) string {
		return fmt.Sprintf("%s being bound", isAre(max(r.Have, 1), "pod"))
	},
	trace.BindRefused: func(r trace.Reason) string {
		return fmt.Sprintf("the API server has refused to bind it %s in a row (%s); the next try is at %s",
			Count(r.Have, "time"), r.Text, time.Unix(0, r.Until).UTC().Format(time.RFC3339))
	},
	trace.PrePredicateFailed: func(r trace.Reason) string { return "no node was asked: " + r.Text },
	trace.ClaimNotFound:      func(r trace.Reason) string { return "resource claim " + r.Text + " is not there" },
	trace.ClaimUnusable: func(r trace.Reason) string {
		if len(r.Nodes) > 0 {
			return nodes(r)
		}
		return "resource claim " + r.Text
	},
	trace.ClaimCompiling: func(r trace.Reason) string {
		return "the selectors of resource claim " + r.Text + " are not compiled yet; it goes on by itself"
	},
	trace.ClaimBudgetSpent: func(r trace.Reason) string {
		switch r.Text {
		case "namespace":
			return "the search for devices has used up its namespace's steps for now; it goes on by itself within seconds"
		case "claim":
			return "the search for devices has used up the steps for claims like its own for now; it goes on by itself within " +
				"seconds"
		}
		return "the search for devices has used up this cycle's steps; it goes on by itself in the next"
	},
	trace.DeviceClassNotFound: func(r trace.Reason) string {
		return "its resource claims ask for devices of class " + r.Text + ", which does not exist"
	},
	trace.ResourceOfClass: func(r trace.Reason) string {
		return fmt.Sprintf("it asks for a resource that no node offers%s; device class %s stands for it, and "+
			"no node has devices of that class", shorts(r.Shorts, "asked", "offered"), r.Text)
	},
	trace.ActionNotConfigured: func(r trace.Reason) string {
		return fmt.Sprintf("it requests nothing, and action %s, which places such pods, is not configured", r.Text)
	},
	trace.PodsOfOtherSchedulers:  constant("its pods belong to another scheduler and are left alone"),
	trace.TerminatingBeforePlace: constant("it was deleted while it waited"),

	trace.NoNodes:              constant("the cluster has no nodes"),
	trace.NotEnoughResources:   nodes,
	trace.NodesRefuse:          nodes,
	trace.NodeUnschedulable:    nodes,
	trace.NodeFeatures:         nodes,
	trace.NodeTaint:            nodes,
	trace.NodeAffinity:         nodes,
	trace.NodeGroup:            nodes,
	trace.NodeGroupLimit:       nodes,
	trace.NodeNUMAPolicy:       nodes,
	trace.NodeNUMA:             nodes,
	trace.NodeRevocable:        nodes,
	trace.NodeBooked:           nodes,
	trace.NodeSelector:         nodes,
	trace.NodePorts:            nodes,
	trace.NodeVolume:           nodes,
	trace.VolumeInUse:          nodes,
	trace.NodeDevices:          nodes,
	trace.ClaimElsewhere:       nodes,
	trace.ClaimSearchExhausted: nodes,
	trace.PodAffinity:          nodes,
	trace.PodAntiAffinity:      nodes,
	trace.PodRepelled:          nodes,
	trace.PodTopologySpread:    nodes,
	trace.TopologyKeyMissing:   nodes,
	trace.InsufficientResource: nodes,
	trace.NodeKept:             nodes,
}

// withIt says what the amount in a queue's refusal includes.
func withIt(r trace.Reason) string {
	if r.Text == trace.CountsKeptRoom {
		return "with it and what is kept for a job that waits"
	}
	return "with it"
}

func constant(text string) func(trace.Reason) string {
	return func(trace.Reason) string { return text }
}

func queueOf(r trace.Reason) string {
	if r.Queue == "" {
		return "its queue"
	}
	return queueNamed(r.Queue)
}

// queueNamed is a queue in a sentence. Of those that a job waits for only its own and those above it are named.
func queueNamed(name string) string {
	if name == Hidden {
		return "a queue above its own"
	}
	return "queue " + name
}

func noPods(r trace.Reason) string {
	if r.Need > 0 {
		return fmt.Sprintf("it may start, but none of its pods (at least %d) has been created yet", r.Need)
	}
	return "it may start, but none of its pods has been created yet"
}

// tried says where the members would have gone, the first few of them.
func tried(places []trace.Placement) string {
	const most = 3
	var out []string
	for _, p := range places[:min(len(places), most)] {
		_, name, _ := strings.Cut(p.Task, "/")
		out = append(out, name+" on "+p.Node)
	}
	if more := len(places) - most; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

func gangIncomplete(r trace.Reason) string {
	together := fmt.Sprintf("the %d pods that start together", r.Need)
	if r.Need == 1 {
		together = "1 pod"
	}
	return fmt.Sprintf("there is room for %d of %s%s", r.Have, together, tried(r.Tried)) +
		besideGang(r, cause(r))
}

// besideGang tells of a node on which members of the gang have room, in a text about what it lacks, that the amount
// which is free there is what they leave: people that look at the node see it without them.
func besideGang(r trace.Reason, text string) string {
	on := r.Root().Text
	if r.Code != trace.GangIncomplete || on == "" || r.Have <= len(r.Tried) &&
		!slices.ContainsFunc(r.Tried, func(p trace.Placement) bool { return p.Node == on }) {
		return text
	}
	return strings.ReplaceAll(text, " free)", " free beside its gang)")
}

// cause continues a sentence with the reason's cause, "" without one.
func cause(r trace.Reason) string {
	if r.Cause == nil || !r.Cause.Is() {
		return ""
	}
	return "; " + Sentence(*r.Cause)
}

func lostMemberFirst(r trace.Reason) string {
	var asks []string
	for _, s := range r.Shorts {
		asks = append(asks, s.Dim+": "+Quantity(s.Dim, s.Need))
	}
	of := cmp.Or(r.Text, "a job of another namespace")
	lost := "a member that " + of + " has lost"
	if r.Have > 1 {
		lost = fmt.Sprintf("%d members that gangs of its queue have lost, the first of them %s", r.Have, of)
	}
	return fmt.Sprintf("it would take the room of %s (%s), which is kept until %s", lost, strings.Join(asks, "; "),
		time.Unix(0, r.Until).UTC().Format(time.RFC3339))
}

func pipelined(r trace.Reason) string {
	where := ""
	if r.Text != "" {
		where = " on node " + r.Text
	}
	if r.Need == 0 {
		return "it waits for room that is being freed" + where
	}
	return fmt.Sprintf("%s for room that is being freed%s (%d needed)", podsWait(r.Have), where, r.Need)
}

func podsWait(n int) string {
	if n == 1 {
		return "1 pod waits"
	}
	return fmt.Sprintf("%d pods wait", n)
}

// Count is "1 pod" or "3 pods": a number with what is counted, of which the plural ends with s.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func isAre(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return fmt.Sprintf("%d %ss are", n, thing)
}

// shorts is " (cpu: 4 asked, 2 free; memory: …)", empty without any.
func shorts(list []trace.Short, need, have string) string {
	return shortsBy(list, func(s trace.Short) string {
		return fmt.Sprintf("%s: %s %s, %s %s", s.Dim, Quantity(s.Dim, s.Need), need, Quantity(s.Dim, s.Have), have)
	})
}

// withKept is shorts, with how much is kept for jobs that were admitted before.
func withKept(list []trace.Short) string {
	return shortsBy(list, func(s trace.Short) string {
		before := ""
		if s.Kept > 0 {
			before = fmt.Sprintf(", %s of these kept for jobs admitted before it", Quantity(s.Dim, s.Kept))
		}
		return fmt.Sprintf("%s: %s with it%s, %s allowed", s.Dim, Quantity(s.Dim, s.Need), before, Quantity(s.Dim, s.Have))
	})
}

func shortsBy(list []trace.Short, of func(trace.Short) string) string {
	if len(list) == 0 {
		return ""
	}
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = of(s)
	}
	return " (" + strings.Join(parts, "; ") + ")"
}
