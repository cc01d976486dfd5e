package ledger

import (
	"fmt"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Audit counts every figure anew from the facts and rows. It returns the differences, one finding a line, nil
// when there are none. It is the slow check of all incremental bookkeeping, for tests and for the live check
// of invariants.
func (l *Ledger) Audit() []string {
	l.Nodes.widen()
	l.Settle()
	a := &auditor{l: l}
	a.nodes()
	a.jobs()
	a.places()
	a.queues()
	a.lists()
	a.groups()
	a.charges()
	for _, b := range l.PluginStates.states {
		for _, f := range b.Audit(l.PluginStates.placements) {
			a.say("book %s: %s", b.Name(), f)
		}
	}
	return a.findings
}

type auditor struct {
	l        *Ledger
	findings []string
}

func (a *auditor) say(format string, args ...any) {
	a.findings = append(a.findings, fmt.Sprintf(format, args...))
}

func (a *auditor) nodes() {
	l, claimed := a.l, map[string]resource.Sums{}
	for t := range l.Tasks.rows {
		if row := &l.Tasks.rows[t]; !row.free && row.claims() {
			at := l.Nodes.rows[row.Held.Node].Name
			claimed[at] = claimed[at].Add(l.Classes.rows[row.Class].Request)
		}
	}
	for d := range l.Dims.Len() {
		name := l.Dims.Name(resource.Dim(d))
		var total resource.Sum
		for n := range l.Nodes.rows {
			node := &l.Nodes.rows[n]
			if node.free {
				continue
			}
			var alloc int64
			if node.Present() {
				alloc, _ = node.Fact.Allocatable.Get(name)
			}
			total = total.Plus(alloc)
			var used, releasing, pipelined resource.Sum
			l.Nodes.Tasks(NodeID(n), func(t TaskID) bool {
				row := &l.Tasks.rows[t]
				x := l.Classes.rows[row.Class].Request.Get(resource.Dim(d))
				switch row.Status {
				case model.Pipelined:
					pipelined = pipelined.Plus(x)
				case model.Releasing:
					releasing = releasing.Plus(x)
					used = used.Plus(x)
				default:
					used = used.Plus(x)
				}
				return true
			})
			pipelined = pipelined.Plus(claimed[node.Name].Get(resource.Dim(d)))
			c := &l.Nodes.cols
			idle := heldIdle(resource.Sum{}.Plus(alloc).PlusSum(used, -1))
			future := idle + held(releasing) - held(pipelined)
			got := [5]int64{c.alloc[d][n], c.idle[d][n], c.releasing[d][n], c.pipelined[d][n], c.room[d][n]}
			want := [5]int64{alloc, idle, held(releasing), held(pipelined), min(idle, future)}
			if got != want {
				a.say("node %s %s: allocatable, idle, releasing, pipelined, room are %v, recounted %v", node.Name, name, got, want)
			}
		}
		if got := l.Nodes.total.Get(resource.Dim(d)); got != total.Int64() {
			a.say("cluster %s: total is %d, recounted %d", name, got, total.Int64())
		}
	}
}

func (a *auditor) jobs() {
	bare := (&Ledger{}).wire()
	l := a.l
	members := make([][]TaskID, len(l.Jobs.rows)) // once: otherwise each job would go through all tasks
	for t := range l.Tasks.rows {
		if row := &l.Tasks.rows[t]; !row.free && row.Job != NoJob {
			members[row.Job] = append(members[row.Job], TaskID(t))
		}
	}
	for j := range l.Jobs.rows {
		job := &l.Jobs.rows[j]
		if job.marks.free {
			continue
		}
		want := l.recountJob(JobID(j), members[j])
		if want.Count != job.Count || want.Tasks != job.Tasks || want.Gated != job.Gated || want.Invalid != job.Invalid {
			a.say("job %v: counts are %v/%d/%d/%d, recounted %v/%d/%d/%d", job.Key, job.Count, job.Tasks, job.Gated,
				job.Invalid, want.Count, want.Tasks, want.Gated, want.Invalid)
		}
		a.subjobs(JobID(j), members[j])
		for i := range job.Roles {
			if is, again := &job.Roles[i], &want.Roles[i]; is.Count != again.Count || is.tasks != again.tasks {
				a.say("job %v role %q: counts are %v/%d, recounted %v/%d", job.Key, is.Name, is.Count, is.tasks, again.Count, again.tasks)
			}
		}
		if !job.Allocated.Equal(want.Allocated) || !job.Request.Equal(want.Request) || !job.Total.Equal(want.Total) {
			a.say("job %v: allocated, request, total are %v %v %v, recounted %v %v %v", job.Key,
				job.Allocated, job.Request, job.Total, want.Allocated, want.Request, want.Total)
		}
		for d := range l.Dims.Len() {
			e, i := job.elastic, job.inqueue
			probe := want
			probe.reserves = want.reserving()
			bare.accounts.refresh(&probe, resource.Dim(d))
			if e.Get(resource.Dim(d)) != probe.elastic.Get(resource.Dim(d)) || i.Get(resource.Dim(d)) != probe.inqueue.Get(resource.Dim(d)) {
				a.say("job %v %s: elastic, inqueue are %d %d, recounted %d %d", job.Key, l.Dims.Name(resource.Dim(d)),
					e.Get(resource.Dim(d)), i.Get(resource.Dim(d)), probe.elastic.Get(resource.Dim(d)), probe.inqueue.Get(resource.Dim(d)))
			}
		}
		if job.Losses != want.Losses {
			a.say("job %v: %d losses, recounted %d", job.Key, job.Losses, want.Losses)
		}
		if job.Claims != want.Claims || !resource.Sums(nil).Add(job.claimed).Equal(resource.Sums(nil).Add(want.claimed)) {
			a.say("job %v: %d claims of %v, recounted %d of %v", job.Key, job.Claims, job.claimed, want.Claims, want.claimed)
		}
		if (job.marks.activeAt >= 0) != job.wants() {
			a.say("job %v: on the active list %t, has something to decide %t", job.Key, job.marks.activeAt >= 0, job.wants())
		}
	}
}

// recountJob returns a job's row with everything that depends on its members counted anew.
func (l *Ledger) recountJob(j JobID, members []TaskID) Job {
	was := &l.Jobs.rows[j]
	job := Job{Key: was.Key, Group: was.Group, MinMember: was.MinMember, Phase: was.Phase, Queue: NoQueue,
		JobAmounts: JobAmounts{MinResources: was.MinResources, HasMin: was.HasMin},
		waits:      jobWaits{lending: was.waits.lending, paused: l.Backoffs.pausesWhole(j)},
		marks:      jobMarks{asksNothing: was.marks.asksNothing}}
	for _, r := range was.Roles {
		job.Roles = append(job.Roles, Role{Name: r.Name, Min: r.Min})
	}
	for _, x := range l.Losses.standing {
		if x.asked && x.In == j {
			job.Losses++
			job.Request = job.Request.Add(l.accounts.quota(x.Class))
		}
	}
	for _, t := range members {
		row := &l.Tasks.rows[t]
		class := &l.Classes.rows[row.Class]
		quota := l.accounts.quota(row.Class)
		role := &job.Roles[row.Role]
		role.tasks++
		job.Tasks++
		job.By[row.Status]++
		role.By[row.Status]++
		if !podFinished(row.Pod) {
			job.unfinished++
			job.Total = job.Total.Add(l.Jobs.counted(row))
		}
		if row.claims() {
			job.Claims++
			job.claimed = job.claimed.Add(quota)
		}
		if row.Status == model.Releasing && row.Node != NoNode {
			job.Leaving++
			role.Leaving++
		}
		switch held := row.Status.Holds() || row.Status == model.Pipelined; {
		case row.Status == model.Succeeded:
			job.doneNeed = job.doneNeed.Add(quota)
		case held:
			job.Allocated = job.Allocated.Add(quota)
			job.Request = job.Request.Add(quota)
		case row.Status != model.Pending:
		case class.Invalid:
			job.Invalid++
			if row.Pod.Gated {
				job.Gated++
			}
		case row.Pod.Gated:
			job.Gated++
			job.gatedNeed = job.gatedNeed.Add(quota)
			if row.Pod.QueueGate == model.QueueGateShut && !job.marks.asksNothing {
				job.Request = job.Request.Add(quota)
			}
		default:
			if !job.marks.asksNothing {
				job.Request = job.Request.Add(quota)
			}
			if class.BestEffort {
				job.BestEffort++
				role.BestEffort++
			}
		}
	}
	return job
}

func (a *auditor) queues() {
	l := a.l
	type sums struct{ allocated, request, inqueue, elastic, lent, claimed resource.Sums }
	want := make([]sums, len(l.Queues.rows))
	jobs := make([]int32, len(l.Queues.rows))
	for j := range l.Jobs.rows {
		job := &l.Jobs.rows[j]
		if job.marks.free || job.Queue == NoQueue {
			continue
		}
		jobs[job.Queue]++
		for q := job.Queue; q != NoQueue; q = l.Queues.rows[q].up {
			w := &want[q]
			w.allocated = plus(w.allocated, job.Allocated)
			w.request = plus(w.request, job.Request)
			w.inqueue = w.inqueue.Add(job.inqueue)
			w.elastic = w.elastic.Add(job.elastic)
			if w.claimed = w.claimed.Add(job.claimed); job.waits.lending == Lends {
				w.lent = w.lent.Add(job.inqueue)
			}
		}
	}
	for q := range l.Queues.rows {
		row := &l.Queues.rows[q]
		if row.free {
			continue
		}
		w := &want[q]
		if !row.Allocated.Equal(w.allocated) || !row.Request.Equal(w.request) || !row.Inqueue.Equal(w.inqueue) || !row.Elastic.Equal(w.elastic) {
			a.say("queue %s: allocated, request, inqueue, elastic are %v %v %v %v, recounted %v %v %v %v", row.Name,
				row.Allocated, row.Request, row.Inqueue, row.Elastic, w.allocated, w.request, w.inqueue, w.elastic)
		}
		if !row.Lent.Equal(w.lent) || !row.Claimed.Equal(w.claimed) {
			a.say("queue %s: lent, claimed are %v %v, recounted %v %v", row.Name, row.Lent, row.Claimed, w.lent, w.claimed)
		}
		if row.Jobs != jobs[q] {
			a.say("queue %s: has %d jobs, recounted %d", row.Name, row.Jobs, jobs[q])
		}
	}
}

// places finds every queue's place from the facts, following the names of parents.
func (a *auditor) places() {
	l := a.l
	kids := map[string]int32{}
	for q := range l.Queues.rows {
		if row := &l.Queues.rows[q]; row.Fact != nil && row.Name != model.RootQueue {
			kids[parentName(row.Fact)]++
		}
	}
	for q := range l.Queues.rows {
		row := &l.Queues.rows[q]
		if row.free {
			continue
		}
		want := Queue{Children: kids[row.Name], up: NoQueue}
		delete(kids, row.Name)
		if want.Place, want.Broken = l.findPlace(row); want.Place == Sound && row.Name != model.RootQueue {
			want.up = l.Queues.byName[parentName(row.Fact)]
			for at := want.up; at != NoQueue; at = l.Queues.rows[at].up {
				want.Depth++
				if up := &l.Queues.rows[at]; want.shut == model.QueueOpen && up.Name != model.RootQueue {
					want.shut = up.Fact.State
				}
			}
		}
		if row.Place != want.Place || row.Broken != want.Broken || row.Depth != want.Depth || row.up != want.up || row.Children != want.Children || row.shut != want.shut {
			a.say("queue %s: place %v %q, depth %d, up %d, %d kids, shut %v, recounted %v %q, %d, %d, %d, %v", row.Name, row.Place, row.Broken,
				row.Depth, row.up, row.Children, row.shut, want.Place, want.Broken, want.Depth, want.up, want.Children, want.shut)
		}
		if is := row.stands(); row.state != is {
			a.say("queue %s: state %v, recounted %v", row.Name, row.state, is)
		}
	}
	if len(kids) > 0 {
		a.say("queues %v are named as parents and have no row", kids)
	}
}

func (l *Ledger) findPlace(row *Queue) (place Place, broken string) {
	if row.Fact == nil && row.Name != model.RootQueue {
		return Missing, ""
	}
	for at, steps := row, 0; ; steps++ {
		if at.Name == model.RootQueue {
			return Sound, ""
		}
		if at.setAside() && at == row {
			return SetAside, ""
		} else if at.setAside() {
			return Orphaned, at.Name
		}
		if steps > len(l.Queues.rows) {
			return Cyclic, ""
		}
		p, ok := l.Queues.byName[parentName(at.Fact)]
		if !ok || l.Queues.rows[p].Fact == nil && l.Queues.rows[p].Name != model.RootQueue {
			return Orphaned, parentName(at.Fact)
		}
		at = &l.Queues.rows[p]
	}
}

// plus returns a + b, as long as the longer of the two.
func plus(a, b resource.Sums) resource.Sums {
	for d := range b {
		a = a.AddAt(resource.Dim(d), 0)
		a[d] = a[d].PlusSum(b[d], 1)
	}
	return a
}

// names counts the commitments that name a node, and checks that its row exists exactly as long as something
// names it.
func (a *auditor) names(n NodeID) {
	node, named := &a.l.Nodes.rows[n], int32(0)
	for t := range a.l.Tasks.rows {
		if a.l.Tasks.rows[t].Held.names() == n {
			named++
		}
	}
	if named != node.named {
		a.say("node %s: %d commitments name it, recounted %d", node.Name, node.named, named)
	}
	if !node.free && node.Fact == nil && node.Tasks == 0 && named == 0 {
		a.say("node %s: nothing names it any more", node.Name)
	}
}

// lists checks that every task is on exactly the lists that its status and node require.
func (a *auditor) lists() {
	l := a.l
	onJob, onNode := make([]int, len(l.Tasks.rows)), make([]int, len(l.Tasks.rows))
	for j := range l.Jobs.rows {
		if l.Jobs.rows[j].marks.free {
			continue
		}
		for s := range model.NumStatus {
			l.Jobs.Tasks(JobID(j), s, func(t TaskID) bool {
				if onJob[t]++; l.Tasks.rows[t].Job != JobID(j) || l.Tasks.rows[t].Status != s {
					a.say("task %v is on job %v's list of %v", l.Tasks.rows[t].Key, l.Jobs.rows[j].Key, s)
				}
				return true
			})
		}
	}
	goingNodes := 0
	for n := range l.Nodes.rows {
		a.names(NodeID(n))
		if l.Nodes.rows[n].free {
			continue
		}
		tasks, going := int32(0), int32(0)
		l.Nodes.Tasks(NodeID(n), func(t TaskID) bool {
			tasks++
			if l.Tasks.rows[t].Status == model.Releasing {
				going++
			}
			if onNode[t]++; l.Tasks.rows[t].Node != NodeID(n) {
				a.say("task %v is on node %s's list", l.Tasks.rows[t].Key, l.Nodes.rows[n].Name)
			}
			return true
		})
		if tasks != l.Nodes.rows[n].Tasks || going != l.Nodes.rows[n].going {
			a.say("node %s: %d tasks, %d releasing, recounted %d, %d", l.Nodes.rows[n].Name, l.Nodes.rows[n].Tasks, l.Nodes.rows[n].going, tasks, going)
		}
		goingNodes += int(min(going, 1))
	}
	if goingNodes != l.Nodes.leaving {
		a.say("cluster: %d nodes with releasing tasks, recounted %d", l.Nodes.leaving, goingNodes)
	}
	for t := range l.Tasks.rows {
		row := &l.Tasks.rows[t]
		if row.free {
			continue
		}
		if (row.Job != NoJob) != (onJob[t] == 1) || (row.Node != NoNode) != (onNode[t] == 1) {
			a.say("task %v: on %d job lists and %d node lists", row.Key, onJob[t], onNode[t])
		}
	}
}
