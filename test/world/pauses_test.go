package world

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// standstill is how long a process stands still: nothing of it runs. What would run is kept at its edges, where it
// reads, where it begins to send, and before each cycle; what its timers meanwhile bring about is kept there, too.
type standstill struct {
	mu    sync.Mutex
	until time.Time
}

func (s *standstill) left() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, time.Until(s.until))
}

func (s *standstill) begin(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until = time.Now().Add(d)
}

// wait returns when the process goes on, or ctx ends.
func (s *standstill) wait(ctx context.Context) {
	for left := s.left(); left > 0; left = s.left() {
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// inRequests keeps what a process would send until it goes on, above all that the scheduler wraps around its
// connection: whether it still leads it asks after that. A request that was given up meanwhile is never sent.
func (s *standstill) inRequests(next http.RoundTripper) http.RoundTripper {
	return sender(func(r *http.Request) (*http.Response, error) {
		s.wait(r.Context())
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		return next.RoundTrip(r)
	})
}

// pause has a process stand still, as a virtual machine that is moved does.
func (w *World) pause(p *process, d time.Duration) {
	w.did("a scheduler that stands still")
	w.log("%s stands still for %s", p.name, d)
	p.still.begin(d)
}

// paused is for how much longer a client stands still.
func (w *World) paused(client string) time.Duration {
	for _, p := range w.procs {
		if p.name == client && !p.killed {
			return p.still.left()
		}
	}
	return 0
}

// pass lets simulated time pass, and all happen that happens then.
func pass(d time.Duration) {
	<-time.NewTimer(d).C
	synctest.Wait()
}

// What a process that stands still would send is not sent before it goes on, and only if it leads then and the request
// was not given up.
func TestAProcessThatStandsStillSendsNothing(t *testing.T) {
	for what, given := range map[string]struct {
		patience time.Duration
		leads    bool
		sent     int
	}{
		"it goes on, and leads":               {time.Hour, true, 1},
		"it goes on, and does not lead":       {time.Hour, false, 0},
		"the request is given up before that": {10 * time.Second, true, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, still, leads := newSequence(), &standstill{}, true
			d := newDirect(gate{s}, "scheduler-0.0")
			still.begin(30 * time.Second)
			ctx, cancel := context.WithTimeout(t.Context(), given.patience)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://scheduler-0.0/events", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				asks := sender(func(r *http.Request) (*http.Response, error) {
					if !leads {
						return nil, errRefused
					}
					return d.RoundTrip(r)
				})
				if answer, err := still.inRequests(asks).RoundTrip(r); err == nil {
					_ = answer.Body.Close() // nobody reads it
				}
			}()
			pass(29 * time.Second)
			early := len(s.arrived)
			leads = given.leads
			pass(2 * time.Second)
			if early > 0 || len(s.arrived) != given.sent {
				t.Errorf("%s: %d requests arrive while it stands still, and then %d, want 0 and %d", what, early, len(s.arrived),
					given.sent)
			}
			s.abandon()
		})
	}
}
