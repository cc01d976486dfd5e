package loop

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
)

// bindingMetrics counts bindings and their answers.
type bindingMetrics struct {
	attempts *prometheus.CounterVec
	binding  prometheus.Histogram
	answers  *prometheus.CounterVec
	flying   *prometheus.GaugeVec
	retries  *prometheus.CounterVec
	retrying map[string]ledger.JobKey // the last job that retries counts under a name
}

// metrics are Volcano's by name and unit, and beside them what is ours (ashlar_…).
// Figures of queues are those of the last round of words; a queue that is gone is gone
// from them.
type metrics struct {
	registry *prometheus.Registry

	committed   *prometheus.GaugeVec
	wrong       *prometheus.CounterVec
	onViolation func(invariant string) // of what is counted in wrong; nil: not called
	audits      prometheus.Counter
	requests    *prometheus.CounterVec
	dropped     prometheus.Gauge
	problems    *prometheus.GaugeVec
	leading     prometheus.Gauge
	beside      prometheus.Gauge
	queues      map[string]*prometheus.GaugeVec
	scalars     map[string]*prometheus.GaugeVec
	lag         prometheus.Histogram
	facts       prometheus.Counter
	panics      prometheus.Counter
	released    prometheus.Counter
	ofFile      fileMetrics
	figuresAt   time.Time
	figuring    time.Duration
	ofJobs      jobMetrics
	ofEvictions evictionMetrics
	ofCosts     costMetrics
	ofBindings  bindingMetrics
}

// Buckets in milliseconds: of what takes a request or a cycle, up to 8 s; and of what waits for
// room, for volumes or for the rest of a gang, up to 131 s.
var (
	milliseconds = prometheus.ExponentialBuckets(0.25, 2, 16)
	minutes      = prometheus.ExponentialBuckets(0.25, 2, 20)
)

// queueFigures are the amounts of queues that have metrics, by name, each as the end of "CPU that".
var queueFigures = map[string]string{
	"allocated":     "a queue's pods hold, those that are pipelined included",
	"request":       "a queue's pods hold or ask for",
	"deserved":      "a queue deserves",
	"capacity":      "a queue may hold by its spec",
	"real_capacity": "a queue can ever hold (its capability, less what is guaranteed to other queues)",
	"inqueue":       "is kept in a queue for admitted jobs that are not placed yet",
}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry(),
		queues: map[string]*prometheus.GaugeVec{}, scalars: map[string]*prometheus.GaugeVec{},
		ofBindings: bindingMetrics{retrying: map[string]ledger.JobKey{}},
		ofJobs:     jobMetrics{timed: map[string]*prometheus.GaugeVec{}}}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
		m.registry.MustRegister(h)
		return h
	}
	gauges := func(name, help string, labels ...string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(g)
		return g
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	histograms := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
		m.registry.MustRegister(h)
		return h
	}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.ofCosts.cycle = histogram("volcano_e2e_scheduling_latency_milliseconds",
		"How long a cycle took, without carrying its plan out.", milliseconds)
	m.ofBindings.binding = histogram("ashlar_binding_latency_milliseconds", "How long the last request of a binding took.",
		milliseconds)
	m.ofBindings.attempts = counters("volcano_schedule_attempts_total",
		"Pods by what became of placing them: scheduled, error.", "result")
	for figure, that := range queueFigures {
		m.queues[figure+"_milli_cpu"] = gauges("volcano_queue_"+figure+"_milli_cpu", "CPU that "+that+", in milli.",
			"queue_name")
		m.queues[figure+"_memory_bytes"] = gauges("volcano_queue_"+figure+"_memory_bytes", "Memory that "+that+
			", in bytes.", "queue_name")
		// The name in the guides that Volcano's own metrics have left behind.
		m.queues[figure+"_memory"] = gauges("volcano_queue_"+figure+"_memory", "The same as volcano_queue_"+figure+
			"_memory_bytes.", "queue_name")
		m.scalars[figure] = gauges("volcano_queue_"+figure+"_scalar_resources", "Of another resource, the amount that "+
			that+", in milli.", "queue_name", "resource")
	}
	for figure, help := range map[string]string{"weight": "A queue's weight.",
		"share":    "The largest part of what it deserves that a queue holds, over all resources.",
		"overused": "1 if a queue holds all that it deserves, 0 otherwise."} {
		m.queues[figure] = gauges("volcano_queue_"+figure, help, "queue_name")
	}
	m.declareCosts(histogram, histograms)
	m.declareReadAPI(gauges, counters, histogram)
	m.ofJobs.declare(gauges, histogram)
	m.declareChecks(gauges, counters)
	m.lag = histogram("ashlar_fact_lag_milliseconds", "How long the oldest of the facts taken in at once had waited.",
		milliseconds)
	m.facts = counters("ashlar_facts_total", "Changes of objects taken in.").WithLabelValues()
	m.ofBindings.answers = counters("ashlar_plan_items_total", "Items of plans by what became of them.", "kind", "outcome")
	m.ofBindings.flying = gauges(
		"ashlar_requests", "Requests of plans: under way, waiting, and how many the server is held to bear.", "state")
	m.panics = counters("ashlar_panics_total",
		"Panics that were caught, each a bug: of a cycle, or of anything beside it.").WithLabelValues()
	m.released = counters("ashlar_released_pods_total",
		"Bound members of gangs that could not be completed, deleted to give their room back.").WithLabelValues()
	m.declareConfiguration(gauges, counters)
	m.beginAtZero()
	return m
}

