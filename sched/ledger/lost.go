package ledger

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// When a running gang loses a member, its controller makes a new one, as a rule within seconds. Until then no
// pod asks for the room. So the ledger remembers the loss for a time: the job asks for the member's room
// (Queue.Request), and what comes after the gang in its queue is placed as if that room were taken
// (Tx.Beside). Losses are judged when a cycle begins, with all facts known. No API field keeps them: over a
// restart they are lost.

// Loss is a member that held room and is being deleted, is gone, or failed.
type Loss struct {
	Job   JobKey
	Pod   Key
	UID   string
	Role  string
	Spec  *model.Spec // what it asked for
	Node  string      // where it ran
	Grace int64       // nanoseconds it has to leave; 0: it has left
	First bool        // it is the first that is recorded of this loss
	Until int64       // until when its gang has its room; 0: not judged yet
}

// Lost is a loss that its gang has not made up for.
type Lost struct {
	Loss
	In    JobID
	Class ClassID
	asked bool // the job asks for the room
}

// lose records what a pod's new fact (nil: it is gone) means for a member that held room.
func (l *Ledger) lose(t TaskID, p *model.Pod) {
	row := &l.tasks[t]
	if row.Job == NoJob || row.Unsound || l.classes[row.Class].BestEffort {
		return
	}
	same := p != nil && p.UID == row.Pod.UID
	x := Loss{Job: l.jobs[row.Job].Key, Pod: row.Key, UID: row.Pod.UID, Spec: row.Pod.Spec, First: row.charged && !row.Pod.Deleting}
	switch left := !same || p.Phase == model.PodFailed; {
	case !row.charged && !row.Pod.Deleting:
		return
	case same && p.Phase == model.PodSucceeded:
		return
	case !left && (!p.Deleting || row.Pod.Deleting):
		return
	case !left:
		x.Grace = p.Grace
	}
	if row.Node != NoNode {
		x.Node = l.nodes[row.Node].Name
	}
	if row.Role >= 0 {
		x.Role = l.jobs[row.Job].Roles[row.Role].Name
	}
	l.losing = append(l.losing, x)
}

// JudgeLosses finds which losses of gangs are not made up for. until returns the time until which room is kept
// for a member that has grace nanoseconds to leave. It returns the first of these times, 0 without any.
func (l *Ledger) JudgeLosses(now int64, until func(now, grace int64) int64) (next int64) {
	if len(l.lost) == 0 && len(l.losing) == 0 {
		return 0
	}
	l.takeLosses(now, until)
	slices.SortFunc(l.lost, func(a, b *Lost) int {
		return cmp.Or(a.Job.Compare(b.Job), a.Pod.Compare(b.Pod), cmp.Compare(a.UID, b.UID))
	})
	var kept []*Lost
	for from := 0; from < len(l.lost); {
		to := from + 1
		for to < len(l.lost) && l.lost[to].Job == l.lost[from].Job {
			to++
		}
		kept = append(kept, l.stand(l.lost[from:to], now)...)
		from = to
	}
	l.lost = kept
	for _, x := range kept {
		next = earlier(next, x.Until)
	}
	return next
}

// takeLosses takes in the losses recorded since the last cycle. A member that was terminating and is gone at last
// has no more time than a member that was gone at once.
func (l *Ledger) takeLosses(now int64, until func(now, grace int64) int64) {
	type life struct {
		pod Key
		uid string
	}
	known := map[life]*Lost{}
	for _, x := range l.lost {
		known[life{x.Pod, x.UID}] = x
	}
	for _, n := range l.losing {
		end := until(now, n.Grace)
		if x := known[life{n.Pod, n.UID}]; x != nil {
			x.Until = min(x.Until, end)
			continue
		}
		if j, ok := l.FindJob(n.Job); !ok || !n.First || l.jobs[j].lacking() <= 0 {
			continue
		}
		x := &Lost{Loss: n, In: NoJob, Class: NoClass}
		x.Until = end
		known[life{n.Pod, n.UID}] = x
		l.lost = append(l.lost, x)
	}
	l.losing = nil
}

// lacking is how many members of a job's minimum have no pod, while other members hold room.
func (j *Job) lacking() int32 {
	if j.Staying() == 0 || !j.serves() || j.paused {
		return 0
	}
	roles := int32(0)
	for i := range j.Roles {
		roles += max(0, j.Roles[i].lacking(j.Roles[i].Min))
	}
	return max(j.Count.lacking(j.MinMember), roles)
}

func (c *Count) lacking(least int32) int32 { return least - c.Valid() - c.By[model.Unknown] }

// stand returns the losses of a job that still count, as many as it lacks members; the rest end. Losses of a
// role that lacks no member, and losses for which a member with the same request waits, end first.
func (l *Ledger) stand(lost []*Lost, now int64) []*Lost {
	j, ok := l.FindJob(lost[0].Job)
	most := 0
	if ok {
		most = int(max(0, l.jobs[j].lacking()))
	}
	var stays, ends []*Lost
	for _, x := range lost {
		if x.Until > now && most > 0 {
			stays = append(stays, x)
		} else {
			ends = append(ends, x)
		}
	}
	if len(stays) > most {
		stays = l.rank(j, stays)
		ends, stays = append(ends, stays[most:]...), stays[:most]
	}
	for _, x := range ends {
		l.endLoss(x)
	}
	for _, x := range stays {
		l.askAgain(x, j)
	}
	return stays
}

