package readapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/access"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// another stands for a name that a user may not see.
const another = explain.Hidden

// mostNames bounds among how many names the nearest to a wrong one is looked for.
const mostNames = 2000

// subject is what a question is about: /v1/why/job/NAMESPACE/NAME, /v1/why/pod/NAMESPACE/NAME, /v1/why/queue/NAME or
// /v1/why/node/NAME. Each part may be escaped.
type subject struct{ kind, namespace, name string }

// subjectOf reads a path.
func subjectOf(escaped string) (s subject, ok bool) {
	rest, ok := strings.CutPrefix(escaped, "/v1/why/")
	parts := strings.Split(rest, "/")
	for i := range parts {
		plain, err := url.PathUnescape(parts[i])
		if err != nil || plain == "" {
			return subject{}, false
		}
		parts[i] = plain
	}
	switch kind := parts[0]; {
	case ok && len(parts) == 3 && (kind == "job" || kind == "pod"):
		return subject{kind, parts[1], parts[2]}, true
	case ok && len(parts) == 2 && (kind == "queue" || kind == "node"):
		return subject{kind: kind, name: parts[1]}, true
	}
	return subject{}, false
}

// question is the right that one needs to ask.
func (o subject) question() access.Question {
	switch o.kind {
	case "queue":
		return access.GetQueue(o.name)
	case "node":
		return access.ListNodes()
	default:
		return access.ListPods(o.namespace)
	}
}

// why answers with the document of `ashlar why -o json`.
func (o subject) why(s *Server, w http.ResponseWriter, r *http.Request, u *access.User) error {
	v := newView(r.Context(), s.access, u)
	if !o.allowed(v) {
		if v.err != nil {
			return v.err
		}
		return forbidden(u, o.question())
	}
	wait, err := patience(r, wouldRun)
	if err != nil {
		return err
	}
	answer, err := o.answer(s, r, v, wait)
	if err != nil {
		return err
	}
	if v.err != nil {
		return v.err
	}
	return s.write(w, r, answer)
}

func (o subject) allowed(v *view) bool {
	switch o.kind {
	case "queue":
		return v.queue(o.name)
	case "node":
		return v.nodes()
	default:
		return v.namespace(o.namespace)
	}
}

func (o subject) answer(s *Server, r *http.Request, v *view, wait time.Duration) (*explain.Answer, error) {
	found := &finding{subject: o}
	if o.kind == "queue" { // it counts all jobs: of the copy that everybody shares
		c, err := s.copies.get(r.Context(), ofJobs|ofQueues)
		if err != nil {
			return nil, err
		}
		found.report = &c.Report
	}
	if err := s.o.Scheduler.Ask(r.Context(), Brief, found.read); err != nil {
		return nil, err
	}
	if !found.known {
		return nil, refuse(http.StatusNotFound, "NotFound", found.missing())
	}
	out := found.render(v)
	if wait == 0 || found.job == nil || out.Reason == nil {
		return out, nil
	}
	return found.addChanges(s, r, v, wait, out)
}

// finding is what the engine says of a subject. It is read in the loop's goroutine and rendered in another.
type finding struct {
	subject
	Moment
	known  bool
	names  []string // where nothing is known: those that there are
	called []string // jobs that have the name together, as they are shown

	job    *sched.JobWhy
	pod    sched.PodWhy
	queue  sched.QueueWhy
	node   sched.NodeWhy
	report *sched.Report

	devices  func() []*sched.DevicePool // for a node
	identity uint64                     // of the job
}

// read takes from the engine what belongs to the subject.
func (f *finding) read(e *sched.Engine, m Moment) {
	f.Moment = m
	switch f.kind {
	case "job":
		f.readJob(e)
	case "pod":
		var job ledger.JobID
		if f.pod, job, f.known = e.Questions().Pod(f.namespace, f.name); f.known && job != ledger.NoJob {
			whole := e.Questions().Job(job)
			f.job = &whole
		}
	case "queue":
		f.queue, f.known = e.QueueWhy(f.name)
	case "node":
		f.node, f.known = e.Questions().Node(f.name)
		f.devices = sched.DevicesOf(e)
	}
	f.pod.Own, f.queue.Gate = f.pod.Own.Clone(), f.queue.Gate.Clone() // the engine goes on with its reasons
	if f.job != nil {
		f.identity = Identity(e, f.job.Job.Key())
		f.job.Job.Reason, f.job.Gate = f.job.Job.Reason.Clone(), f.job.Gate.Clone()
		if m.Starts != nil && f.job.Job.Reason.Is() && !f.job.Job.HasMinimum() {
			f.job.Job.Start = m.Starts.Of(f.job.Job.Key(), m.At.UnixNano())
		}
	}
}

