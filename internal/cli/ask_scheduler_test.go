package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"ashlar.sh/internal/readapi"
)

// A scheduler that is named is asked, and its errors are told; flags that do not go together are refused.
func TestASchedulerThatIsNamed(t *testing.T) {
	var asked []string
	scheduler := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		switch r.URL.Path {
		case "/v1/why/job/team/a b":
			fmt.Fprint(w, `{"apiVersion": "ashlar.sh/v1alpha1", "kind": "Answer", "subject": {"kind": "job", "name": "a b"},
				"state": "WaitsForRoom", "summary": "none of 2 nodes takes it", "path": []}`)
		case "/v1/state":
			fmt.Fprint(w, `{"apiVersion": "ashlar.sh/v1alpha1", "version": "v0.3"}`)
		case "/v1/queues":
			fmt.Fprint(w, `{"apiVersion": "ashlar.sh/v1alpha1", "kind": "QueueList", "cycle": 7, "items": [
				{"name": "red", "parent": "root", "turn": 1}, {"name": "root"}], "hidden": {"count": 2}}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"kind": "Status", "code": 404, "message": "there is no %s; there are /v1/state"}`, r.URL.Path)
		}
	}))
	defer scheduler.Close()
	config := unreachable(t)
	named := namedScheduler(scheduler, config)
	for _, c := range []struct {
		args     []string
		code     int
		out, err string
	}{
		{[]string{"why", "job", "a b", "--would-run", "0", "-v", "--exit-code"}, 10, "None of 2 nodes takes it.",
			"note: the scheduler was asked, 127.0.0.1:"},
		{[]string{"queues", "-o", "name"}, 0, "queue/red\nqueue/root\n", "2 queues are not listed"},
		{[]string{"queues", "blue"}, 1, "", `there is no queue "blue", or you may not get it`},
		{[]string{"jobs"}, 1, "", "the scheduler (version v0.3) is older than this command: it does not know what is asked " +
			"at /v1/list/jobs"},
		{[]string{"jobs", "-l", "a=b", "--from", "scheduler"}, 1, "", "--selector"},
		{[]string{"jobs", "-w", "-o", "json"}, 2, "", "--watch: it prints the lines that have changed"},
		{[]string{"jobs", "--from", "objects"}, 2, "", "--from objects: leave out --read-api"},
		{[]string{"jobs", "--from", "me"}, 2, "", "expected auto, scheduler or objects"},
		{[]string{"jobs", "-f", "x"}, 2, "", "leave out -f"},
		{[]string{"why", "job", "x", "--scheduler-conf", "x"}, 2, "", "leave out --scheduler-conf"},
		{[]string{"jobs", "--scheduler-namespace", "x"}, 2, "", "give one of them"},
	} {
		got := run("", append(append([]string{"ashlar"}, c.args...), named...)...)
		if got.code != c.code || !strings.Contains(got.out, c.out) || !strings.Contains(got.err, c.err) {
			t.Errorf("%v: exit code %d, want %d with %q and %q\n%s%s", c.args, got.code, c.code, c.out, c.err, got.out,
				got.err)
		}
	}
	before := len(asked)
	got := run("", "ashlar", "jobs", "--kubeconfig", config)
	if got.code != 1 || !strings.Contains(got.err, "no cluster to ask") || len(asked) != before {
		t.Errorf("without a cluster: exit code %d, asked %d times\n%s", got.code, len(asked)-before, got.err)
	}
}

// namedScheduler are the flags that have a scheduler asked.
func namedScheduler(s *httptest.Server, config string) []string {
	return []string{"--kubeconfig", config, "--read-api", s.URL, "--read-api-certificate",
		readapi.Fingerprint(s.Certificate().Raw)}
}

// A list of which each page is followed by the same one is given up.
func TestAListThatDoesNotGoOn(t *testing.T) {
	asked := 0
	scheduler := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked > 9 {
			w.WriteHeader(http.StatusBadRequest)
		}
		fmt.Fprint(w, `{"apiVersion": "ashlar.sh/v1alpha1", "kind": "JobList", "items": [], "continue": "eA"}`)
	}))
	defer scheduler.Close()
	got := run("", append([]string{"ashlar", "jobs"}, namedScheduler(scheduler, unreachable(t))...)...)
	if got.code != 1 || asked != 2 || !strings.Contains(got.err, "does not go on") {
		t.Errorf("exit code %d after %d questions: %s%s", got.code, asked, got.out, got.err)
	}
}

// A list that is watched follows the scheduler's stream, over its end, and prints what is new. It ends where the person
// may not ask any more.
func TestAListOfASchedulerIsWatched(t *testing.T) {
	const form = `{"apiVersion": "ashlar.sh/v1alpha1", "kind": "JobList", "at": "2026-01-01T00:0%d:00Z",
		"items": [%s]}`
	row := func(name, state string) string {
		return fmt.Sprintf(`{"namespace": "team", "name": %q, "created": "2026-01-01T00:00:00Z", "queue": "q",
			"state": %q, "places": []}`, name, state)
	}
	lists := []string{row("a", "WaitsForRoom"), row("a", "WaitsForRoom") + "," + row("b", "Running"),
		row("a", "Running") + "," + row("b", "Running")}
	var asked, streams int
	scheduler := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v1/list/jobs" && asked < len(lists):
			asked++
			fmt.Fprintf(w, form, asked, lists[asked-1])
		case r.URL.Path == "/v1/watch" && r.URL.RawQuery == "kinds=jobs&namespace=team":
			streams++
			fmt.Fprintln(w, `{"type": "ADDED", "kind": "Job", "object": {}}`)
			fmt.Fprintln(w, `{"type": "BOOKMARK"}`) // and the stream ends
		default:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind": "Status", "code": 403, "reason": "Forbidden", "message": "you may not any more"}`)
		}
	}))
	defer scheduler.Close()
	config := unreachable(t)
	got := run("", append([]string{"ashlar", "jobs", "-w"}, namedScheduler(scheduler, config)...)...)
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(got.out), "\n") {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	want := []string{"NAME QUEUE PODS STATE AGE START REASON", "a q 0/0 WaitsForRoom 1m - -",
		"b q 0/0 Running 2m - -", "a q 0/0 Running 3m - -"}
	if got.code != 1 || !slices.Equal(lines, want) || !strings.Contains(got.err, "you may not any more") || streams < 2 {
		t.Errorf("exit code %d after %d streams, %q, want %q: %s", got.code, streams, lines, want, got.err)
	}
}
