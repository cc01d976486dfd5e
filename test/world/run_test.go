//go:debug randseednop=0

package world

import (
	"cmp"
	"io"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// What a run of these tests may be told.
const (
	seedsVariable = "ASHLAR_WORLD_SEEDS" // how many worlds there are
	seedVariable  = "ASHLAR_WORLD_SEED"  // the first one's seed
	lastsVariable = "ASHLAR_WORLD_LASTS" // for how long each has trouble, in its own time
	logVariable   = "ASHLAR_WORLD_LOG"   // a file for all that happens
	findVariable  = "ASHLAR_WORLD_FIND"  // "write": the worlds that find defects are written to foundFile
	everVariable  = "ASHLAR_WORLD_EVER"  // "whole": worlds that failed once run for as long as they did then
	firstVariable = "ASHLAR_WORLD_FIRST" // "only": the first world that fails is the last one, and is not retold
)

// saysWrong is in the line about a world that failed.
const saysWrong = " wrong, the first: "

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	// One of the handlers sleeps until a time that all tests of a process share, which bubbles do not.
	utilruntime.ErrorHandlers = nil
	// Of goroutines that can run at one time, one processor runs the same one first each time, and several do not.
	runtime.GOMAXPROCS(1)
	// Worlds are small, and live in a process of their own: it collects garbage when there is much.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(1 << 30)
	os.Exit(m.Run())
}

// run runs a world in a bubble of its own.
func run(t *testing.T, o Options) (r Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { r = Run(t, o) })
	return r
}

func setting(t *testing.T, variable string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// logged is where a run tells what happens, if somebody asked for it.
func logged(t *testing.T) func(string) {
	path := os.Getenv(logVariable)
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return func(line string) { _, _ = io.WriteString(f, line+"\n") } // a log that fails is no reason to fail
}

// seedsOf are those of the worlds to run: from the one on that was asked for, or the first ones with and without what
// only some have.
func seedsOf(t *testing.T) (seeds []uint64) {
	t.Helper()
	first := setting(t, seedVariable, 0)
	for i := range setting(t, seedsVariable, 8) {
		if first > 0 {
			seeds = append(seeds, first+i)
		} else {
			from := []uint64{widest, wider, ownedFrom, fullerFrom, slower, 0, rewiredFrom, longHeldFrom}[i%8]
			seeds = append(seeds, from+1+i/8)
		}
	}
	return seeds
}

// lastsOf is for how long the world of a seed has trouble: as was asked for, or for ten minutes, and those that are
// slower for an hour, which takes no more processor time.
func lastsOf(t *testing.T) func(seed uint64) time.Duration {
	t.Helper()
	text := os.Getenv(lastsVariable)
	asked, err := time.ParseDuration(cmp.Or(text, "0s"))
	if err != nil {
		t.Fatal(err)
	}
	return func(seed uint64) time.Duration {
		switch {
		case text != "":
			return asked
		case seed >= slower:
			return time.Hour
		default:
			return 10 * time.Minute
		}
	}
}

// Whatever goes wrong around it, the scheduler does no harm, and when that ends, everything runs.
func TestWorlds(t *testing.T) {
	seeds := seedsOf(t)
	lasts := lastsOf(t)
	did, hours, writes, most, log := map[string]int{}, 0.0, 0, 0, logged(t)
	began, failed, only := time.Now(), 0, os.Getenv(firstVariable) == "only"
	for _, seed := range seeds {
		o := drawn(seed, lasts(seed))
		o.Log = log
		if only {
			o.Enough = func(string) bool { return true }
		}
		r := run(t, o)
		for what, n := range r.Did {
			did[what] += n
		}
		hours, writes, most = hours+r.Hours, writes+r.Writes, max(most, r.MostWrites)
		t.Logf("seed %d: history %016x, %.2f hours", seed, r.History, r.Hours)
		if len(r.Wrong) > 0 {
			failed++
			t.Errorf("%s=%d %s=1: %d"+saysWrong+"%s", seedVariable, seed, seedsVariable, len(r.Wrong), r.Wrong[0])
			if only {
				return
			}
			retold(t, o)
		}
	}
	for _, what := range missing(seeds, did) {
		t.Errorf("in %d worlds %q never happened", len(seeds), what)
	}
	t.Logf("%d worlds of %.1f hours in %s, %d failed, %d writes, at most %d of one object: %v", len(seeds), hours,
		time.Since(began).Truncate(time.Millisecond),
		failed, writes, most, did)
}

// missing is what never happened in so many worlds that draw all trouble that there is.
func missing(seeds []uint64, did map[string]int) (out []string) {
	if len(seeds) < 500 || seeds[0] < kindsFrom {
		return nil
	}
	for _, kind := range slices.Sorted(maps.Keys(happens)) {
		for _, what := range happens[kind] {
			if did[what] == 0 {
				out = append(out, what)
			}
		}
	}
	return out
}

// A seed names one run, write for write; so does one in which the read API is asked (9), and one in which renewals of
// the lease are not answered (90002), one that has all that the widest may have (2000062), a slower one, one that has
// racks, extended resources and a tree of queues (60000012), and a fuller one (200000007).
func TestASeedIsOneRun(t *testing.T) {
	seeds := []uint64{7, 8, 9, 90002, 2000062, 3000001, 60000012, 200000007}
	if first := setting(t, seedVariable, 0); first > 0 {
		seeds = nil
		for i := range setting(t, seedsVariable, 2) {
			seeds = append(seeds, first+i)
		}
	}
	for _, seed := range seeds {
		o := drawn(seed, 5*time.Minute)
		var logs [2][]string
		var sums [2]uint64
		for i := range sums {
			o.Log = func(line string) { logs[i] = append(logs[i], line) }
			sums[i] = run(t, o).History
		}
		if sums[0] == sums[1] {
			continue
		}
		at := 0
		for at < min(len(logs[0]), len(logs[1])) && logs[0][at] == logs[1][at] {
			at++
		}
		for _, log := range logs {
			t.Logf("of %d lines:\n%s", len(log), strings.Join(log[max(0, at-5):min(len(log), at+4)], "\n"))
		}
		t.Errorf("two runs of seed %d differ after %d lines", o.Seed, at)
	}
}
