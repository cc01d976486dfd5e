package story

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ashlar.sh/sched/trace"
)

// brief is a reason as its code and amounts, without prose: what a story compares must
// not change when a sentence is polished.
//
//	GangIncomplete 0 of 2: NotEnoughResources: gpu 4 asked, 2 free on n2
//	QueueOverused ml: cpu 8 deserved, 8 held; preempt NoVictims: 12 VictimNotLower, 3 VictimGang
//	never GangTooLarge 8 of 20; GangIncomplete 8 of 20: NotEnoughResources: gpu 4 asked, 2 free on n2
func brief(r trace.Reason) string {
	out := plain(r)
	if r.Never != nil {
		return "never " + plain(*r.Never) + "; " + out
	}
	for e := r.Evicting; e != nil && e.Is(); e = e.Evicting {
		out += "; " + evicting(*e)
	}
	return out
}

// evicting is why an action evicts no pod: the pods by the rule that protects them.
func evicting(e trace.Reason) string {
	head := strings.TrimSpace(fmt.Sprintf("%s %s", e.Text, e.Code))
	if e.Cause != nil {
		return head + ": " + plain(*e.Cause)
	}
	if e.Code == trace.VictimsTooFew {
		head += fmt.Sprintf(" %d of %d", e.Have, e.Need)
	}
	var reasons []string
	counts := map[trace.Code]int{}
	for _, c := range e.Nodes {
		if counts[c.Code] == 0 {
			reasons = append(reasons, string(c.Code))
		}
		counts[c.Code] += c.Count
	}
	if len(reasons) == 0 {
		return head
	}
	for i, code := range reasons {
		reasons[i] = fmt.Sprintf("%d %s", counts[trace.Code(code)], code)
	}
	return head + ": " + strings.Join(reasons, ", ")
}

// plain is a reason without what is said of evictions.
func plain(r trace.Reason) string {
	head := string(r.Code)
	if r.Queue != "" {
		head += " " + r.Queue
	}
	if counted(r.Code) {
		head += fmt.Sprintf(" %d of %d", r.Have, r.Need)
	}
	switch r.Code {
	case trace.PodTooLarge, trace.NoNodeMatches:
		head = strings.TrimSpace(head + " " + r.Task)
	case trace.InvalidObject:
		head = strings.TrimSpace(head + " " + r.Task)
	case trace.NamespaceQuotaExceeded:
		head, r.Text = head+" "+r.Text, ""
	case trace.QueueCapability, trace.QueueDeserved:
		switch r.Text {
		case trace.CountsGuarantees:
			head, r.Text = head+" (guarantees kept)", ""
		case trace.CountsKeptRoom:
			head, r.Text = head+" (kept for a job that waits)", ""
		case trace.CapabilityHeld:
			head, r.Text = head+" (held)", ""
		}
	case trace.LostMemberFirst:
		head += fmt.Sprintf(" %s (%s) until %v", cmp.Or(r.Text, "of another namespace"), asked(r.Shorts),
			time.Duration(r.Until))
		r.Text, r.Shorts = "", nil
	case trace.RoomKept:
		head, r.Text = head+" on "+r.Text, ""
	case trace.TopologyNoRoom, trace.TopologySpread, trace.HyperNodesNotReady, trace.PodAffinityNoRoom:
		head, r.Text, r.Nodes = topological(head, r), "", nil
	case trace.StartPlanned:
		if r.Until == 0 {
			head, r.Text = fmt.Sprintf("%s (passed) on %s", head, r.Text), ""
			break
		}
		head, r.Text = fmt.Sprintf("%s %v on %s", head, time.Duration(r.Until), r.Text), ""
	case trace.BehindJob:
		head, r.Text, r.Shorts, r.Nodes = behind(r), "", nil, nil
	case trace.BindRefused:
		head += fmt.Sprintf(" %d times until %v: %s", r.Have, time.Duration(r.Until), r.Task)
	case trace.SchedulingGated, trace.QueueGateShut:
		head += fmt.Sprintf(" %d", r.Have)
	}
	var rest []string
	for _, s := range r.Shorts {
		rest = append(rest, amountsOf(r.Code, s))
	}
	tail := strings.Join(rest, "; ")
	switch {
	case len(r.Shorts) > 0 && r.Text != "":
		tail += " on " + r.Text
	case len(r.Nodes) > 1 || r.Code == trace.NodesRefuse:
		tail = refusals(r.Nodes)
	case len(r.Nodes) == 1:
		tail = strings.TrimSpace(fmt.Sprintf("%s on %s", detail(r.Nodes[0]), nodes(r.Nodes[0])))
	case r.Text != "":
		tail = r.Text
	}
	if r.Cause != nil {
		tail = plain(*r.Cause)
	}
	if tail != "" {
		head += ": " + tail
	}
	return head
}

// asked is amounts without what there was of them.
func asked(shorts []trace.Short) string {
	var out []string
	for _, s := range shorts {
		out = append(out, called(s.Dim)+" "+written(s.Dim, s.Need))
	}
	return strings.Join(out, ", ")
}

