package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

// healthy are the series of two replicas, a which acts and b which stands by, minute by minute for four hours: jobs
// wait, and others start. Counters are there before they count, as internal/loop's test of them says.
var healthy = map[string]string{
	`ashlar_leading{instance="a"}`:                                               "1x240",
	`ashlar_leading{instance="b"}`:                                               "0x240",
	`volcano_unschedule_job_count{instance="a"}`:                                 "5x240",
	`volcano_unschedule_job_count{instance="b"}`:                                 "0x240",
	`volcano_e2e_scheduling_latency_milliseconds_count{instance="a"}`:            "0+60x240",
	`volcano_e2e_scheduling_latency_milliseconds_count{instance="b"}`:            "0x240",
	`volcano_e2e_scheduling_latency_milliseconds_bucket{instance="a",le="1024"}`: "0+60x240",
	`volcano_e2e_scheduling_latency_milliseconds_bucket{instance="a",le="512"}`:  "0+60x240",
	`volcano_e2e_scheduling_latency_milliseconds_bucket{instance="a",le="+Inf"}`: "0+60x240",
	`volcano_e2e_scheduling_latency_milliseconds_bucket{instance="a",le="2048"}`: "0+60x240",
	`ashlar_another_scheduler{instance="a"}`:                                     "0x240",
	`ashlar_another_scheduler{instance="b"}`:                                     "0x240",
	`ashlar_panics_total{instance="a"}`:                                          "0x240",
	`ashlar_invariant_violations_total{instance="a",invariant="nodes"}`:          "0x240",
	`ashlar_invariant_violations_total{instance="a",invariant="figures"}`:        "0x240",
	`ashlar_invariant_violations_total{instance="a",invariant="gangs"}`:          "0x240",
	`ashlar_invariant_violations_total{instance="a",invariant="pods"}`:           "0x240",
	`ashlar_invariant_violations_total{instance="a",invariant="records"}`:        "0x240",
	`ashlar_config_last_reload_success{instance="a"}`:                            "1x240",
	`ashlar_config_last_reload_success{instance="b"}`:                            "1x240",
	`ashlar_plan_items_total{instance="a",kind="bind",outcome="done"}`:           "0+10x240",
	`ashlar_plan_items_total{instance="a",kind="bind",outcome="failed"}`:         "0x240",
	`ashlar_released_pods_total{instance="a"}`:                                   "0x240",
	`volcano_schedule_attempts_total{instance="a",result="scheduled"}`:           "0+10x240",
	`volcano_schedule_attempts_total{instance="a",result="error"}`:               "0x240",
	`ashlar_problems{instance="a",kind="Queue"}`:                                 "0x240",
	`ashlar_queue_longest_passed_seconds{instance="a",queue_name="ml"}`:          "0+60x240",
	`ashlar_fact_lag_milliseconds_bucket{instance="a",le="64"}`:                  "0+100x240",
	`ashlar_fact_lag_milliseconds_bucket{instance="a",le="8192"}`:                "0+100x240",
	`ashlar_fact_lag_milliseconds_bucket{instance="a",le="+Inf"}`:                "0+100x240",
	`ashlar_requests{instance="a",state="waiting"}`:                              "3x240",
	`process_resident_memory_bytes{instance="a"}`:                                "1000000000x240",
	`go_gc_gomemlimit_bytes{instance="a"}`:                                       "1800000000x240",
	`ashlar_facts_total{instance="a"}`:                                           "0+100x240",
	`process_resident_memory_bytes{instance="other",job="another"}`:              "9000000000x240",
	`go_gc_gomemlimit_bytes{instance="other",job="another"}`:                     "1800000000x240",
}

// gone is a series that is there for an hour and then no more.
const gone = "5x60 _x180"

