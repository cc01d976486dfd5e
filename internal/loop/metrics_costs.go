package loop

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// evictionMetrics counts evictions and what they cost.
type evictionMetrics struct {
	victims   prometheus.Gauge
	tries     prometheus.Counter
	evictions *prometheus.CounterVec
	evicted   *prometheus.CounterVec
	lost      *prometheus.CounterVec
}

// costMetrics measures where the time goes.
type costMetrics struct {
	cycle   prometheus.Histogram
	opening prometheus.Histogram
	parts   map[policy.Part]*prometheus.HistogramVec
	stages  *prometheus.HistogramVec
	since   *prometheus.HistogramVec

	answers  prometheus.Counter // of the read API
	watchers prometheus.Gauge

	slip       prometheus.Histogram // of starts against what was estimated first
	estimating prometheus.Gauge
}

// declareReadAPI declares what clients of the read API cost.
func (m *metrics) declareReadAPI(gauges gaugesOf, counters countersOf, histogram histogramOf) {
	m.ofCosts.slip = histogram("ashlar_start_slip_seconds",
		"By how much jobs started later than was estimated first, in seconds; 0: they did not.",
		[]float64{0, 1, 10, 60, 300, 900, 3600, 3 * 3600, 12 * 3600, 48 * 3600})
	m.ofCosts.estimating = gauges("ashlar_start_estimates_seconds",
		"How long it took to estimate the starts of all waiting jobs the last time, in seconds.").WithLabelValues()
	m.ofCosts.answers = counters("ashlar_read_api_seconds_total",
		"Time that the loop spent on questions of the read API, in seconds.").WithLabelValues()
	m.ofCosts.watchers = gauges("ashlar_read_api_watchers",
		"Clients that read a stream of the read API.").WithLabelValues()
}

type (
	histogramOf  func(name, help string, buckets []float64) prometheus.Histogram
	histogramsOf func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec
	gaugesOf     func(name, help string, labels ...string) *prometheus.GaugeVec
	countersOf   func(name, help string, labels ...string) *prometheus.CounterVec
)

// declareCosts declares where the time goes.
func (m *metrics) declareCosts(histogram histogramOf, histograms histogramsOf) {
	m.ofCosts.opening = histogram("volcano_open_session_duration_milliseconds",
		"How long plugins took, in a cycle, to derive what stands still for it.", milliseconds)
	m.ofCosts.parts = map[policy.Part]*prometheus.HistogramVec{
		policy.PartPlugin: histograms("volcano_plugin_scheduling_latency_milliseconds",
			"How long a plugin took at the beginning of a cycle.", milliseconds, "plugin", "OnSession"),
		policy.PartAction: histograms("volcano_action_scheduling_latency_milliseconds", "How long an action took in a cycle.",
			milliseconds, "action"),
	}
	m.ofCosts.stages = histograms("volcano_scheduling_stage_duration_milliseconds",
		"How long the last request of a binding took (stage Bind), and before it the volumes and devices of the pod "+
			"(PreBind).", minutes, "stage")
	m.ofCosts.since = histograms("volcano_task_scheduling_latency_milliseconds",
		"How old a pod was when it was first seen, given a node, had its volumes, and was bound.", minutes, "stage")
}

// stopwatch measures the parts of a cycle, in the loop's goroutine.
type stopwatch struct {
	m    *metrics
	part policy.Part
	name string
	at   time.Time

	opening time.Duration // of the plugins of a cycle so far
}

// Begin implements policy.Stopwatch. A part that a panic ended is forgotten.
func (s *stopwatch) Begin(p policy.Part, name string) {
	if p == policy.PartAction && s.opening > 0 {
		s.m.ofCosts.opening.Observe(inMilliseconds(s.opening))
		s.opening = 0
	}
	s.part, s.name, s.at = p, name, time.Now()
}

