//go:build !simulator

package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/trace"
)

// Bounds of the events that the page reads.
const (
	eventsFor   = 5 * time.Second // what was read is told again for so long
	mostEvicted = 2000
	eventsLast  = time.Hour       // the API server keeps them for so long, where it is not told otherwise
	recordedIn  = 3 * time.Second // the scheduler may be away
	// Events have whole seconds, and are of another clock.
	eventsEarlier = 3 * time.Second
)

// liveEvictions tells the page the evictions of a live cluster: what the scheduler has recorded, with the record of
// each, and what is known of earlier ones from the events of pods that a person may list, of all namespaces or else of
// the one of the kubeconfig.
type liveEvictions struct {
	kube      kubernetes.Interface
	scheduler func(ctx context.Context, path string, into any) error // asks the read API
	namespace string
	now       func() time.Time

	mu   sync.Mutex
	read time.Time
	last *explain.EvictionList
}

// ServeHTTP answers /v1/evictions; with job=NAMESPACE/NAME those of or for that job.
func (l *liveEvictions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	known, err := l.current(r.Context())
	if err != nil {
		unreached(w, fmt.Errorf("list events: %w", err))
		return
	}
	answer := *known
	if job := r.URL.Query().Get("job"); job != "" {
		answer.Items = slices.DeleteFunc(slices.Clone(answer.Items), func(e explain.Eviction) bool {
			return e.PreemptorJob != job && e.Namespace+"/"+e.Job != job
		})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // it may have gone
}

// current is what is known, read at most once in a while.
func (l *liveEvictions) current(ctx context.Context) (*explain.EvictionList, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last != nil && l.now().Sub(l.read) < eventsFor {
		return l.last, nil
	}
	out := explain.NewEvictionList()
	err := l.list(ctx, "", out)
	if apierrors.IsForbidden(err) {
		out.Unknown = append(out.Unknown, "no right to list events in all namespaces: evictions in namespace "+l.namespace+
			" alone are shown")
		if err = l.list(ctx, l.namespace, out); apierrors.IsForbidden(err) {
			out.Unknown, err = []string{"no right to list events: evictions are not known"}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	l.recorded(ctx, out)
	slices.SortStableFunc(out.Items, func(a, b explain.Eviction) int { return cmp.Compare(b.At, a.At) })
	out.Total = len(out.Items)
	l.read, l.last = l.now(), out
	return out, nil
}

// recorded puts what the scheduler has recorded in the place of what events say of the same evictions. A scheduler that
// keeps no recording, that is older, or that does not answer now has events alone.
func (l *liveEvictions) recorded(ctx context.Context, out *explain.EvictionList) {
	ctx, cancel := context.WithTimeout(ctx, recordedIn)
	defer cancel()
	known := explain.NewEvictionList()
	if l.scheduler(ctx, "/v1/evictions", known) != nil {
		return
	}
	// by pod, the newest first: a pod of a workload comes again under its name
	times := map[string][]time.Time{}
	for i := range known.Items {
		e := &known.Items[i]
		times[e.Namespace+"/"+e.Name] = append(times[e.Namespace+"/"+e.Name], timeOf(e.At))
	}
	since := timeOf(known.Since)
	out.Items = slices.DeleteFunc(out.Items, func(e explain.Eviction) bool {
		if e.Record != nil && !timeOf(e.At).Before(since) {
			return true // recorded, or refused: an event does not say that it was not carried out
		}
		return slices.ContainsFunc(times[e.Namespace+"/"+e.Name], func(at time.Time) bool {
			return timeOf(e.At).After(at.Add(-eventsEarlier))
		})
	})
	out.Items = append(known.Items, out.Items...)
	out.Since, out.Hidden = known.Since, known.Hidden
	if l.now().Sub(since) > eventsLast { // events tell nothing more
		out.Unknown = []string{}
	}
}

// timeOf reads a time that explain or evictedBy wrote; another text is no time.
func timeOf(text string) time.Time {
	at, _ := time.Parse(time.RFC3339, text)
	return at
}

// list reads the events of evictions in a namespace; "" for all.
func (l *liveEvictions) list(ctx context.Context, namespace string, out *explain.EvictionList) error {
	ctx, cancel := context.WithTimeout(ctx, briefWait)
	defer cancel()
	asks := metav1.ListOptions{Limit: mostEvents, FieldSelector: "involvedObject.kind=Pod,reason=" + evictReason}
	for {
		events, err := l.kube.CoreV1().Events(namespace).List(ctx, asks)
		if err != nil {
			return err
		}
		for i := range events.Items {
			if e := &events.Items[i]; e.Reason == evictReason {
				out.Items = append(out.Items, evictedBy(e))
			}
		}
		if asks.Continue = events.Continue; asks.Continue == "" {
			return nil
		}
		if len(out.Items) >= mostEvicted {
			out.Unknown = append(out.Unknown, fmt.Sprintf("there are more events of evictions than the %d that were read",
				len(out.Items)))
			return nil
		}
	}
}

// evictedBy is what an event says of an eviction.
func evictedBy(e *corev1.Event) explain.Eviction {
	at := cmp.Or(e.LastTimestamp.Time, e.EventTime.Time, e.CreationTimestamp.Time)
	out := explain.Eviction{}
	if r, ours := explain.ReadEvicted(e.Message); ours {
		out = explain.NewEvictions([]*trace.Eviction{r})[0]
		out.Record.OfEvent = true
	}
	out.At, out.Reason = at.UTC().Format(time.RFC3339), e.Message
	out.Namespace, out.Name = e.InvolvedObject.Namespace, e.InvolvedObject.Name
	return out
}
