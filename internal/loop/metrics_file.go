package loop

import (
	"github.com/prometheus/client_golang/prometheus"

	"ashlar.sh/sched"
)

// fileMetrics says what became of the configuration's file.
type fileMetrics struct {
	reloads *prometheus.CounterVec
	success prometheus.Gauge
}

func (m *metrics) declareConfiguration(gauges gaugesOf, counters countersOf) {
	m.ofFile.reloads = counters("ashlar_config_reloads_total", "Changes of the configuration's file.", "result")
	m.ofFile.success = gauges("ashlar_config_last_reload_success",
		"1 if the configuration's file holds as it is, 0 if it was refused and an older one holds.").WithLabelValues()
	m.ofFile.success.Set(1)
}

// reloaded notes that the file was read anew and taken, or not.
func (m *metrics) reloaded(taken bool) {
	result, value := "error", 0.0
	if taken {
		result, value = "success", 1
	}
	m.ofFile.reloads.WithLabelValues(result).Inc()
	m.ofFile.success.Set(value)
}

// beginAtZero shows the counters before the first thing that they count. Prometheus sees no increase in a counter that
// comes into being at 1, so that an alert would miss the first failure.
func (m *metrics) beginAtZero() {
	for _, result := range []string{"success", "error"} {
		m.ofFile.reloads.WithLabelValues(result)
	}
	for _, result := range []string{"scheduled", "error"} {
		m.ofBindings.attempts.WithLabelValues(result)
	}
	for _, kind := range []sched.ItemKind{sched.BindPod, sched.EvictPod} {
		for _, outcome := range outcomes {
			m.ofBindings.answers.WithLabelValues(kind.String(), outcome)
		}
	}
}
