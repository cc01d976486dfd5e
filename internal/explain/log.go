package explain

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Log is the log line of an event and the verbosity at which it is printed: word for
// word as seeds 000 §4.4, §6, §7, 002 §8, §9.2 and 003 have it, where they do. An overused
// queue has two lines, the plugin's and the action's, with a line break between them. An
// unknown kind has none. Level 0 is an error, which is always printed.
func Log(e trace.Event) (level int, line string) {
	if int(e.Kind) >= len(lines) || lines[e.Kind] == nil {
		return 0, ""
	}
	return e.Kind.Level(), lines[e.Kind](e)
}

var lines = [...]func(trace.Event) string{
	trace.HyperNodesReady: func(e trace.Event) string {
		return fmt.Sprintf("HyperNodesReadyToSchedule: %t, %d HyperNodes, %d set aside", e.Count == 0, e.Total, e.Count)
	},
	trace.HyperNodeInSession: func(e trace.Event) string {
		return fmt.Sprintf("hyperNode in session: <%s>, tier <%d>, <%d> nodes", e.Node, e.Weight, e.Count)
	},
	trace.AllocateHyperNode: func(e trace.Event) string {
		return fmt.Sprintf("Allocate Job <%s> in hyperNode <%s>, tier <%d>, score <%d>", e.Job, domainName(e.Node), e.Count,
			e.Score)
	},
	trace.AllocateDomain: func(e trace.Event) string {
		return fmt.Sprintf("Allocate Job <%s> in another domain, beginning with Task <%s> on node <%s>, score <%d>", e.Job,
			e.Task, e.Node, e.Score)
	},
	trace.EnterAction: func(e trace.Event) string { return "Enter " + capital(e.Action) + " ..." },
	trace.LeaveAction: func(e trace.Event) string { return "Leaving " + capital(e.Action) + " ..." },
	trace.TotalResource: func(e trace.Event) string {
		return fmt.Sprintf("The total resource is <%s>", labelled(e, "total"))
	},
	trace.ConsideringQueue: func(e trace.Event) string {
		return fmt.Sprintf("Considering Queue <%s>: weight <%d>, total weight <%d>.", e.Queue, e.Weight, e.Total)
	},
	trace.FormatDeserved: func(e trace.Event) string {
		return fmt.Sprintf("Format queue <%s> deserved resource to <%s>", e.Queue, labelled(e, "deserved"))
	},
	trace.QueueAttributes: func(e trace.Event) string {
		return fmt.Sprintf("The attributes of queue <%s> in capacity: deserved <%s>, realCapability <%s>, allocated <%s>, "+
			"request <%s>, elastic <%s>, share <%s>",
			e.Queue, labelled(e, "deserved"), labelled(e, "realCapability"), labelled(e, "allocated"), labelled(e, "request"),
			labelled(e, "elastic"), Share(e.Micro))
	},
	trace.QueueMeet: func(e trace.Event) string { return fmt.Sprintf("queue <%s> is meet", e.Queue) },
	trace.RemainingResource: func(e trace.Event) string {
		return fmt.Sprintf("Remaining resource is <%s>", labelled(e, "remaining"))
	},
	trace.TryQueues: func(e trace.Event) string {
		return fmt.Sprintf("Try to allocate resource to %d Queues", e.Count)
	},
	trace.QueueOverusedEvent: func(e trace.Event) string {
		deserved, allocated := sides(e.Reason.Shorts)
		return fmt.Sprintf("Queue <%s> is overused: deserved <%s>, allocated <%s>, share <%s>\n"+
			"Queue <%s> is overused, ignore it.",
			e.Queue, vector(deserved), vector(allocated), share(e), e.Queue)
	},
	trace.QueueNotOpenEvent: func(e trace.Event) string {
		return fmt.Sprintf("Queue <%s> current state: %s, is not in open state", e.Queue, e.Reason.Text)
	},
	trace.NotAllocatable: notAllocatable,
	trace.AddedJob: func(e trace.Event) string {
		return fmt.Sprintf("Added Job <%s> into Queue <%s>", e.Job, e.Queue)
	},
	trace.SkippedJob: func(e trace.Event) string {
		return fmt.Sprintf("Job <%s> Queue <%s> skip %s, reason: %s", e.Job, e.Queue, e.Action, why(e))
	},
	trace.NodesForJob: func(e trace.Event) string {
		return fmt.Sprintf("There are <%d> nodes for Job <%s>", e.Count, e.Job)
	},
	trace.PrePredicateEvent: func(e trace.Event) string {
		return fmt.Sprintf("PrePredicate for task %s failed for: %s", e.Task, e.Reason.Text)
	},
	trace.PredicatesFailed: func(e trace.Event) string {
		return fmt.Sprintf("Predicates failed for task <%s>: %s", e.Task, why(e))
	},
	trace.AlreadyFailed: func(e trace.Event) string {
		return fmt.Sprintf("Task <%s> has already predicated failed, skip it", e.Task)
	},
	trace.NodeScores: func(e trace.Event) string {
		return fmt.Sprintf("BestNode of Task <%s> is <%s>, score <%d>", e.Task, e.Node, e.Score)
	},
	trace.BindingTask: func(e trace.Event) string {
		return fmt.Sprintf("Binding Task <%s> to node <%s>", e.Task, e.Node)
	},
	trace.PipeliningTask: func(e trace.Event) string {
		return fmt.Sprintf("Pipelining Task <%s> to node <%s>", e.Task, e.Node)
	},
	trace.AfterAllocated: func(e trace.Event) string { return after(e, "allocated") },
	trace.AfterPipelined: func(e trace.Event) string { return after(e, "pipelined") },
	trace.JobReadyEvent: func(e trace.Event) string {
		return fmt.Sprintf("SubJob ready, return statement: Job <%s>, %d placed", e.Job, e.Count)
	},
	trace.JobPipelinedEvent: func(e trace.Event) string {
		return fmt.Sprintf("SubJob pipelined, return statement: Job <%s>, %d placed", e.Job, e.Count)
	},
	trace.Committing: func(trace.Event) string { return "Committing operations ..." },
	trace.Discarding: func(trace.Event) string { return "Discarding operations ..." },
	trace.Enqueued: func(e trace.Event) string {
		return fmt.Sprintf("Job <%s> enqueued into Queue <%s>", e.Job, e.Queue)
	},
	trace.NotEnqueued: func(e trace.Event) string {
		return fmt.Sprintf("Job <%s> Queue <%s> skip enqueue, reason: %s", e.Job, e.Queue, why(e))
	},
	trace.KeepsRoom: func(e trace.Event) string {
		return fmt.Sprintf("Keeping room for %s of Job <%s> on nodes <%s>: it could have started without pods that came "+
			"later", Count(e.Count, "task"), e.Job, e.Node)
	},
	trace.KeepsNoRoom:  func(e trace.Event) string { return fmt.Sprintf("Keeping no more room for Job <%s>", e.Job) },
	trace.NoPreemptors: func(e trace.Event) string { return fmt.Sprintf("No preemptors in Queue <%s>, break.", e.Queue) },
	trace.SkipPreemption: func(e trace.Event) string {
		return fmt.Sprintf("Job <%s> Queue <%s> skip preemption, reason: %s", e.Job, e.Queue, why(e))
	},
	trace.NoPreemptorTask: func(e trace.Event) string { return fmt.Sprintf("No preemptor task in job <%s>.", e.Job) },
	trace.TryPreempt: func(e trace.Event) string {
		return fmt.Sprintf("Try to preempt Task <%s> for Task <%s>", e.Victim, e.Task)
	},
	trace.Preempted: func(e trace.Event) string {
		return fmt.Sprintf("Preempted <%s> for Task <%s> requested <%s>.", labelled(e, "preempted"), e.Task,
			labelled(e, "requested"))
	},
	trace.FailedPreempt: func(e trace.Event) string {
		switch {
		case e.Victim != "":
			return fmt.Sprintf("Failed to preempt Task <%s> for Task <%s>", e.Victim, e.Task)
		case e.Reason.Is():
			return fmt.Sprintf("Failed to preempt Task <%s>, reason: %s", e.Task, why(e))
		}
		return fmt.Sprintf("Failed to preempt Task: no victims make room for Task <%s> of Job <%s>", e.Task, e.Job)
	},
	trace.ConsideringNode: func(e trace.Event) string {
		return fmt.Sprintf("Considering Task <%s> on Node <%s>.", e.Task, e.Node)
	},
	trace.VictimsOfPlugins: func(e trace.Event) string {
		return fmt.Sprintf("Victims from %s plugins are [%s]", e.Plugin, strings.Join(e.Victims, " "))
	},
	trace.IdleNegative:         idleNegative,
	trace.AllocatingOperations: func(trace.Event) string { return "Allocating operations ..." },
	trace.JobValidEvent: func(e trace.Event) string {
		return fmt.Sprintf("JobValid of Job <%s>: false, %s", e.Job, why(e))
	},
	trace.FitErrorsEvent:      fitErrors,
	trace.NodeRoomEvent:       nodeRoom,
	trace.LevelNotAllocatable: levelNotAllocatable,
	trace.BatchNodeOrderEvent: batchNodeOrder,
	trace.CannotReclaim: func(e trace.Event) string {
		return fmt.Sprintf("Queue <%s> cannot reclaim for task <%s>, reason: %s", e.Queue, e.Task, why(e))
	},
}

