package player

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/whatif"
)

// searchWithin is how long what would make a job run is looked for.
const searchWithin = 400 * time.Millisecond

// whyJob answers why a job waits: the document of `ashlar why -o json`. Only the engine knows, so only the latest
// moment has an answer. What would make the job run is looked for while time stands still.
func (p *Player) whyJob(w http.ResponseWriter, r *http.Request) {
	f, s, _ := p.at()
	if !p.isEdge(f) {
		refuse(w, http.StatusConflict, "only the latest moment has this answer")
		return
	}
	p.world.Lock()
	e := p.w.Engine()
	ids := e.Questions().JobsNamed(r.PathValue("namespace"), r.PathValue("name"))
	if len(ids) != 1 {
		p.world.Unlock()
		refuse(w, http.StatusNotFound, strconv.Itoa(len(ids))+" jobs have that name")
		return
	}
	why, key, now := e.Questions().Job(ids[0]), e.Ledger().Job(ids[0]).Key, e.Now()
	var copied *sched.Copy
	if standing := s.Play == nil || !s.Play.Playing; standing && why.Job.Reason.Is() {
		select {
		case p.copying <- struct{}{}:
			defer func() { <-p.copying }()
			copied, _ = e.Copy() // without a copy nothing is looked for
		default: // another what-if is being computed
		}
	}
	ask := explain.Asking{Now: now, Basis: explain.Basis{Source: p.o.Source}}
	answer := ask.JobAnswer(&why) // before the engine goes on with its reasons
	if i, known := f.jobs.at[r.PathValue("namespace")+"/"+r.PathValue("name")]; known {
		answer.Start = f.jobs.list[i].Start
	}
	p.world.Unlock()
	if copied != nil {
		end := p.o.Now().Add(searchWithin)
		would, _ := whatif.New(copied, now).Job(key, whatif.Limits{Stop: func() bool { return p.o.Now().After(end) }})
		answer.Changes = explain.Changes(would)
	}
	write(w, answer)
}

// whyQueue answers with the arithmetic of one queue.
func (p *Player) whyQueue(w http.ResponseWriter, r *http.Request) {
	f, _, _ := p.at()
	name := r.PathValue("name")
	i, known := f.queues.at[name]
	if !known {
		refuse(w, http.StatusNotFound, explain.NoSuch("queue", "", name, nil))
		return
	}
	q := &explain.QueueAnswer{QueueStand: *f.queues.list[i], Bounds: []explain.Bound{}, Waits: waitingByReason(f, name)}
	if why, kept := f.why[name]; kept {
		q.Why = &why
	} else if p.isEdge(f) {
		p.world.Lock()
		of, known := p.w.Engine().QueueWhy(name)
		p.world.Unlock()
		if known {
			why := whyOf(of)
			q.Why = &why
		}
	}
	write(w, explain.Answer{APIVersion: apiVersion, Kind: "Answer", Subject: explain.Subject{Kind: "queue", Name: name},
		State: explain.State(q.State), Path: []explain.Step{}, Changes: []explain.Change{}, Places: []explain.Place{},
		Notes: []string{}, Basis: explain.Basis{Source: p.o.Source, Unknown: []string{}}, Queue: q})
}

// waitingByReason counts the jobs that wait in a queue by their reasons, the most frequent first.
func waitingByReason(f *frame, queue string) []explain.Waiters {
	out := []explain.Waiters{}
	for _, j := range f.jobs.list {
		if j.Queue != queue || j.Reason.Code == "" {
			continue
		}
		i := slices.IndexFunc(out, func(w explain.Waiters) bool { return w.Code == j.Reason.Code })
		if i < 0 {
			i = len(out)
			out = append(out, explain.Waiters{Code: j.Reason.Code, Example: j.Namespace + "/" + j.Name,
				Message: j.Reason.Message})
		}
		out[i].Jobs++
	}
	slices.SortStableFunc(out, func(a, b explain.Waiters) int { return cmp.Compare(b.Jobs, a.Jobs) })
	return out
}
