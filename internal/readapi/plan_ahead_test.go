package readapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/explain"
)

// A plan that asks for it says when a job starts that waits, on which nodes, and what would make it run at once. To a
// tenant it names no job of another namespace. Without the parameters, and of a job that starts at once, it says
// neither.
func TestAPlanLooksAhead(t *testing.T) {
	for limit, want := range map[time.Duration]string{time.Minute: "starts after 1m", 0: "when it starts is not known"} {
		w := newWorld(t)
		w.decide(func() {
			w.node("n1", 4000)
			w.runs("blue", "secret", "n1", limit)
		})
		s := served(w, people())
		for _, user := range []string{"admin", "tenant"} {
			code, got := submitAsking[explain.Plan](t, s, user, "?start=5s&wouldRun=5s", gangOf("red", "red", 2, "2", ""))
			var text strings.Builder
			if err := got.Text(&text, explain.Style{}); err != nil || code != http.StatusOK || len(got.Jobs) != 1 {
				t.Fatalf("%s: %d %s, %v", user, code, plain(got), err)
			}
			told, j := strings.ToLower(strings.Join(strings.Fields(text.String()), " ")), got.Jobs[0]
			if !strings.Contains(told, want) || j.Start == nil {
				t.Errorf("%s: lacks %q: %s", user, want, told)
			}
			if starts := limit > 0; starts != (j.StartsAfter != nil) || starts && (j.Start.Latest == "" ||
				len(j.StartsOn) != 1 || j.StartsOn[0].Node != "n1" || j.StartsOn[0].Pods != 2) {
				t.Errorf("%s: after %v on %v: %+v", user, j.StartsAfter, j.StartsOn, j.Start)
			}
			if len(j.Changes) == 0 {
				t.Errorf("%s: nothing would make it run: %s", user, told)
			}
			if hidden := !strings.Contains(plain(got)+told, "secret"); hidden != (user == "tenant") {
				t.Errorf("%s: the other job is hidden: %v: %s", user, hidden, told)
			}
		}
		if _, got := submit[explain.Plan](t, s, "admin", gangOf("red", "red", 2, "2", "")); len(got.Jobs) != 1 ||
			got.Jobs[0].Start != nil || len(got.Jobs[0].Changes) > 0 {
			t.Errorf("that is not asked for: %s", plain(got))
		}
	}
	s := served(busyWorld(t), people())
	if _, got := submitAsking[explain.Plan](t, s, "admin", "?start=5s&wouldRun=5s", gangOf("red", "red", 2, "1", "")); len(
		got.Jobs) != 1 || got.Jobs[0].Start != nil || got.Jobs[0].State != explain.Starts {
		t.Errorf("a job that starts at once: %s", plain(got))
	}
	many := strings.ReplaceAll(manyJobs(mostAhead+2), `{cpu: "1"}`, `{cpu: "7"}`)
	if _, got := submitAsking[explain.Plan](t, s, "admin", "?start=5s", many); !strings.Contains(plain(got),
		fmt.Sprintf("first %d of them: not for the other 2", mostAhead)) {
		t.Errorf("many jobs: %s", plain(got.Notes))
	}
	if code, got := submitAsking[metav1.Status](t, s, "admin", "?start=soon", gangOf("red", "red", 2, "1", "")); code !=
		http.StatusBadRequest || !strings.Contains(got.Message, "start: expected a duration") {
		t.Errorf("no duration: %d %s", code, got.Message)
	}
}

// A plan of which looking ahead was cut says so, of when its job starts and of what would make it run.
func TestAPlanSaysThatLookingAheadWasCut(t *testing.T) {
	w := newWorld(t)
	w.decide(func() {
		w.node("n1", 4000)
		w.runs("blue", "secret", "n1", time.Minute)
	})
	w.hurried = true
	code, got := submitAsking[explain.Plan](t, served(w, people()), "admin", "?start=5s&wouldRun=5s",
		gangOf("red", "red", 2, "2", ""))
	var text strings.Builder
	if err := got.Text(&text, explain.Style{}); err != nil || code != http.StatusOK || len(got.Jobs) != 1 {
		t.Fatalf("%d %s, %v", code, plain(got), err)
	}
	told := strings.ToLower(strings.Join(strings.Fields(text.String()), " "))
	for _, want := range []string{"the estimate ends at", "it has not started then",
		"what would make jobs run was not looked for to the end"} {
		if !strings.Contains(told, want) {
			t.Errorf("it lacks %q: %s", want, told)
		}
	}
}
