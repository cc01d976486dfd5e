package world

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/test/world/apimodel"
)

const (
	// Of a pod that does not run any more a scheduler may say for so long that it does: a watch stalls for a minute at
	// most, or a scheduler hears nothing for less.
	believedToRun = 2 * time.Minute
	// an answer is about a moment so long before it was asked, at most: lists share a copy
	copiedWithin = 5 * time.Second
)

// truth is what answers are compared with: since when something is as it is.
type truth struct {
	runs    map[string]time.Time // when a pod of a name ran last; the zero time: it does now
	cluster time.Time            // when what every "never" rests on changed last
	gangs   map[string]time.Time // when what a gang's own rests on did, by name
}

func newTruth() truth {
	return truth{runs: map[string]time.Time{}, gangs: map[string]time.Time{}}
}

// never is a job of which it was said that it can never start as things are.
type never struct {
	at   time.Time // of these things
	code string
}

// wrote follows what is true, and sees gangs start of which was said that they never do.
func (a *askers) wrote(write apimodel.Write) {
	switch write.Kind.Resource {
	case "nodes", "queues":
		if altered(write, "spec") || altered(write, "metadata", "labels") || altered(write, "status", "allocatable") {
			a.truth.cluster = time.Now()
		}
	case "podgroups":
		if altered(write, "spec") {
			a.truth.gangs[write.Key()] = time.Now()
		}
	case "pods":
		a.pod(write)
	}
}

// altered says that a part of an object is another, or the object came or went.
func altered(write apimodel.Write, path ...string) bool {
	if write.Before == nil || write.After == nil {
		return true
	}
	var was, is any = write.Before.Object, write.After.Object
	for _, key := range path {
		was, is = asMap(was)[key], asMap(is)[key]
	}
	return !reflect.DeepEqual(was, is)
}

func (a *askers) pod(write apimodel.Write) {
	o := write.After
	if o == nil {
		o = write.Before
	}
	runs := write.After != nil && text(o.Object, "status", "phase") == "Running" &&
		text(o.Object, "spec", "nodeName") != ""
	if _, ran := a.truth.runs[write.Key()]; runs {
		a.truth.runs[write.Key()] = time.Time{}
	} else if ran && a.truth.runs[write.Key()].IsZero() {
		a.truth.runs[write.Key()] = time.Now()
	}
	gang := o.Meta().GetNamespace() + "/" + o.Meta().GetAnnotations()[groupAnnotation]
	if altered(write, "status", "phase") || altered(write, "spec") && !isScheduler(write.Client) {
		a.truth.gangs[gang] = time.Now()
	}
	if write.Before != nil && write.After != nil && isScheduler(write.Client) && altered(write, "spec", "nodeName") {
		a.starts(gang, o)
	}
}

// starts checks a gang of which a pod is bound.
func (a *askers) starts(name string, o *apimodel.Stored) {
	g := a.w.api.Get(a.w.jobs.groups, o.Meta().GetNamespace(), o.Meta().GetAnnotations()[groupAnnotation])
	if g == nil {
		return
	}
	n, said := a.nevers[string(g.Meta().GetUID())]
	if !said {
		return
	}
	for _, at := range []time.Time{a.truth.cluster, a.truth.gangs[name], a.w.check.restoredAt, a.w.conf.changed} {
		if at.After(n.at.Add(-believedToRun)) { // it may not have seen that yet
			delete(a.nevers, string(g.Meta().GetUID()))
			return
		}
	}
	a.w.wrong("%s is bound, of a job of which it was said %s ago that it can never start (%s), and nothing has changed",
		o.Meta().GetName(), time.Since(n.at), n.code)
}

// told is what is read of an answer.
type told struct {
	Kind  string            `json:"kind"`
	At    time.Time         `json:"at"` // of a list
	Items []json.RawMessage `json:"items"`
	explain.Answer
}

// row is what is read of a row of a list.
type row struct {
	Namespace, Name, Status string
	Reason                  *explain.Reason
	Start                   *explain.Start
}

// check checks an answer.
func (a *askers) check(q *question, r *httptest.ResponseRecorder) {
	w := a.w
	if q.of.killed {
		return
	}
	body := r.Body.String()
	wrong := func(format string, args ...any) {
		w.wrong(q.of.name+" tells "+q.user+" of "+q.path+": "+format+": %s", append(args, clip(body))...)
	}
	switch {
	case r.Code == http.StatusInternalServerError && q.of.bug.shown.Load() > q.panics:
		w.did("a question that met a panic") // of a request of rights: only this answer is lost
		return
	case r.Code == http.StatusForbidden && q.user == "operator", r.Code == http.StatusInternalServerError:
		wrong("%d", r.Code)
	case r.Code != http.StatusOK:
		w.did("a question refused")
		return
	}
	w.did("a question answered")
	if holder := w.check.holder; holder != q.of.name && time.Since(w.check.restoredAt) > blind {
		wrong("it answers, and %q has the lease", holder)
	}
	if !q.allowed() {
		wrong("it may not ask that")
	}
	for _, name := range q.secret() {
		if strings.Contains(body, name) {
			wrong("it may not see %q", name)
		}
	}
	var t told
	if err := json.Unmarshal(r.Body.Bytes(), &t); err != nil {
		wrong("no document: %v", err)
		return
	}
	about := t.At
	if about.IsZero() && t.Basis.Time != "" {
		about, _ = time.Parse(time.RFC3339, t.Basis.Time) // it is written as such
		about = about.Add(time.Second)                    // it may be as much later
	}
	if when := about.Add(-q.of.ahead); !about.IsZero() && when.Before(q.at.Add(-copiedWithin)) {
		wrong("it is about %s ago", q.at.Sub(when))
	} else if when.After(time.Now().Add(time.Second)) {
		wrong("it is about a time to come: in %s", time.Until(when))
	}
	a.rows(q, &t, about, wrong)
}

