package readapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// runs puts a pod of a job on a node, for so long at most; 0: for ever.
func (w *world) runs(ns, name, node string, limit time.Duration) {
	w.gang(ns, name, "red", 1, 4000)
	p := &model.Pod{Meta: model.Meta{Namespace: ns, Name: name + "-0", UID: ns + name + "-0"}, Ours: true, Group: name,
		Node: node, Phase: model.PodRunning, Started: 1, Spec: &model.Spec{Requests: resource.List{
			{Name: "cpu", Value: 4000}, {Name: "pods", Value: 1}}}}
	p.SetRare(model.Times{Limit: int64(limit)})
	w.put(model.KindPod, ns, name+"-0", p)
}

// Why says when a job starts. To a tenant it names no job of another namespace that has no known end.
func TestWhyTellsWhenAJobStarts(t *testing.T) {
	for limit, want := range map[time.Duration]string{time.Minute: "1970-01-01T00:01:00Z", 0: ""} {
		w := newWorld(t)
		w.decide(func() {
			w.node("n1", 4000)
			w.runs("blue", "secret", "n1", limit)
			w.gang("red", "waits", "red", 1, 4000)
		})
		var err error
		if w.starts, err = estimate.Of(sched.CopiesOf(w.engine), 1, estimate.Options{}); err != nil {
			t.Fatal(err)
		}
		s := served(w, people())
		for user, jobs := range map[string][]string{"admin": {"blue/secret"}, "tenant": nil} {
			code, got := get[explain.Answer](t, s, user, "/v1/why/job/red/waits")
			if code != http.StatusOK || got.Start == nil || got.Start.Latest != want {
				t.Fatalf("%s: %d %+v", user, code, got.Start)
			}
			if limit == 0 && (got.Start.Unknown != "EndsUnknown" || !slices.Equal(got.Start.Jobs, jobs) ||
				got.Start.More != 1-len(jobs)) {
				t.Errorf("%s: %+v", user, got.Start)
			}
			if user == "tenant" && strings.Contains(fmt.Sprintf("%+v", got), "secret") {
				t.Errorf("a tenant is told of another one's job: %+v", got)
			}
		}
		for _, path := range []string{"/v1/jobs?waiting=true", "/v1/list/jobs?waiting=true"} {
			code, got := get[map[string]any](t, s, "tenant", path)
			text := plain(got)
			if code != http.StatusOK || !strings.Contains(text, `"start":{`) || strings.Contains(text, "secret") ||
				strings.Contains(text, `"latest":"1970-01-01T00:01:00Z"`) != (limit != 0) {
				t.Errorf("%s: %d %s", path, code, text)
			}
		}
		code, got := get[map[string]any](t, s, "tenant", "/v1/queues")
		if text := plain(got); code != http.StatusOK || strings.Contains(text, "secret") ||
			strings.Contains(text, `"start":{"earliest":"1970-01-01T00:01:00Z"`) != (limit != 0) {
			t.Errorf("queues: %d %s", code, text)
		}
		if _, got := get[explain.Answer](t, s, "admin", "/v1/why/job/blue/secret"); got.Start != nil {
			t.Errorf("a job that runs: %+v", got.Start)
		}
	}
}
