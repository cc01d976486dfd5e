package readapi

import (
	"net/http"
	"strings"
	"testing"
)

// A user that names a queue in a job is not told what that holds without the right to get it.
func TestWhyTellsNoFiguresOfOtherQueues(t *testing.T) {
	w := newWorld(t)
	w.decide(func() {
		w.node("n1", 8000)
		w.gang("blue", "runs", "blue", 3, 1000)
		w.gang("red", "probes", "blue", 2, 7000)
		w.gang("red", "own", "red", 2, 7000)
	})
	w.decide(nil)
	s := served(w, people())
	const figures, none = "queue blue holds cpu 3 of 4 deserved", "what it holds is not told"
	for _, path := range []string{"/v1/why/job/red/probes", "/v1/why/pod/red/probes-0"} {
		if code, got := text(t, s, "tenant", path); code != http.StatusOK || strings.Contains(got, figures) ||
			!strings.Contains(got, none) {
			t.Errorf("%s: %d %s", path, code, got)
		}
		if _, got := text(t, s, "admin", path); !strings.Contains(got, figures) {
			t.Errorf("%s tells an administrator: %s", path, got)
		}
	}
	_, got := text(t, s, "tenant", "/v1/why/job/red/own")
	if !strings.Contains(got, "queue red holds cpu 0 of 4 deserved") {
		t.Errorf("of its own queue a tenant is told: %s", got)
	}
}
