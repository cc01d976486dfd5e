//go:build !simulator

package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ashlar.sh/internal/manifest"
	"ashlar.sh/internal/readapi"
)

// A plan asks the live scheduler, with the jobs as they were read, and again to look ahead where jobs wait. What it
// leaves open, or refuses, is looked for on the objects; where these cannot be read its answer is told, and what that
// lacks.
func TestAPlanAsksTheScheduler(t *testing.T) {
	const answer = `{"apiVersion": "ashlar.sh/v1alpha1", "kind": "Plan", "evictions": [], "notes": [],
		"basis": {"time": "1970-01-01T00:00:00Z"},
		"jobs": [{"namespace": "default", "name": "new", "queue": "q", %s, "placed": 1, "pods": 1, "places": []}]}`
	outcome := map[string]string{
		"1": `"state": "Starts", "startsAfter": "0s", "places": [{"node": "n7", "pods": 1}]`,
		"2": `"state": "WaitsForRoom", "summary": "none of 3 nodes takes it", "reason": {"code": "NotEnoughResources"}`}
	const ahead = `"startsAfter": "10m", "startsOn": [{"node": "n8", "pods": 1}], "state": "WaitsForRoom",
		"summary": "no room", "reason": {"code": "NotEnoughResources"}`
	asked, old := 0, false
	scheduler := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		body, err := io.ReadAll(r.Body)
		if r.Method != readapi.Query || r.URL.Path != "/v1/plan" || err != nil {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		set, errs := manifest.Load([]string{"-"}, strings.NewReader(string(body)))
		if len(errs) > 0 || len(set.Expand().Items) != 1 {
			t.Errorf("what it was sent: %v %s", errs, body)
		}
		if wants := r.URL.Query(); len(wants) > 0 {
			if wants.Get("start") != "8s" || wants.Get("wouldRun") != "1s" || old {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"kind": "Status", "code": 400, "reason": "BadRequest", "message": "unknown parameter"}`)
				return
			}
			fmt.Fprintf(w, answer, ahead)
			return
		}
		for cores, says := range outcome {
			if strings.Contains(string(body), fmt.Sprintf(`"cpu":%q`, cores)) {
				fmt.Fprintf(w, answer, says)
				return
			}
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"kind": "Status", "code": 400, "reason": "BadRequest", "message": "only jobs are planned"}`)
	}))
	defer scheduler.Close()
	named := namedScheduler(scheduler, unreachable(t))
	for _, c := range []struct {
		cores     string
		old       bool // the scheduler does not look ahead
		more      []string
		code      int
		questions int
		out, err  string
	}{
		{"1", false, nil, 0, 1, "1 starts now", ""},
		{"2", false, nil, 0, 2, "starts after 10m0s on n8; until then: no room.", ""},
		{"2", true, nil, 0, 2, "none of 3 nodes takes it. When the jobs that wait start, and what would make them run, was " +
			"not looked for: the objects cannot be read for it.", ""},
		{"2", true, []string{"--from", "scheduler"}, 0, 2, "was not looked for: the scheduler has no time", ""},
		{"2", false, []string{"--until", "0", "--would-run", "0"}, 0, 1, "none of 3 nodes takes it.", ""},
		{"3", false, []string{"--from", "scheduler"}, 1, 1, "", "only jobs are planned"},
		{"3", false, []string{"--on", "x"}, 2, 0, "", "leave out --on"},
		{"3", false, []string{"--dump", "x"}, 2, 0, "", "leave out -f and --dump"},
	} {
		before := asked
		old = c.old
		jobs := file(t, "job.yaml", planned(c.cores, ""))
		got := run("", append(append([]string{"ashlar", "plan", "-f", jobs}, c.more...), named...)...)
		if text := strings.Join(strings.Fields(got.out), " "); got.code != c.code || !strings.Contains(text, c.out) ||
			!strings.Contains(got.err, c.err) || asked != before+c.questions {
			t.Errorf("%s cores %v: exit code %d, asked %d times, want %d with %q and %q\n%s%s", c.cores, c.more, got.code,
				asked-before, c.code, c.out, c.err, got.out, got.err)
		}
	}
}

