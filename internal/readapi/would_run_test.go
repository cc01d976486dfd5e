package readapi

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/explain"
)

// Why says what would make a job run, if that is asked for; to a tenant without names of other namespaces, and without
// queues that it may not use.
func TestWhySaysWhatWouldMakeAJobRun(t *testing.T) {
	w := newWorld(t)
	w.decide(func() {
		w.node("n1", 8000)
		w.runs("blue", "secret", "n1", 0)
		w.runs("blue", "hidden", "n1", 0)
		w.gang("red", "waits", "red", 2, 4000)
	})
	s := served(w, people())
	const path = "/v1/why/job/red/waits"
	if _, got := get[explain.Answer](t, s, "admin", path); len(got.Changes) > 0 || got.Tried != "" {
		t.Errorf("without being asked it says %+v", got.Changes)
	}
	for user, want := range map[string]string{"admin": "after blue/hidden and blue/secret end",
		"tenant": "after */* and */* end"} {
		code, got := get[explain.Answer](t, s, user, path+"?wouldRun=2s")
		var texts []string
		for _, c := range got.Changes {
			texts = append(texts, c.Text)
		}
		all := strings.Join(texts, "\n")
		if code != http.StatusOK || got.Tried == "" || !strings.Contains(all, want) {
			t.Errorf("%s: %d, tried %q, lacks %q:\n%s", user, code, got.Tried, want, all)
		}
		if text := plain(got); user == "tenant" && (strings.Contains(text, "secret") || strings.Contains(text, "blue")) {
			t.Errorf("a tenant is told of others: %s", text)
		}
		_, of := get[explain.Answer](t, s, user, "/v1/why/pod/red/waits-0?wouldRun=2s")
		if len(of.Changes) != len(got.Changes) {
			t.Errorf("%s: of the pod %+v, of its job %+v", user, of.Changes, got.Changes)
		}
	}
	for query, want := range map[string]int{"?wouldRun=soon": 400, "?wouldRun=-1s": 400, "?search=1s": 400} {
		if code, got := get[metav1.Status](t, s, "admin", path+query); code != want {
			t.Errorf("%s: %d %s, want %d", query, code, got.Message, want)
		}
	}
	if code, _ := get[metav1.Status](t, s, "nobody", path+"?wouldRun=2s"); code != http.StatusForbidden {
		t.Errorf("nobody: %d", code)
	}
	if code, _ := get[metav1.Status](t, s, "admin", "/v1/why/node/n1?wouldRun=2s"); code != http.StatusBadRequest {
		t.Errorf("of a node: %d", code)
	}
	s.searching.Store("admin", true)
	if code, _ := get[metav1.Status](t, s, "admin", path+"?wouldRun=2s"); code != http.StatusTooManyRequests {
		t.Errorf("a second question at the same time: %d", code)
	}
}
