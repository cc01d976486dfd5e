package explain

import (
	"strings"
	"testing"

	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

func of(label string, cpu int64) trace.Labelled {
	return trace.Labelled{Label: label, List: resource.List{{Name: "cpu", Value: cpu}}}
}

// overused is why a queue gets no more.
var overused = trace.Reason{Code: trace.QueueOverused, Queue: "a",
	Shorts: []trace.Short{{Dim: "cpu", Need: 28000, Have: 28000}}}

// logLines is what each event is logged as.
var logLines = []struct {
	event trace.Event
	level int
	want  string
}{
	{trace.Event{Kind: trace.EnterAction, Action: "allocate"}, 5, "Enter Allocate ..."},
	{trace.Event{Kind: trace.LeaveAction, Action: "enqueue"}, 5, "Leaving Enqueue ..."},
	{trace.Event{Kind: trace.TotalResource, Amounts: []trace.Labelled{of("total", 100000)}}, 4,
		"The total resource is <cpu 100000.00, memory 0.00>"},
	{trace.Event{Kind: trace.ConsideringQueue, Queue: "a", Weight: 2, Total: 10}, 4,
		"Considering Queue <a>: weight <2>, total weight <10>."},
	{trace.Event{Kind: trace.FormatDeserved, Queue: "a", Amounts: []trace.Labelled{of("deserved", 28000)}}, 4,
		"Format queue <a> deserved resource to <cpu 28000.00, memory 0.00>"},
	{trace.Event{Kind: trace.QueueMeet, Queue: "c"}, 4, "queue <c> is meet"},
	{trace.Event{Kind: trace.RemainingResource, Amounts: []trace.Labelled{of("remaining", 20000)}}, 4,
		"Remaining resource is <cpu 20000.00, memory 0.00>"},
	{trace.Event{Kind: trace.TryQueues, Count: 3}, 3, "Try to allocate resource to 3 Queues"},
	{trace.Event{Kind: trace.QueueOverusedEvent, Queue: "a", Reason: overused}, 3,
		"Queue <a> is overused: deserved <cpu 28000.00, memory 0.00>, allocated <cpu 28000.00, memory 0.00>, share " +
			"<1.000000>\nQueue <a> is overused, ignore it."},
	{trace.Event{Kind: trace.QueueNotOpenEvent, Queue: "a", Reason: trace.Reason{Text: "Closed"}}, 3,
		"Queue <a> current state: Closed, is not in open state"},
	{trace.Event{Kind: trace.NotAllocatable, Queue: "a", Task: "default/p",
		Amounts: []trace.Labelled{of("deserved", 28000), of("allocated", 27000), of("request", 2000)}}, 3,
		"Queue <a>: deserved <cpu 28000.00, memory 0.00>, allocated <cpu 27000.00, memory 0.00>; Candidate <default/p>: " +
			"resource request <cpu 2000.00, memory 0.00>"},
	{trace.Event{Kind: trace.NotAllocatable, Queue: "a", Task: "default/p",
		Reason: trace.Reason{Shorts: []trace.Short{{Dim: "cpu", Need: 29000, Have: 28000}}}}, 3,
		"Queue <a>: deserved <cpu 28000.00, memory 0.00>, allocated with it <cpu 29000.00, memory 0.00>; Candidate " +
			"<default/p>"},
	{trace.Event{Kind: trace.AddedJob, Job: "default/j", Queue: "a"}, 4, "Added Job <default/j> into Queue <a>"},
	{trace.Event{Kind: trace.SkippedJob, Job: "default/j", Queue: "x", Action: "allocate",
		Reason: trace.Reason{Code: trace.QueueNotFound, Queue: "x"}}, 4,
		"Job <default/j> Queue <x> skip allocate, reason: queue x does not exist"},
	{trace.Event{Kind: trace.SkippedJob, Job: "default/j", Queue: "a", Action: "allocate"}, 4,
		"Job <default/j> Queue <a> skip allocate, reason: nothing to place"},
	{trace.Event{Kind: trace.NodesForJob, Job: "default/j", Count: 5}, 3, "There are <5> nodes for Job <default/j>"},
	{trace.Event{Kind: trace.PrePredicateEvent, Task: "default/p",
		Reason: trace.Reason{Code: trace.PrePredicateFailed, Text: "no claim"}}, 3,
		"PrePredicate for task default/p failed for: no claim"},
	{trace.Event{Kind: trace.PredicatesFailed, Task: "default/p",
		Reason: trace.Reason{Code: trace.NoNodes, Task: "default/p"}}, 3,
		"Predicates failed for task <default/p>: the cluster has no nodes"},
	{trace.Event{Kind: trace.AlreadyFailed, Task: "default/p"}, 5,
		"Task <default/p> has already predicated failed, skip it"},
	{trace.Event{Kind: trace.NodeScores, Task: "default/p", Node: "n1", Score: 300}, 5,
		"BestNode of Task <default/p> is <n1>, score <300>"},
	{trace.Event{Kind: trace.AllocateDomain, Job: "default/j", Task: "default/p", Node: "n1", Score: 300}, 3,
		"Allocate Job <default/j> in another domain, beginning with Task <default/p> on node <n1>, score <300>"},
	{trace.Event{Kind: trace.BindingTask, Task: "default/p", Node: "n1"}, 3, "Binding Task <default/p> to node <n1>"},
	{trace.Event{Kind: trace.PipeliningTask, Task: "default/p", Node: "n1"}, 3,
		"Pipelining Task <default/p> to node <n1>"},
	{trace.Event{Kind: trace.AfterAllocated, Task: "default/p", Node: "n1",
		Amounts: []trace.Labelled{of("idle", 6000), of("used", 2000),
			{Label: "releasing", List: resource.List{{Name: "memory", Value: 1024}, {Name: "nvidia.com/gpu", Value: 1000}}}}},
		3,
		"After allocated Task <default/p> to Node <n1>: idle <cpu 6000.00, memory 0.00>, used <cpu 2000.00, memory 0.00>, " +
			"releasing <cpu 0.00, memory 1024.00, nvidia.com/gpu 1000.00>"},
	{trace.Event{Kind: trace.AfterPipelined, Task: "default/p", Node: "n1"}, 3,
		"After pipelined Task <default/p> to Node <n1>: idle <cpu 0.00, memory 0.00>, used <cpu 0.00, memory 0.00>, " +
			"releasing <cpu 0.00, memory 0.00>"},
	{trace.Event{Kind: trace.JobReadyEvent, Job: "default/j", Count: 3}, 3,
		"SubJob ready, return statement: Job <default/j>, 3 placed"},
	{trace.Event{Kind: trace.JobPipelinedEvent, Job: "default/j", Count: 3}, 3,
		"SubJob pipelined, return statement: Job <default/j>, 3 placed"},
	{trace.Event{Kind: trace.QueueAttributes, Queue: "a", Micro: 250000,
		Amounts: []trace.Labelled{of("deserved", 4000), of("allocated", 1000)}}, 4,
		"The attributes of queue <a> in capacity: deserved <cpu 4000.00, memory 0.00>, realCapability <cpu 0.00, memory " +
			"0.00>, allocated <cpu 1000.00, memory 0.00>, request <cpu 0.00, memory 0.00>, elastic <cpu 0.00, memory 0.00>, " +
			"share <0.250000>"},
	{trace.Event{Kind: trace.Committing}, 3, "Committing operations ..."},
	{trace.Event{Kind: trace.Discarding}, 3, "Discarding operations ..."},
	{trace.Event{Kind: trace.Enqueued, Job: "default/j", Queue: "a"}, 3, "Job <default/j> enqueued into Queue <a>"},
	{trace.Event{Kind: trace.NotEnqueued, Job: "default/j", Queue: "a",
		Reason: trace.Reason{Code: trace.QueueNotOpen, Queue: "a", Text: "Closed"}}, 3,
		"Job <default/j> Queue <a> skip enqueue, reason: queue a is closed and takes no jobs"},
	{trace.Event{Kind: trace.KeepsRoom, Job: "default/j", Node: "n0,n1", Count: 2}, 3,
		"Keeping room for 2 tasks of Job <default/j> on nodes <n0,n1>: it could have started without pods that came later"},
	{trace.Event{Kind: trace.KeepsNoRoom, Job: "default/j"}, 3, "Keeping no more room for Job <default/j>"},
	{trace.Event{Kind: trace.NoPreemptors, Queue: "a"}, 3, "No preemptors in Queue <a>, break."},
	{trace.Event{Kind: trace.SkipPreemption, Job: "default/j", Queue: "a",
		Reason: trace.Reason{Code: trace.NotEnoughTasks, Have: 1, Need: 2}}, 4,
		"Job <default/j> Queue <a> skip preemption, reason: 1 of at least 2 pods exist"},
	{trace.Event{Kind: trace.NoPreemptorTask, Job: "default/j"}, 3, "No preemptor task in job <default/j>."},
	{trace.Event{Kind: trace.TryPreempt, Task: "default/p", Victim: "default/v"}, 3,
		"Try to preempt Task <default/v> for Task <default/p>"},
	{trace.Event{Kind: trace.Preempted, Task: "default/p", Amounts: []trace.Labelled{of("preempted", 4000),
		of("requested", 3000)}}, 3,
		"Preempted <cpu 4000.00, memory 0.00> for Task <default/p> requested <cpu 3000.00, memory 0.00>."},
	{trace.Event{Kind: trace.FailedPreempt, Job: "default/j", Task: "default/p"}, 3,
		"Failed to preempt Task: no victims make room for Task <default/p> of Job <default/j>"},
	{trace.Event{Kind: trace.FailedPreempt, Task: "default/p", Victim: "default/v"}, 3,
		"Failed to preempt Task <default/v> for Task <default/p>"},
	{trace.Event{Kind: trace.FailedPreempt, Action: "shuffle", Task: "default/v",
		Reason: trace.Reason{Code: trace.VictimKept}}, 3,
		`Failed to preempt Task <default/v>, reason: it is marked volcano.sh/preemptable: "false"`},
	{trace.Event{Kind: trace.CannotReclaim, Queue: "a", Task: "default/p",
		Reason: trace.Reason{Code: trace.QueueDeserved, Queue: "a", Task: "default/p",
			Shorts: []trace.Short{{Dim: "cpu", Need: 3000, Have: 2000}}}}, 3,
		"Queue <a> cannot reclaim for task <default/p>, reason: queue a would hold more than it deserves (cpu: 3 with it, " +
			"2 deserved)"},
}

func TestLogLinesAreThoseOfTheSeeds(t *testing.T) {
	for _, c := range logLines {
		level, line := Log(c.event)
		if level != c.level || line != c.want {
			t.Errorf("logged at V(%d)\n  %s\nwant at V(%d)\n  %s", level, line, c.level, c.want)
		}
	}
}

func TestEveryKindOfEventHasALine(t *testing.T) {
	for kind, name := range constants(t, "../../sched/trace/event.go", "EventKind") {
		level, line := Log(trace.Event{Kind: trace.EventKind(kind)})
		if line == "" || strings.Contains(line, "%!") || level > 5 || (level < 3) != (name == "IdleNegative") {
			t.Errorf("%s is logged at V(%d) as %q", name, level, line)
		}
	}
}