// How old a plan is says the scheduler's clock alone: that of the person may be another.
func TestTheAgeOfAPlanIsTheSchedulers(t *testing.T) {
	for _, c := range []struct{ basis, says string }{
		{`{"time": "1969-12-31T23:59:20Z", "age": "1.2s"}`, ""},
		{`{"time": "1969-12-31T23:59:20Z"}`, ""}, // of a version that does not say it
		{`{"time": "1970-01-01T00:00:00Z", "age": "12.3s"}`, "it is about the state 12s ago"},
		{`{"time": "1970-01-02T00:00:00Z", "age": "1h10m0s"}`, "it is about the state 1h10m0s ago"},
	} {
		scheduler := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"apiVersion": "ashlar.sh/v1alpha1", "kind": "Plan", "evictions": [], "notes": [],
				"basis": %s, "jobs": [{"namespace": "default", "name": "new", "state": "Starts", "startsAfter": "0s",
				"placed": 1, "pods": 1, "places": []}]}`, c.basis)
		}))
		got := run("", append([]string{"ashlar", "plan", "-f", file(t, "job.yaml", planned("1", ""))},
			namedScheduler(scheduler, unreachable(t))...)...)
		scheduler.Close()
		text := strings.ToLower(strings.Join(strings.Fields(got.out), " "))
		if got.code != 0 || c.says == "" && strings.Contains(text, "ago") || !strings.Contains(text, c.says) {
			t.Errorf("%s: exit code %d, want %q: %s%s", c.basis, got.code, c.says, got.out, got.err)
		}
	}
}

// A plan on the objects of a cluster is for the schedulerName that the scheduler's deployment serves, though its
// configuration cannot be read. Where no deployment can be read either, it says which name is taken for it.
func TestAPlanOnObjectsKnowsTheSchedulersName(t *testing.T) {
	const assumed = "the schedulerName that the scheduler serves: no deployment of Ashlar or of Volcano's scheduler " +
		"mounts one that may be read; volcano is taken for it (--scheduler-name names another)"
	for _, c := range []struct {
		deployed, job string // schedulerNames
		flags         []string
		code          int
		out, err      string
		assumes       bool
	}{
		{"batch", "batch", nil, 0, "1 starts now", "", false},
		{"batch", "volcano", nil, 1, "", "no job for scheduler batch is in it", false},
		{"", "volcano", nil, 0, "1 starts now", "", true},
		{"", "batch", nil, 1, "", "no job for scheduler volcano is in it", true},
		{"", "batch", []string{"--scheduler-name", "batch"}, 0, "1 starts now", "", false},
	} {
		kubeconfig := withDeployment(t, c.deployed, "")
		job := strings.ReplaceAll(planned("1", ""), "schedulerName: volcano", "schedulerName: "+c.job)
		got := run("", append([]string{"ashlar", "plan", "-f", file(t, "job.yaml", job), "--kubeconfig", kubeconfig,
			"--from", "objects"}, c.flags...)...)
		text := strings.Join(strings.Fields(got.out), " ")
		if got.code != c.code || !strings.Contains(text, c.out) || !strings.Contains(got.err, c.err) ||
			strings.Contains(got.err, assumed) != c.assumes {
			t.Errorf("deployed %q, job of %q %v: exit code %d, want %d with %q and %q, assumed %v\n%s%s", c.deployed, c.job,
				c.flags, got.code, c.code, c.out, c.err, c.assumes, got.out, got.err)
		}
	}
}

// Where no deployment says which schedulerName is served, it is the one that most pods with a PodGroup name.
func TestWithoutADeploymentThePodsSayTheSchedulersName(t *testing.T) {
	of := func(names ...string) string {
		var pods []string
		for i, name := range names {
			pods = append(pods, fmt.Sprintf(`{"metadata": {"namespace": "default", "name": "p%d", "annotations":
				{"scheduling.k8s.io/group-name": "g"}}, "spec": {"schedulerName": %q}}`, i, name))
		}
		return strings.Join(pods, ", ")
	}
	for pods, want := range map[string]string{
		of("batch", "volcano", "batch"):                     "batch, which most pods with a PodGroup name, is",
		of("batch", "volcano"):                              "volcano, which most pods with a PodGroup name, is",
		of("default-scheduler", "default-scheduler"):        "volcano is",
		of("default-scheduler", "default-scheduler", "own"): "own, which most pods with a PodGroup name, is",
	} {
		got := run("", "ashlar", "jobs", "-A", "--kubeconfig", withDeployment(t, "", pods), "--from", "objects")
		if text := strings.Join(strings.Fields(got.err), " "); !strings.Contains(text, "; "+want+" taken for it") {
			t.Errorf("%s: exit code %d, want %q\n%s%s", pods, got.code, want, got.out, got.err)
		}
	}
}

// withDeployment is a kubeconfig of a cluster that has a node, pods, and a deployment of a scheduler with a
// schedulerName; "" for none. The API server serves nothing else.
func withDeployment(t *testing.T, schedulerName, pods string) (kubeconfig string) {
	t.Helper()
	lists := map[string]string{"/api/v1/nodes": `{"kind": "NodeList", "apiVersion": "v1", "items": [{"metadata":
		{"name": "n1"}, "status": {"allocatable": {"cpu": "8", "memory": "8Gi", "pods": "110"},
		"conditions": [{"type": "Ready", "status": "True"}]}}]}`,
		"/api/v1/pods": `{"kind": "PodList", "apiVersion": "v1", "items": [` + pods + `]}`}
	if schedulerName != "" {
		lists["/apis/apps/v1/deployments"] = fmt.Sprintf(`{"kind": "DeploymentList", "apiVersion": "apps/v1", "items":
			[{"metadata": {"namespace": "x", "name": "ashlar"}, "spec": {"selector": {}, "template": {"spec": {"containers":
			[{"name": "ashlar", "args": ["scheduler", "--scheduler-name=%s"]}]}}}}]}`, schedulerName)
	}
	plane := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		text, there := lists[r.URL.Path]
		if !there || r.URL.Path == "/apis/apps/v1/deployments" &&
			!strings.Contains(r.URL.Query().Get("labelSelector"), "name=ashlar") {
			w.WriteHeader(http.StatusNotFound)
			text = `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}`
		}
		fmt.Fprint(w, text)
	}))
	t.Cleanup(plane.Close)
	return file(t, "kubeconfig", fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: c
clusters: [{name: k, cluster: {server: %q}}]
users: [{name: me, user: {token: mine}}]
contexts: [{name: c, context: {cluster: k, user: me, namespace: default}}]
`, plane.URL))
}
