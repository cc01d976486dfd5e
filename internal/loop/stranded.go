package loop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/klog/v2"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/internal/kube/stranded"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// strandedGangs releases gangs that were never complete and cannot become so.
type strandedGangs struct {
	l *loop

	reader   *stranded.Reader
	readings []*reading    // under way, or answered lately
	suspects []suspectGang // of this round
}

// A gang stands half when some members are bound, and not its minimum with those of its roles and sub-groups. The
// engine goes on trying to complete it, as often as refusals let it (refusals.go). A gang gives its room back after
// Options.Stranded if it is known that it never had its minimum (origin.go) and if the API server has refused to bind a
// member. Then those of its bound members are deleted that a controller makes anew and that no guard protects. Before
// that the gang is read past every cache, an event says which members will be deleted, and when the time has come the
// gang is read again.

// strandedState is the state of a gang's release.
type strandedState struct {
	half     time.Time               // since when it does, zero when it does not
	about    persisted.NeverComplete // the members that the rest is about
	read     *reading                // under way; nil: none
	again    time.Time               // not read before
	pause    time.Duration           // from the last reading by which nothing may be deleted to the next
	going    map[string]bool         // UIDs of those that were said to be deleted
	due      time.Time               // and when; zero: nothing was said
	lastText string                  // last
	lastAt   time.Time               // when
}

const (
	reminded    = 10 * time.Minute // how often the same is said again, in the log
	firstPause  = 10 * time.Second // of strandedState; it doubles
	lastPause   = 10 * time.Minute
	longestRead = 30 * time.Second
	mostReads   = 4 // at once
)

// reading is a gang that is being read.
type reading struct {
	sight *stranded.Sight
	err   error
	done  chan struct{}
}

// suspectGang is a gang that was refused before, or that has a record of a refusal.
type suspectGang struct {
	id    ledger.JobID
	t     *reportedJob
	group *schedulingv1beta1.PodGroup
}

// look notes a gang if it is to be checked in this round.
func (sg *strandedGangs) look(id ledger.JobID, t *reportedJob, group *schedulingv1beta1.PodGroup) {
	job := sg.l.engine.Ledger().Job(id)
	if group == nil || string(group.UID) != t.uid || job.GroupUID() != t.uid {
		return
	}
	t.complete = t.complete || started(job) || t.hadMinimum(group)
	e := sg.l.refusals.memory.by[life{job.Key.Namespace, t.uid}]
	if _, there := group.Annotations[persisted.RefusedBindsKey]; !there {
		t.origin.met = true // a record that comes later is of somebody else, or this scheduler's own
		if e == nil && t.origin.half.IsZero() {
			return // as nearly all
		}
	}
	sg.suspects = append(sg.suspects, suspectGang{id, t, group})
}

// round checks the gangs that reports noted in this round: it writes the records of their refusals, and deletes members
// of gangs that can never be complete.
func (sg *strandedGangs) round(now time.Time) {
	for _, g := range sg.suspects {
		sg.check(g.id, g.t, g.group, now)
	}
	sg.suspects = nil
}

// check checks one of them.
func (sg *strandedGangs) check(id ledger.JobID, t *reportedJob, group *schedulingv1beta1.PodGroup, now time.Time) {
	led := sg.l.engine.Ledger()
	job := led.Job(id)
	e := sg.l.refusals.memory.by[life{job.Key.Namespace, t.uid}]
	if t.complete {
		t.origin.mine, t.origin.taken, t.origin.leaving, t.origin.unknown = nil, nil, nil, false
		t.origin.strandedState = strandedState{}
		sg.l.origins.writeRecord(job, t, group, e, nil, now)
		return
	}
	m := membersOf(led, id)
	deleting := t.origin.left(led)
	m.moving = deleting || m.moving
	if !deleting && t.origin.leaving != nil { // nil also after a panic, which forgets what is being deleted
		sg.l.refusals.endDeleted(job)
	}
	sg.l.origins.inherit(id, t, group, m)
	switch {
	case len(m.bound) == 0:
		t.origin.strandedState = strandedState{}
		if !m.moving {
			sg.l.origins.writeRecord(job, t, group, e, nil, now)
		}
		return
	case t.origin.half.IsZero():
		t.origin.half = now
	}
	if m.moving {
		return
	}
	claim := t.never(job, m)
	recorded := sg.l.origins.writeRecord(job, t, group, e, claim, now)
	switch {
	case e == nil:
	case claim == nil:
		sg.say(job, t, "GangStranded", half(job, m, e)+"; whether it ever had its minimum is not known: they stay", now)
	case recorded:
		sg.standsHalf(job, t, m, e, *claim, now)
	}
}

