package readapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reader is a client of a stream, without a network.
type reader struct {
	mu     sync.Mutex
	got    bytes.Buffer
	header http.Header
	code   int
	stop   context.CancelFunc
	ended  chan struct{}

	stuck    bool // it reads nothing
	deadline time.Time
}

func (r *reader) Header() http.Header  { return r.header }
func (r *reader) WriteHeader(code int) { r.code = code }
func (r *reader) FlushError() error    { return nil }

func (r *reader) SetWriteDeadline(at time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deadline = at
	return nil
}

func (r *reader) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stuck {
		until := r.deadline
		r.mu.Unlock()
		<-time.After(time.Until(until))
		r.mu.Lock()
		return 0, os.ErrDeadlineExceeded
	}
	return r.got.Write(p)
}

// follow reads a stream as a user, until stop.
func follow(t *testing.T, s *Server, user, path string) *reader {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r := &reader{header: http.Header{}, stop: stop, ended: make(chan struct{})}
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	request.Header.Set("Authorization", user)
	go func() {
		defer close(r.ended)
		s.ServeHTTP(r, request)
	}()
	return r
}

// told is what came since the last call, a text a line.
func (r *reader) told(t *testing.T) (out []string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for lines := bufio.NewScanner(&r.got); lines.Scan(); {
		var e Event
		var object struct {
			Namespace, Name string
			Reason          json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		if len(e.Object) > 0 {
			if err := json.Unmarshal(e.Object, &object); err != nil {
				t.Fatalf("%s: %v", lines.Text(), err)
			}
		}
		switch e.Type {
		case Bookmark:
			out = append(out, fmt.Sprint("BOOKMARK ", e.Cycle))
		case Failure:
			out = append(out, "ERROR "+strings.Trim(string(object.Reason), `"`))
		default:
			out = append(out, e.Type+" "+e.Kind+" "+object.Namespace+"/"+object.Name)
		}
	}
	return out
}

func (r *reader) isOver() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// A stream begins with every row that the user may see, and goes on with what changes.
func TestAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := busyWorld(t)
		s := served(w, people())
		admin, tenant := follow(t, s, "admin", "/v1/watch?kinds=jobs"), follow(t, s, "tenant", "/v1/watch?kinds=queues,jobs")
		nobody := follow(t, s, "nobody", "/v1/watch?kinds=pods,nodes,jobs")
		settle()
		expect(t, "at the beginning", admin.told(t), "ADDED Job blue/runs", "ADDED Job blue/secret", "ADDED Job red/runs",
			"ADDED Job red/waits", "BOOKMARK 2")
		expect(t, "the tenant", tenant.told(t), "ADDED Queue /red", "ADDED Job red/runs", "ADDED Job red/waits",
			"BOOKMARK 2")
		expect(t, "nobody", nobody.told(t), "BOOKMARK 2")

		w.decide(func() { w.gang("blue", "secret", "blue", 1, 65000) })
		settle()
		expect(t, "a job of another namespace", tenant.told(t))
		expect(t, "to the administrator", admin.told(t), "MODIFIED Job blue/secret", "BOOKMARK 3")
		expect(t, "to nobody", nobody.told(t))

		w.decide(func() {
			w.gang("red", "new", "red", 1, 1000)
		})
		settle()
		expect(t, "a new job", tenant.told(t), "MODIFIED Queue /red", "ADDED Job red/new",
			"MODIFIED Job red/waits", "BOOKMARK 4")

		<-time.After(bookmarkEach)
		synctest.Wait()
		if got := nobody.told(t); len(got) == 0 || got[0] != "BOOKMARK 4" {
			t.Errorf("after a while without changes: %q, want a bookmark", got)
		}
		if n := s.streams.count(); n != 3 {
			t.Errorf("%d streams are counted, want 3", n)
		}
		for _, r := range []*reader{admin, tenant, nobody} {
			r.stop()
		}
		synctest.Wait()
		if n := s.streams.count(); n != 0 || s.streams.last != nil {
			t.Errorf("%d streams are left, and a generation: %v", n, s.streams.last)
		}
	})
}

// settle lets a generation be made and read.
func settle() {
	<-time.After(copyEvery + time.Millisecond)
	synctest.Wait()
	<-time.After(copyEvery)
	synctest.Wait()
}

func expect(t *testing.T, when string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", when, got, want)
	}
}

// A client that comes later, for another kind too, gets all of it, and those that read go on.
func TestAnotherKindLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := busyWorld(t)
		s := served(w, people())
		first := follow(t, s, "admin", "/v1/watch?kinds=queues")
		settle()
		first.told(t)
		second := follow(t, s, "admin", "/v1/watch?kinds=nodes,queues")
		settle()
		if got := second.told(t); len(got) != 6 || got[0] != "ADDED Node /n1" {
			t.Errorf("%q, want the node, four queues and a bookmark", got)
		}
		expect(t, "meanwhile", first.told(t))
		first.stop()
		second.stop()
		synctest.Wait()
	})
}

