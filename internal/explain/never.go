package explain

import (
	"fmt"

	"ashlar.sh/sched/trace"
)

// ofNever has the sentences of the proofs that a job cannot start.
var ofNever = map[trace.Code]func(trace.Reason) string{
	trace.PodTooLarge: func(r trace.Reason) string {
		return fmt.Sprintf("it can never start on these nodes: %s asks for more than any of them has%s", r.Task,
			shorts(r.Shorts, "asked", "on the largest"))
	},
	trace.NoNodeMatches: func(r trace.Reason) string {
		return fmt.Sprintf("it can never start on these nodes: %s lacks a label that %s requires, is not for its queue, "+
			"or has a taint that it does not tolerate", each(r.Need), r.Task)
	},
	trace.QueueTooSmall: func(r trace.Reason) string {
		return fmt.Sprintf("it can never start in this queue: %s more than the capability of %s allows%s",
			asks(r.Need), queueOf(r), shorts(r.Shorts, "asked", "allowed"))
	},
	trace.GangTooLarge: func(r trace.Reason) string {
		if r.Have > 0 || len(r.Shorts) == 0 {
			return fmt.Sprintf("it can never start on these nodes: even empty they have room for %d of the %d pods that start "+
				"together", r.Have, r.Need)
		}
		return fmt.Sprintf("it can never start on these nodes: %s more than all of them have%s", asks(r.Need),
			shorts(r.Shorts, "asked", "there"))
	},
}

func asks(pods int) string {
	if pods == 1 {
		return "its pod asks for"
	}
	return fmt.Sprintf("the %d pods that start together ask for", pods)
}

func each(nodes int) string {
	if nodes == 1 {
		return "the only one"
	}
	return fmt.Sprintf("each of the %d", nodes)
}
