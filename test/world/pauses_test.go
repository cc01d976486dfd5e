package world

import (
	"context"
	"sync"
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
