package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// recordedMembers are the members of a job of which the pod's status records that they were let run in this
// job. As long as there is one, the job counts in the queue that the oldest one's record names, whatever its
// PodGroup says and whether or not it is there. So what was decided by an earlier scheduler follows from facts.
//
// The record of a pod that holds no room any more, or that is recorded for another job, says nothing of this
// one.
type recordedMembers struct {
	all    map[TaskID]bool
	oldest TaskID
}

// jobBy is the job that a pod is of by its fact: that in which it was let run, where its status records that
// and it still holds room, else the one that it names.
func jobBy(p *model.Pod) JobKey {
	if r := p.LetRun(); r != nil && p.Node != "" && !podFinished(p) {
		return JobKey{Namespace: p.Namespace, Name: r.Job, Adopted: r.Adopted, Owner: r.Owner}
	}
	return KeyOf(p)
}

// records says that a task is one of the recordedMembers of its job.
func (cg *charging) records(t TaskID) bool {
	row := &cg.l.Tasks.rows[t]
	if row.Job == NoJob {
		return false
	}
	r := row.Pod.LetRun()
	return r != nil && row.Pod.Node != "" && !podFinished(row.Pod) && jobBy(row.Pod) == cg.l.Jobs.rows[row.Job].Key
}

// enter notes a task that has become a member of its job, if its status records that; leave is the inverse, and
// says whether the job may count in another queue by facts now.
func (cg *charging) enter(t TaskID) {
	if !cg.records(t) {
		return
	}
	j := cg.l.Tasks.rows[t].Job
	members := cg.recorded[j]
	if members == nil {
		if cg.recorded == nil {
			cg.recorded = map[JobID]*recordedMembers{}
		}
		members = &recordedMembers{all: map[TaskID]bool{}, oldest: NoTask}
		cg.recorded[j] = members
	}
	members.all[t] = true
	if members.oldest == NoTask || cg.l.Jobs.defines(t, members.oldest) {
		members.oldest = t
		cg.l.Jobs.define(j)
	}
}

func (cg *charging) leave(t TaskID) (changed bool) {
	j := cg.l.Tasks.rows[t].Job
	members := cg.recorded[j]
	if members == nil || !members.all[t] {
		return false
	}
	delete(members.all, t)
	if len(members.all) == 0 {
		delete(cg.recorded, j)
		return true
	}
	if changed = members.oldest == t; changed {
		members.oldest = NoTask
		for o := range members.all { // order-free: a minimum
			if members.oldest == NoTask || cg.l.Jobs.defines(o, members.oldest) {
				members.oldest = o
			}
		}
	}
	return changed
}

// Unrecorded calls f for every charged member that counts in another place than its objects say, with the
// record that its pod lacks, sorted by pod, until f returns false. All members of a job have one in the end,
// though one is enough: its pod may end while no scheduler runs.
func (cg *charging) Unrecorded(f func(TaskID, model.LetRun) bool) {
	cg.forgetMoved()
	var lacking []TaskID
	jobs := slices.Clone(cg.moving)
	for j := range cg.recorded { // order-free: sorted by pod below
		if cg.l.Jobs.rows[j].Group == nil || cg.asked(j) != cg.l.Jobs.QueueName(j) {
			jobs = append(jobs, j)
		}
	}
	for _, j := range jobs {
		for status := range model.NumStatus {
			cg.l.Jobs.Tasks(j, status, func(t TaskID) bool {
				if cg.l.Tasks.rows[t].charged {
					lacking = append(lacking, t)
				}
				return true
			})
		}
	}
	cg.eachNoted(cg.unfiled, func(t TaskID) { lacking = append(lacking, t) })
	slices.SortFunc(lacking, func(a, b TaskID) int { return cg.l.Tasks.rows[a].Key.Compare(cg.l.Tasks.rows[b].Key) })
	for _, t := range slices.Compact(lacking) {
		row := &cg.l.Tasks.rows[t]
		job := &cg.l.Jobs.rows[row.Job]
		want := model.LetRun{Queue: cg.l.Jobs.QueueName(row.Job), Job: job.Key.Name, Adopted: job.Key.Adopted,
			Owner: job.Key.Owner}
		if has := row.Pod.LetRun(); row.Pod.Node == "" || has != nil && *has == want {
			continue // a pod that is not bound yet has its record once it is
		}
		if !f(t, want) {
			return
		}
	}
}