// Rights that are taken away, a token that ends, and an API server that stays silent end a stream.
func TestRightsDuringAStream(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*rights)
		within time.Duration
		want   string
	}{
		"a right is taken away": {func(r *rights) { r.give("tenant") }, 2 * recheckEach, "ERROR Expired"},
		"a right is given": {func(r *rights) { r.give("tenant", "everything") }, 2 * recheckEach,
			"ERROR Expired"},
		"the token is none any more": {func(r *rights) { r.forget("tenant") }, 2 * recheckEach,
			"ERROR Unauthorized"},
		"nobody answers for a while":      {(*rights).fall, 2 * recheckEach, ""},
		"nobody answers for minutes":      {(*rights).fall, 7 * recheckEach, "ERROR ServiceUnavailable"},
		"nothing changes in half an hour": {func(*rights) {}, 30 * time.Minute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := people()
				s := served(busyWorld(t), r)
				tenant := follow(t, s, "tenant", "/v1/watch?kinds=jobs")
				settle()
				tenant.told(t)
				c.change(r)
				<-time.After(c.within)
				synctest.Wait()
				got := slices.DeleteFunc(tenant.told(t), func(line string) bool { return line == "BOOKMARK 2" })
				if len(got) > 1 || len(got) == 1 && got[0] != c.want || len(got) == 0 && c.want != "" ||
					tenant.isOver() != (c.want != "") {
					t.Errorf("%q, and it is over: %v; want %q", got, tenant.isOver(), c.want)
				}
				tenant.stop()
				synctest.Wait()
			})
		})
	}
}

// A client that reads nothing is dropped, and costs the others nothing.
func TestAClientThatNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := busyWorld(t)
		s := served(w, people())
		good, bad := follow(t, s, "admin", "/v1/watch"), follow(t, s, "admin", "/v1/watch")
		bad.mu.Lock()
		bad.stuck = true
		bad.mu.Unlock()
		settle()
		<-time.After(2 * readWithin)
		synctest.Wait()
		if !bad.isOver() || good.isOver() || s.streams.count() != 1 {
			t.Errorf("over: the stuck one %v, the other %v; %d are left", bad.isOver(), good.isOver(), s.streams.count())
		}
		good.told(t)
		w.decide(func() { w.gang("red", "new", "red", 1, 1000) })
		settle()
		if got := good.told(t); !slices.Contains(got, "ADDED Job red/new") {
			t.Errorf("the other one got %q", got)
		}
		good.stop()
		synctest.Wait()
	})
}

// What a client has not read is bounded: one that is too far behind is dropped.
func TestAClientThatIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := served(busyWorld(t), people())
		r := follow(t, s, "admin", "/v1/watch")
		settle()
		st := &stream{s: s, at: s.streams.last}
		if err := st.late(); err != nil {
			t.Fatal(err)
		}
		for range mostBehind + 1 {
			settle()
		}
		if err := st.late(); !errors.Is(err, errSlow) {
			t.Errorf("%d generations behind: %v", s.streams.last.number-st.at.number, err)
		}
		r.stop()
		synctest.Wait()
	})
}

// A scheduler that ends, or acts no more, ends its streams with the reason.
func TestASchedulerThatEnds(t *testing.T) {
	for name, end := range map[string]func(*world, *Server){
		"it ends":         func(_ *world, s *Server) { s.streams.end() },
		"it acts no more": func(w *world, _ *Server) { w.set(&Unready{Reason: NotLeader, Message: "stands by"}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := busyWorld(t)
				s := served(w, people())
				r := follow(t, s, "admin", "/v1/watch")
				settle()
				r.told(t)
				end(w, s)
				settle()
				expect(t, "the last line", r.told(t), "ERROR ServiceUnavailable")
				if !r.isOver() || s.streams.count() != 0 {
					t.Error("the stream goes on")
				}
			})
		})
	}
}

// One user has so many streams and no more; another one has its own.
func TestStreamsOfOneUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := served(busyWorld(t), people())
		var all []*reader
		for range mostOfUser {
			all = append(all, follow(t, s, "tenant", "/v1/watch?kinds=queues"))
		}
		settle()
		if code, status := get[metav1.Status](t, s, "tenant", "/v1/watch"); code != http.StatusTooManyRequests {
			t.Errorf("one more: %d %+v", code, status)
		}
		other := follow(t, s, "admin", "/v1/watch")
		settle()
		if got := other.told(t); len(got) == 0 {
			t.Error("another user gets nothing")
		}
		for _, r := range append(all, other) {
			r.stop()
		}
		synctest.Wait()
	})
}
