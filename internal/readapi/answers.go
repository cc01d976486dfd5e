package readapi

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/access"
	"ashlar.sh/sched"
)

// stated is the document of /v1/state.
type stated struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	State
}

// state answers /v1/state.
func state(s *Server, w http.ResponseWriter, r *http.Request, _ *access.User) error {
	now := s.o.Scheduler.State()
	now.Watchers = s.streams.count()
	return s.write(w, r, &stated{APIVersion, "SchedulerState", now})
}

// may refuses a user without the right to get a path.
func (s *Server) may(r *http.Request, u *access.User, path string) error {
	ok, err := s.access.May(r.Context(), u, access.GetPath(path))
	if err != nil {
		return err
	}
	if !ok {
		return forbidden(u, access.GetPath(path))
	}
	return nil
}

// errCut ends the connection: what was written so far is no whole document, and the client has to see that.
var errCut = errors.New("cut short")

// ErrNoRecording says that the scheduler keeps no recording.
var ErrNoRecording error = &refusal{code: http.StatusNotFound, reason: "NotFound",
	message: "nothing is recorded (--recording-memory=0)"}

// dump answers /v1/dump: all that the scheduler knows, for `ashlar replay`.
func dump(s *Server, w http.ResponseWriter, r *http.Request, u *access.User) error {
	return s.saved(w, r, u, "application/json", "ashlar-dump.json", s.o.Scheduler.Dump)
}

// recorded answers /v1/recording: what came in and was decided lately, for `ashlar web` and `ashlar replay`. It has
// what dumps have, at other times, and takes the same right.
func recorded(s *Server, w http.ResponseWriter, r *http.Request, u *access.User) error {
	return s.saved(w, r, u, "application/gzip", "ashlar-recording.jsonl.gz", s.o.Scheduler.Recording)
}

// saved answers with a file that a scheduler would save. One is written at a time.
func (s *Server) saved(w http.ResponseWriter, r *http.Request, u *access.User, kind, name string,
	write func(context.Context, io.Writer) error) error {
	if err := s.may(r, u, "/v1/dump"); err != nil {
		return err
	}
	if r.Method == http.MethodHead {
		return nil
	}
	select {
	case s.dumping <- struct{}{}:
		defer func() { <-s.dumping }()
	default:
		return &refusal{code: http.StatusTooManyRequests, reason: "TooManyRequests", message: "a dump is being written",
			retry: 10}
	}
	klog.InfoS("A dump is read", "user", u.Username, "file", name)
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	to := &patient{w: w, to: http.NewResponseController(w)}
	buffer := bufio.NewWriterSize(to, 64<<10)
	err := write(r.Context(), buffer)
	if err == nil {
		err = buffer.Flush()
	}
	if err != nil && to.begun { // what was written is no whole document: the connection ends, so that the client sees it
		klog.ErrorS(err, "A dump was cut short", "user", u.Username)
		return errCut
	}
	return err
}

// report answers /v1/report: what `simulate -o json` would print of the present state.
func report(s *Server, w http.ResponseWriter, r *http.Request, u *access.User) error {
	if err := s.may(r, u, "/v1/report"); err != nil {
		return err
	}
	if r.Method == http.MethodHead {
		return nil
	}
	done, err := s.slots.take(r.Context(), u)
	if err != nil {
		return err
	}
	defer done()
	var whole sched.Report
	err = s.o.Scheduler.Ask(r.Context(), Whole, func(e *sched.Engine, _ Moment) {
		whole = e.Report()
		ownReasons(whole.Jobs)
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	to := &patient{w: w, to: http.NewResponseController(w)}
	_ = explain.New(whole, explain.Summary{}, nil).JSON(to) // the client may have gone
	return nil
}

// behind serves a page of the scheduler to users that may get its path.
func behind(page http.Handler) func(*Server, http.ResponseWriter, *http.Request, *access.User) error {
	return func(s *Server, w http.ResponseWriter, r *http.Request, u *access.User) error {
		if page == nil {
			return refuse(http.StatusNotFound, "NotFound", r.URL.Path+" is not served here")
		}
		if err := s.may(r, u, r.URL.Path); err != nil {
			return err
		}
		page.ServeHTTP(w, r)
		return nil
	}
}

// patient gives a client writeWithin for each piece of a long answer.
type patient struct {
	w     io.Writer
	to    *http.ResponseController
	begun bool
}

// Write implements io.Writer.
func (p *patient) Write(data []byte) (int, error) {
	p.begun = true
	if err := p.to.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return p.w.Write(data)
}
