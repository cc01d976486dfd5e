package cold

import (
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	profile = flag.String("profile", "", "file for a heap profile of the last cluster, once its pod is bound")
	heavy   = flag.Bool("heavy", false, "a million pods on 50 000 nodes, too: minutes, gigabytes")
	lasts   = flag.Duration("churn", 10*time.Second, "for how long 500 pods a second come and go, once the scheduler runs")
)

// BenchmarkColdStart starts a scheduler on nodes that run 20 pods each: each a job of its own without a PodGroup, or in
// PodGroups of 20. Then 500 pods a second come and go.
func BenchmarkColdStart(b *testing.B) {
	worlds := []world{{5000, 100_000, 1}, {5000, 100_000, 20}}
	if *heavy {
		worlds = append(worlds, world{50_000, 1_000_000, 20})
	}
	for _, of := range worlds {
		b.Run(of.String(), func(b *testing.B) {
			for range b.N {
				start(b, of)
			}
		})
	}
}

func start(b *testing.B, of world) {
	server := newServer(b, of)
	debug.FreeOSMemory()
	empty := heap()
	forgetPeak(b)
	began, spent := time.Now(), processor()
	defer running(b, server)()
	b.ReportMetric(time.Since(began).Seconds(), "start-s")
	b.ReportMetric((processor() - spent).Seconds(), "start-cpu-s")
	b.ReportMetric(float64(resident("VmHWM"))/(1<<20), "peak-MiB")
	b.ReportMetric(float64(heap()-empty)/float64(of.pods), "bytes/pod")
	if *profile != "" {
		writeProfile(b, *profile)
	}
	come(b, server.churn)
}

// come measures what it takes to bind pods while others come and go.
func come(b *testing.B, c *churn) {
	if *lasts <= 0 {
		return
	}
	began, spent := time.Now(), processor()
	took := c.run(500, *lasts)
	if want := int(lasts.Seconds() * 500); len(took) != want {
		b.Fatalf("of %d pods that came, %d were bound", want, len(took))
	}
	share := (processor() - spent).Seconds() / time.Since(began).Seconds()
	b.ReportMetric(share, "churn-cpu-s/s")
	for name, of := range map[string]int{"bind-p50-ms": 500, "bind-p95-ms": 950, "bind-p99-ms": 990, "bind-max-ms": 1000} {
		b.ReportMetric(float64(took[(len(took)-1)*of/1000])/float64(time.Millisecond), name)
	}
	b.ReportMetric(float64(resident("VmHWM"))/(1<<20), "churn-peak-MiB")
}

func writeProfile(b *testing.B, file string) {
	f, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	if err := pprof.WriteHeapProfile(f); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

// heap is what is in use once all that is garbage is gone.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// forgetPeak makes Linux count the most memory anew; elsewhere the peak is that of all.
func forgetPeak(b *testing.B) {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		b.Logf("the peak is that of the whole process: %v", err)
	}
}

// resident reads an amount of memory in bytes from Linux; 0 elsewhere.
func resident(what string) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), what+":")
	n, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	return n << 10
}