// capital writes an action's name as the actions' log lines do.
func capital(action string) string {
	if action == "" {
		return ""
	}
	return strings.ToUpper(action[:1]) + action[1:]
}

// why is an event's reason, without the task if the line names it already; a job that
// has nothing to do is skipped without a reason.
func why(e trace.Event) string {
	if !e.Reason.Is() {
		return "nothing to place"
	}
	r := e.Reason
	if r.Task == e.Task {
		r.Task = ""
	}
	return Sentence(r)
}

func after(e trace.Event, done string) string {
	return fmt.Sprintf("After %s Task <%s> to Node <%s>: idle <%s>, used <%s>, releasing <%s>",
		done, e.Task, e.Node, labelled(e, "idle"), labelled(e, "used"), labelled(e, "releasing"))
}

// notAllocatable has what the queue holds and what is asked apart only where the
// event carries both.
func notAllocatable(e trace.Event) string {
	if len(e.Amounts) > 0 {
		return fmt.Sprintf("Queue <%s>: deserved <%s>, allocated <%s>; Candidate <%s>: resource request <%s>",
			e.Queue, labelled(e, "deserved"), labelled(e, "allocated"), e.Task, labelled(e, "request"))
	}
	future, deserved := sides(e.Reason.Shorts)
	return fmt.Sprintf("Queue <%s>: deserved <%s>, allocated with it <%s>; Candidate <%s>", e.Queue, vector(deserved),
		vector(future), e.Task)
}

