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
)

// Bounds of the events that the page reads.
const (
	eventsFor   = 5 * time.Second // what was read is told again for so long
	mostEvicted = 2000
)

// liveEvictions tells the page the evictions of a live cluster, which the read API does not: from the events of pods
// that a person may list, of all namespaces or else of the one of the kubeconfig.
type liveEvictions struct {
	kube      kubernetes.Interface
	namespace string
	now       func() time.Time

	mu   sync.Mutex
	read time.Time
	last evictionsAnswer
}

// evictionsAnswer is the answer. Unknown is what could not be read, and what that costs.
type evictionsAnswer struct {
	Kind    string        `json:"kind"`
	Items   []evictedThen `json:"items"` // the newest first
	Total   int           `json:"total"`
	Unknown []string      `json:"unknown"`
}

// evictedThen is an eviction by its event: of its victim the job is not known.
type evictedThen struct {
	explain.Eviction
	At string `json:"at"` // RFC 3339
}

// ServeHTTP answers /v1/evictions; with job=NAMESPACE/NAME those for that job.
func (l *liveEvictions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := l.current(r.Context())
	if err != nil {
		unreached(w, fmt.Errorf("list events: %w", err))
		return
	}
	if job := r.URL.Query().Get("job"); job != "" {
		answer.Items = slices.DeleteFunc(slices.Clone(answer.Items), func(e evictedThen) bool { return e.For != job })
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // it may have gone
}

// current is what events say, read at most once in a while.
func (l *liveEvictions) current(ctx context.Context) (evictionsAnswer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now().Sub(l.read) < eventsFor {
		return l.last, nil
	}
	out := evictionsAnswer{Kind: "EvictionList", Items: []evictedThen{}, Unknown: []string{}}
	err := l.list(ctx, "", &out)
	if apierrors.IsForbidden(err) {
		out.Unknown = append(out.Unknown, "no right to list events in all namespaces: evictions in namespace "+l.namespace+
			" alone are shown")
		if err = l.list(ctx, l.namespace, &out); apierrors.IsForbidden(err) {
			out.Unknown, err = []string{"no right to list events: evictions are not known"}, nil
		}
	}
	if err != nil {
		return out, err
	}
	slices.SortStableFunc(out.Items, func(a, b evictedThen) int { return cmp.Compare(b.At, a.At) })
	out.Total = len(out.Items)
	l.read, l.last = l.now(), out
	return out, nil
}

// list reads the events of evictions in a namespace; "" for all.
func (l *liveEvictions) list(ctx context.Context, namespace string, out *evictionsAnswer) error {
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
func evictedBy(e *corev1.Event) evictedThen {
	at := cmp.Or(e.LastTimestamp.Time, e.EventTime.Time, e.CreationTimestamp.Time)
	out := evictedThen{At: at.UTC().Format(time.RFC3339), Eviction: explain.Eviction{
		Namespace: e.InvolvedObject.Namespace, Name: e.InvolvedObject.Name, Reason: e.Message}}
	if r, ours := explain.ReadEvicted(e.Message); ours {
		out.Queue, out.Action, out.For = r.Queue, r.Action, r.ForJob
	}
	return out
}
