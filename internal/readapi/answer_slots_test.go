package readapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"ashlar.sh/internal/kube/access"
)

// stuck is a client that reads nothing.
type stuck struct {
	*httptest.ResponseRecorder
	until <-chan struct{}
}

func (s stuck) Write(p []byte) (int, error) {
	<-s.until
	return len(p), nil
}

// A user that does not read its answers keeps no other user from theirs.
func TestAUserThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := served(busyWorld(t), people())
		until := make(chan struct{})
		for range 2 * mostAnswers {
			r := httptest.NewRequest(http.MethodGet, "/v1/jobs", nil)
			r.Header.Set("Authorization", "tenant")
			go s.ServeHTTP(stuck{httptest.NewRecorder(), until}, r)
		}
		synctest.Wait()
		if code, _ := text(t, s, "admin", "/v1/jobs"); code != http.StatusOK {
			t.Errorf("another user is answered %d", code)
		}
		close(until)
		synctest.Wait()
		if len(s.slots.users) != 0 || len(s.slots.all) != 0 {
			t.Errorf("places are kept: %d of users, %d of all", len(s.slots.users), len(s.slots.all))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range mostAnswers {
			s.slots.all <- struct{}{}
		}
		if _, err := s.slots.take(ctx, &access.User{Username: "tenant"}); err == nil || len(s.slots.users) != 0 {
			t.Errorf("%v; %d places are kept", err, len(s.slots.users))
		}
		s.copies.forget.Stop()
	})
}

// A report is read from the engine when it has its turn to be written: until then it is not in memory.
func TestReportsWaitForTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := busyWorld(t)
		s := served(w, people())
		until := make(chan struct{})
		for range 2 * mostAnswersOfUser {
			r := httptest.NewRequest(http.MethodGet, "/v1/report", nil)
			r.Header.Set("Authorization", "admin")
			go s.ServeHTTP(stuck{httptest.NewRecorder(), until}, r)
		}
		synctest.Wait()
		if w.reads[Whole] != mostAnswersOfUser {
			t.Errorf("%d reports are read, want %d", w.reads[Whole], mostAnswersOfUser)
		}
		close(until)
		synctest.Wait()
		s.copies.forget.Stop()
	})
}
