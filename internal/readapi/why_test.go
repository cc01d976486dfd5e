package readapi

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/model"
)

func TestWhy(t *testing.T) {
	s := served(busyWorld(t), people())
	for path, want := range map[string]struct {
		kind, name string
		state      explain.State
	}{
		"/v1/why/job/red/waits":     {"job", "waits", explain.Never},
		"/v1/why/pod/red/waits-0":   {"pod", "waits-0", explain.Never},
		"/v1/why/job/red/runs":      {"job", "runs", explain.Starts},
		"/v1/why/queue/red":         {"queue", "red", explain.Open},
		"/v1/why/node/n1":           {"node", "n1", explain.Present},
		"/v1/why/job/red/w%61its":   {"job", "waits", explain.Never},
		"/v1/why/job/%72ed/waits":   {"job", "waits", explain.Never},
		"/v1/why/pod/blue/secret-0": {"pod", "secret-0", explain.Never},
	} {
		code, got := get[explain.Answer](t, s, "admin", path)
		if code != http.StatusOK || got.Subject.Kind != want.kind || got.Subject.Name != want.name ||
			got.State != want.state || got.Basis.Source != "scheduler" || got.Basis.Time == "" || got.Summary == "" {
			t.Errorf("%s: %d %+v, want %+v", path, code, got, want)
		}
	}
}

// Of what a user may not see it is not told whether it exists.
func TestWhyOfOthers(t *testing.T) {
	s := served(busyWorld(t), people())
	for there, not := range map[string]string{
		"/v1/why/job/blue/secret":   "/v1/why/job/blue/none",
		"/v1/why/pod/blue/secret-0": "/v1/why/pod/blue/none",
		"/v1/why/queue/blue":        "/v1/why/queue/none",
		"/v1/why/node/n1":           "/v1/why/node/none",
	} {
		code, status := get[metav1.Status](t, s, "tenant", there)
		other, same := get[metav1.Status](t, s, "tenant", not)
		if code != http.StatusForbidden || other != code ||
			strings.ReplaceAll(same.Message, "none", "blue") != status.Message {
			t.Errorf("%s: %d %q; %s: %d %q", there, code, status.Message, not, other, same.Message)
		}
	}
}

// Names of another namespace are in no answer to a tenant, whatever the answer is about.
func TestWhyTellsNoNamesOfOthers(t *testing.T) {
	w := newWorld(t)
	w.decide(func() {
		w.node("n1", 8000)
		w.gang("blue", "secret-first", "red", 1, 6000)
		w.gang("blue", "secret-large", "red", 1, 64000)
		w.gang("red", "waits", "red", 2, 7000)
		w.gang("blue", "secret-here", "blue", 1, 1000)
	})
	w.decide(nil)
	r := people()
	r.give("operator", "list nodes", "list pods in namespace red", "get queues.scheduling.volcano.sh red")
	s := served(w, r)
	for _, path := range []string{"/v1/why/job/red/waits", "/v1/why/pod/red/waits-0", "/v1/why/queue/red",
		"/v1/why/node/n1", "/v1/jobs", "/v1/pods", "/v1/queues", "/v1/nodes"} {
		code, got := text(t, s, "operator", path)
		if code != http.StatusOK || strings.Contains(got, "secret") || strings.Contains(got, "blue") {
			t.Errorf("%s: %d %s", path, code, got)
		}
		if _, all := text(t, s, "admin", path); !strings.Contains(all, "secret") && !strings.Contains(path, "pod/") &&
			!strings.HasSuffix(path, "queues") && !strings.HasSuffix(path, "nodes") && !strings.Contains(path, "job/") {
			t.Errorf("%s: the administrator is not told either, so that the test shows nothing: %s", path, all)
		}
	}
	_, ahead := text(t, s, "admin", "/v1/why/job/red/waits")
	_, hidden := text(t, s, "operator", "/v1/why/job/red/waits")
	if strings.Contains(ahead, "blue/secret") && !strings.Contains(hidden, "*/*") {
		t.Errorf("the name of the job ahead is left out without a sign: %s", hidden)
	}
}

// text asks as a user.
func text(t testing.TB, s *Server, user, path string) (int, string) {
	t.Helper()
	code, document := get[map[string]any](t, s, user, path)
	return code, plain(document)
}

func TestWhyOfWhatIsNotThere(t *testing.T) {
	w := busyWorld(t)
	w.decide(func() {
		for _, owner := range []string{"StatefulSet.apps/1", "Job.batch/2"} {
			w.put(model.KindPod, "red", "p-"+owner[:1], &model.Pod{Meta: model.Meta{Namespace: "red", Name: "p-" + owner[:1],
				UID: owner}, Ours: true, Owner: "same", OwnerID: owner, Spec: &model.Spec{}})
		}
		w.gang("red", "train-2f1e6b4c-0a3d-4b59-9c1e-6d2f8a7b5c3e", "red", 1, 1000)
	})
	s := served(w, people())
	for path, want := range map[string]struct {
		code int
		text string
	}{
		"/v1/why/job/red/wait":                   {404, `did you mean "waits"?`},
		"/v1/why/job/red/same":                   {404, `2 jobs in namespace red are called same: ask for one of`},
		"/v1/why/job/red/same%20%28Job.batch%29": {200, `same (Job.batch)`},
		"/v1/why/job/red/train":                  {200, `train-2f1e6b4c`},
		"/v1/why/job/red/%2F..%2F":               {404, `there is no job "/../"`},
		"/v1/why/job/red/%3Cscript%3E":           {404, `no job`},
		"/v1/why/job/red/" + long(3000):          {404, `xxx...`},
		"/v1/why/job/red":                        {404, `/v1/why/job/NAMESPACE/NAME`},
		"/v1/why/job//waits":                     {404, `there is no /v1/why`},
		"/v1/why/secret/red/waits":               {404, `there is no /v1/why`},
		"/v1/why/job/red/waits/more":             {404, `there is no /v1/why`},
		"/v1/why/job/red/waits?verbose=1":        {400, `unknown parameter verbose`},
		"/v1/why/queue/purple":                   {404, `there is no queue "purple"`},
		"/v1/why/node/n2":                        {404, `there is no node "n2"`},
		"/v1/why/pod/red/waits-7":                {404, `there is no pod "waits-7" in namespace red`},
	} {
		if code, got := text(t, s, "admin", path); code != want.code || !strings.Contains(got, want.text) {
			t.Errorf("%.80s: %d %s; want %d %s", path, code, got, want.code, want.text)
		}
	}
}

// One job is answered for without a copy of everything.
func TestWhyIsBrief(t *testing.T) {
	w := busyWorld(t)
	s := served(w, people())
	text(t, s, "admin", "/v1/why/job/red/waits")
	if w.reads[Whole] != 0 || w.reads[Brief] != 1 {
		t.Errorf("%v", w.reads)
	}
}
