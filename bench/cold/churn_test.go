package cold

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// churn has pods come and go: a new one waits, is bound by the scheduler and runs; for each that comes, one that ran
// since the start ends and is deleted.
type churn struct {
	world
	added, bound, ran, ended, deleted *template

	mu      sync.Mutex
	events  chan []byte // of pods
	ofNodes chan []byte
	came    map[int]time.Time
	took    []time.Duration // from the event of a pod's creation to the request that binds it
}

func newChurn(b *testing.B, of world) *churn {
	placed, running := waiting(), pod(1)
	placed.Spec.NodeName = running.Spec.NodeName
	at := func(kind watch.EventType, p *corev1.Pod) *template { return newTemplate(framed(b, kind, p)) }
	return &churn{world: of, events: make(chan []byte, 1<<14), ofNodes: make(chan []byte), came: map[int]time.Time{},
		added: at(watch.Added, waiting()), bound: at(watch.Modified, later(placed, 2, corev1.PodPending)),
		ran:     at(watch.Modified, later(running, 3, corev1.PodRunning)),
		ended:   at(watch.Modified, later(pod(of.members), 4, corev1.PodSucceeded)),
		deleted: at(watch.Deleted, later(pod(of.members), 5, corev1.PodSucceeded))}
}

// run has perSecond pods come and as many go for a while, and waits a moment for the last.
func (c *churn) run(perSecond int, during time.Duration) []time.Duration {
	tick := time.NewTicker(time.Second / time.Duration(perSecond))
	defer tick.Stop()
	count := int(during.Seconds() * float64(perSecond))
	for i := range count {
		<-tick.C
		c.mu.Lock()
		came := c.pods + 1 + i
		c.came[came] = time.Now()
		c.say(c.added, came, 0, came)
		c.say(c.ended, i, i%c.nodes, i/c.members)
		c.say(c.deleted, i, i%c.nodes, i/c.members)
		c.mu.Unlock()
	}
	for wait := time.Now(); time.Since(wait) < 10*time.Second; {
		if <-tick.C; c.answered() >= count {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.took)
	return c.took
}

func (c *churn) answered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.took)
}

// say puts an event into the stream; the lock is held.
func (c *churn) say(t *template, number, place, job int) {
	c.events <- bytes.Clone(t.fill(number, place, job))
}

// bind notes a binding that was posted, and has the pod run.
func (c *churn) bind(r *http.Request) {
	now := time.Now()
	body, err := io.ReadAll(r.Body)
	node := bytes.Index(body, []byte("node-")) + len("node-")
	parts := strings.Split(r.URL.Path, "-") // …/job-NUMBER-worker-NUMBER/binding
	number, wrong := strconv.Atoi(strings.TrimSuffix(parts[len(parts)-1], "/binding"))
	if err != nil || wrong != nil || node+len(place) > len(body) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	began, ours := c.came[number]
	if !ours {
		return
	}
	delete(c.came, number)
	c.took = append(c.took, now.Sub(began))
	at, _ := strconv.Atoi(string(body[node : node+len(place)]))
	c.say(c.bound, number, at, number)
	c.say(c.ran, number, at, number)
}

// stream sends the events to a watch until it ends.
func stream(w http.ResponseWriter, ctx context.Context, events <-chan []byte) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if _, err := w.Write(e); err != nil {
				return
			}
			for len(events) > 0 {
				if _, err := w.Write(<-events); err != nil {
					return
				}
			}
			w.(http.Flusher).Flush()
		}
	}
}
