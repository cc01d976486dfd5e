package readapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/whatif"
)

// Plan tries at once, in the test's goroutine.
func (w *world) Plan(_ context.Context, jobs []model.Fact, see func(*sched.Engine, PlannedCycle)) (Foresee, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unready != nil {
		return nil, w.unready
	}
	c, err := w.engine.Copy()
	if err != nil {
		return nil, err
	}
	m, now := Moment{Cycle: w.cycle, At: time.Unix(int64(w.cycle), 0).UTC(), Age: 7 * time.Second},
		int64(w.cycle+1)*int64(time.Second)
	applied := whatif.Apply(whatif.ClusterOf(w.engine.Ledger()), jobs)
	copies := c.With(applied.Facts)
	whatif.Submit(c, now, applied, func(e *sched.Engine, cycle int, plan sched.Plan) bool {
		see(e, PlannedCycle{m, cycle, plan, &applied})
		return true
	})
	stop := func() bool { return w.hurried }
	return func(_ context.Context, wanted Foresight) (out Foreseen, err error) {
		only := map[ledger.JobKey]bool{}
		out.WouldRun = map[ledger.JobKey]trace.WouldRun{}
		for _, k := range wanted.Jobs {
			c, err := copies()
			if err != nil {
				return out, err
			}
			only[k] = true
			out.WouldRun[k], _ = whatif.New(c, now).Job(k, whatif.Limits{Stop: stop})
		}
		out.Starts, err = estimate.Of(copies, now, estimate.Options{Only: only, See: wanted.See, Stop: stop})
		return out, err
	}, nil
}

// submit asks what would become of the objects in a text.
func submit[T any](t testing.TB, s *Server, user, text string) (code int, document T) {
	t.Helper()
	return submitAsking[T](t, s, user, "", text)
}

// submitAsking is submit with parameters.
func submitAsking[T any](t testing.TB, s *Server, user, parameters, text string) (code int, document T) {
	t.Helper()
	r := httptest.NewRequest(Query, planPath+parameters, strings.NewReader(text))
	r.Header.Set("Authorization", user)
	got := httptest.NewRecorder()
	s.ServeHTTP(got, r)
	if err := json.Unmarshal(got.Body.Bytes(), &document); err != nil {
		t.Fatalf("%d %q: %v", got.Code, got.Body, err)
	}
	return got.Code, document
}

// gangOf is a Volcano Job as a user writes it.
func gangOf(ns, queue string, members int, cpu, class string) string {
	return fmt.Sprintf(`
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: new, namespace: %s}
spec:
  schedulerName: volcano
  queue: %s
  priorityClassName: %q
  minAvailable: %d
  tasks:
  - name: worker
    replicas: %d
    template: {spec: {priorityClassName: %q, containers: [{name: c, image: i, resources: {requests: {cpu: %q}}}]}}
`, ns, queue, class, members, members, class, cpu)
}

// A plan says what would become of a job now: where it starts, why it waits, that it can never run. Nothing is left of
// it, so it is told the same again.
func TestAPlanOfTheScheduler(t *testing.T) {
	w := busyWorld(t) // 3 of n1's 8 cores are free
	s := served(w, people())
	for range 2 {
		for _, c := range []struct {
			members int
			cpu     string
			state   explain.State
			says    string
		}{{2, "1", explain.Starts, "n1"}, {2, "3", explain.WaitsForRoom, "1 of the 2 pods"},
			{1, "9", explain.Never, "9 asked"}} {
			code, got := submit[explain.Plan](t, s, "admin", gangOf("red", "red", c.members, c.cpu, ""))
			if code != http.StatusOK || len(got.Jobs) != 1 || got.Jobs[0].Name != "new" || got.Jobs[0].State != c.state ||
				!strings.Contains(plain(got), c.says) || got.Basis.Source != "scheduler" ||
				time.Duration(got.Basis.Age) < 7*time.Second {
				t.Errorf("%d pods of %s: %d %s, want %s with %q", c.members, c.cpu, code, plain(got), c.state, c.says)
			}
			if starts := len(got.Jobs) == 1 && got.Jobs[0].StartsAfter != nil; starts != (c.state == explain.Starts) {
				t.Errorf("%d pods of %s: starts %v", c.members, c.cpu, starts)
			}
		}
	}
	there := strings.ReplaceAll(gangOf("red", "red", 1, "1", ""), "new", "runs")
	if _, got := submit[explain.Plan](t, s, "admin", there); len(got.Jobs) != 1 || got.Jobs[0].Pods != 2 ||
		len(got.Jobs[0].StartsOn) > 0 {
		t.Errorf("of a job that is there already: %s", plain(got))
	}
	if got := w.engine.Report(); slices.ContainsFunc(got.Jobs, func(j sched.JobReport) bool { return j.Name == "new" }) {
		t.Error("the engine knows the job that was planned")
	}
}

