//go:build !simulator

package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/readapi"
)

// Evictions of a live cluster are those that the scheduler has recorded, with their records. Events tell of earlier
// ones alone: a later one that is not recorded was refused. Without a recording there are the events.
func TestEvictionsOfALiveScheduler(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Second)
	at := func(ago time.Duration) string { return now.Add(-ago).Format(time.RFC3339) }
	event := func(pod string, ago time.Duration) string {
		return fmt.Sprintf(`{"metadata": {"name": "%[1]s.%[2]d", "namespace": "team"}, "reason": "Evict",
		  "involvedObject": {"kind": "Pod", "namespace": "team", "name": %[1]q}, "lastTimestamp": %[3]q,
		  "message": "preempt: makes room on node n1 for team/high-0 of job team/high (queue q, priority 9 against 0);`+
			` permitted by tier 1 (gang); its job keeps its minimum"}`, pod, ago, at(ago))
	}
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !strings.HasSuffix(r.URL.Path, "/events") {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"kind": "EventList", "apiVersion": "v1", "items": [%s]}`, strings.Join([]string{
			event("before", 40*time.Minute), event("after", 10*time.Minute), event("refused", 5*time.Minute)}, ","))
	}))
	defer cluster.Close()
	data, err := os.ReadFile(unreachable(t))
	if err != nil {
		t.Fatal(err)
	}
	config := file(t, "config", strings.Replace(string(data), "https://127.0.0.1:1", cluster.URL, 1))
	for records, want := range map[bool]string{true: "after before", false: "refused after before"} {
		scheduler := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path != "/v1/evictions":
				fmt.Fprint(w, `{"apiVersion": "ashlar.sh/v1alpha1", "version": "v9"}`)
			case !records:
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprint(w, `{"kind": "Status", "code": 404, "reason": "NotFound", "message": "it keeps no recording"}`)
			default:
				fmt.Fprintf(w, `{"apiVersion": "ashlar.sh/v1alpha1", "since": %q,
				  "hidden": {"count": 2, "byAction": {"reclaim": 2}}, "items": [
				  {"namespace": "team", "name": "after", "job": "low", "queue": "q", "action": "preempt",
				  "for": "team/high", "at": %q, "record": {"nodesTried": 3}}]}`, at(30*time.Minute), at(10*time.Minute))
			}
		}))
		var got explain.EvictionList
		browse(t, "/v1/evictions", http.StatusOK, &got, "--read-api", scheduler.URL, "--read-api-certificate",
			readapi.Fingerprint(scheduler.Certificate().Raw), "--kubeconfig", config)
		scheduler.Close()
		var names []string
		for _, e := range got.Items {
			names = append(names, e.Name)
		}
		if strings.Join(names, " ") != want || got.Total != len(names) || (got.Hidden != nil) != records {
			t.Errorf("with a recording (%v): %q of %d, hidden %+v", records, names, got.Total, got.Hidden)
			continue
		}
		last := got.Items[len(got.Items)-1].Record
		if !last.OfEvent || last.Tier != 1 || got.Items[len(got.Items)-1].PreemptorJob != "team/high" {
			t.Errorf("an event is told as %+v", got.Items[len(got.Items)-1])
		}
		if after := got.Items[len(got.Items)-2]; after.Record.OfEvent == records || records && after.Job != "low" {
			t.Errorf("with a recording (%v) an eviction is told as %+v", records, after)
		}
	}
}
