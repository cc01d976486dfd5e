package loop

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

const metricsPage = "../../docs/metrics.md"

var updateMetrics = flag.Bool("update-metrics", false, "write docs/metrics.md anew")

// docs/metrics.md lists every metric that is registered, with its type and labels, and no other:
// alerts and dashboards are checked against it.
func TestTheMetricsPageIsTrue(t *testing.T) {
	page, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	const begin = "| Metric | Type | Labels | Meaning |\n|---|---|---|---|\n"
	head, _, found := strings.Cut(string(page), begin)
	if !found {
		t.Fatalf("%s has no table that begins\n%s", metricsPage, begin)
	}
	want := head + begin + strings.Join(metricRows(t), "\n") + "\n"
	if *updateMetrics {
		if err := os.WriteFile(metricsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(page) != want {
		t.Errorf("%s is not what is registered: go test ./internal/loop -run MetricsPage -update-metrics", metricsPage)
	}
}

var described = regexp.MustCompile(`fqName: "(.*?)", help: "(.*?)", constLabels: {.*?}, variableLabels: {(.*?)}`)

// foreign are the metrics of the Go runtime and the process that the page names; the others
// differ with Go's version and the system.
var foreign = []string{"go_gc_gomemlimit_bytes", "go_goroutines", "process_cpu_seconds_total",
	"process_resident_memory_bytes"}

// metricRows are the page's rows by name, those of foreign last.
func metricRows(t *testing.T) []string {
	t.Helper()
	registry := newMetrics().registry
	kinds := map[string]string{}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		kinds[f.GetName()] = strings.ToLower(dto.MetricType_name[int32(f.GetType())])
	}
	all := make(chan *prometheus.Desc, 1000)
	registry.Describe(all)
	close(all)
	var own, others []string
	for d := range all {
		m := described.FindStringSubmatch(d.String())
		if m == nil {
			t.Fatalf("%s cannot be read", d)
		}
		row := fmt.Sprintf("| `%s` | %s | %s | %s |", m[1], kindOf(m[1], kinds), labels(m[3]), m[2])
		switch {
		case slices.Contains(foreign, m[1]):
			others = append(others, row)
		case !strings.HasPrefix(m[1], "go_") && !strings.HasPrefix(m[1], "process_"):
			own = append(own, row)
		}
	}
	slices.Sort(own)
	slices.Sort(others)
	return append(own, others...)
}

// kindOf is the type of a metric. One with labels shows none before it is used: its name tells.
func kindOf(name string, gathered map[string]string) string {
	switch {
	case gathered[name] != "":
		return gathered[name]
	case strings.HasSuffix(name, "_total"):
		return "counter"
	case strings.Contains(name, "_longest_"):
		return "gauge"
	case strings.HasSuffix(name, "_milliseconds"), strings.HasSuffix(name, "_seconds"),
		strings.HasSuffix(name, "_microseconds"):
		return "histogram"
	}
	return "gauge"
}

func labels(list string) string {
	if list == "" {
		return "–"
	}
	return "`" + strings.Join(strings.Split(list, ","), "`, `") + "`"
}
