package readapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/access"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// Each user sees the names that the API server would list, and sums of the rest.
func TestEachUserSeesItsNames(t *testing.T) {
	s := served(busyWorld(t), people())
	for _, c := range []struct {
		user, path string
		want       []string
		hidden     string
	}{
		{"admin", "/v1/jobs", []string{"blue/runs", "blue/secret", "red/runs", "red/waits"}, ""},
		{"tenant", "/v1/jobs", []string{"red/runs", "red/waits"}, `{"count":2,"waiting":1,"pods":{"Binding":3,"Pending":1}}`},
		{"nobody", "/v1/jobs", nil, `{"count":4,"waiting":2,"pods":{"Binding":5,"Pending":3}}`},
		{"tenant", "/v1/jobs?namespace=red", []string{"red/runs", "red/waits"}, ""},
		{"tenant", "/v1/jobs?queue=blue", nil, ""}, // sums of a queue would tell of its jobs
		{"admin", "/v1/jobs?waiting=true", []string{"blue/secret", "red/waits"}, ""},
		{"tenant", "/v1/pods?job=runs", []string{"red/runs-0", "red/runs-1"}, ""},
		{"nobody", "/v1/pods", nil, `{"count":8,"pods":{"Binding":5,"Pending":3}}`},
		{"tenant", "/v1/queues", []string{"red"}, `{"count":3,"amounts":{"allocated":{"cpu":"3"},"deserved":{"cpu":"4"},` +
			`"request":{"cpu":"67"}}}`},
		{"admin", "/v1/nodes", []string{"n1"}, ""},
		{"tenant", "/v1/nodes", nil, `{"count":1,"amounts":{"allocatable":{"cpu":"8","memory":"64Gi","pods":"110"},` +
			`"idle":{"cpu":"3","memory":"64Gi","pods":"105"},"used":{"cpu":"5","pods":"5"}}}`},
	} {
		code, got := get[List](t, s, c.user, c.path)
		hidden := ""
		if got.Hidden != nil {
			text, err := json.Marshal(got.Hidden)
			if err != nil {
				t.Fatal(err)
			}
			hidden = string(text)
		}
		if code != http.StatusOK || !slices.Equal(names(got), c.want) || hidden != c.hidden || got.Cycle != 2 {
			t.Errorf("%s of %s: %d, of cycle %d: %v, hidden\n%s\nwant %v, hidden\n%s", c.path, c.user, code, got.Cycle,
				names(got), hidden, c.want, c.hidden)
		}
	}
}

// A namespace that the user may not list is refused as a whole, whether or not there is anything in it.
func TestANamespaceOfOthersIsRefused(t *testing.T) {
	s := served(busyWorld(t), people())
	var said []string
	for _, path := range []string{"/v1/jobs?namespace=blue", "/v1/pods?namespace=blue", "/v1/watch?namespace=blue"} {
		code, status := get[metav1.Status](t, s, "tenant", path)
		if code != http.StatusForbidden || status.Reason != metav1.StatusReasonForbidden {
			t.Errorf("%s: %d %+v", path, code, status)
		}
		said = append(said, status.Message)
	}
	code, status := get[metav1.Status](t, s, "tenant", "/v1/jobs?namespace=empty")
	if code != http.StatusForbidden || strings.ReplaceAll(status.Message, "empty", "blue") != said[0] {
		t.Errorf("an empty namespace answers %d %q, another's %q: they must be alike", code, status.Message, said[0])
	}
}

// Pages together are the whole list, whatever the limit, with jobs of one name, too.
func TestPagesAreTheWholeList(t *testing.T) {
	w := newWorld(t)
	w.decide(func() {
		w.node("n1", 64000)
		w.gang("red", "same", "red", 1, 1000)
		for i := range 5 {
			w.put(model.KindPod, "red", fmt.Sprint("bare-", i), &model.Pod{Meta: model.Meta{Namespace: "red",
				Name: fmt.Sprint("bare-", i), UID: fmt.Sprint(i)}, Ours: true, Owner: "same",
				OwnerID: fmt.Sprintf("Kind%d/u%d", i/2, i/2), Spec: &model.Spec{}})
		}
	})
	s := served(w, people())
	_, whole := get[List](t, s, "admin", "/v1/jobs")
	if len(whole.Items) != 4 || whole.Continue != "" {
		t.Fatalf("%v, want four jobs of one name", names(whole))
	}
	for limit := 1; limit <= 5; limit++ {
		var got List
		for next := ""; ; {
			_, page := get[List](t, s, "admin", fmt.Sprintf("/v1/jobs?limit=%d&continue=%s", limit, next))
			got.Items = append(got.Items, page.Items...)
			if next = page.Continue; next == "" {
				break
			}
			if len(page.Items) != limit {
				t.Fatalf("limit %d: a page of %d", limit, len(page.Items))
			}
		}
		if diff := cmp.Diff(whole.Items, got.Items); diff != "" {
			t.Errorf("limit %d: %s", limit, diff)
		}
	}
}

