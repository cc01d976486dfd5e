package explain

import (
	"fmt"
	"strconv"
	"strings"

	"ashlar.sh/sched/trace"
)

// refusal is how one node, or several, refuse for one reason; %s is the detail.
type refusal struct{ one, many, bare string }

var refusals = map[trace.Code]refusal{
	trace.InsufficientResource: {"lacks %s", "lack %s", "room"},
	trace.NodeKept:             {"is kept for a job that waits", "are kept for a job that waits", ""},
	trace.NodeTaint:            {"has taint %s", "have taint %s", "that is not tolerated"},
	trace.NodePorts:            {"has host port %s taken", "have host port %s taken", "asked"},
	trace.NodeVolume:           {"cannot have its volumes (%s)", "cannot have its volumes (%s)", "of another"},
	trace.VolumeInUse: {"cannot have volume claim %s, which is for one pod alone and in use",
		"cannot have volume claim %s, which is for one pod alone and in use", "of its own"},
	trace.NodeDevices: {"cannot meet its resource claims (%s)", "cannot meet its resource claims (%s)",
		"devices"},
	trace.ClaimElsewhere: {"is not where the devices of resource claim %s are",
		"are not where the devices of resource claim %s are", "of its own"},
	trace.ClaimSearchExhausted: {"may meet resource claim %s or not", "may meet resource claim %s or not", "of its own"},
	trace.ClaimUnusable:        {"cannot meet resource claim %s", "cannot meet resource claim %s", "of its own"},
	trace.NodeUnschedulable:    {"is cordoned", "are cordoned", ""},
	trace.NodeFeatures:         {"lacks feature %s", "lack feature %s", "of the kubelet"},
	trace.NodeAffinity:         {"does not match its node affinity", "do not match its node affinity", ""},
	trace.NodeGroup: {"is not for its queue (node group: %s)", "are not for its queue (node group: %s)",
		"none"},
	trace.NodeGroupLimit: {"is beyond its queue's limit", "are beyond its queue's limit", ""},
	trace.NodeNUMAPolicy: {"does not have its NUMA topology policy (%s)",
		"do not have its NUMA topology policy (%s)", "unknown"},
	trace.NodeNUMA:           {"might have no NUMA node for its cpus", "might have no NUMA node for their cpus", ""},
	trace.NodeRevocable:      {"is lent by the hour (zone %s)", "are lent by the hour (zone %s)", "of another"},
	trace.NodeBooked:         {"is booked", "are booked", ""},
	trace.NodeSelector:       {"does not match its nodeSelector", "do not match its nodeSelector", ""},
	trace.TopologyKeyMissing: {"lacks label %s", "lack label %s", "to spread by"},
	trace.NodesRefuse:        {"refuses for %s", "refuse for %s", "other reasons"},
}

// nodes says how the nodes refuse a task: "none of 4 nodes takes it: 2 lack
// nvidia.com/gpu (on n2: 4 asked, 2 free), 1 has taint dedicated=infra:NoSchedule". A
// node that lacks two resources is counted under both.
func nodes(r trace.Reason) string {
	var parts []string
	for _, c := range r.Nodes {
		parts = append(parts, counted(c, r))
	}
	if len(parts) == 0 {
		parts = append(parts, alone(r))
	}
	return total(r) + ": " + strings.Join(parts, ", ")
}

// total says how many nodes were asked. That none takes it is claimed only where the
// counts can cover them all: members of its gang may hold the others.
func total(r trace.Reason) string {
	refused := 0
	for _, c := range r.Nodes {
		refused += c.Count
	}
	switch {
	case r.Need == 0:
		return "no node takes it"
	case r.Need == 1:
		return "the only node does not take it"
	case refused < r.Need:
		return fmt.Sprintf("of %s", Count(r.Need, "node"))
	default:
		return fmt.Sprintf("none of %s takes it", Count(r.Need, "node"))
	}
}

// counted is "2 lack memory (on n2: 8Gi asked, 1Gi free)".
func counted(c trace.NodeCount, r trace.Reason) string {
	how, known := refusals[c.Code]
	form := how.many
	if c.Count == 1 {
		form = how.one
	}
	if !known {
		form, how.bare = "%s", string(c.Code)
	}
	many := strconv.Itoa(c.Count)
	if r.Need == 1 && c.Count == 1 { // "the only node does not take it: it lacks cpu"
		many = "it"
	}
	if say, of := ofDomains[c.Code]; of {
		return fmt.Sprintf("%s %s", many, say(c))
	}
	if c.Code == trace.NodeDevices && c.Need > 0 {
		return fmt.Sprintf("%s %s %d of class %s free, %d asked", many, hasHave(c.Count), c.Have, c.Text, c.Need)
	}
	text := fmt.Sprintf("%s %s", many, filled(form, c.Text, how.bare))
	if c.Code == trace.ClaimSearchExhausted {
		return fmt.Sprintf("%s: the search was given up after %d steps", text, c.Have)
	}
	if c.Code != trace.InsufficientResource {
		return text
	}
	for _, s := range r.Shorts {
		if s.Dim == c.Text {
			return text + " (" + onNode(r.Text) + Quantity(s.Dim, s.Need) + " asked, " + Quantity(s.Dim, s.Have) + " free)"
		}
	}
	return text
}

func hasHave(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// alone is for a reason that carries no counts.
func alone(r trace.Reason) string {
	how, known := refusals[r.Code]
	switch {
	case r.Code == trace.NotEnoughResources || !known:
		return "not enough room" + shorts(r.Shorts, "asked", "free")
	case r.Code == trace.InsufficientResource:
		return "it " + filled(how.one, r.Text, how.bare) + shorts(r.Shorts, "asked", "free")
	default:
		return "it " + filled(how.one, r.Text, how.bare)
	}
}

func onNode(name string) string {
	if name == "" {
		return ""
	}
	return "on " + name + ": "
}

// filled puts the detail into a form that has a place for one.
func filled(form, detail, bare string) string {
	if detail == "" {
		detail = bare
	}
	if !strings.Contains(form, "%s") {
		return form
	}
	return fmt.Sprintf(form, detail)
}
