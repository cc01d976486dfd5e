//go:build !simulator

package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The recording of the live scheduler is written as it comes, for this user alone. Where it may not be read, or its end
// does not come, there is no file, and it says why.
func TestTheRecordingOfTheSchedulerIsSaved(t *testing.T) {
	for name, c := range map[string]struct {
		answers func(http.ResponseWriter)
		code    int
		says    string
	}{
		"it comes": {func(w http.ResponseWriter) { fmt.Fprint(w, "recorded") }, 0, "ashlar replay decides it again"},
		"it may not be read": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind": "Status", "code": 403, "message": "user x may not get /v1/dump"}`)
		}, 1, "user x may not get /v1/dump"},
		"it is cut": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "rec")
		}, 1, "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := ""
			scheduler := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r.URL.Path
				c.answers(w)
			}))
			defer scheduler.Close()
			path := filepath.Join(t.TempDir(), "r.jsonl.gz")
			got := run("", append([]string{"ashlar", "snapshot", "--recording", path},
				namedScheduler(scheduler, unreachable(t))...)...)
			text, err := os.ReadFile(path)
			if got.code != c.code || !strings.Contains(got.out+got.err, c.says) || asked != "/v1/recording" ||
				(err == nil) != (c.code == 0) || c.code == 0 && string(text) != "recorded" {
				t.Errorf("exit code %d, want %d with %q; asked %s, written %q\n%s%s", got.code, c.code, c.says, asked, text,
					got.out, got.err)
			}
			if is, err := os.Stat(path); err == nil && is.Mode().Perm() != 0o600 {
				t.Errorf("its mode is %s", is.Mode())
			}
		})
	}
	for _, wrong := range []string{"--redact", "--scheduler-conf=y", "--dump=x"} {
		if got := run("", "ashlar", "snapshot", "--recording", wrong, "x"); got.code != 2 ||
			!strings.Contains(got.err, "--recording is of the live scheduler") {
			t.Errorf("%s: exit code %d: %s", wrong, got.code, got.err)
		}
	}
}