func TestBadRequests(t *testing.T) {
	s := served(busyWorld(t), people())
	for path, want := range map[string]int{
		"/":                             http.StatusNotFound,
		"/v1":                           http.StatusNotFound,
		"/v1/jobs/":                     http.StatusNotFound,
		"/v2/jobs":                      http.StatusNotFound,
		"/v1/../v1/jobs":                http.StatusNotFound,
		"/v1/jobs?namespac=red":         http.StatusBadRequest,
		"/v1/jobs?limit=0":              http.StatusBadRequest,
		"/v1/jobs?limit=many":           http.StatusBadRequest,
		"/v1/jobs?limit=1&limit=2":      http.StatusBadRequest,
		"/v1/jobs?continue=%00":         http.StatusBadRequest,
		"/v1/jobs?waiting=yes":          http.StatusBadRequest,
		"/v1/jobs?a=%zz":                http.StatusBadRequest,
		"/v1/watch?kinds=jobs,secrets":  http.StatusBadRequest,
		"/v1/state?x=1":                 http.StatusBadRequest,
		"/v1/jobs?queue=" + long(5000):  http.StatusRequestURITooLong,
		"/v1/pods?namespace=no%2Fslash": http.StatusOK, // an administrator may list it, and it is empty
		"/metrics":                      http.StatusNotFound,
	} {
		if code, document := get[map[string]any](t, s, "admin", path); code != want {
			t.Errorf("%.60s: %d %v, want %d", path, code, document, want)
		} else if want != http.StatusOK && document["kind"] != "Status" {
			t.Errorf("%.60s: %v, want a Status", path, document)
		}
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "X"} {
		got := httptest.NewRecorder()
		s.ServeHTTP(got, httptest.NewRequest(method, "/v1/jobs", nil))
		if got.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d, want it refused", method, got.Code)
		}
	}
	for name, change := range map[string]func(*http.Request){
		"a body":        func(r *http.Request) { r.ContentLength = 5 },
		"impersonation": func(r *http.Request) { r.Header.Set("Impersonate-User", "tenant") },
	} {
		r, got := httptest.NewRequest(http.MethodGet, "/v1/jobs", nil), httptest.NewRecorder()
		r.Header.Set("Authorization", "admin")
		change(r)
		if s.ServeHTTP(got, r); got.Code != http.StatusBadRequest {
			t.Errorf("%s: %d, want it refused", name, got.Code)
		}
	}
}

func long(n int) string { return strings.Repeat("x", n) }

// Without a user that is known nothing is told, not even which paths there are.
func TestNothingWithoutAUser(t *testing.T) {
	s := served(busyWorld(t), people())
	for _, path := range []string{"/v1/state", "/v1/jobs", "/v1/watch", "/v1/dump", "/metrics", "/nothing"} {
		if code, status := get[metav1.Status](t, s, "stranger", path); code != http.StatusUnauthorized ||
			strings.Contains(status.Message, "/v1") {
			t.Errorf("%s: %d %+v", path, code, status)
		}
	}
}

// A replica that stands by says which one acts, and nothing else.
func TestAReplicaThatStandsBy(t *testing.T) {
	w := busyWorld(t)
	s := served(w, people())
	if code, _ := get[List](t, s, "admin", "/v1/jobs"); code != http.StatusOK {
		t.Fatal(code)
	}
	w.set(&Unready{Reason: NotLeader, Message: "this replica stands by", Leader: "ashlar-2_x"})
	for _, path := range []string{"/v1/jobs", "/v1/state", "/v1/watch", "/v1/dump", "/v1/report"} {
		code, status := get[metav1.Status](t, s, "admin", path)
		if code != http.StatusServiceUnavailable || status.Details == nil || len(status.Details.Causes) != 2 ||
			status.Details.Causes[0].Type != "NotLeader" || status.Details.Causes[1].Message != "ashlar-2_x" {
			t.Errorf("%s: %d %+v; want 503 and the leader, although a copy is there", path, code, status)
		}
	}
}

// An API server that does not answer is no yes.
func TestNoAnswerIsNoRight(t *testing.T) {
	r := people()
	s := served(busyWorld(t), r)
	r.down = true
	for _, path := range []string{"/v1/jobs", "/v1/jobs?namespace=red", "/v1/queues", "/v1/nodes", "/v1/pods",
		"/v1/dump"} {
		if code, status := get[metav1.Status](t, s, "admin", path); code != http.StatusServiceUnavailable {
			t.Errorf("%s: %d %+v", path, code, status)
		}
	}
}

