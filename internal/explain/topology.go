package explain

import (
	"fmt"
	"strings"

	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

// SubJob is where a sub-group of a job stands: how many of its members have a place, of the
// Size that it needs, and the smallest HyperNode that holds them all, "" where none does.
type SubJob struct {
	Name      string `json:"name"`
	Size      int32  `json:"size"`
	Placed    int32  `json:"placed"`
	HyperNode string `json:"hyperNode,omitempty"`
}

func subJobs(list []sched.SubJobReport) (out []SubJob) {
	for _, s := range list {
		out = append(out, SubJob{Name: s.Name, Size: s.Size, Placed: s.Placed, HyperNode: s.HyperNode})
	}
	return out
}

// inDomains says which HyperNodes a job is in, before its nodes: "rack-a: ", or for each of
// its sub-groups "0 in rack-a, 1 in rack-b: ".
func inDomains(j *Job) string {
	const most = 4
	var parts []string
	for _, s := range j.SubJobs {
		if s.HyperNode != "" {
			parts = append(parts, s.Name+" in "+s.HyperNode)
		}
	}
	if more := len(parts) - most; more > 0 {
		parts = append(parts[:most], fmt.Sprintf("%d more", more))
	}
	if len(parts) == 0 && j.HyperNode != "" {
		parts = append(parts, j.HyperNode)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + ": "
}

// ofTopology has the words for what is refused for the network between nodes.
var ofTopology = map[trace.Code]func(trace.Reason) string{
	trace.TopologyNoRoom:    topologyNoRoom,
	trace.PodAffinityNoRoom: podAffinityNoRoom,
	trace.TopologySpread: func(r trace.Reason) string {
		return fmt.Sprintf("its pods are further apart than it allows already: %s holds them, and it allows %s", domainOf(r),
			tier(r.Text))
	},
	trace.HyperNodesNotReady: func(r trace.Reason) string {
		text := fmt.Sprintf("there is no HyperNode within %s", tier(r.Text))
		if r.Have > 0 {
			text += fmt.Sprintf("; %s set aside because of errors in them", isAre(r.Have, "HyperNode"))
		}
		return text
	},
	trace.TopologyByGang: func(r trace.Reason) string {
		return "its members have to be near each other: gangpreempt and gangreclaim evict for such jobs, " + r.Text +
			" does not"
	},
	trace.SubGroupIncomplete: func(r trace.Reason) string {
		return fmt.Sprintf("sub-group %s has %s, and %d of it start together", r.Text, Count(r.Have, "pod"), r.Need)
	},
	trace.NotEnoughSubGroups: func(r trace.Reason) string {
		name := ""
		if r.Text != "" {
			name = " of policy " + r.Text
		}
		return fmt.Sprintf("%d of at least %s%s have all their pods", r.Have, Count(r.Need, "sub-group"), name)
	},
}

// topologyNoRoom names the domain that comes nearest, and how near.
func topologyNoRoom(r trace.Reason) string {
	asked := 0
	if len(r.Nodes) > 0 {
		asked = r.Nodes[0].Count
	}
	within := ""
	if r.Text != "" {
		within = " within " + tier(r.Text)
	}
	text := fmt.Sprintf("none of %s%s has room for %s together", Count(asked, "HyperNode"), within, Count(r.Need, "pod"))
	if asked == 1 {
		text = fmt.Sprintf("the only HyperNode in reach%s has no room for %s together", within, Count(r.Need, "pod"))
	}
	if r.Have < r.Need {
		return text + fmt.Sprintf(": %s comes nearest with room for %d", domainOf(r), r.Have)
	}
	return text + fmt.Sprintf(": in %s, which has enough by amounts, they do not all find a place", domainOf(r))
}

// podAffinityNoRoom is about the domains of labels.
func podAffinityNoRoom(r trace.Reason) string {
	asked := 0
	if len(r.Nodes) > 0 {
		asked = r.Nodes[0].Count
	}
	text := fmt.Sprintf("%s have to be together, and none of %s of %s ", Count(r.Need, "pod"), Count(asked, "domain"),
		r.Text)
	if r.Have < r.Need {
		return text + fmt.Sprintf("has room for them: %s comes nearest with room for %d", domainOf(r), r.Have)
	}
	return text + fmt.Sprintf("takes them: %s has enough room", domainOf(r))
}

func domainOf(r trace.Reason) string {
	if len(r.Nodes) == 0 || r.Nodes[0].Example == "" {
		return "the cluster"
	}
	return r.Nodes[0].Example
}

// tier is a tier's number or name, in words.
func tier(text string) string {
	if text == "" {
		return "the cluster"
	}
	return "tier " + text
}
