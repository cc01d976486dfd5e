package explain

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched/trace"
)

// ofVictims has the sentences for why a pod may not be evicted, and for why no eviction
// helps. NoVictims is not here: it may have the sentence of its cause.
var ofVictims = map[trace.Code]func(trace.Reason) string{
	trace.VictimGuaranteed: func(r trace.Reason) string {
		return fmt.Sprintf("%s would be left with less than its guarantee%s", queueOf(r),
			shorts(r.Shorts, "guaranteed", "left"))
	},
	trace.VictimDeserved: func(r trace.Reason) string {
		return fmt.Sprintf("%s holds no more than it deserves%s", queueOf(r), shorts(r.Shorts, "deserved", "held"))
	},
	trace.VictimMinimum: func(r trace.Reason) string {
		return fmt.Sprintf("%s would hold no more than it deserves without what its gang can spare%s", queueOf(r),
			shorts(r.Shorts, "deserved", "left"))
	},
	trace.VictimNotOwed: func(r trace.Reason) string {
		return fmt.Sprintf("%s would itself hold more than it deserves of what they give%s", queueOf(r),
			shorts(r.Shorts, "deserved", "with the pod"))
	},
	trace.VictimReturns: func(r trace.Reason) string {
		return fmt.Sprintf("%s could claim it back at once from queue %s%s", queueOf(r), r.Text,
			shorts(r.Shorts, "deserved", "left"))
	},
	trace.VictimOfNoUse: constant("they hold none of the resources that are missing"),
	trace.VictimOutside: func(r trace.Reason) string {
		return fmt.Sprintf("%s or the queue that asks is invalid or not below root: nothing is reclaimed from it", queueOf(r))
	},
	trace.VictimNotLower: func(r trace.Reason) string {
		return fmt.Sprintf("its priority (%d) is not below that of the one that asks (%d)", r.Have, r.Need)
	},
	trace.VictimShare: func(r trace.Reason) string {
		return "the job that asks would have the larger share of the cluster" + detail(r.Text)
	},
	trace.VictimSooner: func(r trace.Reason) string {
		return "it has no more left to do than the one that asks" + detail(r.Text)
	},
	trace.VictimCritical: constant("it keeps the cluster running"),
	trace.VictimBudget: func(r trace.Reason) string {
		return fmt.Sprintf("the disruption budget %s allows %s, and %d would be made", r.Text, Count(r.Have, "disruption"),
			r.Need)
	},
	trace.VictimCooling: func(r trace.Reason) string { return "it is protected for a while yet" + detail(r.Text) },
	trace.VictimTooYoung: func(r trace.Reason) string {
		return "it has not run for the minimum run time of its queue" + detail(r.Text)
	},
	trace.VictimCapped: func(r trace.Reason) string {
		return fmt.Sprintf("%d of %s took place lately%s", r.Have, Count(r.Need, "eviction"), detail(r.Text))
	},
	trace.VictimOutOfZone: constant("it is on a node that is lent by the hour"),
	trace.VictimForKept:   constant(`plugin tdm has it leave only for pods marked volcano.sh/preemptable: "false"`),
	trace.VictimKept:      constant(`it is marked volcano.sh/preemptable: "false"`),
	trace.VictimGang:      constant("its gang would be left with less than its minimum"),
	trace.VictimUnreclaimed: func(r trace.Reason) string {
		return fmt.Sprintf("%s has reclaimable: false", queueOf(r))
	},
	trace.VictimUnasked: constant("no plugin permits it"),
	trace.VictimBusy:    constant("its gang cannot go as a whole: a member is being bound, or may not be evicted"),
	trace.VictimInDoubt: constant("whether another pod of its queue leaves is not known yet"),

	trace.PreemptionNever: constant("no pod is evicted for it, since its preemptionPolicy is Never"),
	trace.VictimsTooFew: func(r trace.Reason) string {
		text := fmt.Sprintf("even without the %s that may be evicted it finds no place", Count(r.Have, "pod"))
		if r.Have == 1 {
			text = "even without the only pod that may be evicted it finds no place"
		}
		if list := whyTheyStay(r.Nodes); list != "" {
			text += "; of the others " + list
		}
		return text
	},
	trace.SearchExhausted: func(r trace.Reason) string {
		what := "victims"
		if r.Text != "" {
			what = r.Text
		}
		return fmt.Sprintf("the search for %s was given up after %s", what, Count(r.Have, "step"))
	},
}

