package cold

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"ashlar.sh/internal/loop"
)

var profile = flag.String("profile", "", "file for a heap profile of the last cluster, once its pod is bound")

// BenchmarkColdStart starts a scheduler on 5 000 nodes that run 100 000 pods: each a job of
// its own without a PodGroup, or in PodGroups of 20.
func BenchmarkColdStart(b *testing.B) {
	for _, members := range []int{1, 20} {
		b.Run(fmt.Sprintf("nodes=5000/pods=100000/members=%d", members), func(b *testing.B) {
			for range b.N {
				start(b, 5000, 100_000, members)
			}
		})
	}
}

func start(b *testing.B, nodes, pods, members int) {
	server := newServer(b, nodes, pods, members)
	defer server.Close()
	debug.FreeOSMemory()
	empty := heap()
	forgetPeak(b)
	spent := processor()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- loop.Run(ctx, loop.Options{Config: &rest.Config{Host: server.URL}, Adopt: loop.AdoptAlways,
			Drain: time.Millisecond})
	}()
	select {
	case <-server.bound:
	case err := <-ended:
		b.Fatalf("the scheduler ended before it bound a pod: %v", err)
	}
	b.ReportMetric((processor() - spent).Seconds(), "cpu-s")
	b.ReportMetric(float64(resident("VmHWM"))/(1<<20), "peak-MiB")
	b.ReportMetric(float64(heap()-empty)/float64(pods), "bytes/pod")
	if *profile != "" {
		f, err := os.Create(*profile)
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
	stop()
	server.CloseClientConnections()
	if err := <-ended; err != nil {
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
