package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// census is what was found out of each task that was looked at. A task may be looked at on
// several nodes, with all of its gang and alone, and be answered for differently.
type census map[ledger.TaskID]finding

// finding is whether a task may go, and if not, what spares it.
type finding struct {
	may  bool
	code trace.Code
	text string
}

// may counts tasks that may go, whatever else was found of them.
func (c census) may(tasks ...ledger.TaskID) {
	for _, t := range tasks {
		c[t] = finding{may: true}
	}
}

// spared counts a task that may not go: for the first of what spares it, by name, so that
// the order in which nodes are looked at shows nowhere.
func (h *Hunt) spared(t ledger.TaskID, code trace.Code, text string) {
	if h.explain == nil || code == trace.VictimOutside {
		return
	}
	was, seen := h.explain[t]
	if !seen || !was.may && cmp.Or(cmp.Compare(code, was.code), cmp.Compare(text, was.text)) < 0 {
		h.explain[t] = finding{code: code, text: text}
	}
}

// sum is how many may go, and the others by what spares them, the most first.
func (c census) sum(name func(ledger.TaskID) string) (may int, counts []trace.NodeCount) {
	of := map[finding]trace.NodeCount{}
	for t, f := range c { // order-free: counted, and sorted below
		if f.may {
			may++
			continue
		}
		n, known := of[f]
		if n.Count++; !known || name(t) < n.Example {
			n.Code, n.Text, n.Example = f.code, f.text, name(t)
		}
		of[f] = n
	}
	for _, n := range of { // order-free: sorted below
		counts = append(counts, n)
	}
	slices.SortFunc(counts, func(a, b trace.NodeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Text, b.Text))
	})
	return may, counts
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
	i := slices.IndexFunc(tasks, func(t ledger.TaskID) bool {
		task := h.l.Task(t)
		return task.Status == model.Pending && task.Class == h.refused[0]
	})
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
	h.explain = census{}
	defer func() { h.explain = nil }()
	if h.rule.Scope == OtherQueues && h.numRings() > 0 {
		h.enter(h.numRings() - 1)
	}
	for _, v := range h.gone { // for members that were placed before this one
		h.explain.may(v.task)
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
			h.explain.may(u.Tasks...)
		}
		return true
	})
	r.Have, r.Nodes = h.explain.sum(func(t ledger.TaskID) string { return h.l.Task(t).Key.String() })
	if r.Code, r.Need = trace.NoVictims, len(h.explain); r.Have > 0 {
		r.Code = trace.VictimsTooFew
	}
}
