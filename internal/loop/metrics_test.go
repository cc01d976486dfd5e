package loop

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// cluster is a loop that knows so many nodes of ten cores, and jobs of ten pods of a core.
func cluster(t testing.TB, nodes, jobs int) *loop {
	t.Helper()
	m := newMetrics()
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "proportion"}}}},
		sched.WithStopwatch(&stopwatch{m: m}))
	if err != nil {
		t.Fatal(err)
	}
	l := (&loop{engine: e, metrics: m, executor: execute.New(t.Context(), execute.Options{}), began: time.Now(),
		reported: newReported()}).wire()
	version := uint64(0)
	tell := func(kind model.Kind, o model.Object) {
		version++
		c := o.Common()
		c.UID = fmt.Sprint(version)
		e.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: c.Namespace, Name: c.Name}, UID: c.UID, Version: version,
			Object: o})
	}
	tell(model.KindQueue, &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1})
	room := resource.List{{Name: "cpu", Value: 10000}, {Name: "pods", Value: 110}}
	for i := range nodes {
		tell(model.KindNode, &model.Node{Meta: model.Meta{Name: fmt.Sprint("n", i)}, Allocatable: room, Capacity: room})
	}
	spec := &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1000}, {Name: "pods", Value: 1}}}
	for j := range jobs {
		name := fmt.Sprint("j", j)
		tell(model.KindPodGroup, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name}, Queue: "default",
			MinMember: 10})
		for i := range 10 {
			tell(model.KindPod, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: fmt.Sprint(name, "-", i)}, Ours: true,
				Group: name, Index: int64(i), Spec: spec})
		}
	}
	return l
}

// sum is the sum of a metric's values, or of its counts, over the labels given.
func sum(t *testing.T, l *loop, name string, labels ...string) (total float64, there bool) {
	t.Helper()
	all, err := l.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range all {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			has := map[string]string{}
			for _, l := range m.GetLabel() {
				has[l.GetName()] = l.GetValue()
			}
			if !matches(has, labels) {
				continue
			}
			there = true
			total += m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return total, there
}

// matches says that a metric has the labels given.
func matches(has map[string]string, labels []string) bool {
	for i := 0; i < len(labels); i += 2 {
		if has[labels[i]] != labels[i+1] {
			return false
		}
	}
	return true
}

func TestMetricsSayWhatWaitsAndWhatACycleCosts(t *testing.T) {
	l := cluster(t, 1, 3) // room for one gang of ten
	plan, _, _ := l.engine.Decide(l.now())
	l.metrics.decided(time.Millisecond, plan.Items, l)
	l.metrics.figures(l)
	for _, c := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"volcano_unschedule_job_count", nil, 2},
		{"volcano_unschedule_task_count", []string{"job_id", "j2"}, 10},
		{"ashlar_waiting_jobs", nil, 2},
		{"volcano_e2e_scheduling_latency_milliseconds", nil, 1},
		{"volcano_action_scheduling_latency_milliseconds", []string{"action", "allocate"}, 1},
		{"volcano_plugin_scheduling_latency_milliseconds", []string{"plugin", "proportion", "OnSession", "OnSessionOpen"}, 1},
		{"volcano_open_session_duration_milliseconds", nil, 1},
		{"volcano_task_scheduling_latency_milliseconds", []string{"stage", "Assumed"}, 10},
		{"volcano_queue_allocated_milli_cpu", []string{"queue_name", "default"}, 10000},
		{"volcano_queue_request_milli_cpu", []string{"queue_name", "default"}, 30000},
		{"volcano_job_share", []string{"job_ns", "ns"}, 1},
		{"ashlar_commitments", []string{"kind", "bind"}, 10},
		{"volcano_e2e_job_scheduling_duration", []string{"job_name", "j2", "queue", "default", "job_namespace", "ns"}, -1},
	} {
		got, there := sum(t, l, c.name, c.labels...)
		if !there || c.want >= 0 && got != c.want {
			t.Errorf("%s%v is %v (there: %v), want %v", c.name, c.labels, got, there, c.want)
		}
	}
}

// What a dashboard shows of a job stays after the job has started, until the job is gone.
func TestAJobKeepsItsTimesAfterItsStart(t *testing.T) {
	l := cluster(t, 1, 1)
	of := []string{"job_name", "j0", "job_namespace", "ns"}
	_, _, _ = l.engine.Decide(l.now())
	job := l.engine.Ledger().Job(0)
	made := time.Unix(0, job.Created)
	l.reported.job(job.Key, "", nil, made).readyAt = made.Add(90 * time.Second)
	for look := range 2 {
		l.metrics.figuresAt = time.Time{}
		l.metrics.figures(l)
		for name, want := range map[string]float64{
			"volcano_e2e_job_scheduling_duration":  90_000,
			"volcano_e2e_job_scheduling_last_time": float64(made.Add(90*time.Second).UnixNano()) / 1e9,
		} {
			if got, there := sum(t, l, name, of...); !there || got != want {
				t.Errorf("look %d: %s is %v (there: %v), want %v", look, name, got, there, want)
			}
		}
	}
}

// Gangs wait for minutes: a quantile above the last bucket would say nothing of them.
func TestLatenciesOfJobsAndPodsAreToldUpToTwoMinutes(t *testing.T) {
	l := cluster(t, 0, 0)
	l.metrics.ofJobs.jobs.Observe(119_000)
	l.metrics.ofCosts.since.WithLabelValues("Bound").Observe(59_000)
	all, err := l.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for name, atLeast := range map[string]float64{"volcano_e2e_job_scheduling_latency_milliseconds": 120_000,
		"volcano_task_scheduling_latency_milliseconds": 60_000} {
		for _, family := range all {
			if family.GetName() != name {
				continue
			}
			buckets := family.GetMetric()[0].GetHistogram().GetBucket()
			if last := buckets[len(buckets)-1]; last.GetUpperBound() < atLeast || last.GetCumulativeCount() != 1 {
				t.Errorf("%s ends at %v with %d counted, want at least %v and 1", name, last.GetUpperBound(),
					last.GetCumulativeCount(), atLeast)
			}
		}
	}
}

