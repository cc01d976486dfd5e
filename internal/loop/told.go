package loop

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/carry"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// told is what was said of what, so that nothing is said twice. It is a bridge to the
// time when the API shows it; after a restart it is read from there.
type told struct {
	jobs   map[ledger.JobKey]*toldJob
	queues map[string]toldQueue
	round  uint64
}

// toldJob is what is known to be said about a job.
type toldJob struct {
	uid   string
	round uint64    // last seen in
	read  time.Time // when something was last said, or what the API shows was last believed

	code      string // why it waits, "" when it does not
	since     time.Time
	said      string            // the code that its PodGroup was told last, "" when nothing holds
	changes   int               // how often it was told another in this wait
	saidReady bool              // its PodGroup was told that it had its minimum
	pods      map[string]string // the reason that was said on a pod, by UID

	counts    carry.Counts // that were said
	wanted    carry.Counts // as seen in the last round
	still     time.Time    // since when wanted has not changed
	wrong     time.Time    // since when the counts that were said are not true, zero when they are
	countedAt time.Time    // when counts were last said alone

	phase     model.GroupPhase // that was written last
	kept      *sched.Item      // a phase that waits for words to go with it, nil without
	keptSince time.Time

	ready   bool      // it had its minimum once
	started time.Time // since when its minimum is bound, zero when it is not
	half    time.Time // since when it stands below its minimum, zero when it does not
	stuck   stranded
}

// toldQueue is the amounts that were written of a queue, and when.
type toldQueue struct {
	uid, amounts string
	at           time.Time
}

func newTold() *told {
	return &told{jobs: map[ledger.JobKey]*toldJob{}, queues: map[string]toldQueue{}}
}

// believed is for how long what was said is taken to be shown, or soon to be. After that
// the API is looked at: a word that got lost, or that somebody overwrote, is said again.
const believed = 5 * time.Minute

// job returns what was said of a job's present life, at first sight by what its
// PodGroup shows.
func (t *told) job(key ledger.JobKey, uid string, group *schedulingv1beta1.PodGroup, now time.Time) *toldJob {
	j := t.jobs[key]
	if j == nil || j.uid != uid {
		j = &toldJob{uid: uid, pods: map[string]string{}}
		t.jobs[key] = j
	}
	if now.Sub(j.read) > believed {
		j.believe(group, now)
	}
	j.round = t.round
	return j
}

// believe takes what a PodGroup shows for what was said.
func (t *toldJob) believe(group *schedulingv1beta1.PodGroup, now time.Time) {
	t.read = now
	clear(t.pods)
	if group == nil || string(group.UID) != t.uid {
		return
	}
	t.said, t.saidReady = "", false
	t.counts = carry.Counts{Running: group.Status.Running, Succeeded: group.Status.Succeeded, Failed: group.Status.Failed}
	t.phase = shownPhase(group)
	for _, c := range group.Status.Conditions {
		switch {
		case c.Status != corev1.ConditionTrue:
		case c.Type == schedulingv1beta1.PodGroupUnschedulableType:
			t.said = c.TransitionID
		case c.Type == schedulingv1beta1.PodGroupScheduled:
			t.saidReady = true
			// Volcano says so before it binds, and gives its conditions an ID: what it left may be half.
			t.ready = t.ready || c.TransitionID == ""
		}
	}
}

// forget drops the jobs that were not seen in this round.
func (t *told) forget() {
	for k, j := range t.jobs {
		if j.round != t.round {
			delete(t.jobs, k)
		}
	}
}

// That a gang started is said when its members run, so that their number goes with it.
// Where kubelets take longer than that, it is said without: early where the PodGroup says
// that it waits, which is no longer true, and later where nothing false is shown.
const (
	untilTrue    = 10 * time.Second
	untilRunning = time.Minute
)

// settled says that a gang that has started may be said to have.
func (t *toldJob) settled(job *ledger.Job, now time.Time) bool {
	patience := untilRunning
	if t.said != "" {
		patience = untilTrue
	}
	return job.By[model.Bound]+job.By[model.Binding] == 0 || now.Sub(t.started) >= patience
}

// Figures of a PodGroup's members change with every member. They go with whatever else is
// said. Alone they are said, at most once in seldom, when they have come to an end and
// stood still for a while, or were wrong for long.
const (
	stillFor = 10 * time.Second
	seldom   = time.Minute
)

// counted takes a job's figures and says that they are worth a write of their own.
func (t *toldJob) counted(job *ledger.Job, counts carry.Counts, now time.Time) bool {
	if counts != t.wanted {
		t.wanted, t.still = counts, now
	}
	if counts == t.counts {
		t.wrong = time.Time{}
		return false
	}
	if t.wrong.IsZero() {
		t.wrong = now
	}
	if job.Phase == model.GroupCompleted && t.kept != nil {
		return now.After(t.still) // its last ones, with the phase
	}
	if now.Sub(t.countedAt) < seldom || !t.started.IsZero() && t.unsaid() {
		return false
	}
	starting := job.By[model.Bound] + job.By[model.Binding]
	finished := job.By[model.Succeeded] + job.By[model.Failed]
	ended := starting == 0 && (finished == 0 || job.By[model.Running] == 0)
	return ended && now.Sub(t.still) >= stillFor || now.Sub(t.wrong) >= seldom
}

// unsaid says that a PodGroup was not told yet that its gang started.
func (t *toldJob) unsaid() bool { return !t.saidReady || t.said != "" }

// codeOf is a reason's code with those of its causes: what must differ for a reason to
// be another. Codes of a moment are none: nobody needs to read of them.
func codeOf(r trace.Reason) string {
	switch r.Code {
	case trace.BindInFlight, trace.NoPods:
		return ""
	}
	code := string(r.Code)
	for c := r.Cause; c != nil; c = c.Cause {
		code += "." + string(c.Code)
	}
	return code
}

// volcanos is the reason that Volcano would give in a PodGroup's condition.
func volcanos(r trace.Reason) string {
	switch r.Root().Code {
	case trace.NotEnoughTasks, trace.NoPods:
		return schedulingv1beta1.NotEnoughPodsReason
	case trace.NotEnoughPodsOfTask:
		return schedulingv1beta1.NotEnoughPodsOfTaskReason
	}
	return schedulingv1beta1.NotEnoughResourcesReason
}
