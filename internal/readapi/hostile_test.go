package readapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// secretWorld has a tenant in queue red, below two queues that it may not get, and others: jobs of theirs run beside
// its own, wait in its queue, and have lost room to it. Whatever is another's is called secret. At last the queue above
// its own may be closed.
func secretWorld(t *testing.T, closed bool) *world {
	w := newWorld(t)
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate", "preempt", "reclaim"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}}, {{Plugin: "predicates"},
			{Plugin: "capacity", Hierarchy: true}, {Plugin: "nodeorder"}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.engine, w.past = e, &memory{ring: recording.NewRing(1<<20, time.Now)}
	queue := func(name, parent string, deserved, capability int64) {
		q := &model.Queue{Meta: model.Meta{Name: name}, Weight: 1, Parent: parent, Reclaimable: true}
		if capability > 0 {
			q.Capability = resource.List{{Name: "cpu", Value: capability}}
		}
		if deserved > 0 {
			q.Deserved = resource.List{{Name: "cpu", Value: deserved}}
		}
		w.put(model.KindQueue, "", name, q)
	}
	w.decide(func() {
		queue("secret-all", "root", 12000, 12000)
		queue("secret-part", "secret-all", 8000, 8000)
		queue("red", "secret-part", 4000, 0)
		queue("secret-rival", "secret-part", 4000, 0)
		queue("secret-other", "secret-all", 4000, 0)
		queue("blue", "secret-part", 0, 0)
		w.put(model.KindPriorityClass, "", "high", &model.PriorityClass{Value: 10})
		w.node("n1", 10000)
		w.gang("secret", "secret-runs", "secret-other", 2, 1000)
		w.gang("secret", "secret-wide", "secret-rival", 1, 4000)
		w.gang("secret", "secret-spare", "secret-rival", 1, 2000)
		w.gang("secret", "secret-within", "red", 1, 1000)
	})
	w.bound()
	w.decide(func() { w.gang("red", "train", "red", 1, 2000) })
	w.decide(nil)
	w.bound()
	w.decide(func() {
		w.gang("red", "waits", "red", 9, 1000)
		w.gang("red", "one", "red", 1, 3000)
		w.gang("red", "astray", "blue", 1, 3000)
		w.gang("secret", "secret-first", "red", 9, 1000)
		w.limited()
		if closed {
			w.put(model.KindQueue, "", "secret-part", &model.Queue{Meta: model.Meta{Name: "secret-part"}, Weight: 1,
				Parent: "secret-all", State: model.QueueClosed})
		}
	})
	w.decide(nil)
	if w.starts, err = estimate.Of(sched.CopiesOf(w.engine), 1, estimate.Options{}); err != nil {
		t.Fatal(err)
	}
	return w
}

// limited has each pod end after a minute.
func (w *world) limited() {
	for _, p := range w.engine.Report().Pods {
		fact, _ := w.engine.Ledger().Fact(model.Ref{Kind: model.KindPod, Namespace: p.Namespace, Name: p.Name})
		pod := *fact.Object.(*model.Pod)
		if p.Node != "" {
			pod.Started = 1
		}
		pod.SetRare(model.Times{Limit: int64(time.Minute)})
		w.put(model.KindPod, p.Namespace, p.Name, &pod)
	}
}

// No answer names to a tenant, or to a user without rights, a queue, a namespace, a job, a pod or a node that it may
// not see: whatever it asks.
func TestAHostileTenantLearnsNoNames(t *testing.T) {
	for _, closed := range []bool{false, true} {
		t.Run(fmt.Sprintf("closed=%v", closed), func(t *testing.T) { asksEverything(t, secretWorld(t, closed)) })
	}
}

func asksEverything(t *testing.T, w *world) {
	s := served(w, people())
	s.recalling = make(chan struct{}, 99) // no pauses
	paths := []string{"/v1/state", "/v1/jobs", "/v1/jobs?waiting=true", "/v1/jobs?queue=secret-rival",
		"/v1/list/jobs", "/v1/queues", "/v1/nodes", "/v1/list/nodes", "/v1/pods", "/v1/pods?node=n1", "/v1/devices",
		"/v1/list/devices", "/v1/history/cycles", "/v1/evictions", "/v1/why/queue/red", "/v1/why/node/n1"}
	for _, job := range []string{"train", "waits", "one", "astray", "wait"} {
		paths = append(paths, "/v1/why/job/red/"+job, "/v1/why/job/red/"+job+"?wouldRun=8s", "/v1/why/pod/red/"+job+"-0",
			"/v1/history/job/red/"+job)
	}
	for n := range w.cycle {
		paths = append(paths, fmt.Sprint("/v1/history/cycle/", n+1))
	}
	asks := func(user, method, path, body string) (int, string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", user)
		got := httptest.NewRecorder()
		s.ServeHTTP(got, r)
		return got.Code, got.Body.String()
	}
	told := 0
	look := func(method, path, body string) {
		if code, got := asks("admin", method, path, body); code == http.StatusOK && strings.Contains(got, "secret") {
			told++
		}
		for _, user := range []string{"tenant", "nobody"} {
			_, got := asks(user, method, path, body)
			if at := strings.Index(got, "secret"); at >= 0 && !strings.Contains(path, "secret") {
				t.Errorf("%s, %s %s %.60q: …%s…", user, method, path, body, got[max(0, at-200):min(len(got), at+200)])
			}
			if user == "nobody" && strings.Contains(got, "train") {
				t.Errorf("%s is told of a tenant's job: %s %s", user, path, got)
			}
		}
	}
	for _, path := range paths {
		look(http.MethodGet, path, "")
	}
	for _, parameters := range []string{"", "?start=5s&wouldRun=3s"} {
		for _, job := range []string{gangOf("red", "red", 1, "1", "high"), gangOf("red", "red", 9, "1", ""),
			gangOf("red", "red", 1, "5", "high"), gangOf("red", "blue", 1, "4", "high"), gangOf("red", "none", 1, "4", "")} {
			look(Query, planPath+parameters, job)
		}
	}
	if _, got := asks("admin", http.MethodGet, "/v1/why/job/red/waits", ""); !strings.Contains(got,
		`"unknown":"DoesNotStart"`) {
		t.Errorf("no job never starts: %s", got)
	}
	if told < 12 {
		t.Errorf("an administrator is told of others in %d answers only", told)
	}
}

// Nodes on which evictions would have cost more are named in a plan to users that may list nodes, as in the records of
// evictions.
func TestAPlanNamesNoNodesThatLost(t *testing.T) {
	w := newWorld(t)
	e, err := sched.New(policy.Profile{Actions: []string{"allocate", "preempt"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
			{{Plugin: "predicates"}, {Plugin: "proportion"}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.engine = e
	w.decide(func() {
		w.put(model.KindQueue, "", "red", &model.Queue{Meta: model.Meta{Name: "red"}, Weight: 1, Reclaimable: true})
		w.put(model.KindPriorityClass, "", "high", &model.PriorityClass{Value: 10})
		for _, node := range []string{"n1", "n2"} {
			w.node(node, 2000)
			w.gang("red", "low-"+node, "red", 1, 2000)
		}
	})
	w.bound()
	s := served(w, people())
	for user, named := range map[string]bool{"admin": true, "tenant": false} {
		code, got := submit[explain.Plan](t, s, user, gangOf("red", "red", 1, "2", "high"))
		if code != http.StatusOK || len(got.Evictions) != 1 || got.Evictions[0].Record == nil ||
			(len(got.Evictions[0].Record.Alternatives) > 0) != named {
			t.Errorf("%s: %d %s", user, code, plain(got))
		}
	}
}
