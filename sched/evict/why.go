package evict

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// census is what was found for each task that was looked at.
type census map[ledger.TaskID]verdict

// finding says whether a task may be evicted, and if not, what protects it.
type finding struct {
	may  bool
	code trace.Code
	text string
}

// verdict is the finding for a task, and the node for which the task was last looked at.
type verdict struct {
	finding
	at ledger.NodeID
}

// found takes in a finding for a task and a node. A task is found several times: for one node alone and
// with its whole gang, and with its gang for several nodes. It may be evicted if one of the findings says
// so. Otherwise the first finding for a node counts, and of several nodes the first of the reasons, by
// code and text. So the order of nodes does not matter.
func (c census) found(t ledger.TaskID, at ledger.NodeID, f finding) {
	was, seen := c[t]
	if seen && was.at == at && !f.may {
		return
	}
	if !seen || !was.may && (f.may || cmp.Or(cmp.Compare(f.code, was.code), cmp.Compare(f.text, was.text)) < 0) {
		was.finding = f
	}
	was.at = at
	c[t] = was
}

// noteProtected counts a task that may not be evicted.
func (dr *dryRun) noteProtected(t ledger.TaskID, code trace.Code, text string) {
	if dr.census != nil && code != trace.VictimOutside {
		dr.census.found(t, dr.at, finding{code: code, text: text})
	}
}

// sum is how many tasks may be evicted, and the counts of the rest by what protects them, the largest
// count first.
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

// sparedFor counts the tasks of a unit that plugins protect.
func (dr *dryRun) sparedFor(u *unit, why trace.Reason) {
	if dr.census == nil {
		return
	}
	if !why.Is() {
		why.Code = trace.VictimUnasked
	}
	text := why.Text
	if why.Queue != "" {
		text = why.Queue
	}
	switch why.Code {
	case trace.VictimGuaranteed, trace.VictimBudget, trace.VictimCapped: // they name a queue, a budget or a job
		if dr.p.l.Jobs.CalledTo(dr.p.Job, u.Job) == "" {
			text = ""
		}
	}
	tasks := u.Tasks
	if why.Code == trace.VictimMinimum { // those that the gang can spare are counted by themselves
		tasks = slices.DeleteFunc(slices.Clone(tasks), func(t ledger.TaskID) bool { return !evictableState(dr.p.l, t) })
		tasks = tasks[dr.surplusFirst(u.Job, tasks):]
	}
	for _, t := range tasks {
		dr.noteProtected(t, why.Code, text)
	}
}

// Why says why Take finds nothing for a job, and changes nothing; it returns the zero Reason when Take
// finds something. In the Reason, Text is the action; Need is the number of pods that were looked at as
// victims, Have the number of these that may be evicted; Nodes counts the rest by what protects them.
func (vs *Search) Why(o Options, j ledger.JobID, tasks []ledger.TaskID) trace.Reason {
	r := trace.Reason{Text: o.Action}
	vs.begin(o, j, nil)
	took := false
	vs.s.L.Try(func(tx *ledger.Tx) bool {
		took = vs.placeAll(tx, tasks) && len(vs.result.gone) > 0
		switch {
		case took:
		case len(vs.result.refused) > 0:
			vs.explained(tx, tasks, &r)
		case vs.result.nonPreempting != ledger.NoTask:
			r.Code, r.Task = trace.PreemptionNever, vs.s.L.Task(vs.result.nonPreempting).Key.String()
		}
		return false
	})
	if took || !r.Is() {
		return trace.Reason{}
	}
	return r
}

// explained looks at every node for the first task that was refused, as things stand.
func (vs *Search) explained(tx *ledger.Tx, tasks []ledger.TaskID, r *trace.Reason) {
	i := slices.IndexFunc(tasks, func(t ledger.TaskID) bool {
		task := vs.s.L.Task(t)
		return task.Status == model.Pending && task.Class == vs.result.refused[0] && !vs.s.L.Priorities.PreemptsNever(t)
	})
	if i < 0 {
		return
	}
	exhausted, steps := vs.p.exhausted, vs.p.steps
	vs.p.ask(tasks[i])
	r.Task = vs.s.L.Task(tasks[i]).Key.String()
	switch {
	case vs.result.notPreemptive.Is():
		cause := vs.result.notPreemptive
		r.Code, r.Cause = trace.NoVictims, &cause
		return
	case exhausted:
		r.Code, r.Have = trace.SearchExhausted, steps
		return
	}
	if vs.p.o.Scope == OtherQueues && !vs.s.Policy.Eviction.KnowsQueues() {
		r.Code = trace.NoVictims
		return
	}
	dr := &vs.nodes.dry
	dr.census = census{}
	defer func() { dr.census = nil }()
	vs.p.levels.openAll(vs.s.L)        // of queues that may not lose tasks, the reasons of the plugins say more
	for _, v := range vs.result.gone { // evicted for members that were placed before this one
		dr.census.found(v.task, ledger.NoNode, finding{may: true})
	}
	admits := vs.s.NodeIndex.Admitted(vs.p.class)
	domain, listed := vs.p.within().List()
	vs.s.L.Nodes.Present(func(n ledger.NodeID) bool {
		if !admits[n] || listed && !slices.Contains(domain, n) {
			return true
		}
		tx.Try(func(tx *ledger.Tx) bool {
			dr.countAt(tx, n)
			return false
		})
		return true
	})
	r.Have, r.Nodes = dr.census.sum(func(t ledger.TaskID) string { return vs.s.L.Task(t).Key.String() })
	if r.Code, r.Need = trace.NoVictims, len(dr.census); r.Have > 0 {
		r.Code = trace.VictimsTooFew
	}
}

// countAt counts the tasks of one node: those that may be evicted together, in the order of eviction,
// and what protects the others. It leaves them evicted.
func (dr *dryRun) countAt(tx *ledger.Tx, n ledger.NodeID) {
	dr.open(tx, n, dr.p.o.WholeGangs)
	for i := range dr.units {
		u := &dr.units[i]
		if !slices.ContainsFunc(u.Tasks, func(t ledger.TaskID) bool { return evictableState(dr.p.l, t) }) {
			continue // they are evicted with another unit
		}
		judged, why := dr.judge(u)
		if judged.Tier != u.judged.Tier {
			dr.sparedFor(u, why)
			continue
		}
		for _, t := range u.Tasks {
			dr.census.found(t, n, finding{may: true})
		}
		dr.evict(i)
	}
}
