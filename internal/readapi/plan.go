package readapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/access"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/internal/manifest"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/whatif"
)

// Query is the method of a question with a body: as GET it changes nothing, and may be asked again.
const Query = "QUERY"

// planPath is where plans are asked for.
const planPath = "/v1/plan"

// Bounds of a plan. What is larger is planned on the objects, by the client.
const (
	MostToPlan  = 1 << 20 // bytes
	mostToPlan  = 100     // jobs
	podsToPlan  = 10_000
	specsToPlan = 64 << 20 // bytes of the pods that workloads make: a second or two to read
	plansAtOnce = 4        // that are read and rendered; of each user one
)

// mayBePlanned are the kinds of facts that come with a job. Others are of the cluster, and stay as they are.
var mayBePlanned = []model.Kind{model.KindPod, model.KindPodGroup, model.KindService,
	translate.KindPersistentVolumeClaim, translate.KindResourceClaim}

// planning is what would become of jobs if they were submitted now.
type planning struct {
	Moment
	seen    time.Time // when it was as old as its moment says
	jobs    map[ledger.JobKey]bool
	first   sched.Report // of the jobs, after the first cycle
	applied *whatif.Applied
	course
}

// course is what cycles do for the jobs.
type course struct {
	bound   []boundPod
	evicted []evictedPod
}

// boundPod is a pod of the jobs that gets a node.
type boundPod struct {
	job   ledger.JobKey
	shown string // the name of the job
	node  string
	after time.Duration // from the first cycle on
}

// evictedPod is one that leaves for a job.
type evictedPod struct {
	why   *trace.Eviction
	after time.Duration
}

// plan answers with the document of `ashlar plan -o json` about the objects in the request's body. Of a job that does
// not start within the next cycles it tells why; when it starts, and what would make it run, where that is asked for.
func plan(s *Server, w http.ResponseWriter, r *http.Request, u *access.User) error {
	if r.Method != Query {
		return refuse(http.StatusMethodNotAllowed, "MethodNotAllowed", "the jobs to plan are the body of a "+Query)
	}
	if _, asks := s.planners.LoadOrStore(access.Share(u), true); asks {
		return &refusal{code: http.StatusTooManyRequests, reason: "TooManyRequests",
			message: "another plan is being made for user " + access.Share(u), retry: 1}
	}
	defer s.planners.Delete(access.Share(u))
	ahead, err := wantsAhead(r)
	if err != nil {
		return err
	}
	text, err := body(w, r) // before it has a place of the few
	if err != nil {
		return err
	}
	select {
	case s.planning <- struct{}{}:
		defer func() { <-s.planning }()
	case <-r.Context().Done():
		return r.Context().Err()
	}
	facts, notes, err := s.submitted(text)
	if err != nil {
		return err
	}
	p := &planning{jobs: whatif.JobsOf(facts)}
	v := newView(r.Context(), s.access, u)
	if err := p.allowed(v, facts); err != nil {
		return err
	}
	foresee, err := s.o.Scheduler.Plan(r.Context(), facts, p.see)
	if err != nil {
		return err
	}
	var found *foresight
	if ahead != (lookout{}) {
		if found, err = p.lookAhead(r.Context(), foresee, ahead); err != nil {
			return err
		}
	}
	out := p.render(v, found)
	out.Notes = append(out.Notes, notes...)
	if v.err != nil {
		return v.err
	}
	return s.write(w, r, out)
}

// body reads a request's body, as long as its context lasts: a client may send the rest of it never.
func body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	to := http.NewResponseController(w)
	stop := context.AfterFunc(r.Context(), func() { _ = to.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MostToPlan))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, tooMuch(fmt.Sprintf("more than %d MiB of objects", MostToPlan>>20))
	case err != nil:
		return nil, badRequest("the body cannot be read, or did not come in time")
	}
	return text, nil
}

func tooMuch(what string) error {
	return refuse(http.StatusRequestEntityTooLarge, "RequestEntityTooLarge",
		what+": plan them on the objects (--from objects)")
}

// submitted are the facts of the objects in a text, and what their author should know.
func (s *Server) submitted(text []byte) (facts []model.Fact, notes []string, err error) {
	set, errs := manifest.Load([]string{"-"}, bytes.NewReader(text))
	if len(errs) > 0 {
		return nil, nil, badRequest(clipped(errs[0].Error()))
	}
	set.RunCronJobs()
	set.MakeAtMost(podsToPlan, specsToPlan)
	world := set.Expand(s.o.Schedulers...)
	if world.Unmade { // what would become of the other pods is no answer
		return nil, nil, tooMuch(fmt.Sprintf("more than %d pods, or %d MiB of pods", podsToPlan, specsToPlan>>20))
	}
	for _, p := range world.Problems[:min(len(world.Problems), mostNames)] {
		notes = append(notes, p.Object+": "+p.Message)
	}
	for _, i := range world.Items {
		if !slices.Contains(mayBePlanned, i.Fact.Ref.Kind) {
			return nil, nil, badRequest(fmt.Sprintf("%s %s: only jobs, and what comes with them, are planned by the scheduler",
				i.Fact.Ref.Kind, i.Fact.Ref.Name))
		}
		facts = append(facts, i.Fact)
	}
	return facts, notes, nil
}

