package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// A record in a pod's status says in which job and queue the pod was let run. As long as a job has a member with a
// record of it, the job counts in the queue that the oldest such member's record names, whatever its PodGroup says and
// whether or not it is there. So what was decided by an earlier scheduler follows from facts.
//
// The record of a pod that holds no room any more, or that is recorded for another job, says nothing of this
// one.

// jobBy is the job that a pod is of by its fact: that in which it was let run, where its status records that
// and it still holds room, else the one that it names.
func jobBy(p *model.Pod) JobKey {
	if r := p.Charge(); r != nil && p.Node != "" && !p.Phase.Finished() {
		return JobKey{Namespace: p.Namespace, Name: r.Job, Adopted: r.Adopted, Owner: r.Owner}
	}
	return KeyOf(p)
}

// records says that a task has a record of its job.
func (cg *charging) records(t TaskID) bool {
	row := &cg.l.Tasks.rows[t]
	if row.Job == NoJob {
		return false
	}
	r := row.Pod.Charge()
	return r != nil && row.Pod.Node != "" && !row.Pod.Phase.Finished() && jobBy(row.Pod) == cg.l.Jobs.rows[row.Job].Key
}

// enter notes a task that has become a member of its job, if its status records that; leave is the inverse, and
// says whether the job may count in another queue by facts now.
func (cg *charging) enter(t TaskID) {
	if !cg.records(t) {
		return
	}
	j := cg.l.Tasks.rows[t].Job
	marks := &cg.l.Jobs.rows[j].marks
	cg.minimums.records(t, 1)
	if marks.recorded++; marks.recorded == 1 || cg.l.Jobs.defines(t, marks.oldest) {
		marks.oldest = t
		cg.l.Jobs.define(j)
	}
}

func (cg *charging) leave(t TaskID) (changed bool) {
	if !cg.records(t) {
		return false
	}
	j := cg.l.Tasks.rows[t].Job
	marks := &cg.l.Jobs.rows[j].marks
	cg.minimums.records(t, -1)
	if marks.recorded--; marks.recorded == 0 || marks.oldest != t {
		return marks.recorded == 0
	}
	marks.oldest = NoTask
	for o := range cg.l.Jobs.Members(j) {
		if o != t && cg.records(o) && (marks.oldest == NoTask || cg.l.Jobs.defines(o, marks.oldest)) {
			marks.oldest = o
		}
	}
	return true
}

// Charged is how many members of a job are charged, and how many have a record of the job.
func (cg *charging) Charged(j JobID) (members, recorded int32) {
	marks := &cg.l.Jobs.rows[j].marks
	return marks.charged, marks.recorded
}

// Unrecorded calls f for every charged member that counts in another place than its objects say, or of which the job
// has had other minimums than its objects or its records say, with the record that its pod lacks, sorted by pod, until
// f returns false.
func (cg *charging) Unrecorded(f func(TaskID, model.Charge) bool) {
	cg.forgetMoved()
	var members []TaskID
	for _, j := range cg.moving {
		members = cg.appendCharged(members, j)
	}
	for _, j := range cg.minimums.noted {
		if !cg.l.Jobs.rows[j].marks.free && cg.l.Jobs.rows[j].marks.had != nil {
			members = cg.appendCharged(members, j)
		}
	}
	cg.eachNoted(cg.unfiled, func(t TaskID) { members = append(members, t) })
	cg.lacking(members, f)
}

// UnrecordedOf is Unrecorded for all charged members of a job, wherever they count.
func (cg *charging) UnrecordedOf(j JobID, f func(TaskID, model.Charge) bool) {
	cg.lacking(cg.appendCharged(nil, j), f)
}

func (cg *charging) appendCharged(list []TaskID, j JobID) []TaskID {
	for t := range cg.l.Jobs.Members(j) {
		if cg.l.Tasks.rows[t].charged {
			list = append(list, t)
		}
	}
	return list
}

// lacking calls f for those of some charged members that lack a record.
func (cg *charging) lacking(members []TaskID, f func(TaskID, model.Charge) bool) {
	slices.SortFunc(members, func(a, b TaskID) int { return cg.l.Tasks.rows[a].Key.Compare(cg.l.Tasks.rows[b].Key) })
	for _, t := range slices.Compact(members) {
		row := &cg.l.Tasks.rows[t]
		job := &cg.l.Jobs.rows[row.Job]
		want := model.Charge{Queue: cg.l.Jobs.QueueName(row.Job), Job: job.Key.Name, Adopted: job.Key.Adopted,
			Owner: job.Key.Owner, Had: cg.minimums.record(t)}
		if has := row.Pod.Charge(); row.Pod.Node == "" || has != nil && (*has == want ||
			has.SamePlace(want) && (job.marks.had == nil || !want.Had.Known)) {
			continue // a pod that is not bound yet has its record once it is
		}
		if !f(t, want) {
			return
		}
	}
}
