package loop

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/record"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// gangOrigins keeps what was bound of each gang, and records it on PodGroups, so that a later process knows.
type gangOrigins struct {
	l *loop
}

// origin is what is known of how the bound members of a gang came to be bound, while it has
// not had its minimum: that alone may be taken apart (decision 36). Knowledge is that this
// process began to bind the gang while no member was bound, and bound all that are; or that a
// record of an earlier one says so of just these pods. Whatever may have had its minimum is in
// doubt for good.
type origin struct {
	// mine are the UIDs of the members that this scheduler asked to be bound since none was: true
	// where they are. nil: nothing is known of those that are bound.
	mine    map[string]bool
	taken   int    // how many of them are
	met     bool   // it was looked for a record
	unknown bool   // its phase Unknown is this scheduler's word, or that of one before
	asked   string // the record that was asked to be written last
	askedAt time.Time
	strandedState
}

// begin records gangs in a plan without a member that was ever known to be bound, and which of
// their members are bound now.
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

// beginOne is the members of a gang that this scheduler has bound, nil where it does not know of all.
func (og *gangOrigins) beginOne(job *ledger.Job, now time.Time) map[string]bool {
	if job.Group == nil || job.MinMember < 2 {
		return nil
	}
	t := og.l.reported.job(job.Key, job.Group.UID, og.l.seen.PodGroup(job.Key.Namespace, job.Key.Name), now)
	if !t.complete && t.origin.mine == nil && untouched(job) {
		t.origin.mine, t.origin.met = map[string]bool{}, true
	}
	return t.origin.mine
}

// untouched says that no member of a job has a node, or had one.
func untouched(job *ledger.Job) bool {
	return job.By[model.Bound]+job.By[model.Running]+job.By[model.Succeeded]+job.By[model.Failed]+job.By[model.Unknown]+
		job.By[model.Releasing] == 0
}

// follow takes in what became of bindings: those that were done; refusals (refusals.go) take in those that the API
// server refused for good. The engine has received the same receipts before, here and where it is made anew: so a
// gang's members are counted as facts and receipts leave them, without the binding that was refused.
func (og *gangOrigins) follow(receipts []sched.Receipt) {
	led := og.l.engine.Ledger()
	for _, r := range receipts {
		if r.Item.Kind != sched.BindPod || r.Outcome != sched.Done {
			if r.Refused != "" {
				og.l.refusals.take(r)
			}
			continue
		}
		id, ok := led.Tasks.Find(r.Item.Pod)
		if !ok || led.Task(id).Job == ledger.NoJob {
			continue
		}
		job := led.Job(led.Task(id).Job)
		if t := og.l.reported.jobs[job.Key]; t != nil && t.origin.mine != nil && t.uid == lifeOf(job) {
			if !t.origin.mine[r.Item.UID] {
				t.origin.mine[r.Item.UID] = true
				t.origin.taken++
			}
			if t.origin.taken >= int(job.MinMember) { // whether or not all at one time
				t.complete, t.origin.mine = true, nil
			}
		}
	}
}

