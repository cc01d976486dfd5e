package cold

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"ashlar.sh/internal/loop"
)

// BenchmarkReasonOnTheObject is how long it takes, on 5 000 nodes and 100 000 pods, from what a reason rests on to the
// patch of the status of the pod that waits: from the event that a pod comes which no node takes, and, once it says so,
// from the event that one more node is cordoned. Once alone, and once while 50 pods a second come and go.
func BenchmarkReasonOnTheObject(b *testing.B) {
	for _, perSecond := range []int{0, 50} {
		b.Run(fmt.Sprintf("coming=%d", perSecond), func(b *testing.B) {
			for range b.N {
				of := world{5000, 100_000, 20}
				server := newServer(b, of)
				defer running(b, server)()
				x, began := newReasons(b, server), time.Now()
				if perSecond > 0 {
					go server.churn.run(perSecond, probes*2*apart)
				}
				for i := range probes {
					x.probe(b, i)
				}
				report(b, "first", x.first)
				report(b, "changed", x.changed)
				b.ReportMetric(float64(server.writes.Load())/time.Since(began).Seconds(), "writes/s")
			}
		})
	}
}

const (
	probes = 20
	apart  = 3 * time.Second // between a reason and the change of what it rests on
)

// running runs a scheduler until what it returns is called. It returns when a pod was bound.
func running(b *testing.B, server *server) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- loop.Run(ctx, loop.Options{Config: &rest.Config{Host: server.URL}, Adopt: loop.AdoptAlways,
			Drain: time.Millisecond})
	}()
	stop = func() {
		cancel()
		server.CloseClientConnections()
		if err := <-ended; err != nil {
			b.Error(err)
		}
		server.Close()
	}
	select {
	case <-server.bound:
	case err := <-ended:
		ended <- err
		b.Fatal("the scheduler ended before it bound a pod")
	case <-time.After(15 * time.Minute):
		b.Fatal("no pod was bound within a quarter of an hour")
	}
	return stop
}

// reasons follow what pods are told about why they wait.
type reasons struct {
	*server
	added, deleted, cordoned *template

	mu      sync.Mutex
	told    chan string // the messages of the pod that waits
	waits   int         // its number
	version int

	first, changed []time.Duration
}

func newReasons(b *testing.B, s *server) *reasons {
	large := waiting()
	large.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64500m")}
	shut := node()
	shut.Spec.Unschedulable = true
	shut.ResourceVersion = "4" + number
	x := &reasons{server: s, told: make(chan string, 100), added: newTemplate(framed(b, watch.Added, large)),
		deleted:  newTemplate(framed(b, watch.Deleted, later(large.DeepCopy(), 9, corev1.PodPending))),
		cordoned: newTemplate(framed(b, watch.Modified, shut))}
	s.patched.Store(&podPatched{func(r *http.Request) { x.take(b, large, r) }})
	return x
}

// podPatched is told of each patch of a pod.
type podPatched struct{ tell func(*http.Request) }

// take tells the message of a patch, and has the watch show it.
func (x *reasons) take(b *testing.B, p *corev1.Pod, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	patch := corev1.Pod{}
	if err != nil || json.Unmarshal(body, &patch) != nil || !strings.HasSuffix(r.URL.Path, "/status") {
		return
	}
	parts := strings.Split(strings.TrimSuffix(r.URL.Path, "/status"), "-")
	number, err := strconv.Atoi(parts[len(parts)-1])
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil || number != x.waits {
		return
	}
	for _, c := range patch.Status.Conditions {
		if c.Type != corev1.PodScheduled {
			continue
		}
		x.version = min(x.version+1, 8)
		now := later(p.DeepCopy(), x.version, corev1.PodPending)
		now.Status.Conditions = []corev1.PodCondition{c}
		x.churn.events <- bytes.Clone(newTemplate(framed(b, watch.Modified, now)).fill(number, 0, number))
		x.told <- c.Message
	}
}

// probe has a pod come that no node takes, then one more node be cordoned, and the pod go.
func (x *reasons) probe(b *testing.B, i int) {
	n := 5_000_000 + i
	x.mu.Lock()
	x.waits, x.version = n, 1
	x.churn.events <- bytes.Clone(x.added.fill(n, 0, n))
	x.mu.Unlock()
	x.first = append(x.first, x.await(b, func(string) bool { return true }))
	<-time.After(apart)
	want := fmt.Sprintf("%d are cordoned", i+1)
	if i == 0 {
		want = "1 is cordoned"
	}
	x.churn.ofNodes <- bytes.Clone(x.cordoned.fill(i, 0, 0))
	x.changed = append(x.changed, x.await(b, func(message string) bool { return strings.Contains(message, want) }))
	x.mu.Lock()
	x.waits = 0
	x.churn.events <- bytes.Clone(x.deleted.fill(n, 0, n))
	x.mu.Unlock()
	for len(x.told) > 0 {
		<-x.told
	}
}

// await is how long it takes until a message is told that is wanted.
func (x *reasons) await(b *testing.B, wanted func(message string) bool) time.Duration {
	began := time.Now()
	last := ""
	for {
		select {
		case last = <-x.told:
			if wanted(last) {
				return time.Since(began)
			}
		case <-time.After(time.Minute):
			b.Fatalf("it was not told within a minute; the last: %q", last)
		}
	}
}

func report(b *testing.B, what string, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds(), what+"-p50-s")
	b.ReportMetric(took[len(took)*95/100].Seconds(), what+"-p95-s")
}
