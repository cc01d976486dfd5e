package summary_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ashlar.sh/sched/model"
)

// folder names, in the environment, a folder of traces: NAME.nodes.csv with NAME.jobs.csv
// or NAME.jobs.csv.gz.
const folder = "ASHLAR_TRACES"

// auditEvery is how many cycles go by between two audits: one recounts everything.
const auditEvery = 1000

func TestEveryTraceReplaysToItsEnd(t *testing.T) {
	dir := os.Getenv(folder)
	if dir == "" {
		t.Skipf("%s names no folder of traces: nothing to replay but the excerpt", folder)
	}
	nodes, err := filepath.Glob(filepath.Join(dir, "*.nodes.csv"))
	if err != nil || len(nodes) == 0 {
		t.Fatalf("no *.nodes.csv in %s: %v", dir, err)
	}
	for _, file := range nodes {
		base := strings.TrimSuffix(file, ".nodes.csv")
		t.Run(filepath.Base(base), func(t *testing.T) {
			jobs := base + ".jobs.csv"
			if _, err := os.Stat(jobs); err != nil {
				jobs += ".gz"
			}
			toItsEnd(t, file, jobs)
		})
	}
}

func TestTheExcerptReplaysToItsEnd(t *testing.T) {
	const base = "../../../examples/traces/philly-testbed400"
	toItsEnd(t, base+".nodes.csv", base+".jobs.csv")
}

// toItsEnd replays a trace with an audit now and then. At the end every pod is accounted
// for: bound or waiting; and no job with a duration still runs.
func toItsEnd(t *testing.T, nodes, jobs string) {
	began := time.Now()
	w := load(t, nodes, jobs)
	pods, endless := 0, 0
	for _, j := range w.trace.Jobs {
		pods += j.Members
		if !j.HasDuration {
			endless++
		}
	}
	cycles := 0
	for {
		c, more := w.Step()
		if !more {
			break
		}
		w.watch.See(c)
		if cycles++; cycles%auditEvery == 0 {
			if wrong := w.Engine().Audit(); wrong != nil {
				t.Fatalf("cycle %d at %v: %v", c.Number, c.At, wrong)
			}
		}
	}
	if wrong := w.Engine().Audit(); wrong != nil {
		t.Fatalf("at the end: %v", wrong)
	}
	s := w.Summary()
	if s.Endless || s.Bound-s.Evicted+s.Pending != pods {
		t.Errorf("of %d pods %d were bound, %d evicted and %d wait; endless: %t", pods, s.Bound, s.Evicted, s.Pending,
			s.Endless)
	}
	report := w.Engine().Report()
	succeeded := 0
	for _, p := range report.Pods {
		if p.Status == model.Succeeded {
			succeeded++
		}
	}
	f := w.watch.Figures(report, time.Since(began))
	if f.All.Jobs != len(w.trace.Jobs) || f.All.Started < f.All.Finished || f.All.Started-f.All.Finished > endless ||
		succeeded < f.All.Finished {
		t.Errorf("of %d jobs, %d of which run for ever, %d started and %d finished; %d pods succeeded",
			f.All.Jobs, endless, f.All.Started, f.All.Finished, succeeded)
	}
	for _, r := range f.Resources {
		if r.Allocated.Peak > 1_000_000 || r.Allocated.Mean > r.Allocated.Peak || r.Allocated.Peak > r.Requested.Peak {
			t.Errorf("%s: allocated %s on average and %s at most, of requested %s", r.Name, r.Allocated.Mean, r.Allocated.Peak,
				r.Requested.Peak)
		}
	}
	t.Logf("%d jobs, %d pods, %d cycles: %d finished, %d wait, %d decisions, in %v with audits",
		len(w.trace.Jobs), pods, cycles, f.All.Finished, s.Pending, f.Decisions, time.Since(began).Round(time.Millisecond))
}