// hadMinimum says that some client has seen a gang with its minimum: a phase or a condition of
// its PodGroup never permits a release, and may forbid it. Unknown is
// said of gangs that ran and of those that never did: it counts where it is another's word.
func (t *reportedJob) hadMinimum(group *schedulingv1beta1.PodGroup) bool {
	for _, c := range group.Status.Conditions {
		if c.Type == schedulingv1beta1.PodGroupScheduled && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	phase := shownPhase(group)
	return ran(phase) || phase == model.GroupUnknown && !t.origin.unknown && !saidUnknown(group, t.uid)
}

// ran says that a phase is that of a gang that had its minimum.
func ran(p model.GroupPhase) bool { return p == model.GroupRunning || p == model.GroupCompleted }

// saidUnknown says that an earlier scheduler of this kind has said of a gang that never had
// its minimum that it is Unknown.
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

// inherit looks, when a gang is met first, whether a record says of just its members that
// it never had its minimum, and the refused one's status agrees. The right to write the PodGroup
// includes the record, but not the status of a pod.
func (og *gangOrigins) inherit(job *ledger.Job, t *reportedJob, group *schedulingv1beta1.PodGroup, m members) {
	if t.origin.met {
		return
	}
	t.origin.met = true
	if r, ok := recordOf(group, t.uid); ok && r.Never.Holds(job.MinMember, m.bound, m.waiting) &&
		og.showsRefusal(job.Key.Namespace, r.Pod, m) {
		t.origin.mine, t.origin.unknown = map[string]bool{}, r.Never.Unknown
		for _, uid := range m.bound {
			t.origin.mine[uid] = true
		}
		t.origin.taken = len(m.bound)
	}
}

// showsRefusal says that a member that waits shows in its status that its binding was refused.
func (og *gangOrigins) showsRefusal(namespace, name string, m members) bool {
	p := og.l.seen.Pod(namespace, name)
	return p != nil && slices.Contains(m.waiting, p.Fact().UID) && p.NotScheduled == corev1.PodReasonSchedulerError
}

// claim is what may be recorded of a gang that stands half: nil where anything is in doubt. A
// member that somebody else bound puts all in doubt for good: there may have been more of them.
func (t *reportedJob) claim(job *ledger.Job, m members) *record.Never {
	if t.origin.mine == nil || len(m.bound) == 0 || len(m.bound) >= int(job.MinMember) {
		return nil
	}
	for _, uid := range m.bound {
		if done, asked := t.origin.mine[uid]; !done {
			t.complete = t.complete || !asked
			return nil
		}
	}
	return &record.Never{MinMember: job.MinMember, Bound: record.Digest(m.bound), Waiting: record.Digest(m.waiting),
		Unknown: t.origin.unknown}
}

// recordedFrom is the pause from which on refusals are recorded: most are over before.
const recordedFrom = 3 * time.Second

// keep has written on a PodGroup what is to be known of its refusals after a restart,
// e nil for none, and says that it shows that.
func (og *gangOrigins) keep(job *ledger.Job, t *reportedJob, group *schedulingv1beta1.PodGroup, e *refused,
	claim *record.Never, now time.Time) bool {
	shown, there := group.Annotations[record.Key]
	want := ""
	if e != nil && (there || pauseAfter(e.tries) >= recordedFrom) {
		want = e.record(claim).Text()
	}
	if shown == want || want == "" && !there {
		return want != ""
	}
	if _, ours := recordOf(group, t.uid); want == "" && !ours {
		return false // somebody else's
	}
	if t.origin.asked != want || now.Sub(t.origin.askedAt) > untilShown {
		t.origin.asked, t.origin.askedAt = want, now
		og.l.executor.Record(groupOf(job), t.uid, want, nil)
	}
	return false
}

// untilShown is how long a record may take to be shown before it is asked for again.
const untilShown = 30 * time.Second

func (e *refused) record(claim *record.Never) record.Record {
	return record.Record{UID: e.group, Controller: e.controller, Tries: e.tries, Next: time.Unix(0, e.next),
		Pod: e.pod.Name, Answer: e.answer, Never: claim}
}

// takeBack is what has to be done before a member of a gang is bound: that it never had its
// minimum must not be read of it once it has. nil: nothing was claimed.
func (og *gangOrigins) takeBack(job *ledger.Job, e *refused, now time.Time) func() bool {
	if job.Group == nil {
		return nil
	}
	const claims = `"neverComplete"`
	group := og.l.seen.PodGroup(job.Key.Namespace, job.Key.Name)
	t := og.l.reported.job(job.Key, lifeOf(job), group, now)
	if !strings.Contains(t.origin.asked, claims) && (group == nil ||
		!strings.Contains(group.Annotations[record.Key], claims)) {
		return nil
	}
	value := e.record(nil).Text()
	t.origin.asked, t.origin.askedAt = value, now
	key, uid := groupOf(job), t.uid
	return func() bool {
		written := make(chan bool, 1)
		og.l.executor.Record(key, uid, value, func(yes bool) { written <- yes })
		return <-written
	}
}
