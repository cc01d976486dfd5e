package ledger

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// A gang that runs and loses a member is given it anew by its controller, seconds later as a rule.
// Until then nobody waits who would ask for the room. So the loss itself is remembered, for a time:
// its job asks for the member's room (Queue.Request), and who comes after the gang in its queue is
// placed beside that room (Tx.Beside). What was lost is judged when a cycle begins, all facts being
// known. No API field keeps it: over a restart it is lost.

// Loss is a member that held room and was deleted, is gone, or failed.
type Loss struct {
	Job   JobKey
	Pod   Key
	UID   string
	Role  string
	Spec  *model.Spec // what it asked for
	Node  string      // where it ran
	Grace int64       // nanoseconds that it has to leave; 0: it has left
	First bool        // nothing was said of it before
	Until int64       // until when its room is its gang's; 0: not judged yet
}

// Lost is a loss that its gang has not got over.
type Lost struct {
	Loss
	In    JobID
	Class ClassID
	asked bool // its job asks for its room
}

// lose notes what a pod's new fact, nil when it is gone, says of a member that held room.
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

// JudgeLosses finds out what of its gangs is lost and is not there again: until gives the time
// until which room is kept for one that has so long to leave. It returns when the first of these
// times ends, 0 without any.
func (l *Ledger) JudgeLosses(now int64, until func(now, grace int64) int64) (next int64) {
	if len(l.lost) == 0 && len(l.losing) == 0 {
		return 0
	}
	l.hear(now, until)
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

// hear takes in what happened to members since the last cycle. A member that leaves at last has no
// longer than one that was gone at once.
func (l *Ledger) hear(now int64, until func(now, grace int64) int64) {
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

// lacking is how many members of a job's minimum no pod stands for, while others of it hold room.
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

// stand returns which of a job's losses it has not got over, as many as it lacks members; the others
// end. Those whose role lacks none, and those for which a member waits that asks for the same, end first.
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

// rank puts those first that a job lacks most surely.
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

// askAgain makes a job ask for the room of a member that it lost.
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

// endLoss makes an end of a loss: nobody is placed beside its room any more.
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

// strand notes that the row of a job with losses goes, and with it what it asked for: the next cycle
// finds it again, if it is there by then.
func (l *Ledger) strand(j JobID) {
	for _, x := range l.lost {
		if x.asked && x.In == j {
			x.In, x.asked = NoJob, false
		}
	}
}

// Lost lists the members that gangs have lost and whose room is theirs, by job and pod. The slice is
// good until the next cycle.
func (l *Ledger) Lost() []*Lost { return l.lost }

// Losses are what is remembered of lost members, for a new engine: those that were judged, by job and
// pod, then what is to be judged, by pod.
func (l *Ledger) Losses() (out []Loss) {
	for _, x := range l.lost {
		out = append(out, x.Loss)
	}
	news := slices.Clone(l.losing)
	slices.SortStableFunc(news, func(a, b Loss) int { return a.Pod.Compare(b.Pod) })
	return append(out, news...)
}

// RestoreLosses takes over what an earlier life remembered.
func (l *Ledger) RestoreLosses(losses []Loss) {
	for _, x := range losses {
		if x.Until == 0 {
			l.losing = append(l.losing, x)
		} else {
			l.lost = append(l.lost, &Lost{Loss: x, In: NoJob, Class: NoClass})
		}
	}
}

// beside is room that is kept within a try.
type beside struct {
	queue QueueID
	class ClassID
	node  NodeID
}

// Beside keeps the room of a lost member on a node within a try: it counts as promised there, and
// as claimed in its queue. Return takes it back.
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