// What is no plan of jobs that the user may see is refused, and says why.
func TestPlansThatAreRefused(t *testing.T) {
	s := served(busyWorld(t), people())
	job := gangOf("red", "red", 1, "1", "")
	for _, c := range []struct {
		user, text string
		code       int
		says       string
	}{
		{"tenant", gangOf("blue", "red", 1, "1", ""), 403, "may not list pods in namespace blue"},
		{"tenant", job + "---\napiVersion: v1\nkind: Service\nmetadata: {name: x, namespace: blue}\n", 403, "namespace blue"},
		{"nobody", job, 403, "may not list pods in namespace red"},
		{"stranger", job, 401, ""},
		{"admin", "", 400, "no object"},
		{"admin", "kind: {", 400, ""},
		{"admin", job + strings.Repeat("#", MostToPlan), 413, "1 MiB"},
		{"admin", "apiVersion: v1\nkind: Node\nmetadata: {name: n9}\n", 400, "Node n9: only jobs"},
		{"admin", "apiVersion: v1\nkind: Service\nmetadata: {name: x}\n", 400, "no job for this scheduler"},
		{"admin", "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {schedulerName: other}\n", 400, "no job for this"},
		{"admin", manyJobs(mostToPlan + 1), 400, "101 jobs, and at most 100"},
		{"admin", gangOf("red", "red", podsToPlan+1, "1", ""), 413, "more than 10000 pods"},
		{"admin", strings.Replace(gangOf("red", "red", 4000, "1", ""), "spec: {", "spec: {tolerations: ["+
			strings.Repeat("{key: a, operator: Exists}, ", 1000)+"], ", 1), 413, "64 MiB of pods"},
	} {
		code, got := submit[metav1.Status](t, s, c.user, c.text)
		if code != c.code || !strings.Contains(got.Message, c.says) {
			t.Errorf("%s, %.40q: %d %q, want %d with %q", c.user, c.text, code, got.Message, c.code, c.says)
		}
	}
	if code, got := get[metav1.Status](t, s, "admin", planPath); code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d %s", code, got.Message)
	}
	s.planners.Store("admin", true)
	if code, _ := submit[metav1.Status](t, s, "admin", job); code != http.StatusTooManyRequests {
		t.Errorf("a second plan at the same time: %d", code)
	}
}

func manyJobs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s---\n", strings.ReplaceAll(gangOf("red", "red", 1, "1", ""), "new", fmt.Sprint("new-", i)))
	}
	return b.String()
}

// Which pods would be evicted is told by name to users that may list them, and to others as a number.
func TestAPlanHidesWhomItEvicts(t *testing.T) {
	w := newWorld(t)
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate", "preempt", "reclaim"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
			{{Plugin: "predicates"}, {Plugin: "proportion"}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.engine = e
	for _, q := range []string{"default", "red", "blue"} {
		w.put(model.KindQueue, "", q, &model.Queue{Meta: model.Meta{Name: q}, Weight: 1, Reclaimable: true})
	}
	w.decide(func() {
		w.node("n1", 8000)
		for i := range 4 {
			name := fmt.Sprint("secret-", i)
			w.gang("blue", name, "blue", 1, 2000)
			w.put(model.KindPod, "blue", name+"-0", &model.Pod{Meta: model.Meta{Namespace: "blue", Name: name + "-0",
				UID: name}, Ours: true, Group: name, Node: "n1", Phase: model.PodRunning, Started: 1, Preemptable: true,
				Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: 2000}, {Name: "pods", Value: 1}}}})
		}
	})
	s := served(w, people())
	for user, want := range map[string]string{"admin": "blue/secret-",
		"tenant": "1 pod of namespaces whose pods you may not list would be evicted"} {
		code, got := submit[explain.Plan](t, s, user, gangOf("red", "red", 1, "2", ""))
		text := plain(got)
		for _, x := range got.Evictions {
			text += " " + x.Namespace + "/" + x.Name
		}
		if code != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s: %d, lacks %q: %s", user, code, want, text)
		}
		if len(got.Jobs) == 1 && (got.Jobs[0].StartsAfter == nil || *got.Jobs[0].StartsAfter == 0) {
			t.Errorf("%s: it starts after %v", user, got.Jobs[0].StartsAfter)
		}
		if user == "tenant" && (strings.Contains(text, "secret") || strings.Contains(text, "blue")) {
			t.Errorf("a tenant is told of others: %s", text)
		}
	}
}

// A client that never sends the rest of its jobs is told so, and keeps no place of those that plan.
func TestAPlanOfWhichTheRestNeverComes(t *testing.T) {
	s := served(busyWorld(t), people())
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var begin sync.Once
	begun := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := r.Body
		r.Body = io.NopCloser(readBy(func(into []byte) (int, error) {
			begin.Do(func() { close(begun) })
			return from.Read(into)
		}))
		s.ServeHTTP(w, r.WithContext(ctx))
	}))
	defer server.CloseClientConnections()
	to, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = to.Close() }()
	_, _ = fmt.Fprintf(to, "%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: admin\r\nContent-Length: 100\r\n\r\nkind", Query,
		planPath)
	<-begun
	if len(s.planning) > 0 {
		t.Error("it has a place while its jobs are not there")
	}
	end() // as answerWithin does
	_ = to.SetReadDeadline(time.Now().Add(5 * time.Second))
	got, err := http.ReadResponse(bufio.NewReader(to), nil)
	if err != nil {
		t.Fatalf("it is not answered: %v", err)
	}
	_ = got.Body.Close()
	if got.StatusCode != http.StatusBadRequest {
		t.Errorf("it is answered %s", got.Status)
	}
}

type readBy func([]byte) (int, error)

func (f readBy) Read(into []byte) (int, error) { return f(into) }
