package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

func (a *auditor) queues() {
	l := a.l
	type sums struct{ allocated, request, inqueue, elastic, lent, kept resource.Sums }
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
			if w.kept = w.kept.Add(job.keptRoom); job.waits.lending == Lends {
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
		if !row.Allocated.Equal(w.allocated) || !row.Request.Equal(w.request) || !row.Inqueue.Equal(w.inqueue) ||
			!row.Elastic.Equal(w.elastic) {
			a.say("queue %s: allocated, request, inqueue, elastic are %v %v %v %v, recounted %v %v %v %v", row.Name,
				row.Allocated, row.Request, row.Inqueue, row.Elastic, w.allocated, w.request, w.inqueue, w.elastic)
		}
		if !row.Lent.Equal(w.lent) || !row.KeptRoom.Equal(w.kept) {
			a.say("queue %s: lent, kept room are %v %v, recounted %v %v", row.Name, row.Lent, row.KeptRoom, w.lent, w.kept)
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
		if row.Place != want.Place || row.Broken != want.Broken || row.Depth != want.Depth || row.up != want.up ||
			row.Children != want.Children || row.shut != want.shut {
			a.say("queue %s: place %v %q, depth %d, up %d, %d kids, shut %v, recounted %v %q, %d, %d, %d, %v", row.Name,
				row.Place, row.Broken,
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

// groups checks that every task's class has the groups of its queue.
func (a *auditor) groups() {
	l := a.l
	for t := range l.Tasks.rows {
		row := &l.Tasks.rows[t]
		if row.free || row.Unsound {
			continue
		}
		var want *model.NodeGroups
		if row.Job != NoJob && l.Queues.heeds && l.Jobs.rows[row.Job].Queue != NoQueue {
			want = l.Queues.groupsOf(l.Jobs.rows[row.Job].Queue)
		}
		if got := l.Classes.rows[row.Class].Spec.Groups; !got.Equal(want) {
			a.say("task %v: its class has node groups %+v, recounted %+v", row.Key, got, want)
		}
	}
}
