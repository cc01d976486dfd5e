package sched

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// ReportRows are the jobs and nodes of a Report, kept from one look to the next: a view, which describes again only
// what changed since. Of another engine it describes everything. The rows and lists that it returned do not change. The
// zero ReportRows has looked at nothing.
type ReportRows struct {
	e     *Engine
	jobs  []describedJob // by JobID
	nodes []*NodeReport  // by NodeID; nil: there is none
	// by name
	jobList  []*JobReport
	nodeList []*NodeReport

	jobsSeen, nodesSeen ledger.Cursor
	jobsIn, nodesIn     network
	runs                uint64 // what earlier runs tell, as of this Version
	state               reasonState
	round               uint64       // how often state was another
	next                ledger.JobID // where to go on asking why jobs wait
}

// describedJob is a job as it was described.
type describedJob struct {
	row   *JobReport // nil: there is none
	noted trace.Code // of the reason that was noted or found last
	round uint64     // in which the reason was found; it may be older where that is not the present one
	until int64      // from then on RunTime may be otherwise, though nothing changed
}

// reasonState is all that the reasons of jobs rest on.
type reasonState struct {
	versions pending.Versions
	now      int64
}

// network is a version of the tree of domains.
type network struct {
	of      *topology.Map
	version uint64
}

// begin readies the rows for an engine between two cycles.
func (r *ReportRows) begin(e *Engine) network {
	e.l.ExtendDims()
	if r.e != e {
		*r = ReportRows{e: e}
	}
	if m := e.policy.HyperNodes(); m != nil {
		return network{m, m.Version()}
	}
	return network{}
}

// Jobs describes all jobs of an engine, as in a Report. It finds out anew why jobs wait only until stop returns true,
// one at least, and goes on there the next time. Other jobs that have not changed wait for the reason that was found
// last.
func (r *ReportRows) Jobs(e *Engine, stop func() bool) []*JobReport {
	net := r.begin(e)
	changed, known := e.l.Changes.Jobs.Follow(&r.jobsSeen)
	if runs := e.l.Tasks.Runs.Version(); runs != r.runs || net != r.jobsIn {
		r.runs, r.jobsIn, known = runs, net, false
	}
	state := reasonState{e.session.Pending.Now(), e.session.Now}
	same := state == r.state && r.round != 0
	if !same {
		r.state = state
		r.round++
	}
	for len(r.jobs) < e.l.Jobs.Len() {
		r.jobs = append(r.jobs, describedJob{})
	}
	again := make([]bool, len(r.jobs)) // to be described again
	for id := range r.jobs {
		again[id] = !known || !same && r.jobs[id].row != nil && r.moved(ledger.JobID(id))
	}
	if known {
		for _, id := range changed {
			again[id] = true
			r.namesakes(id, again)
		}
	}
	gone, fresh := map[*JobReport]bool{}, []*JobReport(nil)
	replace := func(id ledger.JobID, row *JobReport) {
		if was := r.jobs[id].row; was != nil {
			gone[was] = true
		}
		if r.jobs[id].row = row; row != nil {
			fresh = append(fresh, row)
		}
	}
	for id, is := range again {
		if is {
			replace(ledger.JobID(id), r.describe(ledger.JobID(id)))
		}
	}
	r.askInTurn(stop, replace)
	fresh = slices.DeleteFunc(fresh, func(row *JobReport) bool { return gone[row] }) // described twice
	if len(gone)+len(fresh) > 0 {
		r.jobList = merged(r.jobList, gone, fresh, func(a, b *JobReport) int { return a.Key().Compare(b.Key()) })
	}
	return r.jobList
}

// exists says that a row of the ledger is a job.
func (r *ReportRows) exists(id ledger.JobID) bool {
	found, there := r.e.l.Jobs.Find(r.e.l.Job(id).Key)
	return there && found == id
}

// moved says that a job which did not change is to be described again: time has passed, or it was refused otherwise.
func (r *ReportRows) moved(id ledger.JobID) bool {
	k := &r.jobs[id]
	return r.e.session.Now >= k.until || r.noted(id) != k.noted
}

// noted is the code of the reason that a job was refused for last.
func (r *ReportRows) noted(id ledger.JobID) trace.Code {
	if !mayBeRefused(r.e.l.Job(id)) {
		return ""
	}
	why, _ := r.e.session.Pending.LastShown(id)
	return why.Code
}

// namesakes marks the jobs that may be shown by another name now: those of the name of a job that came or went.
func (r *ReportRows) namesakes(id ledger.JobID, again []bool) {
	was, key := r.jobs[id].row, r.e.l.Job(id).Key
	there := r.exists(id)
	if was != nil && there && was.Key() == key {
		return
	}
	if was != nil {
		r.named(was.Namespace, was.Name, again)
	}
	if there {
		r.named(key.Namespace, key.Name, again)
	}
}

