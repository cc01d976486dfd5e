package observe

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"

	"ashlar.sh/internal/booking"
	"ashlar.sh/sched/model"
)

// bookings are watched by an informer of their own, and told again as their windows pass.
type bookings struct {
	unstarted cache.SharedIndexInformer // nil: there is none, or it runs
	running   sync.WaitGroup
	recur     map[string]model.Fact // by name, as they were told last; of Drain's goroutine
}

// informer is one that start will start.
func (bs *bookings) informer(w *Observer) cache.SharedIndexInformer {
	bs.unstarted = w.options.Bookings.Informer()
	return bs.unstarted
}

func (bs *bookings) start(ctx context.Context) {
	if i := bs.unstarted; i != nil {
		bs.unstarted = nil
		bs.running.Go(func() { i.RunWithContext(ctx) })
	}
}

// now is the time by which windows pass. By another one than the engine's a booking would end for one of the two and go
// on for the other once the machine's clock is set.
func (o *Options) now() int64 {
	if o.Now == nil {
		return time.Now().UnixNano()
	}
	return o.Now()
}

// renewed adds to facts those of bookings of which a window has ended, with the next ones.
func (bs *bookings) renewed(facts []model.Fact, now int64) []model.Fact {
	for _, f := range facts {
		if f.Ref.Kind != model.KindBooking {
			continue
		}
		if b, is := f.Object.(*model.Booking); is && b.Every != nil {
			if bs.recur == nil {
				bs.recur = map[string]model.Fact{}
			}
			bs.recur[f.Ref.Name] = f
		} else {
			delete(bs.recur, f.Ref.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(bs.recur)) {
		f := bs.recur[name]
		if b := f.Object.(*model.Booking); booking.Renew(b, now) != b {
			f.Object = booking.Renew(b, now)
			bs.recur[name] = f
			facts = append(facts, f)
		}
	}
	return facts
}