// topological adds the tier that is allowed and the domain in question.
func topological(head string, r trace.Reason) string {
	if r.Text != "" && r.Code == trace.PodAffinityNoRoom {
		head += " by " + r.Text
	} else if r.Text != "" {
		head += " (tier " + r.Text + ")"
	}
	if len(r.Nodes) > 0 && r.Nodes[0].Example != "" {
		head += " in " + r.Nodes[0].Example
	}
	return head
}

// counted says that Have of Need are members of a gang.
func counted(c trace.Code) bool {
	switch c {
	case trace.GangIncomplete, trace.NotEnoughTasks, trace.NotEnoughPodsOfTask, trace.PipelinedOnReleasing,
		trace.TopologyNoRoom, trace.PodAffinityNoRoom, trace.NotEnoughSubGroups, trace.SubGroupIncomplete,
		trace.GangTooLarge:
		return true
	default:
		return false
	}
}

// amountsOf writes an amount that was asked beside the amount that there was.
func amountsOf(c trace.Code, s trace.Short) string {
	dim, need, have := called(s.Dim), written(s.Dim, s.Need), written(s.Dim, s.Have)
	switch c {
	case trace.PodTooLarge, trace.QueueTooSmall, trace.GangTooLarge:
		return fmt.Sprintf("%s %s asked, %s there", dim, need, have)
	case trace.QueueOverused:
		return fmt.Sprintf("%s %s deserved, %s held", dim, need, have)
	case trace.QueueDeserved:
		return fmt.Sprintf("%s %s with it, %s deserved", dim, need, have)
	case trace.QueueCapability, trace.QueueQuotaInsufficient, trace.ClusterOvercommitted, trace.NamespaceQuotaExceeded:
		return fmt.Sprintf("%s %s with it, %s may be", dim, need, have)
	default:
		return fmt.Sprintf("%s %s asked, %s free", dim, need, have)
	}
}

func refusals(counts []trace.NodeCount) string {
	var out []string
	for _, c := range counts {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s", c.Code, detail(c)))+" on "+nodes(c))
	}
	return strings.Join(out, "; ")
}

// detail writes the part of a refusal that differs between nodes.
func detail(c trace.NodeCount) string {
	d := c.Domain
	switch {
	case c.Code == trace.NodeNUMA:
		return fmt.Sprintf("(cpu %d together, %d free)", d.Least, d.Have)
	case c.Code == trace.NodeBooked:
		return booked(d)
	case c.Code == trace.NodeGroupLimit && d.Key != "":
		return fmt.Sprintf("%s (%s %s held, %s asked, %s may be)", d.Value, called(d.Key),
			written(d.Key, d.Have), written(d.Key, d.Least), written(d.Key, d.Most))
	case d.Key == "":
		return c.Text
	}
	text := d.Pods + " by " + d.Key
	if d.Value != "" {
		text += "=" + d.Value
	}
	if c.Code == trace.PodTopologySpread && d.Value != "" {
		text += fmt.Sprintf(" (%d there)", d.Have)
	}
	if c.Code == trace.PodTopologySpread {
		text += fmt.Sprintf(" least %d, skew %d", d.Least, d.Most)
	}
	return text
}

// nodes is which nodes refused: the one, or how many.
func nodes(c trace.NodeCount) string {
	if c.Count == 1 {
		return c.Example
	}
	return fmt.Sprintf("%d nodes", c.Count)
}

// chain is a reason with its causes, one a line, and of the innermost every refusal
// that a node gave; and what protects the pods that could make room.
func chain(r trace.Reason) []string {
	out := causes(r)
	for e := r.Evicting; e != nil && e.Is(); e = e.Evicting {
		out = append(out, evicting(*e))
		for _, c := range e.Nodes {
			out = append(out, "  "+strings.TrimSpace(fmt.Sprintf("%s %s", c.Code, c.Text))+" of "+pods(c))
		}
	}
	return out
}

// pods is the name of the only pod, or the number of pods.
func pods(c trace.NodeCount) string {
	if c.Count == 1 {
		return c.Example
	}
	return fmt.Sprintf("%d pods", c.Count)
}

// causes is a reason with its causes, one a line.
func causes(r trace.Reason) []string {
	cause := r.Cause
	r.Cause = nil
	out := []string{plain(r)}
	if cause == nil && !r.Code.OfTopology() {
		for _, c := range r.Nodes {
			out = append(out, "  "+refusals([]trace.NodeCount{c}))
		}
		return out
	}
	if cause == nil {
		return out
	}
	for _, l := range causes(*cause) {
		out = append(out, "  "+l)
	}
	return out
}

// booked writes when a node is booked, and how long the pod may run.
func booked(d trace.Domain) string {
	runs := "no limit"
	if d.Have > 0 {
		runs = "limit " + clock(time.Duration(d.Have))
	}
	text := d.Key
	if d.Value != "" {
		text += " (" + d.Value + ")"
	}
	return fmt.Sprintf("%s %s to %s, %s", text, clock(time.Duration(d.Least)), clock(time.Duration(d.Most)), runs)
}
