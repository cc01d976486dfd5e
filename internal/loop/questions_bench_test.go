package loop

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ashlar.sh/internal/kube/access"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// everybody may see everything.
type everybody struct{}

func (everybody) User(_ context.Context, r *http.Request) (*access.User, error) {
	return &access.User{Username: r.Header.Get("Authorization")}, nil
}

func (everybody) May(context.Context, *access.User, access.Question) (bool, error) { return true, nil }

// crowded is a loop that decides on 5 000 nodes and 100 000 pods, 5 000 of which wait in jobs of their own.
type crowded struct {
	*loop
	version uint64
	came    int
}

func newCrowded(b *testing.B) *crowded {
	b.Helper()
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
		{{Plugin: "predicates"}, {Plugin: "proportion"}, {Plugin: "nodeorder"}}}})
	if err != nil {
		b.Fatal(err)
	}
	c := &crowded{loop: (&loop{engine: e, metrics: newMetrics(), health: &health{}, lead: &leadership{},
		acting: true, began: time.Now()}).wire()}
	c.put(model.KindQueue, "default", &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1})
	for i := range 5000 {
		name := fmt.Sprintf("node-%04d", i)
		c.put(model.KindNode, name, &model.Node{Meta: model.Meta{Name: name}, Allocatable: resource.List{
			{Name: "cpu", Value: 64_000}, {Name: "memory", Value: 256 << 30}, {Name: "pods", Value: 110}}})
	}
	for j := range 4750 {
		c.job(fmt.Sprintf("runs-%04d", j), 20, 1000, j*20)
	}
	for j := range 5000 {
		c.job(fmt.Sprintf("waits-%04d", j), 1, 65_000+int64(j%100), -1)
	}
	c.cycle()
	return c
}

func (c *crowded) put(k model.Kind, name string, o model.Object) {
	c.version++
	ns := "bench"
	if k == model.KindNode || k == model.KindQueue {
		ns = ""
	}
	c.engine.Apply(
		model.Fact{Ref: model.Ref{Kind: k, Namespace: ns, Name: name}, UID: name, Version: c.version, Object: o})
}

// job is a gang; its pods run from a node on, or wait if that is below 0.
func (c *crowded) job(name string, members int, cpu int64, from int) {
	c.put(model.KindPodGroup, name, &model.PodGroup{Meta: model.Meta{Namespace: "bench", Name: name, UID: name},
		MinMember: int32(members), Phase: model.GroupInqueue})
	for i := range members {
		pod := fmt.Sprintf("%s-%d", name, i)
		p := &model.Pod{Meta: model.Meta{Namespace: "bench", Name: pod, UID: pod}, Ours: true, Group: name,
			Index: int64(i), Spec: &model.Spec{Requests: resource.List{{Name: "cpu", Value: cpu}, {Name: "pods", Value: 1}}}}
		if from >= 0 {
			p.Node, p.Phase = fmt.Sprintf("node-%04d", (from+i)%5000), model.PodRunning
		}
		c.put(model.KindPod, pod, p)
	}
}

func (c *crowded) cycle() {
	c.engine.SetVerbosity(0)
	c.engine.Decide(c.now())
	c.engine.Checkpoint()
	c.background.questions.decided()
}

// work is one round of the loop: a gang comes, one goes, the engine decides, and what is asked is answered.
func (c *crowded) work() {
	for i := range 10 {
		name := fmt.Sprintf("comes-%d-%d", c.came%50, i)
		for m := range 10 {
			c.put(model.KindPod, fmt.Sprintf("%s-%d", name, m), nil)
		}
		c.put(model.KindPodGroup, name, nil)
		c.job(name, 10, 1000, -1)
	}
	c.came++
	c.cycle()
	select {
	case q := <-c.background.questions.asked:
		c.background.questions.reply(q)
	default:
	}
}

// rounds works for a while and returns the rounds in a second.
func (c *crowded) rounds(d time.Duration) float64 {
	n, began := 0, time.Now()
	for ; time.Since(began) < d; n++ {
		c.work()
	}
	return float64(n) / time.Since(began).Seconds()
}

func (c *crowded) served(b *testing.B) (url string, client *http.Client) {
	b.Helper()
	s, err := readapi.New(readapi.Options{Address: "127.0.0.1:0", Scheduler: c.background.questions, Access: everybody{}})
	if err != nil {
		b.Fatal(err)
	}
	go s.Serve()
	b.Cleanup(s.Close)
	return fmt.Sprintf("https://127.0.0.1:%d", s.Port()),
		&http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
}

func get(ctx context.Context, b *testing.B, client *http.Client, user, url string) io.ReadCloser {
	return ask(ctx, b, client, user, http.MethodGet, url, nil)
}

func ask(ctx context.Context, b *testing.B, client *http.Client, user, method, url string,
	body io.Reader) io.ReadCloser {
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		b.Error(err)
		return http.NoBody
	}
	r.Header.Set("Authorization", user)
	answer, err := client.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			b.Error(err)
		}
		return http.NoBody
	}
	if answer.StatusCode != http.StatusOK {
		b.Errorf("%s: %s", url, answer.Status)
	}
	return answer.Body
}

// threadsOfTheCommand has a benchmark run in as many threads as the command does (docs/design/0077).
func threadsOfTheCommand(b *testing.B) {
	b.Helper()
	if was := runtime.GOMAXPROCS(0); was == 2 {
		runtime.GOMAXPROCS(3)
		b.Cleanup(func() { runtime.GOMAXPROCS(was) })
	}
}

