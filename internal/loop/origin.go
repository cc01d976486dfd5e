package loop

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// gangOrigins keeps what was bound of each gang, and records it on PodGroups, so that a later process knows.
type gangOrigins struct {
	l *loop
}

// origin says how the bound members of a gang came to be bound. Only a gang that surely never had its minimum may be
// taken apart (decision 36). That is known if this process began to bind the gang while no member was bound, and bound
// all members that are bound now; or if the record of an earlier process says so of exactly these pods. A gang that may
// have had its minimum is in doubt for good.
type origin struct {
	// mine has the UIDs of the members for which this scheduler sent bindings since no member was bound; true if the
	// member is bound. nil: nothing is known of the bound members.
	mine  map[string]bool
	taken map[string]part // those of them that are bound, or were: what each counts for
	// leaving has the keys of the members that are to be deleted, by UID, until that is seen or known to have failed.
	// Until then they count as bound.
	leaving      map[string]ledger.Key
	met          bool   // its PodGroup's record was read
	unknown      bool   // its phase Unknown was written by this scheduler, or by an earlier one of this kind
	lastRecord   string // the last record that was to be written
	lastRecordAt time.Time
	strandedState
}

// begin notes the gangs of a plan of which no member is known to have been bound, and the members that the plan binds.
func (og *gangOrigins) begin(items []sched.Item, now time.Time) {
	led, last := og.l.engine.Ledger(), ledger.NoJob
	var mine map[string]bool // of the last job
	for _, i := range items {
		if i.Kind != sched.BindPod {
			continue
		}
		id, ok := led.Tasks.Find(i.Pod)
		if !ok {
			continue
		}
		if job := led.Task(id).Job; job != last {
			last, mine = job, og.beginOne(led.Job(job), now)
		}
		if mine != nil && !mine[i.UID] {
			mine[i.UID] = false
		}
	}
}

// beginOne returns the members of a gang that this scheduler has bound; nil if others may have bound some.
func (og *gangOrigins) beginOne(job *ledger.Job, now time.Time) map[string]bool {
	if job.Group == nil || job.MinMember < 2 {
		return nil
	}
	t := og.l.reported.job(job.Key, job.Group.UID, og.l.observer.PodGroup(job.Key.Namespace, job.Key.Name), now)
	if !t.complete && t.origin.mine == nil && untouched(job) {
		t.origin.mine, t.origin.taken, t.origin.met = map[string]bool{}, map[string]part{}, true
	}
	return t.origin.mine
}

// untouched says that no member of a job has a node, or had one.
func untouched(job *ledger.Job) bool {
	return job.By[model.Bound]+job.By[model.Running]+job.By[model.Succeeded]+job.By[model.Failed]+job.By[model.Unknown]+
		job.By[model.Releasing] == 0
}

// follow notes the bindings that were done, and hands those that the API server refused to refusals.note. The engine
// has received the same receipts before, also where it is made anew: so a gang's members are counted as facts and
// receipts leave them, without the binding that was refused.
func (og *gangOrigins) follow(receipts []sched.Receipt) {
	led := og.l.engine.Ledger()
	for _, r := range receipts {
		if r.Item.Kind != sched.BindPod || r.Outcome != sched.Done {
			if r.Refused != "" {
				og.l.refusals.note(r)
			}
			og.l.stranded.answered(r)
			continue
		}
		id, ok := led.Tasks.Find(r.Item.Pod)
		if !ok || led.Task(id).Job == ledger.NoJob {
			continue
		}
		job := led.Job(led.Task(id).Job)
		if t := og.l.reported.jobs[job.Key]; t != nil && t.origin.mine != nil && t.uid == job.GroupUID() {
			t.origin.left(led)
			if !t.origin.mine[r.Item.UID] {
				t.origin.mine[r.Item.UID], t.origin.taken[r.Item.UID] = true, partOf(job, led.Task(id))
			}
			if t.origin.tookMinimum(job) {
				t.complete, t.origin.mine, t.origin.taken, t.origin.leaving = true, nil, nil, nil
			}
		}
	}
}

// part is the role and the sub-group that a member counts for.
type part struct {
	role, policy, sub string
	inSub             bool
}

