package ledger

import "ashlar.sh/sched/model"

// HeedNodeGroups makes the node groups of queues (spec.affinity) part of what filters read: pods of one
// template in queues with different groups are then of different classes, and filters find the groups in
// Spec.Groups. With inherit, a queue that names no groups has those of the nearest queue above that does. A
// plugin that reads them calls it when it is made; without a call no class is split.
func (qs *Queues) HeedNodeGroups(inherit bool) {
	qs.heeds, qs.inherits = true, inherit
	qs.regroup()
}

// regroup finds the groups of all queues anew and gives every task its class. A task's figures stay: classes
// that differ only in groups ask for the same.
func (qs *Queues) regroup() {
	for i := range qs.rows {
		qs.rows[i].groups = qs.groupsOf(QueueID(i))
	}
	qs.regroupJobs()
}

// regroupJobs gives every task the class that follows from its spec and its queue's groups.
func (qs *Queues) regroupJobs() {
	for j := range qs.l.Jobs.rows {
		if !qs.l.Jobs.rows[j].marks.free {
			qs.regroupJob(JobID(j))
		}
	}
}

// groupsOf returns the groups that a queue names or inherits, with its own limits: as in Volcano, the limits
// of a queue above apply to that queue's own jobs only.
func (qs *Queues) groupsOf(q QueueID) *model.NodeGroups {
	return qs.namedGroups(q).Within(ownLimits(qs.rows[q].Fact))
}

func ownLimits(fact *model.Queue) *model.GroupLimits {
	if fact == nil {
		return nil
	}
	return fact.Limits
}

func (qs *Queues) namedGroups(q QueueID) *model.NodeGroups {
	for at := q; at != NoQueue; at = qs.rows[at].up {
		if fact := qs.rows[at].Fact; fact != nil && fact.Groups != nil {
			return fact.Groups
		}
		if !qs.inherits {
			break
		}
	}
	return nil
}

func (qs *Queues) regroupJob(j JobID) {
	if !qs.heeds {
		return
	}
	for t := range qs.l.Jobs.Members(j) {
		qs.l.Classes.reclass(t)
	}
}
