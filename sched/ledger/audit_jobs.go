package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// subjobs checks that exactly the members of a sub-group count in it.
func (a *auditor) subjobs(j JobID, members []TaskID) {
	job := &a.l.Jobs.rows[j]
	want := make([]SubJob, len(job.Subs))
	for _, t := range members {
		row := &a.l.Tasks.rows[t]
		if row.Sub < 0 {
			if job.Group == nil {
				continue
			}
			for i := range job.Group.SubGroups {
				if _, ok := subValues(&job.Group.SubGroups[i], row.Pod); ok {
					a.say("task %v: in no sub-group, and policy %d of job %v selects it", row.Key, i, job.Key)
				}
			}
			continue
		}
		sub := &job.Subs[row.Sub]
		if values, ok := subValues(job.Of(sub), row.Pod); !ok || !slices.Equal(values, sub.Values) {
			a.say("task %v: in sub-group %s, which it is not of", row.Key, sub.Name)
		}
		w := &want[row.Sub]
		w.tasks++
		w.By[row.Status]++
		w.BestEffort += int32(change(false, a.l.accounts.contributionOf(row).bestEffort))
		w.Leaving += int32(change(false, a.l.accounts.contributionOf(row).leaving))
	}
	for i := range want {
		listed := int32(0)
		a.l.Jobs.SubTasks(j, int32(i), func(t TaskID) bool {
			if row := &a.l.Tasks.rows[t]; row.Job != j || row.Sub != int32(i) {
				a.say("task %v: is on the list of sub-group %s, which it is not of", row.Key, job.Subs[i].Name)
			}
			listed++
			return listed <= want[i].tasks
		})
		if listed != want[i].tasks {
			a.say("job %v sub-group %s: lists %d tasks of %d", job.Key, job.Subs[i].Name, listed, want[i].tasks)
		}
		if s := &job.Subs[i]; want[i].Count != s.Count || want[i].tasks != s.tasks {
			a.say("job %v sub-group %s: counts are %v/%d, recounted %v/%d", job.Key, s.Name, s.Count, s.tasks, want[i].Count,
				want[i].tasks)
		}
	}
}

// charges checks that charged members hold room and are in a job, and the number of charged members of each
// job.
func (a *auditor) charges() {
	l := a.l
	want, recorded := make([]int32, len(l.Jobs.rows)), make([]int32, len(l.Jobs.rows))
	oldest := make([]TaskID, len(l.Jobs.rows))
	for t := range l.Tasks.rows {
		row := &l.Tasks.rows[t]
		if row.free {
			continue
		}
		if l.Charges.records(TaskID(t)) {
			if recorded[row.Job]++; recorded[row.Job] == 1 || l.Jobs.defines(TaskID(t), oldest[row.Job]) {
				oldest[row.Job] = TaskID(t)
			}
		}
		if !row.charged {
			continue
		}
		if row.Job == NoJob || !row.holdsRoom() {
			a.say("task %v: charged, and holds no room in any job", row.Key)
			continue
		}
		want[row.Job]++
	}
	for j := range l.Jobs.rows {
		job := &l.Jobs.rows[j]
		if job.marks.free {
			continue
		}
		if is := job.marks.recorded; is != recorded[j] || is > 0 && oldest[j] != job.marks.oldest {
			a.say("job %v: %d members with a record, recounted %d, or another is the oldest", job.Key, is, recorded[j])
		}
		if job.marks.charged != want[j] {
			a.say("job %v: %d charged members, recounted %d", job.Key, job.marks.charged, want[j])
		}
		if noted := job.marks.apart; job.marks.charged > 0 && !noted {
			job.marks.apart = true // moves looks at noted jobs only
			if l.Charges.moves(JobID(j)) {
				a.say("job %v: counts apart from what facts say, and is not noted", job.Key)
			}
			job.marks.apart = false
		}
		if is := l.Queues.rows[job.Queue].Name; job.marks.charged == 0 && is != l.Charges.named(JobID(j)) ||
			job.marks.asksNothing == job.serves() {
			a.say("job %v: counts in %s, asks nothing %t, recounted %s, %t", job.Key, is, job.marks.asksNothing,
				l.Charges.named(JobID(j)), !job.serves())
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
				a.say("job %v role %q: counts are %v/%d, recounted %v/%d", job.Key, is.Name, is.Count, is.tasks, again.Count,
					again.tasks)
			}
		}
		if !job.Allocated.Equal(want.Allocated) || !job.Request.Equal(want.Request) || !job.Total.Equal(want.Total) {
			a.say("job %v: allocated, request, total are %v %v %v, recounted %v %v %v", job.Key,
				job.Allocated, job.Request, job.Total, want.Allocated, want.Request, want.Total)
		}
		for d := range l.Dims.Len() {
			e, i := job.elastic, job.inqueue
			probe := want
			probe.inqueueCounts = want.countsInqueue()
			bare.accounts.refresh(&probe, resource.Dim(d))
			if e.Get(resource.Dim(d)) != probe.elastic.Get(resource.Dim(d)) ||
				i.Get(resource.Dim(d)) != probe.inqueue.Get(resource.Dim(d)) {
				a.say("job %v %s: elastic, inqueue are %d %d, recounted %d %d", job.Key, l.Dims.Name(resource.Dim(d)),
					e.Get(resource.Dim(d)), i.Get(resource.Dim(d)),
					probe.elastic.Get(resource.Dim(d)), probe.inqueue.Get(resource.Dim(d)))
			}
		}
		if job.Losses != want.Losses {
			a.say("job %v: %d losses, recounted %d", job.Key, job.Losses, want.Losses)
		}
		if job.RoomKept != want.RoomKept ||
			!resource.Sums(nil).Add(job.keptRoom).Equal(resource.Sums(nil).Add(want.keptRoom)) {
			a.say("job %v: room is kept for %d members, %v in all, recounted %d of %v", job.Key, job.RoomKept, job.keptRoom,
				want.RoomKept, want.keptRoom)
		}
		if listed := a.l.Jobs.Wants(JobID(j)); listed != job.wants() {
			a.say("job %v: on the active list %t, has something to decide %t", job.Key, listed, job.wants())
		}
	}
}

// recountJob returns a job's row with everything that depends on its members counted anew.
func (l *Ledger) recountJob(j JobID, members []TaskID) Job {
	was := &l.Jobs.rows[j]
	job := Job{Key: was.Key, Group: was.Group, MinMember: was.MinMember, Phase: was.Phase, Queue: NoQueue,
		JobAmounts: JobAmounts{MinResources: was.MinResources, HasMin: was.HasMin},
		waits:      jobWaits{lending: was.waits.lending, lapsed: was.waits.lapsed, inBackoff: l.Backoffs.appliesToWhole(j)},
		marks:      jobMarks{asksNothing: was.marks.asksNothing}}
	for _, r := range was.Roles {
		job.Roles = append(job.Roles, Role{Name: r.Name, Min: r.Min})
	}
	for _, x := range l.Losses.inForce {
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
		if !row.Pod.Phase.Finished() {
			job.unfinished++
			job.Total = job.Total.Add(l.Jobs.counted(row))
		}
		if row.hasKeptRoom() {
			job.RoomKept++
			if row.covered&QueueCovered == 0 {
				job.keptRoom = job.keptRoom.Add(quota)
			}
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