func TestEvictionsAreCountedByStatementAndByPod(t *testing.T) {
	l := cluster(t, 0, 0)
	evict := func(statement uint64) sched.Item {
		return sched.Item{Kind: sched.EvictPod, Action: "reclaim", Statement: statement, Record: &trace.Eviction{
			Lost: resource.List{{Name: resource.CPUName, Value: 2000}, {Name: resource.PodsName, Value: 1}},
			Ran:  int64(10 * time.Second)}}
	}
	l.metrics.decided(0, []sched.Item{evict(1), evict(1), evict(2)}, l)
	for name, want := range map[string]float64{"volcano_eviction_transactions_total": 2,
		"volcano_total_preemption_attempts": 2,
		"ashlar_evicted_pods_total":         3, "ashlar_evicted_resource_seconds_total": 60_000,
		"volcano_pod_preemption_victims": 3} {
		if got, _ := sum(t, l, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

func TestRequestsAreCountedByWhatTheyAreAbout(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v1/namespaces/ns/pods/p/binding": "pods/binding",
		"/api/v1/namespaces/ns/pods/p/status":  "pods/status",
		"/api/v1/pods":                         "pods",
		"/api/v1/nodes/n":                      "nodes",
		"/api/v1/namespaces":                   "namespaces",
		"/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups/g":         "podgroups",
		"/apis/scheduling.volcano.sh/v1beta1/queues/q/status":                   "queues/status",
		"/apis/coordination.k8s.io/v1/namespaces/volcano-system/leases/volcano": "leases",
		"/apis/policy/v1": "discovery",
		"/version":        "discovery",
	} {
		if got := resourceOf(path); got != want {
			t.Errorf("%s is about %s, want %s", path, got, want)
		}
	}
	m := newMetrics()
	l := (&loop{metrics: m}).wire()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	client := &http.Client{Transport: m.counted(http.DefaultTransport)}
	answer, err := client.Get(server.URL + "/api/v1/nodes/n")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if got, _ := sum(t, l, "ashlar_api_requests_total", "method", "GET", "resource", "nodes", "code", "404"); got != 1 {
		t.Errorf("a request that found nothing counts as %v, want 1", got)
	}
}

// What a scrape costs, what keeping the figures costs, and the whole report beside it:
// 5000 nodes that run 50 000 pods, and as many that wait.
func BenchmarkMetricsOfALargeCluster(b *testing.B) {
	l := cluster(b, 5000, 10000)
	l.engine.Decide(l.now())
	b.Run("Report", func(b *testing.B) {
		for b.Loop() {
			l.engine.Report()
		}
	})
	b.Run("figures", func(b *testing.B) {
		for b.Loop() {
			l.metrics.figuring = 0
			l.metrics.figures(l)
		}
	})
	b.Run("scrape", func(b *testing.B) {
		serve := promhttp.HandlerFor(l.metrics.registry, promhttp.HandlerOpts{})
		for b.Loop() {
			serve.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/metrics", nil))
		}
	})
}

func TestFiguresAreRecountedNowAndThen(t *testing.T) {
	l := cluster(t, 1, 1)
	l.engine.Decide(l.now())
	for _, c := range []struct {
		last time.Duration // ago
		want float64       // recounts so far
	}{{time.Minute, 0}, {auditEvery, 1}, {0, 1}} {
		if c.last > 0 {
			l.background.auditAt = time.Now().Add(-c.last)
		}
		l.background.audit()
		if got, _ := sum(t, l, "ashlar_audits_total"); got != c.want {
			t.Errorf("%v after the last recount there were %v, want %v", c.last, got, c.want)
		}
	}
	if got, _ := sum(t, l, "ashlar_invariant_violations_total"); got != 0 {
		t.Errorf("%v figures are wrong", got)
	}
}

// A binding that was not taken counts for its job; one that was taken, or of a pod that is gone, does not. No more jobs
// have a count of their own than may have figures.
func TestBindingsThatAreDecidedAnewAreCounted(t *testing.T) {
	l := cluster(t, 1, mostJobs+1)
	plan, _, _ := l.engine.Decide(l.now())
	var receipts []sched.Receipt
	for _, i := range plan.Items {
		if i.Kind == sched.BindPod {
			receipts = append(receipts, sched.Receipt{Item: i, Outcome: sched.Outcome(len(receipts) % 3)})
		}
	}
	l.metrics.ofBindings.retried(l.engine.Ledger(), receipts, l.metrics.ofBindings.retrying)
	if n, _ := sum(t, l, "volcano_job_retry_counts", "job_id", "j0"); n != 3 {
		t.Errorf("%g of 10 bindings are counted, want the 3 that failed", n)
	}
	full := map[string]ledger.JobKey{}
	for i := range mostJobs {
		full[fmt.Sprint("j", i+1)] = ledger.JobKey{Namespace: "ns", Name: fmt.Sprint("j", i+1)}
	}
	l.metrics.ofBindings.retried(l.engine.Ledger(), receipts, full)
	if n, _ := sum(t, l, "volcano_job_retry_counts"); n != 3 {
		t.Errorf("with all counts taken there are %g, want 3 as before", n)
	}
}
