package loop

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// reported has what was written to which object, so that nothing is written twice before the API shows it. After a
// restart it is read from the API.
type reported struct {
	jobs   map[ledger.JobKey]*reportedJob
	queues map[string]reportedQueue
	shard  writtenShard
	round  uint64
}

// reportedJob is what was written about a job.
type reportedJob struct {
	uid   string
	round uint64    // last seen in
	read  time.Time // when something was last said, or what the API shows was last believed

	code         string // why it waits, "" when it does not
	since        time.Time
	due          time.Time         // when it may be told
	written      string            // the code that its PodGroup was told last, "" when nothing holds
	changes      int               // how often it was told another in this wait
	writtenReady bool              // its PodGroup was told that it had its minimum
	pods         map[string]string // the reason that was said on a pod, and the number of the text, by UID
	text         reportedText
	looked       bool // at what its pods showed when this process saw it first

	counts execute.Counts // that were said
	wanted execute.Counts // as seen in the last round
	still  time.Time      // since when wanted has not changed
	wrong  time.Time      // since when the counts that were said are not true, zero when they are

	phase     model.GroupPhase // that was written last
	heldPhase *sched.Item      // a phase that waits for words to go with it, nil without
	heldSince time.Time

	ready    bool      // it was seen to start
	readyAt  time.Time // when, as far as that is known
	started  time.Time // since when its minimum is bound, zero when it is not
	charged  time.Time // since when members of it count in its queue until they end, zero when none does
	complete bool      // it had its minimum once, or may have had
	origin   origin    // what is known of it while it had not
}

// reportedQueue has the amounts that were written for a queue, and the time.
type reportedQueue struct {
	uid, amounts string
	at           time.Time
}

func newReported() *reported {
	return &reported{jobs: map[ledger.JobKey]*reportedJob{}, queues: map[string]reportedQueue{}}
}

// believed is for how long a write is taken to have succeeded. After that the object in the API counts: a write that
// was lost, or that another client overwrote, is repeated.
const believed = 5 * time.Minute

// job returns what was written about a job with its present UID; at first sight, what its PodGroup shows.
func (t *reported) job(key ledger.JobKey, uid string, group *schedulingv1beta1.PodGroup, now time.Time) *reportedJob {
	j := t.jobs[key]
	if j == nil || j.uid != uid {
		j = &reportedJob{uid: uid, pods: map[string]string{}}
		t.jobs[key] = j
	}
	if now.Sub(j.read) > believed {
		j.believe(group, now)
	}
	j.round = t.round
	return j
}

// believe takes what a PodGroup shows as what was written.
func (t *reportedJob) believe(group *schedulingv1beta1.PodGroup, now time.Time) {
	t.read = now
	clear(t.pods)
	t.text.number = 0 // its pods need no other text before the next
	if group == nil || string(group.UID) != t.uid {
		return
	}
	t.written, t.writtenReady = "", false
	t.counts = execute.Counts{Running: group.Status.Running, Succeeded: group.Status.Succeeded,
		Failed: group.Status.Failed}
	t.phase = shownPhase(group)
	t.complete = t.complete || t.hadMinimum(group)
	for _, c := range group.Status.Conditions {
		switch {
		case c.Status != corev1.ConditionTrue:
		case c.Type == schedulingv1beta1.PodGroupUnschedulableType:
			t.written, t.text.message = c.TransitionID, c.Message
		case c.Type == schedulingv1beta1.PodGroupScheduled:
			t.writtenReady = true
			if !t.ready {
				t.ready, t.readyAt = true, c.LastTransitionTime.Time
			}
		}
	}
}

// start is when a job had its minimum first, 0 if that is not known.
func (t *reported) start(job *ledger.Job) int64 {
	if j := t.jobs[job.Key]; j != nil && !j.readyAt.IsZero() {
		return j.readyAt.UnixNano()
	}
	return 0
}

