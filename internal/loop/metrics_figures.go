package loop

import (
	"cmp"
	"strings"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"github.com/prometheus/client_golang/prometheus"
)

// jobMetrics counts jobs and pods.
type jobMetrics struct {
	jobs    prometheus.Histogram
	waiting prometheus.Gauge
	reasons *prometheus.GaugeVec
	pods    *prometheus.GaugeVec
	shares  *prometheus.GaugeVec
	passed  *prometheus.GaugeVec            // by queue
	timed   map[string]*prometheus.GaugeVec // of jobs
	leftOut prometheus.Gauge
}

// mostJobs bounds the jobs that have figures of their own: a monitoring system has to
// keep a series for each of them.
const mostJobs = 1000

// declare declares what is known of jobs that wait.
func (jm *jobMetrics) declare(gauges gaugesOf, histogram histogramOf) {
	jm.jobs = histogram("volcano_e2e_job_scheduling_latency_milliseconds", "How old a job was when its minimum was bound.",
		minutes)
	jm.waiting = gauges("volcano_unschedule_job_count", "Jobs with pods that wait.").WithLabelValues()
	jm.reasons = gauges("ashlar_waiting_jobs", "Jobs with pods that wait, by the code at the root of the reason.",
		"reason")
	jm.pods = gauges("volcano_unschedule_task_count", "Pods of a job that wait.", "job_id")
	jm.shares = gauges("volcano_job_share",
		"A job's dominant share: the largest part of the cluster that it holds of any resource.", "job_ns", "job_id")
	jm.passed = gauges("ashlar_queue_longest_passed_seconds",
		"Of the jobs of a queue that wait, the longest time since a job of it that was made later, and has no higher "+
			"priority, started on a node that could hold theirs, in seconds; 0: none was passed.", "queue_name")
	of := []string{"job_name", "queue", "job_namespace"}
	jm.timed["start"] = gauges("volcano_e2e_job_scheduling_start_time", "When a job was made, in seconds since the epoch.",
		of...)
	jm.timed["last"] = gauges("volcano_e2e_job_scheduling_last_time",
		"When a job was last seen waiting or, if none of its pods waits, when its minimum was bound, in seconds since the "+
			"epoch.", of...)
	jm.timed["duration"] = gauges("volcano_e2e_job_scheduling_duration",
		"How old a job was when its minimum was bound, or how old it is while that waits, in milliseconds.", of...)
	jm.leftOut = gauges("ashlar_jobs_without_figures",
		"Jobs that wait and have no figures of their own because there are too many.").WithLabelValues()
}

// declareChecks declares what an operator looks at first.
func (m *metrics) declareChecks(gauges gaugesOf, counters countersOf) {
	m.ofBindings.retries = counters("volcano_job_retry_counts",
		"Bindings of a job's pods that the API server did not take, so that they were decided anew.", "job_id")
	m.ofEvictions.victims = gauges("volcano_pod_preemption_victims",
		"Pods evicted in the last cycle that evicted any.").WithLabelValues()
	m.ofEvictions.tries = counters("volcano_total_preemption_attempts", "Statements that evict pods.").WithLabelValues()
	m.ofEvictions.evictions = counters("volcano_eviction_transactions_total", "Statements that evict pods, by action.",
		"action")
	m.ofEvictions.evicted = counters("ashlar_evicted_pods_total", "Pods that were decided to be evicted, by action.",
		"action")
	m.ofEvictions.lost = counters("ashlar_evicted_resource_seconds_total",
		"Work that evictions cost: what the evicted pods held times how long they had run; CPU and devices in milli, "+
			"memory in bytes.", "action", "resource")
	m.committed = gauges("ashlar_commitments",
		"Decisions that no object shows yet: bindings, evictions, nominations.", "kind")
	m.audits = counters("ashlar_audits_total", "Times that every figure was recounted from scratch.").WithLabelValues()
	m.wrong = counters("ashlar_invariant_violations_total",
		"What must not be and was found, a bug in ashlar: figures that a recount found wrong (figures), bindings that take "+
			"a node above what it offers (nodes), that start a gang below its minimum (gangs), decisions about a pod that has "+
			"a node or of which no UID is known (pods), evictions without a record (records).", "invariant")
	for _, invariant := range invariants {
		m.wrong.WithLabelValues(invariant)
	}
	m.problems = gauges("ashlar_problems",
		"What is wrong with objects, by their kind: fields that are not taken, references that lead nowhere.", "kind")
	m.requests = counters("ashlar_api_requests_total",
		"Requests to the API server by what became of them; code none: no answer.", "method", "resource", "code")
	m.dropped = gauges("ashlar_words_dropped",
		"Conditions and events that were not said because too much waited.").WithLabelValues()
	m.leading = gauges("ashlar_leading", "1 while this scheduler may act.").WithLabelValues()
	m.beside = gauges("ashlar_another_scheduler",
		"1 while another scheduler runs for the same pods by another Lease or by none; a scheduler that acts looks for one "+
			"every five minutes.").WithLabelValues()
}