// BenchmarkWhyAsked asks why a job waits, again and again, while the loop decides without a pause.
func BenchmarkWhyAsked(b *testing.B) {
	threadsOfTheCommand(b)
	c := newCrowded(b)
	url, client := c.served(b)
	c.askedAgain(b, 0, func(i int) io.ReadCloser {
		return get(b.Context(), b, client, fmt.Sprint("user-", i%8), fmt.Sprintf("%s/v1/why/job/bench/waits-%04d", url, i))
	})
}

// BenchmarkPlanAsked asks what would become of a gang, again and again, while the loop decides without a pause: of one
// that starts, one that has too little room, and one that never starts. The first client comes when the scheduler has
// decided for five seconds. Memory is what the copy adds to the heap.
func BenchmarkPlanAsked(b *testing.B) {
	threadsOfTheCommand(b)
	c := newCrowded(b)
	url, client := c.served(b)
	go c.background.plans.run(b.Context())
	before := heapInUse()
	c.rounds(5 * time.Second)
	c.askedAgain(b, 1, func(i int) io.ReadCloser {
		return ask(b.Context(), b, client, fmt.Sprint("user-", i%8), readapi.Query, url+"/v1/plan",
			strings.NewReader(submission(fmt.Sprintf("new-%d", i), [...]int{1, 60, 500}[i%3])))
	})
	b.ReportMetric(float64(heapInUse()-before)/(1<<20), "MiB")
}

// submission is a gang of 16 pods of so many cores.
func submission(name string, cores int) string {
	return fmt.Sprintf(`{"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
  "metadata": {"name": %q, "namespace": "bench"}, "spec": {"schedulerName": "volcano", "minAvailable": 16,
  "queue": "default", "tasks": [{"name": "worker", "replicas": 16, "template": {"spec": {"containers": [{"name": "c",
  "image": "i", "resources": {"requests": {"cpu": "%d"}}}]}}}]}}`, name, cores)
}

// heapInUse is what is left of the heap after everything that is not needed was collected.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

// askedAgain asks a hundred times while the loop decides, and reports how long the answers took. So many answers before
// are not counted: a client was not connected yet.
func (c *crowded) askedAgain(b *testing.B, before int, question func(i int) io.ReadCloser) {
	b.Helper()
	var took []time.Duration
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range before + 100 {
			began := time.Now()
			body := question(i)
			_, err := io.Copy(io.Discard, body)
			_ = body.Close()
			if err != nil {
				b.Error(err)
			}
			if i < before {
				b.ReportMetric(float64(time.Since(began).Microseconds())/1000, "ms-first")
			} else {
				took = append(took, time.Since(began))
			}
			<-time.After(300 * time.Millisecond) // a person, or a page
		}
	}()
	for asking := true; asking; {
		c.work()
		select {
		case <-done:
			asking = false
		default:
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms-p95")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-max")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWatched compares the rounds of a loop with 100 clients that watch jobs and queues with those without one, in
// turn; the clients are in the same process.
func BenchmarkWatched(b *testing.B) {
	c := newCrowded(b)
	url, client := c.served(b)
	c.rounds(time.Second)
	var ratios []float64
	for range 7 {
		alone := c.rounds(4 * time.Second)
		ctx, stop := context.WithCancel(b.Context())
		var readers sync.WaitGroup
		for i := range 100 {
			readers.Go(func() {
				body := get(ctx, b, client, fmt.Sprint("user-", i), url+"/v1/watch?kinds=jobs,queues")
				_, _ = io.Copy(io.Discard, body) // until stop
				_ = body.Close()
			})
		}
		c.rounds(4 * time.Second) // until all have their first rows
		watched := c.rounds(4 * time.Second)
		stop()
		readers.Wait()
		ratios = append(ratios, watched/alone)
		b.Logf("%.1f rounds a second alone, %.1f with 100 clients: %.3f", alone, watched, watched/alone)
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "of-alone")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWatchedAtRest is the processor's time of a process in which nothing happens while 100 open pages watch it,
// in cores. The clients are in the same process, and count.
func BenchmarkWatchedAtRest(b *testing.B) {
	c := newCrowded(b)
	url, client := c.served(b)
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	var readers, begun sync.WaitGroup
	for i := range 100 {
		begun.Add(1)
		readers.Go(func() {
			body := get(ctx, b, client, fmt.Sprint("user-", i), url+"/v1/watch?kinds=jobs,queues,nodes")
			defer body.Close()
			lines := bufio.NewReaderSize(body, 64<<10)
			for told := false; ; {
				line, err := lines.ReadSlice('\n')
				if mark := bytes.Contains(line, []byte(`"BOOKMARK"`)); !told && (mark || err != nil) {
					told = true
					begun.Done()
				}
				if err != nil {
					return
				}
			}
		})
	}
	all := make(chan struct{})
	go func() { begun.Wait(); close(all) }()
	c.rest(all)
	last := time.After(30 * time.Second)
	used, began := processorTime(b), time.Now()
	quiet := make(chan struct{})
	go func() { <-last; close(quiet) }()
	b.ReportMetric(float64(c.rest(quiet)), "copies")
	b.ReportMetric((processorTime(b)-used).Seconds()/time.Since(began).Seconds(), "cores")
	b.ReportMetric(0, "ns/op")
	stop()
	readers.Wait()
}

// rest answers what is asked, and does nothing else, until a channel is closed. It returns how much was asked.
func (c *crowded) rest(until <-chan struct{}) (answers int) {
	for {
		select {
		case q := <-c.background.questions.asked:
			c.background.questions.reply(q)
			answers++
		case <-until:
			return answers
		}
	}
}

// processorTime is what the process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