// End implements policy.Stopwatch.
func (s *stopwatch) End() {
	took := time.Since(s.at)
	labels := []string{s.name}
	if s.part == policy.PartPlugin {
		s.opening += took
		labels = append(labels, "OnSessionOpen")
	}
	s.m.ofCosts.parts[s.part].WithLabelValues(labels...).Observe(inMilliseconds(took))
}

// watched notes how old a pod of ours is that is seen for the first time.
func (m *metrics) watched(l *loop, f model.Fact) {
	pod, ok := f.Object.(*model.Pod)
	if !ok || !pod.Ours || pod.Node != "" {
		return
	}
	if _, known := l.engine.Ledger().Tasks.Find(keyOf(pod)); !known {
		m.ofCosts.since.WithLabelValues("Watched").Observe(inMilliseconds(time.Duration(model.Between(pod.Created, l.now()))))
	}
}

// decided notes a cycle and what of its plan is carried out.
func (m *metrics) decided(took time.Duration, items []sched.Item, l *loop) {
	m.ofCosts.cycle.Observe(inMilliseconds(took))
	led := l.engine.Ledger()
	statements := map[uint64]bool{}
	victims := 0
	for _, i := range items {
		switch i.Kind {
		case sched.BindPod:
			if t, ok := led.Tasks.Find(i.Pod); ok {
				m.ofCosts.since.WithLabelValues("Assumed").Observe(
					inMilliseconds(time.Duration(model.Between(led.Task(t).Pod.Created, l.now()))))
			}
		case sched.EvictPod:
			victims++
			m.ofEvictions.evicted.WithLabelValues(i.Action).Inc()
			m.loses(i)
			if !statements[i.Statement] {
				statements[i.Statement] = true
				m.ofEvictions.evictions.WithLabelValues(i.Action).Inc()
				m.ofEvictions.tries.Inc()
			}
		}
	}
	if victims > 0 {
		m.ofEvictions.victims.Set(float64(victims))
	}
}

// loses counts the work that an eviction costs.
func (m *metrics) loses(i sched.Item) {
	if i.Record == nil {
		return
	}
	for _, a := range i.Record.Lost {
		if a.Name != resource.PodsName {
			m.ofEvictions.lost.WithLabelValues(i.Action, label(a.Name)).Add(
				float64(a.Value) * time.Duration(i.Record.Ran).Seconds())
		}
	}
}

// bound notes how old a pod was when the server took its binding; by any goroutine.
func (m *metrics) bound(l *loop, i sched.Item) {
	if p := l.observer.Pod(i.Pod.Namespace, i.Pod.Name); p != nil {
		m.ofCosts.since.WithLabelValues("Bound").Observe(inMilliseconds(time.Since(time.Unix(0, p.Fact().Created))))
	}
}

// prepared notes how long a pod's volumes took, and how old it was then; by any goroutine.
func (m *metrics) prepared(l *loop, i sched.Item, took time.Duration) {
	m.ofCosts.stages.WithLabelValues("PreBind").Observe(inMilliseconds(took))
	if p := l.observer.Pod(i.Pod.Namespace, i.Pod.Name); p != nil {
		m.ofCosts.since.WithLabelValues("PreBound").Observe(inMilliseconds(time.Since(time.Unix(0, p.Fact().Created))))
	}
}

// counted counts the requests that go through a transport.
func (m *metrics) counted(next http.RoundTripper) http.RoundTripper {
	return counting{next, m.requests}
}

type counting struct {
	next     http.RoundTripper
	requests *prometheus.CounterVec
}

// RoundTrip implements http.RoundTripper.
func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(r)
	code := "none" // no answer came
	if err == nil {
		code = strconv.Itoa(response.StatusCode)
	}
	c.requests.WithLabelValues(r.Method, resourceOf(r.URL.Path), code).Inc()
	return response, err
}

// resourceOf is what a path of the API is about: the resource, and its subresource if
// there is one. Names of objects are left out.
func resourceOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		parts = parts[3:]
	default:
		return "discovery"
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	if len(parts) > 2 {
		return parts[0] + "/" + parts[2]
	}
	return parts[0]
}