// share is an overused queue's largest share, with six decimals.
func share(e trace.Event) string {
	micro := e.Micro
	for _, s := range e.Reason.Shorts {
		if s.Need > 0 {
			micro = max(micro, int64(float64(s.Have)/float64(s.Need)*1e6+0.5))
		}
	}
	return Share(micro).String()
}

// sides are the needs and the haves of a list of shorts.
func sides(list []trace.Short) (needs, haves resource.List) {
	for _, s := range list {
		needs = append(needs, resource.Amount{Name: s.Dim, Value: s.Need})
		haves = append(haves, resource.Amount{Name: s.Dim, Value: s.Have})
	}
	return needs, haves
}

func labelled(e trace.Event, label string) string {
	for _, a := range e.Amounts {
		if a.Label == label {
			return vector(a.List)
		}
	}
	return vector(nil)
}

// vector prints amounts as Volcano prints a Resource: cpu in milli and memory in
// bytes, always, then the others in their units, each with two decimals.
func vector(l resource.List) string {
	cpu, _ := l.Get(resource.CPUName)
	memory, _ := l.Get(resource.MemoryName)
	text := fmt.Sprintf("cpu %d.00, memory %d.00", cpu, memory)
	rest := slices.Clone(l)
	slices.SortFunc(rest, func(a, b resource.Amount) int { return before(a.Name, b.Name) })
	for _, a := range rest {
		if a.Name != resource.CPUName && a.Name != resource.MemoryName {
			text += fmt.Sprintf(", %s %d.00", a.Name, a.Value)
		}
	}
	return text
}

// domainName is a HyperNode's name, or what the root is called.
func domainName(name string) string {
	if name == "" {
		return "the cluster"
	}
	return name
}
