package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

// metric is a row of docs/metrics.md, which a test of internal/loop holds against what is registered.
type metric struct {
	kind   string
	labels []string
}

var metricRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| (.*?) \\| .* \\|$")

func metrics(t *testing.T) map[string]metric {
	t.Helper()
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]metric{}
	for _, m := range metricRow.FindAllStringSubmatch(string(page), -1) {
		row := metric{kind: m[2]}
		for _, l := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(m[3], -1) {
			row.labels = append(row.labels, l[1])
		}
		out[m[1]] = row
	}
	if len(out) < 20 {
		t.Fatalf("docs/metrics.md names only %d metrics", len(out))
	}
	return out
}

// everywhere are the labels that Prometheus adds to what it scrapes.
var everywhere = []string{"instance", "job", "namespace", "pod", labels.MetricName}

// expression is a PromQL expression, and where it stands.
type expression struct{ where, text string }

type rule struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func alerts(t *testing.T) []rule {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string
			Rules []rule
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, chartFolder, "monitoring/alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &file); err != nil {
		t.Fatal(err)
	}
	var out []rule
	for _, g := range file.Groups {
		out = append(out, g.Rules...)
	}
	return out
}

func panels(t *testing.T) (out []expression) {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			ID      int
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, chartFolder, "monitoring/dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	ids := map[int]bool{}
	for _, p := range dashboard.Panels {
		if ids[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		ids[p.ID] = true
		if len(p.Targets) == 0 && p.Type != "row" {
			t.Errorf("panel %q shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			text := strings.NewReplacer("$__rate_interval", "5m", "$queue", ".*").Replace(target.Expr)
			out = append(out, expression{fmt.Sprintf("panel %q", p.Title), text})
		}
	}
	return out
}

// Alerts and dashboard ask for metrics that are there, by labels that those have, and in the
// way their types allow.
func TestAlertsAndDashboardAskForWhatIsThere(t *testing.T) {
	there := metrics(t)
	all := panels(t)
	for _, a := range alerts(t) {
		all = append(all, expression{"alert " + a.Alert, a.Expr})
	}
	for _, e := range all {
		for _, wrong := range judge(e.text, there) {
			t.Errorf("%s: %s\n%s", e.where, wrong, e.text)
		}
	}
	t.Logf("%d expressions", len(all))
}

func TestAWrongExpressionIsFound(t *testing.T) {
	there := map[string]metric{"jobs": {kind: "gauge", labels: []string{"queue"}}, "done_total": {kind: "counter"},
		"took_ms": {kind: "histogram"}}
	for text, want := range map[string]string{
		`sum by (queue) (jobs)`: "",
		`histogram_quantile(0.9, sum by (le) (rate(took_ms_bucket[5m])))`: "",
		`jobs{queue="a"} > 1`:  "",
		`sum(jobs`:             "unclosed",
		`job`:                  "no metric job",
		`jobs{name="a"}`:       "no label name",
		`sum by (name) (jobs)`: "no label name",
		`jobs_bucket`:          "no metric jobs_bucket",
		`took_ms`:              "no metric took_ms",
		`done_total > 5`:       "a counter",
	} {
		got := strings.Join(judge(text, there), "; ")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// judge says what is wrong with an expression.
func judge(text string, there map[string]metric) (wrong []string) {
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		return []string{err.Error()}
	}
	known := slices.Clone(everywhere)
	parser.Inspect(expr, func(node parser.Node, path []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		m, has, found := find(selector.Name, there)
		if !found {
			wrong = append(wrong, "there is no metric "+selector.Name)
			return nil
		}
		known = append(known, has...)
		for _, matcher := range selector.LabelMatchers {
			if !slices.Contains(has, matcher.Name) && !slices.Contains(everywhere, matcher.Name) {
				wrong = append(wrong, selector.Name+" has no label "+matcher.Name)
			}
		}
		if m.kind == "counter" && !ranged(path) {
			wrong = append(wrong, selector.Name+" is a counter: only its growth says something")
		}
		return nil
	})
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if a, ok := node.(*parser.AggregateExpr); ok {
			for _, l := range a.Grouping {
				if !slices.Contains(known, l) {
					wrong = append(wrong, "nothing in it has label "+l+": no label "+l)
				}
			}
		}
		return nil
	})
	return wrong
}

// find looks a series up: of a histogram there are only the parts.
func find(name string, there map[string]metric) (m metric, has []string, found bool) {
	if m, ok := there[name]; ok {
		return m, m.labels, m.kind != "histogram"
	}
	for _, part := range []string{"_bucket", "_count", "_sum"} {
		if whole, ok := strings.CutSuffix(name, part); ok && there[whole].kind == "histogram" {
			return metric{kind: "counter"}, append([]string{"le"}, there[whole].labels...), true
		}
	}
	return metric{}, nil, false
}

// ranged says that a selector stands in a range, whose growth is asked for, or beside "and",
// where only its presence counts.
func ranged(path []parser.Node) bool {
	return slices.ContainsFunc(path, func(n parser.Node) bool {
		b, set := n.(*parser.BinaryExpr)
		_, is := n.(*parser.MatrixSelector)
		return is || set && b.Op == parser.LAND
	})
}

// Each alert has its paragraph in docs/alerts.md, and each paragraph its alert.
func TestEachAlertHasItsRunbook(t *testing.T) {
	page, err := os.ReadFile("../../docs/alerts.md")
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	for _, m := range regexp.MustCompile(`(?m)^## (Ashlar\w+)$`).FindAllStringSubmatch(string(page), -1) {
		written = append(written, m[1])
	}
	var names []string
	for _, a := range alerts(t) {
		names = append(names, a.Alert)
		if want := "docs/alerts.md#" + strings.ToLower(a.Alert); a.Annotations["runbook"] != want {
			t.Errorf("%s leads to %q, want %s", a.Alert, a.Annotations["runbook"], want)
		}
		if s := a.Labels["severity"]; s != "critical" && s != "warning" {
			t.Errorf("%s has severity %q", a.Alert, s)
		}
	}
	slices.Sort(names)
	slices.Sort(written)
	if !slices.Equal(names, written) {
		t.Errorf("the alerts are %v, docs/alerts.md has %v", names, written)
	}
}
