package explain

import (
	"slices"
	"time"

	"ashlar.sh/sched/trace"
)

// said is a reason with its sentence.
type said struct {
	reason trace.Reason
	want   string
}

func allSentences() []said { return slices.Concat(sentencesByCode, sentencesOfTime) }

var sentencesOfTime = []said{
	{bookedNodes("", 3600), "none of 3 nodes takes it: 3 are booked for others from 1970-01-01T02:00:00Z to " +
		"1970-01-01T04:00:00Z (booking demo), and the pod may run for 1h0m0s and might not have ended when that begins"},
	{bookedNodes(trace.Maintenance, 0), "none of 3 nodes takes it: 3 are booked for maintenance from " +
		"1970-01-01T02:00:00Z to 1970-01-01T04:00:00Z (booking demo), and the pod has no limit (activeDeadlineSeconds) to " +
		"have ended when that begins"},
	{bookedNodes(trace.Owned, 3600), "none of 3 nodes takes it: 3 are booked for it from 1970-01-01T02:00:00Z to " +
		"1970-01-01T04:00:00Z (booking demo), and the pod may run for 1h0m0s and might not have ended when that ends"},
	{trace.Reason{Code: trace.StartPlanned, Text: "n1", Cause: &trace.Reason{Code: trace.InsufficientResource, Need: 1,
		Text: "cpu"}}, "it is to start on n1 when pods there have ended; they were to have ended by now, and it is not " +
		"known when they will; the only node does not take it: it lacks cpu"},
}

// bookedNodes is how nodes that are booked refuse a pod that may run for so many seconds.
func bookedNodes(what string, runs int64) trace.Reason {
	const hour = 3600 * int64(time.Second)
	return trace.Reason{Code: trace.NodeBooked, Need: 3, Nodes: []trace.NodeCount{{Code: trace.NodeBooked, Count: 3,
		Example: "n1", Domain: trace.Domain{Key: "demo", Value: what, Least: 2 * hour, Most: 4 * hour,
			Have: runs * int64(time.Second)}}}}
}
