package ledger

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Losses holds the losses: members that held room and are gone, as long as no pod stands for them.
type Losses struct {
	l *Ledger

	losing  []Loss  // losses that no cycle has judged yet
	inForce []*Lost // by job and pod
}

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

// note records what a pod's new fact (nil: it is gone) means for a member that held room.
func (lo *Losses) note(t TaskID, p *model.Pod) {
	row := &lo.l.Tasks.rows[t]
	if row.Job == NoJob || row.Unsound || lo.l.Classes.rows[row.Class].BestEffort {
		return
	}
	same := p != nil && p.UID == row.Pod.UID
	x := Loss{Job: lo.l.Jobs.rows[row.Job].Key, Pod: row.Key, UID: row.Pod.UID, Spec: row.Pod.Spec, First: row.charged &&
		!row.Pod.Deleting}
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
		x.Node = lo.l.Nodes.rows[row.Node].Name
	}
	if row.Role >= 0 {
		x.Role = lo.l.Jobs.rows[row.Job].Roles[row.Role].Name
	}
	lo.losing = append(lo.losing, x)
}

// Judge finds which losses of gangs are not made up for. until returns the time until which room is kept
// for a member that has grace nanoseconds to leave. It returns the first of these times, 0 without any.
func (lo *Losses) Judge(now int64, until func(now, grace int64) int64) (next int64) {
	if len(lo.inForce) == 0 && len(lo.losing) == 0 {
		return 0
	}
	lo.take(now, until)
	slices.SortFunc(lo.inForce, func(a, b *Lost) int {
		return cmp.Or(a.Job.Compare(b.Job), a.Pod.Compare(b.Pod), cmp.Compare(a.UID, b.UID))
	})
	var kept []*Lost
	for from := 0; from < len(lo.inForce); {
		to := from + 1
		for to < len(lo.inForce) && lo.inForce[to].Job == lo.inForce[from].Job {
			to++
		}
		kept = append(kept, lo.stand(lo.inForce[from:to], now)...)
		from = to
	}
	lo.inForce = kept
	for _, x := range kept {
		next = model.Earlier(next, x.Until)
	}
	return next
}

// take takes in the losses recorded since the last cycle. A member that was terminating and is gone at last
// has no more time than a member that was gone at once.
func (lo *Losses) take(now int64, until func(now, grace int64) int64) {
	type podRef struct {
		pod Key
		uid string
	}
	known := map[podRef]*Lost{}
	for _, x := range lo.inForce {
		known[podRef{x.Pod, x.UID}] = x
	}
	for _, n := range lo.losing {
		end := until(now, n.Grace)
		if x := known[podRef{n.Pod, n.UID}]; x != nil {
			x.Until = min(x.Until, end)
			continue
		}
		if j, ok := lo.l.Jobs.Find(n.Job); !ok || !n.First || lo.l.Jobs.rows[j].lacking() <= 0 {
			continue
		}
		x := &Lost{Loss: n, In: NoJob, Class: NoClass}
		x.Until = end
		known[podRef{n.Pod, n.UID}] = x
		lo.inForce = append(lo.inForce, x)
	}
	lo.losing = nil
}

// lacking is how many members of a job's minimum have no pod, while other members hold room.
// A job in a backoff has none: it could not use their room.
func (j *Job) lacking() int32 {
	if j.waits.inBackoff {
		return 0
	}
	return j.missing()
}