func partOf(job *ledger.Job, task *ledger.Task) (p part) {
	p.role = job.Roles[task.Role].Name
	if task.Sub >= 0 {
		sub := &job.Subs[task.Sub]
		p.policy, p.sub, p.inSub = job.Of(sub).Name, sub.Name, true
	}
	return p
}

// tookMinimum says that the members that were bound are a gang's minimum, with those of its roles and sub-groups,
// whether or not all were at one time.
func (o *origin) tookMinimum(job *ledger.Job) bool {
	if len(o.taken) < int(job.MinMember) || !ledger.HasPartMinimums(job) {
		return len(o.taken) >= int(job.MinMember)
	}
	roles, subs := map[string]int32{}, map[part]int32{}
	for _, p := range o.taken { // order-free: sums
		roles[p.role]++
		p.role = ""
		subs[p]++
	}
	if slices.ContainsFunc(job.Roles, func(r ledger.Role) bool { return roles[r.Name] < r.Min }) {
		return false
	}
	return job.Group == nil || !slices.ContainsFunc(job.Group.SubGroups, func(policy model.SubGroups) bool {
		whole := int32(0)
		for p, n := range subs { // order-free: a sum
			if p.inSub && p.policy == policy.Name && n >= policy.Size {
				whole++
			}
		}
		return whole < policy.Min
	})
}

// hadMinimum says that the PodGroup shows that the gang had its minimum once. So a phase or a condition may forbid a
// release and never permits one. The phase Unknown is written for gangs that ran and for gangs that never did: it
// counts unless a scheduler of this kind wrote it.
func (t *reportedJob) hadMinimum(group *schedulingv1beta1.PodGroup) bool {
	if conditionOf(group, schedulingv1beta1.PodGroupScheduled) != nil { // or was True: see notScheduledAnyMore
		return true
	}
	phase := shownPhase(group)
	return ran(phase) || phase == model.GroupUnknown && !t.origin.unknown && !saidUnknown(group, t.uid)
}

// ran says that a phase is that of a gang that had its minimum.
func ran(p model.GroupPhase) bool { return p == model.GroupRunning || p == model.GroupCompleted }

// saidUnknown says that an earlier scheduler of this kind wrote the phase Unknown for a gang that never had its
// minimum.
func saidUnknown(group *schedulingv1beta1.PodGroup, uid string) bool {
	r, ok := recordOf(group, uid)
	return ok && r.Never != nil && r.Never.Unknown
}

// members are those of a gang that have not finished.
type members struct {
	bound, waiting []string // UIDs
	moving         bool     // some are being bound, or leave, or it is unknown
}

func membersOf(led *ledger.Ledger, id ledger.JobID) (m members) {
	for status := range model.NumStatus {
		list := &m.waiting
		switch status {
		case model.Succeeded, model.Failed:
			continue
		case model.Bound, model.Running:
			list = &m.bound
		}
		led.Jobs.Tasks(id, status, func(t ledger.TaskID) bool {
			*list = append(*list, led.Task(t).Pod.UID)
			m.moving = m.moving || status == model.Binding || status == model.Releasing || status == model.Unknown
			return true
		})
	}
	return m
}

// inherit reads the record of a gang that this process sees for the first time. The record is believed if it says of
// exactly these members that the gang never had its minimum, and if the status of the refused member shows the refusal:
// the right to write a PodGroup includes its record, but not the status of a pod.
func (og *gangOrigins) inherit(id ledger.JobID, t *reportedJob, group *schedulingv1beta1.PodGroup, m members) {
	if t.origin.met {
		return
	}
	t.origin.met = true
	led := og.l.engine.Ledger()
	job := led.Job(id)
	if r, ok := recordOf(group, t.uid); ok && r.Never.Holds(job.MinMember, m.bound, m.waiting) &&
		og.showsRefusal(job.Key.Namespace, r.Pod, m) {
		t.origin.mine, t.origin.taken, t.origin.unknown = map[string]bool{}, map[string]part{}, r.Never.Unknown
		for _, status := range []model.Status{model.Bound, model.Running} {
			led.Jobs.Tasks(id, status, func(member ledger.TaskID) bool {
				task := led.Task(member)
				t.origin.mine[task.Pod.UID], t.origin.taken[task.Pod.UID] = true, partOf(job, task)
				return true
			})
		}
	}
}