// readJob finds a job by its name; without one, the names that there are.
func (f *finding) readJob(e *sched.Engine) {
	led := e.Ledger()
	switch found := e.Questions().JobsNamed(f.namespace, f.name); len(found) {
	case 0:
		led.Jobs.Each(func(j ledger.JobID) bool {
			if k := &led.Job(j).Key; k.Namespace == f.namespace {
				f.names = append(f.names, k.Name)
			}
			return len(f.names) < mostNames
		})
	case 1:
		whole := e.Questions().Job(found[0])
		f.job, f.known = &whole, true
	default:
		for _, j := range found {
			f.called = append(f.called, led.Jobs.Name(j))
		}
	}
}

// missing says that there is no such subject, with the nearest name, or that several jobs are called so.
func (f *finding) missing() string {
	if len(f.called) > 0 {
		return explain.SeveralJobs(f.namespace, clipped(f.name), f.called)
	}
	return explain.NoSuch(f.kind, clipped(f.namespace), clipped(f.name), f.names)
}

// render makes the document, without names that the user may not see.
func (f *finding) render(v *view) *explain.Answer {
	asking := explain.Asking{Now: f.At.UnixNano(), Basis: explain.Basis{Source: "scheduler",
		Time: f.At.UTC().Format(time.RFC3339), Configuration: "that of the scheduler"}}
	if f.job != nil {
		f.hideAhead(v)
		own := f.job.Job.Queue
		v.hideInStart(&f.job.Job.Start, own)
		v.hideQueues(&f.job.Job.Reason, own)
		v.hideQueues(&f.job.Gate, own)
		v.hideQueues(&f.pod.Own, own)
	}
	switch f.kind {
	case "job":
		return f.hideShare(v, asking.JobAnswer(f.job))
	case "pod":
		return f.hideShare(v, asking.PodAnswer(&f.pod, f.job))
	case "queue":
		state, left := f.visible(v)
		out := asking.QueueAnswer(state, f.arithmetic(v))
		if left > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("%d of its jobs are in namespaces of which you may not list the pods: "+
				"they are not counted", left))
		}
		return out
	default:
		f.node.Pods, f.node.Kept = v.holders(f.node.Pods), v.holders(f.node.Kept)
		f.node.Node.Devices = sched.DevicesByNode(f.devices())[f.name]
		asking.Hide = v.deviceGroups
		out := asking.NodeAnswer(&f.node)
		if len(out.Node.Devices) > 0 && !v.slices() {
			out.Notes = append(out.Notes, "you may not list ResourceSlices: its devices are counted, and not named")
		}
		return out
	}
}

// hideAhead hides the name of the job that is served first.
func (f *finding) hideAhead(v *view) {
	first := &f.job.Standing.Ahead.First
	if ns, _, ok := strings.Cut(*first, "/"); ok && !v.namespace(ns) {
		*first = another + "/" + another
	}
}

// hideInStart takes from when a job of a queue starts, which others read, too, the names that the user may not see: of
// other namespaces' jobs that it may wait for, which are counted, and of queues.
func (v *view) hideInStart(s *trace.Start, own string) {
	s.Reason = s.Reason.Clone()
	v.hideQueues(&s.Reason, own)
	before := len(s.Jobs)
	s.Jobs = slices.DeleteFunc(slices.Clone(s.Jobs), func(job string) bool {
		ns, _, _ := strings.Cut(job, "/")
		return !v.namespace(ns)
	})
	s.More += before - len(s.Jobs)
}

// hideShare hides what the job's queue holds, where that is not what refuses the job: a user may name any queue in
// a job.
func (f *finding) hideShare(v *view, out *explain.Answer) *explain.Answer {
	if f.job == nil {
		return out
	}
	for i := range out.Path {
		step := &out.Path[i]
		if step.Name == "share" && step.Verdict != explain.Refused && !v.queue(f.job.Job.Queue) {
			step.Text, step.Details = "you may not get the queue: what it holds is not told", nil
		}
	}
	return out
}