// missing is lacking whether or not the job is in a backoff.
func (j *Job) missing() int32 {
	if j.Staying() == 0 || !j.serves() {
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
func (lo *Losses) stand(lost []*Lost, now int64) []*Lost {
	j, ok := lo.l.Jobs.Find(lost[0].Job)
	most := 0
	if ok {
		most = int(max(0, lo.l.Jobs.rows[j].lacking()))
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
		stays = lo.rank(j, stays)
		ends, stays = append(ends, stays[most:]...), stays[:most]
	}
	for _, x := range ends {
		lo.end(x)
	}
	for _, x := range stays {
		lo.askAgain(x, j)
	}
	return stays
}

// rank sorts losses by how surely the job lacks them, the surest first.
func (lo *Losses) rank(j JobID, lost []*Lost) []*Lost {
	job := &lo.l.Jobs.rows[j]
	short := func(x *Lost) int {
		for i := range job.Roles {
			if r := &job.Roles[i]; r.Name == x.Role && r.lacking(r.Min) > 0 {
				return 0
			}
		}
		return 1
	}
	made := map[*Lost]int{}
	lo.l.Jobs.Tasks(j, model.Pending, func(t TaskID) bool {
		for _, x := range lost {
			if made[x] == 0 && slices.Equal(x.Spec.Requests, lo.l.Tasks.rows[t].Pod.Spec.Requests) {
				made[x] = 1
				break
			}
		}
		return true
	})
	lost = slices.Clone(lost)
	slices.SortStableFunc(lost, func(a, b *Lost) int {
		return cmp.Or(cmp.Compare(short(a), short(b)),
			cmp.Compare(made[a], made[b]))
	})
	return lost
}

// askAgain makes a job ask for the room of a lost member.
func (lo *Losses) askAgain(x *Lost, j JobID) {
	spec := *x.Spec
	if lo.l.Queues.heeds {
		spec.Groups = lo.l.Queues.rows[lo.l.Jobs.rows[j].Queue].groups
	}
	was := x.Class
	if x.Class = lo.l.Classes.of(&spec, false); was != NoClass {
		lo.l.Classes.drop(was)
	}
	if x.asked {
		return
	}
	x.In, x.asked = j, true
	lo.l.Jobs.rows[j].Losses++
	lo.askFor(x, 1)
}

// end ends a loss: its room is kept no longer.
func (lo *Losses) end(x *Lost) {
	if x.asked {
		lo.l.Jobs.rows[x.In].Losses--
		lo.askFor(x, -1)
		lo.l.Changes.roomEpoch++
	}
	if x.Class != NoClass {
		lo.l.Classes.drop(x.Class)
	}
}

func (lo *Losses) askFor(x *Lost, sign int64) {
	job := &lo.l.Jobs.rows[x.In]
	for _, need := range lo.l.Classes.rows[x.Class].Need {
		if need.Dim != resource.Pods {
			lo.l.accounts.count(job, need.Dim, need.Amount*sign, 0, 0)
		}
	}
	lo.l.Changes.stateEpoch++
	lo.l.Changes.mark(x.In)
}

// forgetJob notes that the row of a job with losses is freed, and its requests with it. The next cycle finds the
// job again, if it is there by then.
func (lo *Losses) forgetJob(j JobID) {
	for _, x := range lo.inForce {
		if x.asked && x.In == j {
			x.In, x.asked = NoJob, false
		}
	}
}

// InForce lists the lost members of gangs that still have their room, by job and pod. The slice is valid until
// the next cycle.
func (lo *Losses) InForce() []*Lost { return lo.inForce }

// All returns what is remembered of lost members, for a new engine: first judged losses, by job and pod,
// then those to be judged, by pod.
func (lo *Losses) All() (out []Loss) {
	for _, x := range lo.inForce {
		out = append(out, x.Loss)
	}
	news := slices.Clone(lo.losing)
	slices.SortStableFunc(news, func(a, b Loss) int { return a.Pod.Compare(b.Pod) })
	return append(out, news...)
}

// Forget ends all losses, and forgets those that no cycle has judged: Restore may follow.
func (lo *Losses) Forget() {
	for _, x := range lo.inForce {
		lo.end(x)
	}
	lo.inForce, lo.losing = nil, nil
}

// Restore takes over the Losses of an earlier engine.
func (lo *Losses) Restore(losses []Loss) {
	for _, x := range losses {
		if x.Until == 0 {
			lo.losing = append(lo.losing, x)
		} else {
			lo.inForce = append(lo.inForce, &Lost{Loss: x, In: NoJob, Class: NoClass})
		}
	}
}

// Beside keeps the room of a lost member on a node within a try: it counts as Pipelined there, and as KeptRoom
// in the queue. Return undoes it.
func (tx *Tx) Beside(x *Lost, n NodeID) {
	tx.l.KeptRoom.changeBeside(tx.l.KeptRoom.besideOf(x, n), true)
}

// Return is the inverse of Beside.
func (tx *Tx) Return(x *Lost, n NodeID) {
	tx.l.KeptRoom.changeBeside(tx.l.KeptRoom.besideOf(x, n), false)
}

func (kr *KeptRoom) besideOf(x *Lost, n NodeID) roomFor {
	return roomFor{kr.l.Jobs.rows[x.In].Queue, x.Class, n, 1}
}

// changeBeside keeps room, or gives it back, and notes how to undo that.
func (kr *KeptRoom) changeBeside(b roomFor, keep bool) {
	kr.l.Statements.undo = append(kr.l.Statements.undo, entry{task: NoTask, kept: b, keeps: keep})
	kr.countBeside(b, keep)
}

func (kr *KeptRoom) countBeside(b roomFor, keep bool) {
	sign := int64(1)
	if keep {
		kr.beside = append(kr.beside, b)
	} else {
		sign = -1
		i := len(kr.beside) - 1 // what was kept last is mostly given back first
		for kr.beside[i] != b {
			i--
		}
		kr.beside = slices.Delete(kr.beside, i, i+1)
	}
	kr.addToQueues(b, sign)
	if kr.addToNode(b, sign) {
		kr.l.Nodes.weigh(b.node, nil)
	}
	kr.l.Nodes.touchRoom(b.node)
}
