package explain

import (
	"cmp"
	"fmt"
	"time"

	"ashlar.sh/sched/trace"
)

// behindJob says which job of a queue that is served in order comes first, and what both want.
func behindJob(r trace.Reason) string {
	text := fmt.Sprintf("%s comes before it in its queue, which is served in order (fifo), and has not started",
		cmp.Or(r.Text, "a job of another namespace"))
	switch {
	case len(r.Shorts) > 0:
		return text + fmt.Sprintf("; both count in %s%s", queueOf(r), shorts(r.Shorts, "with both", "allowed"))
	case len(r.Nodes) > 0 && r.Nodes[0].Count == 1:
		return text + "; both could use node " + r.Nodes[0].Example
	case len(r.Nodes) > 0:
		return text + fmt.Sprintf("; both could use the same nodes (%d, such as %s)", r.Nodes[0].Count, r.Nodes[0].Example)
	}
	return text
}

// startPlanned says when and where a job is to start. A time that has passed is not told.
func startPlanned(r trace.Reason) string {
	if r.Until == 0 {
		return fmt.Sprintf("it is to start on %s when pods there have ended; they were to have ended by now, and it is not "+
			"known when they will", r.Text)
	}
	return fmt.Sprintf("its start is planned for %s on %s, when pods there have ended",
		time.Unix(0, r.Until).UTC().Format(time.RFC3339), r.Text)
}