func detail(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

func noVictims(r trace.Reason) string {
	if r.Cause != nil && r.Cause.Is() {
		return "no pod may be evicted for it: " + sentence(*r.Cause)
	}
	if list := whyTheyStay(r.Nodes); list != "" {
		return "no pod may be evicted for it: " + list
	}
	if of := scopes[r.Text]; of != "" {
		return fmt.Sprintf("no pod %s can be evicted for it on a node that may take it", of)
	}
	return "there is no pod to evict for it"
}

// scopes says by action which pods it may evict.
var scopes = map[string]string{"preempt": "of its queue", "gangpreempt": "of its queue", "reclaim": "of another queue",
	"gangreclaim": "of another queue"}

// reasonsToStay says why one pod, or several, may not be evicted; %s is the detail.
var reasonsToStay = map[trace.Code]refusal{
	trace.VictimNotLower: {"has no lower priority", "have no lower priority", ""},
	trace.VictimShare: {"would leave its job with too small a share",
		"would leave their jobs with too small a share", ""},
	trace.VictimSooner: {"belongs to a job with no more left to do than the one that asks",
		"belong to jobs with no more left to do than the one that asks", ""},
	trace.VictimCritical: {"keeps the cluster running", "keep the cluster running", ""},
	trace.VictimBudget: {"is kept by the disruption budget %s", "are kept by the disruption budget %s",
		"of its namespace"},
	trace.VictimCooling: {"is protected for a while yet (%s)", "are protected for a while yet (%s)", "cooldown"},
	trace.VictimTooYoung: {"has not run for the minimum run time of its queue",
		"have not run for the minimum run time of their queue", ""},
	trace.VictimCapped: {"is spared by a limit on evictions (%s)", "are spared by a limit on evictions (%s)",
		"plugin evictioncap"},
	trace.VictimOutOfZone: {"is on a node that is lent by the hour", "are on nodes that are lent by the hour", ""},
	trace.VictimForKept: {`leaves, by plugin tdm, only for pods marked preemptable: "false"`,
		`leave, by plugin tdm, only for pods marked preemptable: "false"`, ""},
	trace.VictimKept:        {`is marked preemptable: "false"`, `are marked preemptable: "false"`, ""},
	trace.VictimGang:        {"belongs to a gang at its minimum", "belong to gangs at their minimum", ""},
	trace.VictimUnreclaimed: {"is in a queue with reclaimable: false", "are in queues with reclaimable: false", ""},
	trace.VictimUnasked:     {"is permitted by no plugin", "are permitted by no plugin", ""},
	trace.VictimBusy: {"belongs to a gang that cannot go as a whole", "belong to gangs that cannot go as a whole",
		""},
	trace.VictimInDoubt: {"is in a queue of which it is not known yet whether another pod leaves",
		"are in queues of which it is not known yet whether another pod leaves", ""},
	trace.VictimGuaranteed: {"is guaranteed to %s", "are guaranteed to %s", "its own queue"},
	trace.VictimDeserved: {"is in a queue that holds no more than it deserves",
		"are in queues that hold no more than they deserve", ""},
	trace.VictimMinimum: {"belongs to the minimum of a gang, which its queue deserves",
		"belong to the minimums of gangs, which their queues deserve", ""},
	trace.VictimNotOwed: {"gives only what the queue that asks would hold more of than it deserves",
		"give only what the queue that asks would hold more of than it deserves", ""},
	trace.VictimReturns: {"could be claimed back at once by its own queue",
		"could be claimed back at once by their own queues", ""},
	trace.VictimOfNoUse: {"holds none of the resources that are missing",
		"hold none of the resources that are missing", ""},
}

// whyTheyStay lists why pods may not be evicted: "12 pods have no lower priority, 3 belong to
// gangs at their minimum". Details of which a code has several are left out.
func whyTheyStay(counts []trace.NodeCount) string {
	var list []trace.NodeCount
	for _, c := range counts {
		i := slices.IndexFunc(list, func(o trace.NodeCount) bool { return o.Code == c.Code })
		switch {
		case i < 0:
			list = append(list, c)
		case list[i].Text != c.Text:
			list[i].Text = ""
			fallthrough
		default:
			list[i].Count += c.Count
		}
	}
	slices.SortStableFunc(list, func(a, b trace.NodeCount) int { return b.Count - a.Count })
	var parts []string
	for i, c := range list {
		how, known := reasonsToStay[c.Code]
		form := how.many
		if c.Count == 1 {
			form = how.one
		}
		if !known {
			form, how.bare = "%s", string(c.Code)
		}
		pods := ""
		if i == 0 {
			pods = " pod"
			if c.Count != 1 {
				pods = " pods"
			}
		}
		if c.Code == trace.VictimGuaranteed && c.Text != "" {
			c.Text = "queue " + c.Text
		}
		parts = append(parts, fmt.Sprintf("%d%s %s", c.Count, pods, filled(form, c.Text, how.bare)))
	}
	return strings.Join(parts, ", ")
}

// evicting is "; preempt: no pod may be evicted for it: …", for every action that was
// asked; empty where none was.
func evicting(r trace.Reason) string {
	var b strings.Builder
	for e := r.Evicting; e != nil && e.Is(); e = e.Evicting {
		b.WriteString("; ")
		if e.Text != "" {
			b.WriteString(e.Text + ": ")
		}
		if sameCause(e, r.Root()) {
			b.WriteString("no pod may be evicted for it, for the same reason")
			continue
		}
		b.WriteString(unnamed(*e, r.Task))
	}
	return b.String()
}

// sameCause says that no pod is evicted for what stops the job anyway.
func sameCause(e, root *trace.Reason) bool {
	c := e.Cause
	return e.Code == trace.NoVictims && c != nil && c.Code == root.Code && c.Queue == root.Queue && c.Text == root.Text &&
		slices.Equal(c.Shorts, root.Shorts)
}

// unnamed is a sentence that does not name a task again.
func unnamed(r trace.Reason, task string) string {
	if r.Task == task || r.Code == trace.PreemptionNever {
		r.Task = ""
	}
	return sentence(r)
}
