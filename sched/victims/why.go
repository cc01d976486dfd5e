package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// census is what was found out of each task that was looked at.
type census map[ledger.TaskID]verdict

// finding is whether a task may go, and if not, what spares it.
type finding struct {
	may  bool
	code trace.Code
	text string
}

// verdict is what holds of a task, and the node for which it was looked at last.
type verdict struct {
	finding
	at ledger.NodeID
}

// found takes in what was found of a task for a node. Of one node the first that is found
// counts. Of several, with members of its gang on each, it may go if it may for one, and is
// otherwise spared for the first by name: the order of nodes shows nowhere.
func (c census) found(t ledger.TaskID, at ledger.NodeID, f finding) {
	was, seen := c[t]
	if seen && was.at == at {
		return
	}
	if !seen || !was.may && (f.may || cmp.Or(cmp.Compare(f.code, was.code), cmp.Compare(f.text, was.text)) < 0) {
		was.finding = f
	}
	was.at = at
	c[t] = was
}

// spared counts a task that may not go.
func (h *Hunt) spared(t ledger.TaskID, code trace.Code, text string) {
	if h.explain != nil && code != trace.VictimOutside {
		h.explain.found(t, h.at, finding{code: code, text: text})
	}
}

// sum is how many may go, and the others by what spares them, the most first.
func (c census) sum(name func(ledger.TaskID) string) (may int, counts []trace.NodeCount) {
	of := map[finding]trace.NodeCount{}
	for t, v := range c { // order-free: counted, and sorted below
		f := v.finding
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
		switch {
		case took:
		case len(h.refused) > 0:
			h.explained(tx, tasks, &r)
		case h.patient != ledger.NoTask:
			r.Code, r.Task = trace.PreemptionNever, h.l.Task(h.patient).Key.String()
		}
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
		return task.Status == model.Pending && task.Class == h.refused[0] && !h.l.PreemptsNever(t)
	})
	if i < 0 {
		return
	}
	exhausted, steps := h.exhausted, h.steps
	h.ask(tasks[i])
	r.Task = h.l.Task(tasks[i]).Key.String()
	switch {
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
		h.explain.found(v.task, ledger.NoNode, finding{may: true})
	}
	admits, domain := h.nodes.Admitted(h.class), h.within()
	h.l.Present(func(n ledger.NodeID) bool {
		if !admits[n] || domain != nil && !slices.Contains(domain, n) {
			return true
		}
		h.at, h.tx = n, tx
		h.claim.Lacks = h.claim.Lacks[:0]
		h.findLacks(n, 1)
		h.gather(n, h.rule.Wholes)
		h.judgeAll()
		for _, u := range h.units {
			for _, t := range u.Tasks {
				h.explain.found(t, n, finding{may: true})
			}
		}
		return true
	})
	r.Have, r.Nodes = h.explain.sum(func(t ledger.TaskID) string { return h.l.Task(t).Key.String() })
	if r.Code, r.Need = trace.NoVictims, len(h.explain); r.Have > 0 {
		r.Code = trace.VictimsTooFew
	}
}