// The dump and the report need rights of their own; a recording needs that of the dump.
func TestTheDumpNeedsARight(t *testing.T) {
	r := people()
	s := served(busyWorld(t), r)
	for path, right := range map[string]string{"/v1/dump": "/v1/dump", "/v1/recording": "/v1/dump",
		"/v1/report": "/v1/report"} {
		if code, _ := get[metav1.Status](t, s, "tenant", path); code != http.StatusForbidden {
			t.Errorf("%s of a tenant: %d", path, code)
		}
		r.give("operator", "get "+right)
		if code, document := get[map[string]any](t, s, "operator", path); code != http.StatusOK || len(document) == 0 {
			t.Errorf("%s with the right: %d %v", path, code, document)
		}
	}
}

// Without a recording there is none to be had, and the answer says why.
func TestNoRecording(t *testing.T) {
	w := busyWorld(t)
	w.unkept = true
	code, status := get[metav1.Status](t, served(w, people()), "admin", "/v1/recording")
	if code != http.StatusNotFound || !strings.Contains(status.Message, "--recording-memory=0") {
		t.Errorf("%d %+v", code, status)
	}
}

// A user without the right to all namespaces costs a bounded number of questions; what was not asked is hidden, and
// the answer says so.
func TestManyNamespaces(t *testing.T) {
	w := newWorld(t)
	w.decide(func() {
		for i := range mostChecks + 50 {
			w.gang(fmt.Sprintf("ns-%03d", i), "job", "red", 1, 1000)
		}
	})
	r := people()
	r.give("many", "list pods in namespace ns-000")
	s := served(w, r)
	_, got := get[List](t, s, "many", "/v1/jobs")
	if r.asked > mostChecks || !slices.Equal(names(got), []string{"ns-000/job"}) || got.Hidden.Count != mostChecks+49 ||
		got.Hidden.Unchecked == 0 {
		t.Errorf("%d questions, %v, %+v", r.asked, names(got), got.Hidden)
	}
}

// One user that asks too often is refused, and no other.
func TestOneUserIsLimited(t *testing.T) {
	s := served(busyWorld(t), people())
	codes := map[int]int{}
	for range 2 * atOnce {
		code, _ := get[map[string]any](t, s, "tenant", "/v1/state")
		codes[code]++
	}
	if codes[http.StatusTooManyRequests] == 0 || codes[http.StatusOK] < atOnce {
		t.Errorf("%v, want some refused", codes)
	}
	if code, _ := get[map[string]any](t, s, "admin", "/v1/state"); code != http.StatusOK {
		t.Errorf("another user: %d", code)
	}
}

// A panic costs its own request.
func TestAPanicEndsOneRequest(t *testing.T) {
	s := served(busyWorld(t), people())
	caught := 0
	s.o.Panicked = func(string) { caught++ }
	s.routes["/v1/state"] = handler{answer: func(*Server, http.ResponseWriter, *http.Request, *access.User) error {
		panic("test")
	}}
	if code, status := get[metav1.Status](t, s, "admin", "/v1/state"); code != http.StatusInternalServerError ||
		strings.Contains(status.Message, "test") || caught != 1 {
		t.Errorf("%d %+v, %d caught", code, status, caught)
	}
	if code, _ := get[List](t, s, "admin", "/v1/jobs"); code != http.StatusOK {
		t.Error("the next request fails, too")
	}
}

// The engine is copied once for many readers, and no sooner again than the copy's cost allows.
func TestOneCopyForManyReaders(t *testing.T) {
	w := busyWorld(t)
	s := served(w, people())
	for range 20 {
		for _, path := range []string{"/v1/jobs", "/v1/pods", "/v1/queues", "/v1/nodes"} {
			get[List](t, s, "admin", path)
		}
	}
	if w.reads[Whole] != 3 || w.reads[Reasons] != 1 {
		t.Errorf("it was copied %d and %d times within a second, want once for each part that was new", w.reads[Whole],
			w.reads[Reasons])
	}
	before := s.copies.listed.Load()
	s.copies.now = func() time.Time { return before.due }
	w.decide(nil)
	if _, got := get[List](t, s, "admin", "/v1/jobs"); got.Cycle != 3 || w.reads[Reasons] != 2 {
		t.Errorf("of cycle %d after %d copies; want the next cycle", got.Cycle, w.reads[Reasons])
	}
}

// A copy shares nothing with the engine that later cycles change.
func TestACopyStands(t *testing.T) {
	w := busyWorld(t)
	var copied sched.Report
	if err := w.Ask(t.Context(), Whole, func(e *sched.Engine, _ Moment) { copied = e.Report() }); err != nil {
		t.Fatal(err)
	}
	before, err := json.Marshal(copied)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		w.decide(func() {
			w.node(fmt.Sprint("m", i), 1000)
			w.gang("red", fmt.Sprint("more-", i), "red", 2, 1000+int64(i)*500)
			w.gang("blue", "secret", "blue", 1, 64000+int64(i))
		})
		w.mu.Lock()
		w.engine.Report()
		w.mu.Unlock()
	}
	if after, err := json.Marshal(copied); err != nil || string(after) != string(before) {
		t.Errorf("%v; the copy has changed:\n%s\n%s", err, before, after)
	}
}