// showsRefusal says that the status of a waiting member shows that its binding was refused.
func (og *gangOrigins) showsRefusal(namespace, name string, m members) bool {
	p := og.l.observer.Pod(namespace, name)
	return p != nil && slices.Contains(m.waiting, p.Fact().UID) && p.NotScheduled == corev1.PodReasonSchedulerError
}

// never returns what may be recorded of a gang that stands half, nil if anything is in doubt. A member that another
// client bound puts the gang in doubt for good: that client may have bound more members.
func (t *reportedJob) never(job *ledger.Job, m members) *persisted.NeverComplete {
	if t.origin.mine == nil || len(m.bound) == 0 || job.Met((*ledger.Count).SurelyBound) {
		return nil
	}
	for _, uid := range m.bound {
		if done, asked := t.origin.mine[uid]; !done {
			t.complete = t.complete || !asked
			return nil
		}
	}
	return &persisted.NeverComplete{MinMember: job.MinMember, Bound: persisted.Digest(m.bound),
		Waiting: persisted.Digest(m.waiting), Unknown: t.origin.unknown}
}

// recordedFrom is the shortest backoff for which refusals are recorded: most refusals end before. A gang that stands
// half for as long is recorded, too, after however few refusals: others may have taken the room of the refused member,
// which then is not tried again, and only what is recorded is released.
const recordedFrom = 3 * time.Second

// writeRecord writes the record of refusals to a PodGroup, for a later process; with e nil it removes the record. It
// returns true if the PodGroup shows the record already.
func (og *gangOrigins) writeRecord(job *ledger.Job, t *reportedJob, group *schedulingv1beta1.PodGroup, e *refused,
	never *persisted.NeverComplete, now time.Time) bool {
	shown, there := group.Annotations[persisted.RefusedBindsKey]
	want := ""
	if e != nil && (there || backoffAfter(e.tries) >= recordedFrom ||
		never != nil && now.Sub(t.origin.half) >= recordedFrom) {
		want = e.record(never).Text()
	}
	if shown == want || want == "" && !there {
		return want != ""
	}
	if _, ours := recordOf(group, t.uid); want == "" && !ours {
		return false // another client's
	}
	if t.origin.lastRecord != want || now.Sub(t.origin.lastRecordAt) > untilShown {
		t.origin.lastRecord, t.origin.lastRecordAt = want, now
		og.l.executor.Record(groupOf(job), t.uid, want, nil)
	}
	return false
}

// untilShown is after how long a record is written again if the PodGroup does not show it.
const untilShown = 30 * time.Second

func (e *refused) record(never *persisted.NeverComplete) persisted.RefusedBinds {
	return persisted.RefusedBinds{UID: e.group, Controller: e.controller, Tries: e.tries, Next: time.Unix(0, e.next),
		Pod: e.pod.Name, Answer: e.answer, Never: never}
}

// takeBack returns what has to be done before a member of a gang is bound: the record that the gang never had its
// minimum must be gone before the gang can have it. nil: there is no such record.
func (og *gangOrigins) takeBack(job *ledger.Job, e *refused, now time.Time) func() bool {
	if job.Group == nil {
		return nil
	}
	const claims = `"neverComplete"`
	group := og.l.observer.PodGroup(job.Key.Namespace, job.Key.Name)
	t := og.l.reported.job(job.Key, job.GroupUID(), group, now)
	if !strings.Contains(t.origin.lastRecord, claims) && (group == nil ||
		!strings.Contains(group.Annotations[persisted.RefusedBindsKey], claims)) {
		return nil
	}
	value := e.record(nil).Text()
	t.origin.lastRecord, t.origin.lastRecordAt = value, now
	key, uid := groupOf(job), t.uid
	return func() bool {
		written := make(chan bool, 1)
		og.l.executor.Record(key, uid, value, func(yes bool) { written <- yes })
		return <-written
	}
}