// named marks the jobs of a name that had rows.
func (r *ReportRows) named(namespace, name string, again []bool) {
	at, _ := slices.BinarySearchFunc(r.jobList, name, func(row *JobReport, _ string) int {
		return cmp.Or(cmp.Compare(row.Namespace, namespace), cmp.Compare(row.Name, name))
	})
	for ; at < len(r.jobList) && r.jobList[at].Namespace == namespace && r.jobList[at].Name == name; at++ {
		if id, there := r.e.l.Jobs.Find(r.jobList[at].Key()); there {
			again[id] = true
		}
	}
}

// describe is a job as it is now, nil where there is none. The reason is one that costs little to find; the row before
// has one that says more, if it is of the same job and code.
func (r *ReportRows) describe(id ledger.JobID) *JobReport {
	if !r.exists(id) {
		return nil
	}
	rp, k := &r.e.reports, &r.jobs[id]
	reason, still := lastReason(rp, id)
	row := rp.jobRow(id, reason)
	if was := k.row; !still && was != nil && was.Key() == row.Key() && was.Reason.Code == reason.Code &&
		was.Created == row.Created && was.Queue == row.Queue {
		row.Reason = was.Reason
	} else {
		row.Reason = reason.Clone() // the engine goes on with its own
	}
	k.noted, k.until, k.round = r.noted(id), runTimeHolds(r.e.l, id, r.e.session.Now), 0
	if still {
		k.round = r.round
	}
	return &row
}

// askInTurn finds out why jobs wait of which the present reason is not known.
func (r *ReportRows) askInTurn(stop func() bool, replace func(ledger.JobID, *JobReport)) {
	asked := 0
	for n := range r.jobs {
		id := ledger.JobID((int(r.next) + n) % len(r.jobs))
		k := &r.jobs[id]
		if k.row == nil || k.round == r.round {
			continue
		}
		if k.row.Reason.Is() || mayBeRefused(r.e.l.Job(id)) || unrecorded(r.e, id).Is() {
			if asked > 0 && stop() {
				r.next = id
				return
			}
			asked++
			row := *k.row
			row.Reason = r.e.JobReason(id).Clone()
			k.noted = r.noted(id)
			replace(id, &row)
		}
		k.round = r.round
	}
	r.next = 0
}

// Nodes describes all nodes of an engine, as in a Report.
func (r *ReportRows) Nodes(e *Engine) []*NodeReport {
	net := r.begin(e)
	changed, known := e.l.Changes.Nodes.Follow(&r.nodesSeen)
	again := make([]bool, e.l.Nodes.Len())
	for id := range again {
		again[id] = !known || net != r.nodesIn
	}
	for _, id := range changed {
		again[id] = true
	}
	r.nodesIn = net
	for len(r.nodes) < len(again) {
		r.nodes = append(r.nodes, nil)
	}
	claimed := e.l.KeptRoom.On()
	gone, fresh := map[*NodeReport]bool{}, []*NodeReport(nil)
	for id, is := range again {
		if !is {
			continue
		}
		if was := r.nodes[id]; was != nil {
			gone[was], r.nodes[id] = true, nil
		}
		if n := ledger.NodeID(id); e.l.Node(n).Present() {
			row := e.reports.nodeReport(n, claimed[n])
			r.nodes[id] = &row
			fresh = append(fresh, &row)
		}
	}
	if len(gone)+len(fresh) > 0 {
		r.nodeList = merged(r.nodeList, gone, fresh, func(a, b *NodeReport) int { return cmp.Compare(a.Name, b.Name) })
	}
	return r.nodeList
}

// merged is a list in order without the rows that are gone and with fresh ones. The list itself stays as it is.
func merged[T any](list []*T, gone map[*T]bool, fresh []*T, compare func(a, b *T) int) []*T {
	slices.SortFunc(fresh, compare)
	out := make([]*T, 0, len(list)+len(fresh))
	for _, row := range list {
		if gone[row] {
			continue
		}
		for len(fresh) > 0 && compare(fresh[0], row) < 0 {
			out, fresh = append(out, fresh[0]), fresh[1:]
		}
		out = append(out, row)
	}
	return append(out, fresh...)
}

// runTimeHolds is until when the run time of a job stays as it is though nothing changes.
func runTimeHolds(l *ledger.Ledger, id ledger.JobID, now int64) int64 {
	until := int64(model.Never)
	for status := range model.NumStatus {
		if status == model.Succeeded || status == model.Failed {
			continue
		}
		l.Jobs.Tasks(id, status, func(t ledger.TaskID) bool { // order-free: a minimum
			task := l.Task(t)
			group, runs := l.Jobs.GroupOf(task), l.Tasks.Runs.Of(task)
			until = min(until, task.Pod.RunTimeHolds(group, runs, now))
			return true
		})
	}
	return until
}
