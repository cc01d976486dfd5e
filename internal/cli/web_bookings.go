//go:build !simulator

package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/api"
	"ashlar.sh/internal/kube/translate"
)

// bookingsFor is for how long the bookings that were read are told again.
const bookingsFor = 5 * time.Second

// liveBookings tells the page how the bookings of a live cluster stand, which the read API does not: by their status,
// which the scheduler writes, if a person may list them.
type liveBookings struct {
	list func(context.Context, metav1.ListOptions) (*api.BookingList, error)
	now  func() time.Time

	mu   sync.Mutex
	read time.Time
	last bookingsAnswer
}

// bookingsAnswer is the answer. Unknown says what could not be read.
type bookingsAnswer struct {
	Kind    string       `json:"kind"`
	Items   []bookedThen `json:"items"` // by name
	Unknown []string     `json:"unknown"`
}

// bookedThen is a booking by its status, which names the first of its nodes.
type bookedThen struct {
	explain.Booking
	NodeCount int32 `json:"nodeCount"`
}

// ServeHTTP answers /v1/bookings.
func (l *liveBookings) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := l.current(r.Context())
	if err != nil {
		unreached(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // it may have gone
}

// current is what statuses say, read at most once in a while. Without the CRD there are no bookings.
func (l *liveBookings) current(ctx context.Context) (bookingsAnswer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now().Sub(l.read) < bookingsFor {
		return l.last, nil
	}
	ctx, cancel := context.WithTimeout(ctx, briefWait)
	defer cancel()
	out := bookingsAnswer{Kind: "BookingList", Items: []bookedThen{}, Unknown: []string{}}
	list, err := l.list(ctx, metav1.ListOptions{})
	switch {
	case apierrors.IsNotFound(err):
	case apierrors.IsForbidden(err):
		out.Unknown = append(out.Unknown, "no right to list bookings: they are not known")
	case err != nil:
		return out, err
	default:
		for i := range list.Items {
			out.Items = append(out.Items, bookedBy(&list.Items[i]))
		}
	}
	slices.SortFunc(out.Items, func(a, b bookedThen) int { return cmp.Compare(a.Name, b.Name) })
	l.read, l.last = l.now(), out
	return out, nil
}

// bookedBy is what a booking says of itself. One of which no scheduler has written a status tells when it is to be.
func bookedBy(b *api.Booking) bookedThen {
	s := &b.Status
	out := bookedThen{NodeCount: s.NodeCount, Booking: explain.Booking{Name: b.Name,
		For: explain.BookedFor(translate.Booking(b)), Phase: s.Phase, From: b.Spec.From, To: b.Spec.To,
		Nodes: append([]string{}, s.Nodes...), Overlaps: s.Overlaps, Conflicting: int(s.ConflictCount),
		EndedEarly: s.EndedEarly, Message: s.Message}}
	if s.Window != nil {
		out.From, out.To = s.Window.From, s.Window.To
	} else if s.Phase != "" {
		out.From, out.To = "", ""
	}
	for _, c := range s.Conflicts {
		out.Conflicts = append(out.Conflicts, explain.Conflict(c))
	}
	return out
}
