package summary_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ashlar.sh/internal/config"
	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/sim"
	"ashlar.sh/internal/traces"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// helios reads a trace of two virtual clusters with many gangs; each pod has its true duration as limit.
func helios(t *testing.T) []sim.Item {
	t.Helper()
	dir := os.Getenv(folder)
	if dir == "" {
		t.Skipf("%s names no folder of traces", folder)
	}
	base := filepath.Join(dir, "helios-venus-2vc-2020-09")
	w := load(t, base+".nodes.csv", base+".jobs.csv")
	items := slices.Clone(w.trace.Items)
	for i := range items {
		if p, is := items[i].Fact.Object.(*model.Pod); is && items[i].HasDuration {
			limited := *p
			limited.SetRare(model.Times{Lasts: max(1, int64(items[i].Duration)), Limit: max(1, int64(items[i].Duration))})
			items[i].Fact.Object = &limited
		}
	}
	for _, q := range w.trace.Queues {
		items = append(items, traces.Queue(q))
	}
	return items
}

// heliosUntil is its world with what comes until a time.
func heliosUntil(t *testing.T, p policy.Profile, items []sim.Item, until time.Duration) *sim.World {
	t.Helper()
	items = slices.DeleteFunc(slices.Clone(items), func(i sim.Item) bool { return i.SubmitAt > until })
	w, err := sim.New(p, items, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// follow runs a world, and calls started for each job that has its minimum after a cycle and had not before.
func follow(w *sim.World, until time.Duration, has map[ledger.JobKey]bool, started func(ledger.JobKey, int64)) {
	for {
		at, more := w.Next()
		if !more || until > 0 && at > until {
			return
		}
		c, _ := w.Step()
		l := w.Engine().Ledger()
		for _, i := range c.Plan.Items {
			t, there := l.Tasks.Find(i.Pod)
			if !there || l.Task(t).Job == ledger.NoJob {
				continue
			}
			if j := l.Job(l.Task(t).Job); !has[j.Key] && j.Placed() > 0 && j.Met((*ledger.Count).Placed) {
				has[j.Key] = true
				started(j.Key, int64(c.At))
			}
		}
	}
}

// TestStartsOfATraceAreInTheirRange: at some moments of a month no further job comes; each job that waits then starts
// when it was estimated.
func TestStartsOfATraceAreInTheirRange(t *testing.T) {
	items := helios(t)
	for _, planned := range []bool{false, true} {
		p := profile.Of(config.Default())
		if planned {
			p.ActionArguments = map[string]policy.Arguments{"backfill": {"backfill.depth": "1"}}
		}
		t.Run(fmt.Sprintf("planned=%t", planned), func(t *testing.T) { inRange(t, p, items) })
	}
}

func inRange(t *testing.T, p policy.Profile, items []sim.Item) {
	jobs, outside, latest := 0, 0, time.Duration(0)
	for day := 3; day <= 27; day += 6 {
		stop := time.Duration(day)*24*time.Hour + 12*time.Hour
		w := heliosUntil(t, p, items, stop)
		w.Run(stop)
		s, err := w.Starts(nil)
		if err != nil {
			t.Fatal(err)
		}
		began := map[ledger.JobKey]int64{}
		follow(w, 0, map[ledger.JobKey]bool{}, func(k ledger.JobKey, at int64) { began[k] = at })
		for k, x := range s.Jobs {
			jobs++
			at, does := began[k]
			if does != (x.Latest != 0) || does && (at < x.Earliest || at > x.Latest) {
				outside++
				t.Errorf("day %d: %s starts at %v, estimated %v to %v, %s", day, k, time.Duration(at),
					time.Duration(x.Earliest), time.Duration(x.Latest), x.Unknown)
			}
			latest = max(latest, time.Duration(at)-stop)
		}
	}
	t.Logf("%d of %d starts were outside their range; the latest was %v after its estimate", outside, jobs, latest)
	if jobs == 0 {
		t.Error("no job waits")
	}
}

// TestStartsOfATraceWithArrivals tells how estimates fare when jobs go on coming: made every three hours.
func TestStartsOfATraceWithArrivals(t *testing.T) {
	w := heliosUntil(t, profile.Of(config.Default()), helios(t), 1<<62)
	var firsts estimate.Firsts
	var slips []time.Duration
	inside, has := 0, map[ledger.JobKey]bool{}
	for at := 3 * time.Hour; ; at += 3 * time.Hour {
		follow(w, at, has, func(k ledger.JobKey, at int64) {
			if first, known := firsts.Started(k); known {
				slips = append(slips, time.Duration(first.Slip(at)))
				if first.Holds(at) {
					inside++
				}
			}
		})
		if _, more := w.Next(); !more {
			break
		}
		w.Run(at)
		s, err := w.Starts(nil)
		if err != nil {
			t.Fatal(err)
		}
		firsts.Note(s)
	}
	if len(slips) == 0 {
		t.Fatal("no job had an estimate")
	}
	slices.Sort(slips)
	at := func(percent int) time.Duration { return slips[(len(slips)-1)*percent/100] }
	t.Logf("of %d jobs %d started inside the range that was estimated first; slip: median %v, 90 %% %v, 99 %% %v, most %v",
		len(slips), inside, at(50), at(90), at(99), at(100))
}