// forget drops the jobs that were not seen in this round, and the queues that are gone.
func (t *reported) forget(led *ledger.Ledger) {
	for k, j := range t.jobs {
		if j.round != t.round {
			delete(t.jobs, k)
		}
	}
	for name := range t.queues {
		if id, named := led.Queues.Find(name); !named || led.Queue(id).Fact == nil {
			delete(t.queues, name)
		}
	}
}

// untilRunning is how long the phase Running waits for a gang's members to run, so that their
// number is written with it. It waits no longer: while kubelets pull images, the status should
// not say that the gang waits.
const untilRunning = 10 * time.Second

// mayReportStart says that the start of a gang may be reported.
func (t *reportedJob) mayReportStart(job *ledger.Job, now time.Time) bool {
	return job.By[model.Bound]+job.By[model.Binding] == 0 || now.Sub(t.started) >= untilRunning || t.misleads(now)
}

// untilCounted is how long a PodGroup may show wrong counts of its members. Counts change with every member: the
// changes of some seconds are one write, together with other changes of the status. With the time of a round and of the
// write, counts are right within five seconds.
const untilCounted = 2500 * time.Millisecond

// count notes the counts of a job's members.
func (t *reportedJob) count(job *ledger.Job, now time.Time) {
	counts := execute.Counts{Running: job.By[model.Running], Succeeded: job.By[model.Succeeded],
		Failed: job.By[model.Failed]}
	if counts != t.wanted {
		t.wanted, t.still = counts, now
	}
	switch {
	case counts == t.counts:
		t.wrong = time.Time{}
	case t.wrong.IsZero():
		t.wrong = now
	}
}

// misleads says that the counts that a PodGroup shows have been wrong for untilCounted.
func (t *reportedJob) misleads(now time.Time) bool {
	return !t.wrong.IsZero() && now.Sub(t.wrong) >= untilCounted
}

// counted says that a job's counts are to be written by themselves.
func (t *reportedJob) counted(job *ledger.Job, now time.Time) bool {
	if job.Phase == model.GroupCompleted && t.heldPhase != nil && t.wanted != t.counts {
		return now.After(t.still) // its last ones, with the phase
	}
	return t.misleads(now)
}

// startUnwritten says that the start of a gang was not written to its PodGroup yet.
func (t *reportedJob) startUnwritten() bool { return !t.writtenReady || t.written != "" }

// codeOf is a reason's code with the codes of its causes. A reason is written again when this changes. Codes that hold
// for a moment only are left out: users need not see them.
func codeOf(r trace.Reason) string {
	switch r.Code {
	case trace.BindInFlight, trace.NoPods:
		return ""
	}
	code := string(r.Code)
	for c := r.Cause; c != nil; c = c.Cause {
		code += "." + string(c.Code)
	}
	if r.Never != nil {
		code += "." + string(r.Never.Code)
	}
	if r.Code == trace.BindRefused { // each refusal is another: the next try is later
		code += "." + strconv.Itoa(r.Have)
	}
	return code
}

// volcanos is the reason in a PodGroup's condition: Volcano's where pods or room are missing, else the code. A proof
// that nodes can never hold it comes first, as in the message.
func volcanos(r trace.Reason) string {
	if r.Never != nil && r.Never.Code != trace.QueueTooSmall {
		return schedulingv1beta1.NotEnoughResourcesReason
	}
	code := r.Root().Code
	switch code {
	case trace.NotEnoughTasks, trace.SubGroupIncomplete, trace.NoPods:
		return schedulingv1beta1.NotEnoughPodsReason
	case trace.NotEnoughPodsOfTask:
		return schedulingv1beta1.NotEnoughPodsOfTaskReason
	}
	if !code.OfNodes() && !code.OfTopology() && code != trace.PipelinedOnReleasing &&
		code != trace.Reserved && code != trace.RoomKept && code != trace.StartPlanned {
		return string(code) // more room would change nothing
	}
	return schedulingv1beta1.NotEnoughResourcesReason
}
