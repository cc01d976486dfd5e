package readapi

import (
	"net/http"
	"strings"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/access"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// recallPace bounds what histories cost: a recording is gone through for at most this part of the time of one core.
const recallPace = 10

// past reads the path of a history: /v1/history/job/NAMESPACE/NAME.
func past(escaped string) (subject, bool) {
	rest, ok := strings.CutPrefix(escaped, "/v1/history/job/")
	if !ok {
		return subject{}, false
	}
	return subjectOf("/v1/why/job/" + rest)
}

// history answers what happened to a job, as far as the scheduler has recorded it.
func (o subject) history(s *Server, w http.ResponseWriter, r *http.Request, u *access.User) error {
	v := newView(r.Context(), s.access, u)
	if !o.allowed(v) {
		if v.err != nil {
			return v.err
		}
		return forbidden(u, o.question())
	}
	if r.Method == http.MethodHead {
		return nil
	}
	if _, asks := s.recallers.LoadOrStore(access.Share(u), true); asks {
		return &refusal{code: http.StatusTooManyRequests, reason: "TooManyRequests",
			message: "another history is being read for user " + access.Share(u), retry: 1}
	}
	defer s.recallers.Delete(access.Share(u))
	p := &recalled{finding: finding{subject: o}}
	if err := s.o.Scheduler.Ask(r.Context(), Brief, p.read); err != nil {
		return err
	}
	if !p.kept {
		return refuse(http.StatusNotFound, "NotFound", "this scheduler keeps no recording (--recording-memory)")
	}
	if len(p.called) > 0 {
		return refuse(http.StatusNotFound, "NotFound", p.missing())
	}
	if err := p.recall(s, r); err != nil {
		return err
	}
	out := p.render(v)
	if v.err != nil {
		return v.err
	}
	if !p.known && len(out.Moments) == 0 {
		return refuse(http.StatusNotFound, "NotFound", p.missing())
	}
	return s.write(w, r, out)
}

// recalled is what a scheduler remembers of a job.
type recalled struct {
	finding
	lately  recording.Lately
	kept    bool
	reasons []ReportedReason
	pods    map[ledger.Key]bool
	cycles  []recording.OfJob
}

// recall goes through the recording. One does so at a time, and pauses then.
func (p *recalled) recall(s *Server, r *http.Request) error {
	select {
	case s.recalling <- struct{}{}:
	case <-r.Context().Done():
		return &Unready{Reason: Busy, Message: "other histories are being read: ask again in a moment"}
	}
	began := time.Now()
	defer func() { time.AfterFunc((recallPace-1)*time.Since(began), func() { <-s.recalling }) }()
	p.cycles = p.lately.Job(p.namespace+"/"+p.name, p.pods)
	return nil
}

// read takes what belongs to the job. The recording itself is gone through in another goroutine.
func (p *recalled) read(e *sched.Engine, m Moment) {
	if m.Recorder == nil {
		return
	}
	if p.lately, p.kept = m.Recorder.Lately(); !p.kept {
		return
	}
	p.finding.read(e, m)
	p.pods = map[ledger.Key]bool{}
	if p.known {
		p.name = p.job.Job.Name
		for i := range p.job.Pods {
			p.pods[ledger.Key{Namespace: p.job.Pods[i].Namespace, Name: p.job.Pods[i].Name}] = true
		}
	}
	p.reasons = m.Recorder.Reasons(p.namespace, p.name)
}

// render makes the document, without names that the user may not see.
func (p *recalled) render(v *view) *explain.History {
	out := explain.NewHistory(p.namespace, p.name, explain.Basis{Source: "scheduler",
		Time: p.At.UTC().Format(time.RFC3339), Configuration: "that of the scheduler"})
	out.Since = explain.Stamp(p.lately.Since)
	out.Notes = append(out.Notes, "the scheduler that acts knows it from "+out.Since+" on: before that another one "+
		"acted, or it is kept no more")
	told := p.reasons
	for _, c := range p.cycles {
		for len(told) > 0 && told[0].At < c.Now {
			out.Moments, told = append(out.Moments, why(told[0])), told[1:]
		}
		if m := p.moment(v, &c); len(m.What) > 0 {
			out.Moments = append(out.Moments, m)
		}
	}
	for _, t := range told {
		out.Moments = append(out.Moments, why(t))
	}
	if p.known && p.job.Job.Reason.Is() {
		v.hideQueues(&p.job.Job.Reason, p.job.Job.Queue)
		out.Now = explain.Sentence(p.job.Job.Reason)
	}
	return out
}

func why(t ReportedReason) explain.Happens {
	return explain.Happens{Cycle: t.Cycle, Time: explain.Stamp(t.At), What: []string{"waits: " + t.Why}}
}

// moment is a cycle in sentences.
func (p *recalled) moment(v *view, c *recording.OfJob) explain.Happens {
	m := explain.Happens{Cycle: c.Cycle, Time: explain.Stamp(c.Now)}
	var changes []explain.ObjectChange
	for i := range c.Is {
		if change, known := explain.ChangeOf(c.Is[i], c.Was[i]); known {
			changes = append(changes, change)
		}
	}
	m.What = explain.Alike(p.namespace, changes)
	for _, r := range c.Receipts {
		if r.Outcome == sched.Done {
			continue
		}
		text := "answer: " + explain.Decision(v.item(p.namespace+"/"+p.name, r.Item)) + ": " +
			recording.OutcomeName(r.Outcome)
		if r.Refused != "" {
			text += ": " + r.Refused
		}
		m.What = append(m.What, text)
	}
	for _, i := range c.Items {
		m.What = append(m.What, explain.Decision(v.item(p.namespace+"/"+p.name, i)))
	}
	if c.Open {
		m.What = append(m.What, "the cycle panicked")
	}
	return m
}

// item is one of a job without the names that the user may not see. The job's own queue is known to its owner.
func (v *view) item(job string, i sched.Item) sched.Item {
	i.Pod, i.Preemptor = v.pod(i.Pod), v.pod(i.Preemptor)
	if i.Record == nil {
		return i
	}
	w := *i.Record
	other, held := &w.Queue, &w.QueueHeld
	if w.Job == job {
		other, held = &w.PreemptorQueue, &w.PreemptorQueueHeld
	}
	if w.Queue != w.PreemptorQueue && *other != "" && !v.queue(*other) {
		*other, *held = another, nil
	}
	w.Task, w.Job, w.Preemptor, w.PreemptorJob = v.one(w.Task), v.one(w.Job), v.one(w.Preemptor), v.one(w.PreemptorJob)
	i.Record = &w
	return i
}

func (v *view) pod(k ledger.Key) ledger.Key {
	if k == (ledger.Key{}) || v.namespace(k.Namespace) {
		return k
	}
	return ledger.Key{Namespace: another, Name: another}
}

// one is a name, namespace/name, as the user may see it; "" stays so.
func (v *view) one(name string) string {
	if name == "" {
		return ""
	}
	return v.shown([]string{name})[0]
}