// figures takes over what the engine knows, for at most a twentieth of the time. It is
// not done when somebody asks: that costs what writing numbers down costs.
func (m *metrics) figures(l *loop) {
	flying, waiting, limit := l.executor.Load()
	m.ofBindings.flying.WithLabelValues("flying").Set(float64(flying))
	m.ofBindings.flying.WithLabelValues("waiting").Set(float64(waiting))
	m.ofBindings.flying.WithLabelValues("limit").Set(float64(limit))
	m.dropped.Set(float64(l.executor.Dropped()))
	m.leading.Set(yes(l.lead.leading()))
	if time.Since(m.figuresAt) < max(20*m.figuring, l.o.Simulated.Figures) {
		return
	}
	began := time.Now()
	for _, g := range m.queues {
		g.Reset()
	}
	for _, g := range m.scalars {
		g.Reset()
	}
	queues := l.engine.Queues()
	for i := range queues {
		m.queue(&queues[i])
	}
	m.ofJobs.figures(l)
	l.background.passed.figures()
	m.commitments(l)
	m.figuresAt = time.Now()
	m.figuring = m.figuresAt.Sub(began)
}

// figures counts the jobs that wait, by reason.
func (jm *jobMetrics) figures(l *loop) {
	jm.pods.Reset()
	jm.reasons.Reset()
	jm.shares.Reset()
	for _, g := range jm.timed {
		g.Reset()
	}
	led, now := l.engine.Ledger(), l.now()
	jobs, holding, begun := 0, 0, 0
	led.Jobs.Each(func(id ledger.JobID) bool {
		job := led.Job(id)
		if share := dominantShare(led, job); share > 0 {
			if holding++; holding <= mostJobs {
				jm.shares.WithLabelValues(job.Key.Namespace, label(led.Jobs.Name(id))).Set(share)
			}
		}
		n, start := job.By[model.Pending]+job.By[model.Pipelined], l.reported.start(job)
		if n == 0 {
			if begun++; start != 0 && begun <= mostJobs {
				jm.times(led, id, start, start)
			}
			return true
		}
		jobs++
		if r := l.engine.JobReason(id); r.Is() {
			jm.reasons.WithLabelValues(string(r.Root().Code)).Inc()
		}
		if jobs > mostJobs {
			return true
		}
		jm.pods.WithLabelValues(label(led.Jobs.Name(id))).Add(float64(n))
		jm.times(led, id, cmp.Or(start, now), now)
		return true
	})
	jm.waiting.Set(float64(jobs))
	jm.leftOut.Set(float64(max(0, jobs-mostJobs)))
}

// times sets when a job was made, when it was last seen waiting, and how long it took until its
// minimum was bound, or takes yet.
func (jm *jobMetrics) times(led *ledger.Ledger, id ledger.JobID, start, last int64) {
	job := led.Job(id)
	of := []string{label(led.Jobs.Name(id)), label(led.Jobs.QueueName(id)), job.Key.Namespace}
	jm.timed["start"].WithLabelValues(of...).Set(float64(job.Created) / 1e9)
	jm.timed["last"].WithLabelValues(of...).Set(float64(last) / 1e9)
	jm.timed["duration"].WithLabelValues(of...).Set(float64(model.Between(job.Created, start)) / 1e6)
}

// dominantShare is the largest part of the cluster that a job holds, of any resource; the
// number of pods is none.
func dominantShare(led *ledger.Ledger, job *ledger.Job) (most float64) {
	for d := range resource.Dim(len(job.Allocated)) {
		if total := led.Nodes.Total(d); total > 0 && d != resource.Pods {
			most = max(most, float64(job.Allocated.Get(d))/float64(total))
		}
	}
	return most
}

// retried counts the bindings that are decided anew, by the jobs of their pods. A job that comes when as many have been
// counted as may have figures takes the place of those that are gone; while all are there, it goes uncounted.
func (bm *bindingMetrics) retried(led *ledger.Ledger, receipts []sched.Receipt, known map[string]ledger.JobKey) {
	looked := false // for jobs that are gone
	for _, r := range receipts {
		if r.Item.Kind != sched.BindPod || r.Outcome != sched.Failed {
			continue
		}
		t, ok := led.Tasks.Find(r.Item.Pod)
		if !ok || led.Task(t).Job == ledger.NoJob {
			continue
		}
		id := led.Task(t).Job
		name := label(led.Jobs.Name(id))
		if _, counted := known[name]; !counted && len(known) >= mostJobs {
			if !looked {
				looked = true
				bm.forgetRetried(led, known)
			}
			if len(known) >= mostJobs {
				continue
			}
		}
		known[name] = led.Job(id).Key
		bm.retries.WithLabelValues(name).Inc()
	}
}

// forgetRetried drops the counts of jobs that are gone.
func (bm *bindingMetrics) forgetRetried(led *ledger.Ledger, known map[string]ledger.JobKey) {
	for name, job := range known {
		if _, there := led.Jobs.Find(job); !there {
			delete(known, name)
			bm.retries.DeleteLabelValues(name)
		}
	}
}

var commitKinds = map[ledger.CommitKind]string{ledger.CommitBind: "bind", ledger.CommitEvict: "evict",
	ledger.CommitNominate: "nominate",
	ledger.CommitOpen:     "open"}

func (m *metrics) commitments(l *loop) {
	counts := map[ledger.CommitKind]int{}
	led := l.engine.Ledger()
	led.Tasks.Each(func(id ledger.TaskID) bool {
		counts[led.Task(id).Commitment.Kind]++
		return true
	})
	for kind, name := range commitKinds {
		m.committed.WithLabelValues(name).Set(float64(counts[kind]))
	}
}

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func keyOf(p *model.Pod) ledger.Key { return ledger.Key{Namespace: p.Namespace, Name: p.Name} }

// wrongWith counts what is wrong, by kind of object.
func (m *metrics) wrongWith(problems []sched.Problem) {
	m.problems.Reset()
	for _, p := range problems {
		kind, _, _ := strings.Cut(p.Object, "/")
		m.problems.WithLabelValues(kind).Inc()
	}
}
