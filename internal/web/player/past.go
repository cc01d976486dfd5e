package player

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// mostSentences is how many sentences about jobs are kept: with more, the older half goes.
const mostSentences = 200_000

// past is what happened to jobs, in the order in which it did.
type past struct {
	sentences []sentence
	since     time.Duration // what was before is kept no more; 0: all is kept
	decisions decisions
}

// sentence is what is said of a job at one time.
type sentence struct {
	job   string // namespace/name
	cycle uint64
	at    time.Duration
	what  string
}

func (p *past) add(job string, cycle uint64, at time.Duration, what string) {
	if len(p.sentences) == mostSentences {
		kept := copy(p.sentences, p.sentences[mostSentences/2:])
		clear(p.sentences[kept:])
		p.sentences = p.sentences[:kept]
		p.since = p.sentences[0].at
	}
	p.sentences = append(p.sentences, sentence{job, cycle, at, what})
}

// cycle keeps what came in and what was decided in a cycle, in the words of `ashlar history job`.
func (p *past) cycle(e *sched.Engine, c *sim.Cycle) {
	came := map[string][]explain.ObjectChange{}
	var order []string
	for _, f := range c.Came {
		change, known := explain.ChangeOf(f.Is, f.Was)
		if !known {
			continue
		}
		for _, job := range distinct(ofFact(f.Is), ofFact(f.Was)) {
			if came[job] == nil {
				order = append(order, job)
			}
			came[job] = append(came[job], change)
		}
	}
	for _, job := range order {
		namespace, _, _ := strings.Cut(job, "/")
		for _, what := range explain.Alike(namespace, came[job]) {
			p.add(job, uint64(c.Number), c.At, what)
		}
	}
	said := make([]explain.Decided, 0, len(c.Plan.Items))
	for _, i := range c.Plan.Items {
		jobs := []string{ofPod(e, i.Pod), ofPod(e, i.Preemptor)}
		if i.Group.Name != "" {
			jobs = append(jobs, i.Group.String())
		}
		if i.Record != nil {
			jobs = append(jobs, i.Record.Job, i.Record.PreemptorJob)
		}
		what := explain.Decision(i)
		all := append(distinct(jobs...), "")
		for _, job := range all[:len(all)-1] {
			p.add(job, uint64(c.Number), c.At, what)
		}
		said = append(said, explain.Decided{Job: all[0], What: what})
	}
	p.decisions.add(c, said)
}

// reasons keeps why jobs wait, where that is another cause than in the frame before.
func (p *past) reasons(before, f *frame) {
	for i, key := range f.jobs.keys {
		j := f.jobs.list[i]
		if j.Reason.Code == "" {
			continue
		}
		if at, had := before.jobs.at[key]; had {
			was := before.jobs.list[at]
			if was == j || was.Reason.Code == j.Reason.Code && was.Reason.Cause == j.Reason.Cause {
				continue
			}
		}
		p.add(j.Namespace+"/"+j.Name, f.cycle, f.now, "waits: "+j.Reason.Message)
	}
}

// ofFact is the job that an object is of, "" for none.
func ofFact(f model.Fact) string {
	switch o := f.Object.(type) {
	case *model.PodGroup:
		return f.Ref.Namespace + "/" + f.Ref.Name
	case *model.Pod:
		if o.Ours {
			return ledger.KeyOf(o).String()
		}
	case *model.Backoff:
		return f.Ref.Namespace + "/" + f.Ref.Name
	}
	return ""
}

// ofPod is the job of a pod, "" where it has none or there is no such pod.
func ofPod(e *sched.Engine, pod ledger.Key) string {
	led := e.Ledger()
	t, there := led.Tasks.Find(pod)
	if !there || led.Task(t).Job == ledger.NoJob {
		return ""
	}
	return led.Job(led.Task(t).Job).Key.String()
}

// distinct are the names that are not "", each once.
func distinct(names ...string) (out []string) {
	for _, name := range names {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// historyOfJob answers what happened to a job up to the moment that is shown: the document of `ashlar history job`.
func (p *Player) historyOfJob(w http.ResponseWriter, r *http.Request) {
	if p.o.Source == "dump" {
		refuse(w, http.StatusNotFound, "a saved state is one moment, which has no history")
		return
	}
	f, _, _ := p.at()
	namespace, name := r.PathValue("namespace"), r.PathValue("name")
	stamp := func(at time.Duration) string { return explain.Stamp(p.o.Begin + int64(at)) }
	out := explain.NewHistory(namespace, name, explain.Basis{Source: p.o.Source, Time: stamp(f.now)})
	p.mu.Lock()
	list, since := p.past.of(namespace+"/"+name, f.now), p.past.since
	p.mu.Unlock()
	out.Since = stamp(since)
	if since > 0 {
		out.Notes = append(out.Notes, "what happened before "+out.Since+" is kept no more")
	}
	for _, t := range list {
		if n := len(out.Moments); n == 0 || out.Moments[n-1].Cycle != t.cycle {
			out.Moments = append(out.Moments, explain.Happens{Cycle: t.cycle, Time: stamp(t.at)})
		}
		last := &out.Moments[len(out.Moments)-1]
		last.What = append(last.What, t.what)
	}
	for _, j := range f.jobs.list {
		if j.Namespace == namespace && j.Name == name && j.Reason.Code != "" {
			out.Now = j.Reason.Message
		}
	}
	write(w, out)
}

// of is what happened to a job up to a moment.
func (p *past) of(job string, until time.Duration) (out []sentence) {
	for i := range p.sentences {
		if t := &p.sentences[i]; t.at <= until && t.job == job {
			out = append(out, *t)
		}
	}
	return out
}