// rank sorts losses by how surely the job lacks them, the surest first.
func (l *Ledger) rank(j JobID, lost []*Lost) []*Lost {
	job := &l.jobs[j]
	short := func(x *Lost) int {
		for i := range job.Roles {
			if r := &job.Roles[i]; r.Name == x.Role && r.lacking(r.Min) > 0 {
				return 0
			}
		}
		return 1
	}
	made := map[*Lost]int{}
	l.JobTasks(j, model.Pending, func(t TaskID) bool {
		for _, x := range lost {
			if made[x] == 0 && slices.Equal(x.Spec.Requests, l.tasks[t].Pod.Spec.Requests) {
				made[x] = 1
				break
			}
		}
		return true
	})
	lost = slices.Clone(lost)
	slices.SortStableFunc(lost, func(a, b *Lost) int { return cmp.Or(cmp.Compare(short(a), short(b)), cmp.Compare(made[a], made[b])) })
	return lost
}

// askAgain makes a job ask for the room of a lost member.
func (l *Ledger) askAgain(x *Lost, j JobID) {
	spec := *x.Spec
	if l.heeds {
		spec.Groups = l.queues[l.jobs[j].Queue].groups
	}
	was := x.Class
	if x.Class = l.class(&spec, false); was != NoClass {
		l.dropClass(was)
	}
	if x.asked {
		return
	}
	x.In, x.asked = j, true
	l.jobs[j].Losses++
	l.askFor(x, 1)
}

// endLoss ends a loss: its room is kept no longer.
func (l *Ledger) endLoss(x *Lost) {
	if x.asked {
		l.jobs[x.In].Losses--
		l.askFor(x, -1)
		l.roomEpoch++
	}
	if x.Class != NoClass {
		l.dropClass(x.Class)
	}
}

func (l *Ledger) askFor(x *Lost, sign int64) {
	job := &l.jobs[x.In]
	for _, need := range l.classes[x.Class].Need {
		if need.Dim != resource.Pods {
			l.count(job, need.Dim, need.Amount*sign, 0, 0)
		}
	}
	l.stateEpoch++
	l.mark(x.In)
}

// strand notes that the row of a job with losses is freed, and its requests with it. The next cycle finds the
// job again, if it is there by then.
func (l *Ledger) strand(j JobID) {
	for _, x := range l.lost {
		if x.asked && x.In == j {
			x.In, x.asked = NoJob, false
		}
	}
}

// Lost lists the lost members of gangs that still have their room, by job and pod. The slice is valid until
// the next cycle.
func (l *Ledger) Lost() []*Lost { return l.lost }

// Losses returns what is remembered of lost members, for a new engine: first judged losses, by job and pod,
// then those to be judged, by pod.
func (l *Ledger) Losses() (out []Loss) {
	for _, x := range l.lost {
		out = append(out, x.Loss)
	}
	news := slices.Clone(l.losing)
	slices.SortStableFunc(news, func(a, b Loss) int { return a.Pod.Compare(b.Pod) })
	return append(out, news...)
}

// RestoreLosses takes over the Losses of an earlier engine.
func (l *Ledger) RestoreLosses(losses []Loss) {
	for _, x := range losses {
		if x.Until == 0 {
			l.losing = append(l.losing, x)
		} else {
			l.lost = append(l.lost, &Lost{Loss: x, In: NoJob, Class: NoClass})
		}
	}
}

// beside is room that a try keeps.
type beside struct {
	queue QueueID
	class ClassID
	node  NodeID
}

// Beside keeps the room of a lost member on a node within a try: it counts as Pipelined there, and as Claimed
// in the queue. Return undoes it.
func (tx *Tx) Beside(x *Lost, n NodeID) { tx.l.keepBeside(tx.l.besideOf(x, n), true) }

// Return is the inverse of Beside.
func (tx *Tx) Return(x *Lost, n NodeID) { tx.l.keepBeside(tx.l.besideOf(x, n), false) }

func (l *Ledger) besideOf(x *Lost, n NodeID) beside { return beside{l.jobs[x.In].Queue, x.Class, n} }

// keepBeside keeps room, or gives it back, and notes how to undo that.
func (l *Ledger) keepBeside(b beside, keep bool) {
	l.undo = append(l.undo, entry{task: NoTask, node: b.node, jobPrev: TaskID(b.class), jobNext: TaskID(b.queue), nominated: keep})
	l.countBeside(b, keep)
}

func (l *Ledger) countBeside(b beside, keep bool) {
	sign := int64(1)
	if keep {
		l.aside = append(l.aside, b)
	} else {
		sign = -1
		i := slices.Index(l.aside, b)
		l.aside = slices.Delete(l.aside, i, i+1)
	}
	again := l.nodes[b.node].far
	for _, need := range l.classes[b.class].Need {
		d := int(need.Dim)
		l.cols.pipelined[d][b.node] += need.Amount * sign
		l.rerun(d, b.node)
		again = again || far(l.cols.idle[d][b.node], l.cols.releasing[d][b.node], l.cols.pipelined[d][b.node])
		if need.Dim == resource.Pods {
			continue
		}
		l.usageEpoch++
		for q := b.queue; q != NoQueue; q = l.queues[q].up {
			l.queues[q].Claimed[d] = l.queues[q].Claimed[d].Plus(need.Amount * sign)
		}
	}
	if again {
		l.weigh(b.node, nil)
	}
	l.touchNode(b.node)
}
