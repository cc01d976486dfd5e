package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"ashlar.sh/internal/readapi"
)

// A live scheduler is asked with the token of the kubeconfig, and with nothing of the browser's; a server with another
// certificate is sent nothing.
func TestThePageOfALiveScheduler(t *testing.T) {
	var asked atomic.Int32
	scheduler := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if got := r.Header.Get("Authorization"); got != "Bearer mine" || r.Header.Get("Cookie") != "" || r.ContentLength > 0 {
			t.Errorf("%s came with %v", r.URL, r.Header)
		}
		w.Header().Set("Set-Cookie", "theirs=1")
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"apiVersion": "ashlar.sh/v1alpha1", "version": "v9", "items": [{"name": "train"}]}`)
	}))
	defer scheduler.Close()
	config := unreachable(t)
	fingerprint := readapi.Fingerprint(scheduler.Certificate().Raw)
	args := func(certificate string) []string {
		return []string{"--read-api", scheduler.URL, "--read-api-certificate", certificate, "--kubeconfig", config}
	}
	var got listed
	browse(t, "/v1/jobs?limit=1", http.StatusOK, &got, args(fingerprint)...)
	if len(got.Items) != 1 || got.Items[0].Name != "train" {
		t.Errorf("the page has %+v", got.Items)
	}
	browse(t, "/v1/jobs", http.StatusOK, &got, args(readapi.LabelOf(scheduler.Certificate().Raw))...)
	var page struct{ Source, Version, Scheduler string }
	browse(t, "/v1/page", http.StatusOK, &page, args(fingerprint)...)
	if page.Source != "cluster" || page.Version == "" || page.Scheduler != "v9" {
		t.Errorf("the page is told of itself %+v", page)
	}
	before := asked.Load()
	other := run("", append([]string{"ashlar", "web"}, args("AB:CD")...)...)
	if asked.Load() != before || other.code != 1 || !strings.Contains(other.err, "another certificate") {
		t.Errorf("another certificate: %d requests came, exit code %d, %q", asked.Load()-before, other.code, other.err)
	}
	for _, c := range [][]string{{"--read-api", scheduler.URL, "--kubeconfig", config},
		{"--read-api", "http://localhost", "--read-api-certificate", "x", "--kubeconfig", config},
		{"--read-api", scheduler.URL, "--read-api-certificate", "x", "--kubeconfig", "/none"},
		{"--read-api", scheduler.URL, "--read-api-certificate", "x", "examples"},
		{"--read-api-certificate", "x"}, {"--scheduler-namespace", "x", "examples"}, {"--kubeconfig", config}} {
		if got := run("", append([]string{"ashlar", "web"}, c...)...); got.code == 0 || got.err == "" {
			t.Errorf("%v: exit code %d, %q", c, got.code, got.err)
		}
	}
}

// unreachable is a kubeconfig with a token, namespace team, and a cluster that does not answer.
func unreachable(t *testing.T) string {
	t.Helper()
	return file(t, "kubeconfig", `apiVersion: v1
kind: Config
current-context: c
clusters: [{name: k, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: me, user: {token: mine}}]
contexts: [{name: c, context: {cluster: k, user: me, namespace: team}}]
`)
}

// What-if on a live cluster is computed on a copy of what the scheduler decides on. A person that may not read it is
// told so, and nothing but GET goes anywhere.
func TestWhatIfOfALiveScheduler(t *testing.T) {
	state, err := os.ReadFile(saved(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	var may atomic.Bool
	scheduler := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("%s %s is asked", r.Method, r.URL)
		}
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path != "/v1/dump":
			fmt.Fprint(w, `{"apiVersion": "ashlar.sh/v1alpha1", "version": "v9"}`)
		case may.Load():
			_, _ = w.Write(state) // the client is this test's
		default:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"apiVersion": "v1", "kind": "Status", "code": 403, "reason": "Forbidden", `+
				`"message": "user \"me\" may not get /v1/dump"}`)
		}
	}))
	defer scheduler.Close()
	b := enter(t, "--read-api", scheduler.URL, "--read-api-certificate",
		readapi.Fingerprint(scheduler.Certificate().Raw), "--kubeconfig", unreachable(t))
	const change = `{"job": "ns/p", "seconds": 60}`
	var refused struct{ Message string }
	b.ask("/v1/whatif", change, http.StatusForbidden, &refused)
	for _, part := range []string{"What-if needs a copy", "may not get /v1/dump", "Ask somebody"} {
		if !strings.Contains(refused.Message, part) {
			t.Errorf("a person without rights is told %q, want %q", refused.Message, part)
		}
	}
	may.Store(true)
	var moved struct {
		Jobs []struct {
			Name          string
			Before, After *struct{ Starts float64 }
		}
	}
	b.ask("/v1/whatif", change, http.StatusOK, &moved)
	if len(moved.Jobs) != 1 || moved.Jobs[0].Name != "p" || moved.Jobs[0].Before == nil || moved.Jobs[0].After != nil {
		t.Errorf("without its only job it is %+v", moved.Jobs)
	}
	b.ask("/v1/whatif", `{"job": "ns/p", "seconds": 60, "fromStart": true}`, http.StatusConflict, &refused)
	b.ask("/v1/whatif", `{"configuration": "actions: \"dance\"", "seconds": 60}`, http.StatusBadRequest, &refused)
	if !strings.Contains(refused.Message, "dance") {
		t.Errorf("a wrong configuration is answered with %q", refused.Message)
	}
}