// allowed says that the user may see all that is told of the jobs, and what comes with them.
func (p *planning) allowed(v *view, facts []model.Fact) error {
	switch {
	case len(p.jobs) == 0:
		return badRequest("no job for this scheduler is in it")
	case len(p.jobs) > mostToPlan:
		return badRequest(fmt.Sprintf("%d jobs, and at most %d are planned by the scheduler at a time", len(p.jobs),
			mostToPlan))
	}
	for _, f := range facts {
		if !v.namespace(f.Ref.Namespace) {
			return cmp.Or(v.err, error(forbidden(v.user, access.ListPods(f.Ref.Namespace))))
		}
	}
	return nil
}

// see takes from the copy what a cycle means for the jobs.
func (p *planning) see(e *sched.Engine, c PlannedCycle) {
	if c.Number == 1 {
		p.Moment, p.seen = c.Moment, time.Now()
		p.jobs, p.applied = c.Applied.Jobs, c.Applied
		p.look(e)
	} else {
		p.lookAgain(e)
	}
	p.note(e, c.Plan, func(k ledger.JobKey) bool { return p.jobs[k] }, after(c.Number))
}

// note notes what a plan does for jobs that are wanted.
func (c *course) note(e *sched.Engine, plan sched.Plan, wanted func(ledger.JobKey) bool, at time.Duration) {
	l := e.Ledger()
	of := func(pod ledger.Key) (j ledger.JobID, is bool) {
		t, known := l.Tasks.Find(pod)
		if !known || l.Task(t).Job == ledger.NoJob {
			return j, false
		}
		j = l.Task(t).Job
		return j, wanted(l.Job(j).Key)
	}
	for _, i := range plan.Items {
		switch i.Kind {
		case sched.BindPod:
			if j, is := of(i.Pod); is {
				c.bound = append(c.bound, boundPod{l.Job(j).Key, l.Jobs.Name(j), i.Node, at})
			}
		case sched.EvictPod:
			if _, is := of(i.Preemptor); is && i.Record != nil {
				c.evicted = append(c.evicted, evictedPod{i.Record, at})
			}
		}
	}
}

// look takes how the jobs stand.
func (p *planning) look(e *sched.Engine) {
	for k := range p.jobs { // order-free: they are sorted below
		j, there := e.Ledger().Jobs.Find(k)
		if !there {
			continue
		}
		why := e.Questions().Job(j)
		why.Job.Reason = why.Job.Reason.Clone() // the engine goes on with its reasons
		p.first.Jobs = append(p.first.Jobs, why.Job)
		p.first.Pods = append(p.first.Pods, why.Pods...)
	}
	slices.SortFunc(p.first.Jobs, func(a, b sched.JobReport) int { return a.Key().Compare(b.Key()) })
}

// lookAgain takes why further pods of jobs wait in a later cycle, where before they were only held back.
func (p *planning) lookAgain(e *sched.Engine) {
	for i := range p.first.Jobs {
		was := &p.first.Jobs[i]
		j, there := e.Ledger().Jobs.Find(was.Key())
		if was.Reason.Code != trace.MinimumsFirst || !there {
			continue
		}
		if is := e.Questions().Job(j).Job; is.Reason.Code != trace.MinimumsFirst && is.Tasks == was.Tasks {
			was.Reason = is.Reason.Clone()
		}
	}
}

// render makes the document, without names that the user may not see.
func (p *planning) render(v *view, found *foresight) *explain.Plan {
	for i := range p.first.Jobs {
		j := &p.first.Jobs[i]
		v.hideQueues(&j.Reason, j.Queue)
	}
	found.starts(v, p.first.Jobs)
	asking := explain.Asking{Now: p.At.UnixNano(), Basis: explain.Basis{Source: "scheduler",
		Time: p.At.UTC().Format(time.RFC3339), Configuration: "that of the scheduler",
		Age: explain.Duration((p.Age + time.Since(p.seen)).Round(time.Second / 10))}}
	out := asking.NewPlan(&p.first, func(_, _ string) bool { return true })
	out.Exist(&p.first, p.applied.Existing, p.applied.Taken)
	hidden := p.tell(v, out)
	if found != nil {
		hidden += found.course.tell(v, out)
		found.ways(v, p.first.Jobs, out)
	}
	if hidden > 0 {
		out.Notes = append(out.Notes, explain.Count(hidden, "pod")+" of namespaces whose pods you may not list would be "+
			"evicted")
	}
	return out
}

// tell adds what cycles do for the jobs. It returns how many pods would be evicted that the user may not see.
func (c *course) tell(v *view, out *explain.Plan) (hidden int) {
	for _, b := range c.bound {
		out.Bound(b.job.Namespace, b.shown, b.node, b.after)
	}
	for _, e := range c.evicted {
		if ns, _, _ := strings.Cut(e.why.Task, "/"); !v.namespace(ns) {
			hidden++
			continue
		}
		told := *e.why
		if !v.queue(told.Queue) && told.Queue != told.PreemptorQueue {
			told.Queue, told.QueueHeld = another, nil
		}
		if !v.nodes() {
			told.Alternatives = nil // they name nodes that have nothing to do with the jobs
		}
		out.Evicted([]*trace.Eviction{&told}, e.after)
	}
	return hidden
}

// after is when a cycle is, from the first one on: one a second.
func after(cycle int) time.Duration { return time.Duration(cycle-1) * time.Second }
