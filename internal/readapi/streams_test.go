package readapi

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/sched"
)

// halted is a scheduler that answers when it is let.
type halted struct {
	*world
	asked, let chan struct{}
}

func (h halted) Ask(ctx context.Context, size Size, f func(*sched.Engine, Moment)) error {
	h.asked <- struct{}{}
	<-h.let
	return h.world.Ask(ctx, size, f)
}

// A client that comes for a kind just after the last reader of it left misses no change, also when a generation without
// that kind is being made.
func TestAKindThatIsWantedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := halted{busyWorld(t), make(chan struct{}), make(chan struct{})}
		s := newServer(Options{Scheduler: h, Access: people()})
		made := func() {
			<-h.asked
			h.let <- struct{}{}
			synctest.Wait()
		}
		jobs, nodes := follow(t, s, "admin", "/v1/watch?kinds=jobs"), follow(t, s, "admin", "/v1/watch?kinds=nodes")
		made()
		made()
		nodes.stop()
		<-nodes.ended
		<-h.asked // without nodes
		again := follow(t, s, "admin", "/v1/watch?kinds=nodes")
		synctest.Wait()
		h.decide(func() { h.node("n2", 1000) })
		h.let <- struct{}{}
		synctest.Wait()
		made()
		seen := map[string]bool{}
		for _, line := range again.told(t) {
			seen[line] = true
		}
		if !seen["ADDED Node /n1"] || !seen["ADDED Node /n2"] {
			t.Errorf("the client knows %v, want both nodes", seen)
		}
		again.stop()
		jobs.stop()
		synctest.Wait()
		s.copies.forget.Stop()
	})
}

// Clients that come for what others read already have nothing made for them out of turn.
func TestManyClientsOfOneKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := served(busyWorld(t), people())
		clients := []*reader{follow(t, s, "admin", "/v1/watch?kinds=jobs")}
		synctest.Wait()
		before, _ := s.streams.current()
		for range 10 {
			clients = append(clients, follow(t, s, "admin", "/v1/watch?kinds=jobs"))
			synctest.Wait()
		}
		if after, _ := s.streams.current(); after.number != before.number {
			t.Errorf("%d generations were made meanwhile", after.number-before.number)
		}
		for _, c := range clients {
			if len(c.told(t)) != 5 {
				t.Error("a client did not get four jobs and a bookmark")
			}
			c.stop()
		}
		synctest.Wait()
		s.copies.forget.Stop()
	})
}

// While the copy before still serves, there is nothing to be told: no generation is made, and no client is woken.
func TestOneCopyIsOneGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := served(busyWorld(t), people())
		client := follow(t, s, "admin", "/v1/watch?kinds=jobs")
		synctest.Wait()
		first, _ := s.streams.current()
		slow := *s.copies.last.Load()
		slow.due = time.Now().Add(time.Minute) // as after a copy that took a second and a half
		s.streams.mu.Lock()
		s.streams.from = &slow
		s.streams.mu.Unlock()
		s.copies.last.Store(&slow)
		<-time.After(30 * time.Second)
		if now, _ := s.streams.current(); now != first {
			t.Errorf("%d generations were made of one copy", now.number-first.number)
		}
		<-time.After(40 * time.Second)
		if now, _ := s.streams.current(); now == first {
			t.Error("a later copy made no generation")
		}
		client.stop()
		synctest.Wait()
		s.copies.forget.Stop()
	})
}
