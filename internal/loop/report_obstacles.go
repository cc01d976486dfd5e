package loop

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// A text of which the amounts alone are out of date may wait (refreshed). If something else is in the way now than it
// says, it is written in the next round: mostEarly times, and once more each earlyEvery, so that obstacles that come
// and go with every pod cost few writes.
const (
	mostEarly  = 4
	earlyEvery = 5 * time.Minute
)

// obstaclesOf is what a reason says is in the way, without amounts that change with every pod: the codes, the queues,
// the resources, and how many nodes refuse by what they are themselves (cordons, taints, labels).
func obstaclesOf(r *trace.Reason) string {
	var parts []string
	for c := r; c != nil; c = c.Cause {
		parts = append(parts, obstacle(c))
	}
	if r.Never != nil {
		parts = append(parts, obstacle(r.Never))
	}
	if r.Evicting != nil {
		parts = append(parts, string(r.Evicting.Code))
	}
	return strings.Join(parts, "; ")
}

func obstacle(r *trace.Reason) string {
	var b strings.Builder
	b.WriteString(string(r.Code) + " " + r.Queue)
	if r.Code != trace.BindRefused && r.Code != trace.LostMemberFirst { // their texts change with each try, or member
		b.WriteString(" " + r.Text)
	}
	for _, s := range r.Shorts {
		b.WriteString(" " + s.Dim)
	}
	var nodes []string
	for _, n := range r.Nodes {
		part := string(n.Code) + " " + n.Text
		if ofNodeItself(n.Code) {
			part += " " + strconv.Itoa(n.Count)
		}
		nodes = append(nodes, part)
	}
	slices.Sort(nodes) // they come with the largest count first
	for _, n := range nodes {
		b.WriteString(", " + n)
	}
	return b.String()
}

// ofNodeItself says that a node refuses by what it is, whatever pods are on it.
func ofNodeItself(c trace.Code) bool {
	switch c {
	case trace.NodeUnschedulable, trace.NodeTaint, trace.NodeAffinity, trace.NodeSelector, trace.NodeFeatures,
		trace.NodeGroup, trace.NodeBooked, trace.NodeNUMAPolicy, trace.TopologyKeyMissing:
		return true
	}
	return false
}

// namedNodes are the nodes that a text names with what they lack.
func namedNodes(r *trace.Reason) (names []string) {
	for c := r; c != nil; c = c.Cause {
		for _, n := range c.Nodes {
			if n.Code == trace.InsufficientResource && n.Example != "" {
				names = append(names, n.Example)
			}
		}
	}
	return names
}

// wrong says that a text names another obstacle than the one that is in the way, or a node that is not there.
func (t *reportedText) wrong(led *ledger.Ledger, obstacles string) bool {
	return t.obstacles != obstacles || slices.ContainsFunc(t.nodes, func(name string) bool {
		_, there := led.Nodes.Find(name)
		return !there
	})
}

// mayBeEarly says that a wrong text may be written anew at once.
func (t *reportedText) mayBeEarly(now time.Time) bool {
	return t.early-int(now.Sub(t.earlyAt)/earlyEvery) < mostEarly
}

// noteEarly counts a text that was written at once.
func (t *reportedText) noteEarly(now time.Time) {
	t.early, t.earlyAt = max(0, t.early-int(now.Sub(t.earlyAt)/earlyEvery))+1, now
}

// next is the text of a reason that is written now in the place of t. Pods that got t get it, too, where ofPods.
func (t *reportedText) next(r *trace.Reason, message string, now time.Time, ofPods bool) reportedText {
	next := reportedText{message: message, at: now, number: t.number, obstacles: obstaclesOf(r), nodes: namedNodes(r),
		early: t.early, earlyAt: t.earlyAt}
	if ofPods {
		next.number++
	}
	return next
}

// order says which pods are told before others: of each job one that shows what is not true, then one that shows
// nothing yet, then the others.
func (t *reportedText) order(told, shown string, changed bool) execute.Order {
	switch {
	case !changed && t.amounts:
		return execute.TextOnly
	case t.first == told:
		return execute.OtherPods
	case shown == "":
		return execute.FirstReason
	default:
		return execute.ChangedReason
	}
}
