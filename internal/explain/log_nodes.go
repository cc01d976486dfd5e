package explain

import (
	"fmt"
	"strings"

	"ashlar.sh/sched/trace"
)

// fitErrors says at V(5) how many nodes refuse a task for what, in Kubernetes' words for
// want of room, since those are searched for (seed 003 §7.2).
func fitErrors(e trace.Event) string {
	var parts []string
	for _, c := range e.Reason.Nodes {
		if c.Code == trace.InsufficientResource {
			parts = append(parts, fmt.Sprintf("%d Insufficient %s", c.Count, c.Text))
		} else {
			parts = append(parts, counted(c, e.Reason))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, Sentence(e.Reason))
	}
	return fmt.Sprintf("FitErrors of Task <%s>: predicate failed on %s: %s", e.Task, Count(e.Reason.Need, "node"),
		strings.Join(parts, ", "))
}

// nodeRoom is the room on a node that refused (seed 003 §7.2).
func nodeRoom(e trace.Event) string {
	return fmt.Sprintf("node <%s>: idle <%s>, used <%s>, releasing <%s>", e.Node, labelled(e, "idle"), labelled(e, "used"),
		labelled(e, "releasing"))
}

// batchNodeOrder lists the best nodes, each with the part of its score that comes of
// comparing nodes with each other (seed 003 §7.3).
func batchNodeOrder(e trace.Event) string {
	parts := make([]string, len(e.Scores))
	for i, s := range e.Scores {
		parts[i] = fmt.Sprintf("<%s> score <%d> (<%d> compared)", s.Node, s.Score, s.Compared)
	}
	return fmt.Sprintf("BatchNodeOrder of Task <%s> over %s: %s", e.Task, Count(e.Count, "node"),
		strings.Join(parts, ", "))
}

// levelNotAllocatable is one queue on the way to root, after one below it refused (seed
// 000 §10.2).
func levelNotAllocatable(e trace.Event) string {
	return fmt.Sprintf("Queue <%s>: realCapability <%s>, allocated <%s>; Candidate <%s>: resource request <%s>",
		e.Queue, labelled(e, "realCapability"), labelled(e, "allocated"), e.Task, labelled(e, "request"))
}

// idleNegative names what a node has less than nothing of: more was bound there than it has
// (seed 004).
func idleNegative(e trace.Event) string {
	var parts []string
	for _, a := range e.Amounts {
		for _, x := range a.List {
			parts = append(parts, x.Name+" "+Quantity(x.Name, x.Value))
		}
	}
	return fmt.Sprintf("Idle resources turn into negative: %s on Node <%s>", strings.Join(parts, ", "), e.Node)
}