// rows checks what an answer says of jobs and pods; about is by the scheduler's clock.
func (a *askers) rows(q *question, t *told, about time.Time, wrong func(string, ...any)) {
	a.future(t.Start, about, wrong)
	if strings.HasPrefix(q.path, "/v1/why/job/") && t.Reason != nil && t.Reason.Never != "" {
		a.never(t.Subject.Namespace, t.Subject.Name, t.Reason.Never, about.Add(-q.of.ahead))
	}
	for _, raw := range t.Items {
		var one row
		if err := json.Unmarshal(raw, &one); err != nil {
			wrong("a row that cannot be read: %v", err)
			return
		}
		a.future(one.Start, about, wrong)
		switch {
		case t.Kind == "PodList" && one.Status == "Running":
			a.w.did("a pod said to run")
			key := one.Namespace + "/" + one.Name
			last, ran := a.truth.runs[key]
			if !ran || !last.IsZero() && time.Since(last) > believedToRun {
				wrong("it says that %s runs, which does not since %s", key, last.Sub(a.w.began))
			}
		case t.Kind == "JobList" && one.Reason != nil && one.Reason.Never != "":
			a.never(one.Namespace, one.Name, one.Reason.Never, about.Add(-q.of.ahead))
		}
	}
}

// future checks that an estimate is of a time to come.
func (a *askers) future(s *explain.Start, about time.Time, wrong func(string, ...any)) {
	if s == nil {
		return
	}
	for _, moment := range []string{s.Earliest, s.Latest} {
		if moment == "" {
			continue
		}
		a.w.did("a start estimated")
		at, err := time.Parse(time.RFC3339, moment)
		if err != nil || at.Before(about.Add(-2*time.Second)) {
			wrong("a start at %s, of %s", moment, about)
		}
	}
}

func (a *askers) never(namespace, name, code string, about time.Time) {
	if g := a.w.api.Get(a.w.jobs.groups, namespace, name); g != nil {
		a.w.did("a job said never to start")
		a.nevers[string(g.Meta().GetUID())] = never{at: about, code: code}
	}
}

// allowed says that the user may ask what was asked.
func (q *question) allowed() bool {
	path, query, _ := strings.Cut(q.path, "?")
	parts := strings.Split(path, "/")
	namespace, named := strings.CutPrefix(query, "namespace=")
	switch {
	case q.user == "wrong":
		return false
	case named:
		return mayAsk(q.user, "list", "pods", namespace, "")
	case parts[2] != "why":
		return true
	case parts[3] == "queue":
		return mayAsk(q.user, "get", "queues", "", parts[4])
	case parts[3] == "node":
		return mayAsk(q.user, "list", "nodes", "", "")
	}
	return mayAsk(q.user, "list", "pods", parts[4], "")
}

// secret are texts that no answer to the user may hold: other namespaces, as they are written before names.
func (q *question) secret() (out []string) {
	for _, namespace := range []string{userNamespace, evilNamespace, systemNamespace} {
		if !mayAsk(q.user, "list", "pods", namespace, "") {
			out = append(out, namespace+"/", `"namespace":"`+namespace+`"`)
		}
	}
	return out
}

func clip(text string) string { return text[:min(len(text), 600)] }

// Asking changes no decision: a world in which nobody asks goes on alike, write for write.
func TestAskingChangesNoDecision(t *testing.T) {
	for i := range setting(t, seedsVariable, 3) {
		o := drawn(setting(t, seedVariable, 1)+i, 8*time.Minute)
		o.Reads = true
		o.Trouble.Panics = 0 // questions run the engine on copies: the bug of a plugin would show there instead
		var logs [2][]string
		var r [2]Result
		for n, asks := range []time.Duration{0, 2 * time.Second} {
			o.Asks = asks
			o.Log = func(line string) {
				if !strings.Contains(line, "reviews") && !strings.Contains(line, "WRONG") {
					logs[n] = append(logs[n], line)
				}
			}
			r[n] = run(t, o)
			if len(r[n].Wrong) > 0 {
				t.Errorf("seed %d: %d wrong, the first: %s", o.Seed, len(r[n].Wrong), r[n].Wrong[0])
			}
		}
		if r[0].History != r[1].History {
			at := 0
			for at < min(len(logs[0]), len(logs[1])) && logs[0][at] == logs[1][at] {
				at++
			}
			for _, log := range logs {
				t.Logf("of %d lines:\n%s", len(log), strings.Join(log[max(0, at-5):min(len(log), at+4)], "\n"))
			}
			t.Errorf("seed %d: with questions it goes on otherwise after %d lines", o.Seed, at)
		}
		t.Log(r[1].Did)
		for _, what := range []string{"a question answered", "a question refused", "a pod said to run"} {
			if r[0].Did[what] > 0 || r[1].Did[what] == 0 {
				t.Errorf("seed %d: %q happens %d times, without questions %d", o.Seed, what, r[1].Did[what], r[0].Did[what])
			}
		}
	}
}