// ails is what is otherwise from the hour on, by alert, and within how long the alert fires.
var ails = map[string]struct {
	series map[string]string
	within time.Duration
}{
	"AshlarAbsent": {map[string]string{`volcano_unschedule_job_count{instance="a"}`: gone,
		`volcano_unschedule_job_count{instance="b"}`: gone, `ashlar_leading{instance="a"}`: gone,
		`ashlar_leading{instance="b"}`: gone}, 12 * time.Minute},
	"AshlarDecidesNothing": {map[string]string{
		`volcano_e2e_scheduling_latency_milliseconds_count{instance="a"}`: "0+60x60 3600x180"}, 12 * time.Minute},
	"AshlarAnotherScheduler": {map[string]string{`ashlar_another_scheduler{instance="a"}`: "0x60 1x180"}, 7 * time.Minute},
	"AshlarPanics":           {map[string]string{`ashlar_panics_total{instance="a"}`: "0x60 1x180"}, 2 * time.Minute},
	"AshlarInvariantViolated": {map[string]string{
		`ashlar_invariant_violations_total{instance="a",invariant="nodes"}`: "0x60 1x180"}, 2 * time.Minute},
	"AshlarConfigurationRefused": {map[string]string{
		`ashlar_config_last_reload_success{instance="a"}`: "1x60 0x180"}, 2 * time.Minute},
	"AshlarBindingsFail": {map[string]string{
		`ashlar_plan_items_total{instance="a",kind="bind",outcome="failed"}`: "0x60 1+2x180"}, 22 * time.Minute},
	"AshlarGangsReleased": {map[string]string{`ashlar_released_pods_total{instance="a"}`: "0x60 3x180"}, 2 * time.Minute},
	"AshlarNothingStarts": {map[string]string{
		`volcano_schedule_attempts_total{instance="a",result="scheduled"}`: "0+10x60 600x180"}, 62 * time.Minute},
	"AshlarJobIsPassed": {map[string]string{
		`ashlar_queue_longest_passed_seconds{instance="a",queue_name="ml"}`: "0+60x60 21660x180"}, 2 * time.Minute},
	"AshlarObjectsAreWrong": {map[string]string{`ashlar_problems{instance="a",kind="Queue"}`: "0x60 1x180"},
		62 * time.Minute},
	"AshlarCyclesAreSlow": {map[string]string{
		`volcano_e2e_scheduling_latency_milliseconds_bucket{instance="a",le="512"}`:  "0+60x60 3600x180",
		`volcano_e2e_scheduling_latency_milliseconds_bucket{instance="a",le="1024"}`: "0+60x60 3600x180"}, 14 * time.Minute},
	"AshlarFallsBehind": {map[string]string{
		`ashlar_fact_lag_milliseconds_bucket{instance="a",le="64"}`: "0+100x60 6000x180"}, 14 * time.Minute},
	"AshlarRequestsPileUp": {map[string]string{`ashlar_requests{instance="a",state="waiting"}`: "3x60 2000x180"},
		12 * time.Minute},
	"AshlarMemoryIsShort": {map[string]string{
		`process_resident_memory_bytes{instance="a"}`: "1000000000x60 2000000000x180"}, 12 * time.Minute},
}

// By Prometheus' own rules each alert fires at the first time that what it is for happens, and none fires before or
// while all is well.
func TestAlertsFireAtTheFirstFailure(t *testing.T) {
	all := alerts(t)
	for _, a := range all {
		if _, covered := ails[a.Alert]; !covered {
			t.Errorf("no failure is tried for %s", a.Alert)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ails)) {
		t.Run(name, func(t *testing.T) {
			series := maps.Clone(healthy)
			maps.Copy(series, ails[name].series)
			fired := firing(t, all, series)
			at, did := fired[name]
			if latest := time.Hour + ails[name].within; !did || at <= time.Hour || at > latest {
				t.Errorf("it fires after %v (ever: %t), want it between 1h and %v", at, did, latest)
			}
			delete(fired, name)
			if len(fired) > 0 {
				t.Errorf("beside it %v fire", fired)
			}
		})
	}
	for _, invariant := range []string{"figures", "nodes", "gangs", "pods", "records"} {
		t.Run("invariant "+invariant, func(t *testing.T) {
			series := maps.Clone(healthy)
			series[fmt.Sprintf(`ashlar_invariant_violations_total{instance="a",invariant=%q}`, invariant)] = "0x60 1x180"
			at, did := firing(t, all, series)["AshlarInvariantViolated"]
			if !did || at <= time.Hour || at > time.Hour+2*time.Minute {
				t.Errorf("it is told after %v (ever: %t), want it at once", at, did)
			}
		})
	}
	t.Run("all is well", func(t *testing.T) {
		if fired := firing(t, all, healthy); len(fired) > 0 {
			t.Errorf("%v fire", fired)
		}
	})
}