// half says whether a gang stands half, and why.
func half(job *ledger.Job, m members, e *refused) string {
	bound := fmt.Sprintf("%d of the %d members that it needs are bound", len(m.bound), job.MinMember)
	if len(m.bound) >= int(job.MinMember) {
		bound = fmt.Sprintf("%d members are bound, and a role or sub-group lacks its minimum", len(m.bound))
	}
	return fmt.Sprintf("gang %s: %s, and the API server refused %s (%s)", job.Key, bound, e.pod, e.answer)
}

// standsHalf reads a gang that is recorded to stand half, reports what will become of its members, and does it when it
// is time.
func (sg *strandedGangs) standsHalf(job *ledger.Job, t *reportedJob, m members, e *refused,
	claim persisted.NeverComplete, now time.Time) {
	s := &t.origin.strandedState
	if s.about != claim {
		*s = strandedState{half: s.half, about: claim, lastText: s.lastText, lastAt: s.lastAt}
	}
	switch {
	case s.read == nil:
		if !now.Before(s.again) {
			s.read = sg.readGang(groupOf(job))
		}
		return
	case !s.read.answered():
		return
	}
	v := sg.judge(job, t, s.read, claim)
	s.read = nil
	switch text := half(job, m, e); {
	case len(v.goes) == 0: // for now: it could not be read, a pod is just leaving, a budget allows none
		s.pause = min(max(2*s.pause, firstPause), lastPause)
		s.due, s.again = time.Time{}, now.Add(s.pause)
		sg.say(job, t, "GangStranded", text+v.stay(), now)
	case s.due.IsZero():
		s.pause = 0
		s.due, s.going = later(s.half.Add(sg.l.o.Stranded), now.Add(round)), map[string]bool{}
		for _, p := range v.goes {
			s.going[p.UID] = true
		}
		s.again = s.due
		sg.say(job, t, "GangStranded", fmt.Sprintf(
			"%s; unless it is complete at %s, %d of them are deleted, to be made anew by their controllers%s",
			text, s.due.UTC().Format(time.RFC3339), len(v.goes), v.stay()), now)
	case time.Duration(e.next-sg.l.now()).Abs() < 2*round:
		s.again = now // it is about to be tried once more: perhaps it is complete then
	default:
		sg.l.refusals.backoffWhileDeleted(job, e)
		sg.release(job, t, v, text, now)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// release deletes the members that were reported before and that may still be deleted.
func (sg *strandedGangs) release(job *ledger.Job, t *reportedJob, v verdict, text string, now time.Time) {
	n := 0
	for _, p := range v.goes {
		if t.origin.going[p.UID] {
			n++
			key := ledger.Key{Namespace: job.Key.Namespace, Name: p.Name}
			if t.origin.leaving == nil {
				t.origin.leaving = map[string]ledger.Key{}
			}
			t.origin.leaving[p.UID] = key
			sg.l.executor.Release(key, p.UID, text)
		}
	}
	sg.say(job, t, "GangReleased", fmt.Sprintf("%s: %d of them are deleted%s", text, n, v.stay()), now)
	t.origin.strandedState = strandedState{half: now, again: now.Add(sg.l.o.Stranded), lastText: t.origin.lastText,
		lastAt: t.origin.lastAt}
}

// answered notes what became of a deletion. A fact tells of one that was carried out. After one that failed the member
// stays, and may be released again.
func (sg *strandedGangs) answered(r sched.Receipt) {
	if !execute.OfRelease(r.Item) || r.Outcome != sched.Failed {
		return
	}
	led := sg.l.engine.Ledger()
	if id, ok := led.Tasks.Find(r.Item.Pod); ok && led.Task(id).Job != ledger.NoJob {
		if t := sg.l.reported.jobs[led.Job(led.Task(id).Job).Key]; t != nil {
			delete(t.origin.leaving, r.Item.UID)
		}
	}
}

// left takes the members off that are seen to be deleted, and returns true if others are still to be.
func (o *origin) left(led *ledger.Ledger) bool {
	for uid, key := range o.leaving {
		id, ok := led.Tasks.Find(key)
		switch {
		case !ok || led.Task(id).Pod.UID != uid || led.Task(id).Status == model.Releasing:
			delete(o.leaving, uid)
			delete(o.mine, uid)
			delete(o.taken, uid)
		case led.Task(id).Status.Finished():
			delete(o.leaving, uid) // by itself: it was bound, and counts
		}
	}
	return len(o.leaving) > 0
}

// say reports a gang that stands half: by an event when the message changes, and in the log from time to time.
func (sg *strandedGangs) say(job *ledger.Job, t *reportedJob, reason, text string, now time.Time) {
	s := &t.origin.strandedState
	if text == s.lastText && now.Sub(s.lastAt) < reminded {
		return
	}
	klog.InfoS("A gang stands below its minimum", "job", job.Key, "reason", reason, "message", text)
	if text != s.lastText {
		sg.l.executor.Event(execute.Event{Kind: "PodGroup", Object: groupOf(job), UID: t.uid, Warning: true, Reason: reason,
			Message: text})
	}
	s.lastText, s.lastAt = text, now
}

// errUnread says that a bug ended the reading of a gang.
var errUnread = errors.New("reading it made the scheduler panic, which is a bug in ashlar")

// readGang starts to read a gang in another goroutine; nil while others are read.
func (sg *strandedGangs) readGang(group ledger.Key) *reading {
	if len(sg.readings) >= mostReads {
		sg.readings = slices.DeleteFunc(sg.readings, (*reading).answered)
	}
	if len(sg.readings) >= mostReads {
		return nil
	}
	k := &reading{err: errUnread, done: make(chan struct{})}
	sg.readings = append(sg.readings, k)
	crash.Handler(sg.l.panicked).Go("reading a gang", func() {
		defer close(k.done)
		ctx, cancel := context.WithTimeout(context.Background(), longestRead)
		defer cancel()
		k.sight, k.err = sg.reader.Look(ctx, group.Namespace, group.Name)
	})
	return k
}

func (k *reading) answered() bool {
	select {
	case <-k.done:
		return true
	default:
		return false
	}
}

// verdict is which members of a gang may be deleted, and why others stay.
type verdict struct {
	goes  []stranded.Member
	stays map[string][]string // names by reason
}

// stay says which members stay and why.
func (v verdict) stay() string {
	var out strings.Builder
	for _, why := range slices.Sorted(maps.Keys(v.stays)) {
		names := v.stays[why]
		list := strings.Join(names[:min(len(names), 3)], ", ")
		if len(names) > 3 {
			list += fmt.Sprintf(" and %d more", len(names)-3)
		}
		fmt.Fprintf(&out, "; %s stay: %s", list, why)
	}
	return out.String()
}

// judge says which members of a gang may be deleted, by what was read and by the guards: none, if it is in doubt
// whether the record is about this gang.
func (sg *strandedGangs) judge(job *ledger.Job, t *reportedJob, k *reading, claim persisted.NeverComplete) verdict {
	v := verdict{stays: map[string][]string{}}
	if why := doubts(t, k, claim); why != "" {
		v.stays[why] = []string{"all"}
		return v
	}
	var keys []ledger.Key
	for _, m := range k.sight.Members {
		switch {
		case !m.Bound:
		case m.Protected != "":
			v.stays[m.Protected] = append(v.stays[m.Protected], m.Name)
		default:
			v.goes = append(v.goes, m)
			keys = append(keys, ledger.Key{Namespace: job.Key.Namespace, Name: m.Name})
		}
	}
	guarded := sg.l.engine.DeletionRefusals(keys)
	n := 0
	for i, m := range v.goes {
		if why := explain.Sentence(guarded[i]); why != "" {
			v.stays[why] = append(v.stays[why], m.Name)
			continue
		}
		v.goes[n] = m
		n++
	}
	v.goes = v.goes[:n]
	return v
}

// doubts says why the gang that was read may not be the one of the record, which says that the gang never had its
// minimum; "" without a doubt.
func doubts(t *reportedJob, k *reading, claim persisted.NeverComplete) string {
	if k.err != nil {
		return k.err.Error()
	}
	g := k.sight.Group
	r, ours := recordOf(g, t.uid)
	var bound, waiting []string
	for _, m := range k.sight.Members {
		switch {
		case m.Leaving:
			return "one of its pods is being deleted"
		case m.Bound:
			bound = append(bound, m.UID)
		default:
			waiting = append(waiting, m.UID)
		}
	}
	switch {
	case string(g.UID) != t.uid || g.DeletionTimestamp != nil:
		return "its PodGroup is gone or being deleted"
	case t.hadMinimum(g):
		return "its PodGroup says that it had its minimum"
	case !ours || r.Never == nil || *r.Never != claim:
		return "the record on its PodGroup is another"
	case !claim.Holds(g.Spec.MinMember, bound, waiting):
		return "its members or its minimum are not those of the record"
	}
	return ""
}
