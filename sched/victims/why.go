package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// census counts who was spared for what, each task once.
type census struct {
	counts []trace.NodeCount
	seen   map[ledger.TaskID]bool
	may    int
}

// spared counts a task that may not go.
func (h *Hunt) spared(t ledger.TaskID, code trace.Code, text string) {
	if h.explain == nil || code == trace.VictimOutside || h.explain.seen[t] {
		return
	}
	h.explain.seen[t] = true
	name := h.l.Task(t).Key.String()
	for i := range h.explain.counts {
		if c := &h.explain.counts[i]; c.Code == code && c.Text == text {
			c.Count++
			c.Example = min(c.Example, name)
			return
		}
	}
	h.explain.counts = append(h.explain.counts, trace.NodeCount{Code: code, Text: text, Count: 1, Example: name})
}

// sparedFor counts a unit that plugins spare.
func (h *Hunt) sparedFor(u *unit, why trace.Reason) {
	if h.explain == nil {
		return
	}
	if !why.Is() {
		why.Code = trace.VictimUnasked
	}
	text := why.Text
	if why.Queue != "" {
		text = why.Queue
	}
	for _, t := range u.Tasks {
		h.spared(t, why.Code, text)
	}
}

// Why says why Take finds nothing for a job, and changes nothing; the zero Reason when it
// finds something. Text is the action; Need is the number of pods that could be asked to
// leave, Have of these those who may; Nodes counts the others by what spares them.
func (h *Hunt) Why(rule Rule, j ledger.JobID, tasks []ledger.TaskID) trace.Reason {
	r := trace.Reason{Text: rule.Action}
	h.begin(rule, j)
	took := false
	h.l.Try(func(tx *ledger.Tx) bool {
		took = h.placeAll(tx, tasks) && len(h.gone) > 0
		if took || len(h.refused) == 0 {
			return false
		}
		h.explained(tx, tasks, &r)
		return false
	})
	if took || !r.Is() {
		return trace.Reason{}
	}
	return r
}

// explained asks every node about the first task that was refused, as things stand.
func (h *Hunt) explained(tx *ledger.Tx, tasks []ledger.TaskID, r *trace.Reason) {
	i := slices.IndexFunc(tasks, func(t ledger.TaskID) bool { return slices.Contains(h.refused, h.l.Task(t).Class) })
	if i < 0 {
		return
	}
	exhausted, steps := h.exhausted, h.steps
	h.ask(tasks[i])
	r.Task = h.l.Task(tasks[i]).Key.String()
	switch {
	case h.l.PreemptsNever(tasks[i]):
		r.Code = trace.PreemptionNever
		return
	case h.untitled.Is():
		cause := h.untitled
		r.Code, r.Cause = trace.NoVictims, &cause
		return
	case exhausted:
		r.Code, r.Have = trace.SearchExhausted, steps
		return
	}
	if h.rule.Scope == OtherQueues && !h.set.KnowsQueues() {
		r.Code = trace.NoVictims
		return
	}
	h.explain = &census{seen: map[ledger.TaskID]bool{}}
	defer func() { h.explain = nil }()
	if h.rule.Scope == OtherQueues && h.numRings() > 0 {
		h.enter(h.numRings() - 1)
	}
	for _, v := range h.gone { // for members that were placed before this one
		h.explain.seen[v.task] = true
		h.explain.may++
	}
	admits, domain := h.nodes.Admitted(h.class), h.within()
	h.l.Present(func(n ledger.NodeID) bool {
		if !admits[n] || domain != nil && !slices.Contains(domain, n) {
			return true
		}
		h.at, h.tx = n, tx
		h.gather(n, h.rule.Wholes)
		h.judgeAll()
		for _, u := range h.units {
			for _, t := range u.Tasks {
				if !h.explain.seen[t] {
					h.explain.seen[t] = true
					h.explain.may++
				}
			}
		}
		return true
	})
	r.Code, r.Have, r.Need = trace.NoVictims, h.explain.may, len(h.explain.seen)
	if r.Have > 0 {
		r.Code = trace.VictimsTooFew
	}
	r.Nodes = h.explain.counts
	slices.SortFunc(r.Nodes, func(a, b trace.NodeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Text, b.Text))
	})
}
