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
	const answer = `{"apiVersion": "ashlar.sh/v1alpha1", "kind": "Plan", "evictions": [], "notes": [], "basis": {},
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
