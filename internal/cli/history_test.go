package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// With a name alone the scheduler is asked what happened to a job, and its document is passed on.
func TestTheHistoryByAScheduler(t *testing.T) {
	scheduler := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/history/job/team/train" {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"kind": "Status", "code": 404, "message": "there is no job \"x\""}`)
			return
		}
		fmt.Fprint(w, `{"apiVersion": "ashlar.sh/v1alpha1", "kind": "History",
			"subject": {"kind": "job", "namespace": "team", "name": "train"}, "since": "2026-01-01T00:00:00.000Z",
			"moments": [{"cycle": 7, "time": "2026-01-01T00:00:07.000Z", "what": ["train: came", "bind team/train-0 to n1"]}],
			"now": "the cluster has no nodes", "notes": ["known from 00:00 on"],
			"basis": {"source": "scheduler", "configuration": "", "unknown": []}}`)
	}))
	defer scheduler.Close()
	named := namedScheduler(scheduler, unreachable(t))
	got := run("", append([]string{"ashlar", "history", "job", "train", "-n", "team"}, named...)...)
	for _, part := range []string{"cycle 7      train: came\n", "  bind team/train-0 to n1\n",
		"waits: the cluster has no nodes", "note: known from 00:00 on"} {
		if got.code != 0 || !strings.Contains(got.out, part) {
			t.Errorf("exit code %d, %s: no %q in\n%s", got.code, got.err, part, got.out)
		}
	}
	got = run("", append([]string{"ashlar", "history", "job", "team/train", "-o", "json"}, named...)...)
	fitsHistory(t, got.out)
	got = run("", append([]string{"ashlar", "history", "job", "team/x"}, named...)...)
	if got.code != 1 || !strings.Contains(got.err, "there is no job") {
		t.Errorf("of a job that is not there: exit code %d, %s%s", got.code, got.out, got.err)
	}
	if got = run("", "ashlar", "history", "job"); got.code != 2 {
		t.Errorf("without a name: exit code %d, want 2", got.code)
	}
}

// The history of a recording is the same document.
func TestTheHistoryFitsItsSchema(t *testing.T) {
	got := run("", "ashlar", "history", "job", train, recorded(t), "-o", "json")
	if got.code != 0 || !strings.Contains(got.out, "bind team/train-0 to n2") {
		t.Fatalf("exit code %d: %s%s", got.code, got.out, got.err)
	}
	fitsHistory(t, got.out)
}

func fitsHistory(t *testing.T, text string) {
	t.Helper()
	schema, err := os.ReadFile("../../docs/history.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var form, document map[string]any
	if err := json.Unmarshal(schema, &form); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, b := range breaks(form, document, "history") {
		t.Error(b)
	}
}