// volcanos are the series of a scheduler of Volcano that the same Prometheus scrapes, as during a move or from another
// cluster: it decides, starts pods, and takes its time.
var volcanos = map[string]string{
	`volcano_unschedule_job_count{instance="v"}`:                                 "5x240",
	`volcano_e2e_scheduling_latency_milliseconds_count{instance="v"}`:            "0+60x240",
	`volcano_e2e_scheduling_latency_milliseconds_bucket{instance="v",le="1024"}`: "0x240",
	`volcano_e2e_scheduling_latency_milliseconds_bucket{instance="v",le="2048"}`: "0+60x240",
	`volcano_e2e_scheduling_latency_milliseconds_bucket{instance="v",le="+Inf"}`: "0+60x240",
	`volcano_schedule_attempts_total{instance="v",result="scheduled"}`:           "0+10x240",
}

// What a scheduler of Volcano reports under the same names hides no failure of Ashlar, and makes none up.
func TestAlertsAreAboutAshlarAlone(t *testing.T) {
	all := alerts(t)
	beside := maps.Clone(healthy)
	maps.Copy(beside, volcanos)
	if fired := firing(t, all, beside); len(fired) > 0 {
		t.Errorf("beside a scheduler of Volcano %v fire", fired)
	}
	for _, name := range []string{"AshlarAbsent", "AshlarDecidesNothing", "AshlarNothingStarts", "AshlarCyclesAreSlow"} {
		series := maps.Clone(beside)
		maps.Copy(series, ails[name].series)
		if at, did := firing(t, all, series)[name]; !did || at > time.Hour+ails[name].within {
			t.Errorf("beside a scheduler of Volcano %s fires after %v (ever: %t)", name, at, did)
		}
	}
}

// firing says after which time each alert fires, of those that do in four hours.
func firing(t *testing.T, all []rule, series map[string]string) map[string]time.Duration {
	t.Helper()
	var load strings.Builder
	load.WriteString("load 1m\n")
	for _, name := range slices.Sorted(maps.Keys(series)) {
		load.WriteString("  " + name + " " + series[name] + "\n")
	}
	stored := promqltest.LoadedStorage(t, load.String())
	query := rules.EngineQueryFunc(promqltest.NewTestEngine(t, false, 5*time.Minute, 1_000_000), stored)
	out := map[string]time.Duration{}
	for _, a := range all {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(a.Expr)
		if err != nil {
			t.Fatal(err)
		}
		hold, err := model.ParseDuration(a.For)
		if err != nil {
			t.Fatalf("%s: %v", a.Alert, err)
		}
		alert := rules.NewAlertingRule(a.Alert, expr, time.Duration(hold), 0, labels.FromMap(a.Labels),
			labels.FromMap(a.Annotations), labels.EmptyLabels(), "", true, nil)
		for at := time.Duration(0); at <= 4*time.Hour; at += time.Minute {
			if _, err := alert.Eval(t.Context(), 0, time.Unix(0, 0).Add(at), query, nil, 0); err != nil {
				t.Fatalf("%s: %v", a.Alert, err)
			}
			if slices.ContainsFunc(alert.ActiveAlerts(), func(x *rules.Alert) bool { return x.State == rules.StateFiring }) {
				out[a.Alert] = at
				break
			}
		}
	}
	return out
}