func (m *metrics) tookIn(n int, oldest time.Time) {
	m.facts.Add(float64(n))
	if !oldest.IsZero() {
		m.lag.Observe(inMilliseconds(time.Since(oldest)))
	}
}

var outcomes = [...]string{"done", "failed", "missing", "withdrawn", "forgone"}

// answered is told of every item of a plan and of every release, by any goroutine.
func (m *metrics) answered(i sched.Item, o sched.Outcome, latency time.Duration) {
	if execute.OfRelease(i) {
		if o == sched.Done {
			m.released.Inc()
		}
		return
	}
	m.ofBindings.answers.WithLabelValues(i.Kind.String(), outcomes[o]).Inc()
	if i.Kind != sched.BindPod {
		return
	}
	m.ofBindings.binding.Observe(inMilliseconds(latency))
	m.ofCosts.stages.WithLabelValues("Bind").Observe(inMilliseconds(latency))
	if o == sched.Done {
		m.ofBindings.attempts.WithLabelValues("scheduled").Inc()
	} else {
		m.ofBindings.attempts.WithLabelValues("error").Inc()
	}
}

// label is a text that somebody else wrote as the value of a label. The API server takes annotations and references
// that are no UTF-8 or very long: at the first the library panics, and the second every figure would repeat.
func label(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), longestName)], "?")
}

func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (m *metrics) queue(q *sched.QueueReport) {
	m.queues["weight"].WithLabelValues(q.Name).Set(float64(q.Weight))
	m.queues["share"].WithLabelValues(q.Name).Set(float64(q.ShareMicro) / 1e6)
	over := 0.0
	if q.Overused {
		over = 1
	}
	m.queues["overused"].WithLabelValues(q.Name).Set(over)
	for figure, list := range map[string]resource.List{"allocated": q.Allocated, "request": q.Request,
		"deserved": q.Deserved,
		"capacity": q.Capability, "real_capacity": q.RealCapability, "inqueue": q.Inqueue} {
		for _, a := range list {
			switch a.Name {
			case resource.CPUName:
				m.queues[figure+"_milli_cpu"].WithLabelValues(q.Name).Set(float64(a.Value))
			case resource.MemoryName:
				m.queues[figure+"_memory_bytes"].WithLabelValues(q.Name).Set(float64(a.Value))
				m.queues[figure+"_memory"].WithLabelValues(q.Name).Set(float64(a.Value))
			default:
				m.scalars[figure].WithLabelValues(q.Name, label(a.Name)).Set(float64(a.Value))
			}
		}
	}
}
