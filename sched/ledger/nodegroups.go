package ledger

import "ashlar.sh/sched/model"

// HeedNodeGroups makes the node groups of queues (spec.affinity) part of what filters read: pods of one
// template in queues with different groups are then of different classes, and filters find the groups in
// Spec.Groups. With inherit, a queue that names no groups has those of the nearest queue above that does. A
// plugin that reads them calls it when it is made; without a call no class is split.
func (l *Ledger) HeedNodeGroups(inherit bool) {
	l.heeds, l.inherits = true, inherit
	l.regroup()
}

// regroup finds the groups of all queues anew and gives every task its class. A task's figures stay: classes
// that differ only in groups ask for the same.
func (l *Ledger) regroup() {
	for i := range l.queues {
		l.queues[i].groups = l.groupsOf(QueueID(i))
	}
	l.regroupJobs()
}

// regroupJobs gives every task the class that follows from its spec and its queue's groups.
func (l *Ledger) regroupJobs() {
	for j := range l.jobs {
		if !l.jobs[j].free {
			l.regroupJob(JobID(j))
		}
	}
}

// groupsOf returns the groups that a queue names or inherits, with its own limits: as in Volcano, the limits
// of a queue above apply to that queue's own jobs only.
func (l *Ledger) groupsOf(q QueueID) *model.NodeGroups {
	return l.namedGroups(q).Within(ownLimits(l.queues[q].Fact))
}

func ownLimits(fact *model.Queue) *model.GroupLimits {
	if fact == nil {
		return nil
	}
	return fact.Limits
}

func (l *Ledger) namedGroups(q QueueID) *model.NodeGroups {
	for at := q; at != NoQueue; at = l.queues[at].up {
		if fact := l.queues[at].Fact; fact != nil && fact.Groups != nil {
			return fact.Groups
		}
		if !l.inherits {
			break
		}
	}
	return nil
}

func (l *Ledger) regroupJob(j JobID) {
	if !l.heeds {
		return
	}
	for s := range model.NumStatus {
		for t := l.jobs[j].first[s]; t != NoTask; t = l.tasks[t].jobNext {
			l.reclass(t)
		}
	}
}

// groups checks that every task's class has the groups of its queue.
func (a *auditor) groups() {
	l := a.l
	for t := range l.tasks {
		row := &l.tasks[t]
		if row.free || row.Unsound {
			continue
		}
		var want *model.NodeGroups
		if row.Job != NoJob && l.heeds && l.jobs[row.Job].Queue != NoQueue {
			want = l.groupsOf(l.jobs[row.Job].Queue)
		}
		if got := l.classes[row.Class].Spec.Groups; !got.Equal(want) {
			a.say("task %v: its class has node groups %+v, recounted %+v", row.Key, got, want)
		}
	}
}
