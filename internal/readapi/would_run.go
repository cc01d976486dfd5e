package readapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/access"
	"ashlar.sh/sched/trace"
)

// wouldRun is the parameter that asks for what would make a job run, and says how long the client waits for it.
const wouldRun = "wouldRun"

// longestWait bounds that.
const longestWait = 8 * time.Second

// patience is how long a client waits for what a parameter asks for; 0: it does not ask for it.
func patience(r *http.Request, parameter string) (time.Duration, error) {
	text := r.URL.Query().Get(parameter)
	if text == "" {
		return 0, nil
	}
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 {
		return 0, badRequest(parameter + ": expected a duration such as 2s")
	}
	return min(wait, longestWait), nil
}

// addChanges adds to the answer about a job that waits what would make it run. Each user has one such question at a
// time. A job that changes meanwhile is read again, so that all of an answer is about one state of it.
func (f *finding) addChanges(s *Server, r *http.Request, v *view, wait time.Duration, out *explain.Answer) (
	*explain.Answer, error) {
	if _, asks := s.searching.LoadOrStore(access.Share(v.user), true); asks {
		return nil, &refusal{code: http.StatusTooManyRequests, reason: "TooManyRequests",
			message: "changes are tried for another question of user " + access.Share(v.user), retry: 1}
	}
	defer s.searching.Delete(access.Share(v.user))
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	tried, err := s.o.Scheduler.WouldRun(ctx, f.job.Job.Key(), func(t Tried) bool {
		return t.Job == f.identity && t.Reason.Code == f.job.Job.Reason.Code &&
			t.Reason.Root().Code == f.job.Job.Reason.Root().Code
	})
	if err != nil {
		return nil, err
	}
	if tried.Job != f.identity {
		again := &finding{subject: f.subject}
		if err := s.o.Scheduler.Ask(r.Context(), Brief, again.read); err != nil {
			return nil, err
		}
		if !again.known || again.job == nil {
			return nil, refuse(http.StatusNotFound, "NotFound", again.missing()+"; it was gone while it was explained")
		}
		f, out = again, again.render(v)
		out.Notes = append(out.Notes, "it was changed while it was explained: this is how it stands since")
		if tried.Job != f.identity || out.Reason == nil {
			out.Notes = append(out.Notes, "what would make it run is not known: it was looked for as the job was before")
			return out, nil
		}
	}
	out.Changes = explain.Changes(v.ways(tried.WouldRun, f.job.Job.Queue))
	out.Tried = tried.At.UTC().Format(time.RFC3339)
	if tried.Cut {
		out.Notes = append(out.Notes, "what would make it run was not looked for to the end: more may do")
	}
	if age := f.At.Sub(tried.At).Round(time.Second); age > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("what would make it run was tried %s ago", age))
	}
	return out, nil
}

// ways are those of a job in a queue, without the names that the user may not see. That of its own queue is told with
// its reason. Another queue that the user may not get is of no use to it.
func (v *view) ways(w trace.WouldRun, queue string) trace.WouldRun {
	all := w.Ways
	w.Ways = nil
	for _, way := range all {
		if slices.ContainsFunc(way.Changes, func(c trace.Change) bool {
			return c.Kind == trace.ChangeQueue && !v.queue(c.Object)
		}) {
			continue
		}
		way.Evicts, way.Changes = v.shown(way.Evicts), slices.Clone(way.Changes)
		for i := range way.Changes {
			c := &way.Changes[i]
			c.Jobs = v.shown(c.Jobs)
			switch c.Kind {
			case trace.ChangeQueueState, trace.ChangeQueueAdded, trace.ChangeCapability, trace.ChangeDeserved,
				trace.ChangeWeight:
				if c.Object != queue && !v.queue(c.Object) {
					c.Object = another
				}
			}
		}
		w.Ways = append(w.Ways, way)
	}
	return w
}

// shown are names, namespace/name, of which those of other namespaces are not told.
func (v *view) shown(names []string) (out []string) {
	for _, name := range names {
		if ns, _, ok := strings.Cut(name, "/"); !ok || !v.namespace(ns) {
			name = another + "/" + another
		}
		out = append(out, name)
	}
	return out
}