// The bookings of a live cluster are told by their status, if the person may list them. Without the CRD there are none.
func TestBookingsOfALiveScheduler(t *testing.T) {
	const booked = `{"apiVersion": "ashlar.sh/v1alpha1", "kind": "BookingList", "items": [
	  {"metadata": {"name": "disks"}, "spec": {"maintenance": true, "from": "2030-01-01T00:00:00Z",
	    "to": "2030-01-01T02:00:00Z"}, "status": {"phase": "Pending", "nodeCount": 600, "nodes": ["n1", "n2"],
	    "window": {"from": "2030-01-01T00:00:00Z", "to": "2030-01-01T02:00:00Z"}, "conflictCount": 1,
	    "conflicts": [{"namespace": "ns", "pod": "long-0", "node": "n1"}]}},
	  {"metadata": {"name": "course"}, "spec": {"owner": {"queue": "teaching"}, "from": "2030-02-01T00:00:00Z",
	    "to": "2030-02-01T02:00:00Z"}}]}`
	type told struct {
		Items []struct {
			Name, For, Phase, From string
			Nodes                  []string
			NodeCount              int
			ConflictCount          int
			Conflicts              []struct{ Pod string }
		}
		Unknown []string
	}
	for code, want := range map[int]string{http.StatusOK: "course disks", http.StatusNotFound: "",
		http.StatusForbidden: "no right to list bookings"} {
		cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch {
			case r.Method != http.MethodGet:
				t.Errorf("%s %s is asked", r.Method, r.URL)
			case !strings.HasSuffix(r.URL.Path, "/bookings") || code != http.StatusOK:
				w.WriteHeader(code)
				fmt.Fprintf(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": %d, "reason": %q}`, code,
					map[int]string{403: "Forbidden", 404: "NotFound"}[code])
			default:
				fmt.Fprint(w, booked)
			}
		}))
		scheduler := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"apiVersion": "ashlar.sh/v1alpha1", "version": "v9"}`)
		}))
		data, err := os.ReadFile(unreachable(t))
		if err != nil {
			t.Fatal(err)
		}
		config := strings.Replace(string(data), "https://127.0.0.1:1", cluster.URL, 1)
		var got told
		browse(t, "/v1/bookings", http.StatusOK, &got, "--read-api", scheduler.URL, "--read-api-certificate",
			readapi.Fingerprint(scheduler.Certificate().Raw), "--kubeconfig", file(t, "config", config))
		var names []string
		for _, b := range got.Items {
			names = append(names, b.Name)
		}
		said := strings.Join(append(names, got.Unknown...), " ")
		if !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("the API server answers %d: the page is told %q, want %q", code, said, want)
		}
		if code == http.StatusOK {
			d, c := got.Items[1], got.Items[0]
			if d.For != "maintenance" || d.Phase != "Pending" || d.NodeCount != 600 || len(d.Nodes) != 2 ||
				d.ConflictCount != 1 || d.Conflicts[0].Pod != "long-0" || c.For != "queue teaching" ||
				c.From != "2030-02-01T00:00:00Z" {
				t.Errorf("the page is told %+v", got.Items)
			}
		}
		cluster.Close()
		scheduler.Close()
	}
}
