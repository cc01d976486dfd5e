package readapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/access"
)

// Times of a stream.
const (
	readWithin   = 10 * time.Second // a client reads a piece, or is dropped
	bookmarkEach = 10 * time.Second // so that both sides see a connection that is gone
	recheckEach  = 30 * time.Second // whether the user is still known and has the same rights
	mostSilent   = 4                // rechecks that the API server may leave unanswered
	longestWatch = time.Hour
)

// Event is a line of a stream. Object is that of a list, or a Status for an error; of a row that went, its last. The
// moment is that of the change; of a row at the beginning, when it came or changed last.
type Event struct {
	Type string `json:"type"`
	Kind string `json:"kind,omitempty"`
	Moment
	Object json.RawMessage `json:"object,omitempty"`
}

// watch answers /v1/watch: first every row that the user may see, then what changes.
func watch(s *Server, w http.ResponseWriter, r *http.Request, u *access.User) error {
	kinds, err := kindsOf(r)
	if err != nil {
		return err
	}
	st := &stream{s: s, request: r, user: u, kinds: kinds, namespace: r.URL.Query().Get("namespace"),
		view: newView(r.Context(), s.access, u)}
	if st.namespace != "" && !st.view.namespace(st.namespace) {
		if st.view.err != nil {
			return st.view.err
		}
		return forbidden(u, access.ListPods(st.namespace))
	}
	if r.Method == http.MethodHead {
		return nil
	}
	end, err := s.streams.begin(u, kinds)
	if err != nil {
		return err
	}
	defer end()
	h := w.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("Cache-Control", "no-store")
	st.out = bufio.NewWriterSize(w, 32<<10)
	st.control = http.NewResponseController(w)
	ctx, cancel := context.WithTimeout(r.Context(), longestWatch-rand.N(longestWatch/10))
	defer cancel()
	if err := st.run(ctx); err != nil && r.Context().Err() == nil {
		st.fail(err)
	}
	return nil
}

// kindsOf is what a request wants to read.
func kindsOf(r *http.Request) ([]string, error) {
	text := r.URL.Query().Get("kinds")
	if text == "" {
		return []string{"jobs", "queues"}, nil
	}
	var kinds []string
	for _, k := range strings.Split(text, ",") {
		if tables[k] == nil {
			return nil, badRequest("kinds: expected some of jobs, nodes, pods, queues, with commas, not " + clipped(k))
		}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
}

// stream is one client that reads.
type stream struct {
	s         *Server
	request   *http.Request
	user      *access.User
	kinds     []string
	namespace string
	view      *view
	out       *bufio.Writer
	control   *http.ResponseController
	at        *generation
	begun     bool      // it has every row
	checked   time.Time // when the rights were last checked
	silent    int       // checks in a row that the API server left unanswered
}

// run writes until the client, the time or the right to read ends, which is no error for the first two.
func (st *stream) run(ctx context.Context) error {
	st.checked = time.Now().Add(-rand.N(recheckEach / 4)) // clients that came together do not ask together
	bookmark := time.NewTicker(bookmarkEach)
	defer bookmark.Stop()
	for st.at, _ = st.s.streams.current(); st.at != nil; st.at = st.at.next {
		switch {
		case st.begun:
			if err := st.changes(); err != nil {
				return err
			}
		default:
			var now map[string]table
			if st.at, now = st.s.streams.current(); st.at != nil && !st.lacks(now) {
				if err := st.all(now); err != nil {
					return err
				}
			}
		}
		if st.at == nil {
			break
		}
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return nil
			case <-st.at.more:
				waiting = false
			case <-bookmark.C:
				if err := st.mark(); err != nil {
					return err
				}
			}
		}
		if st.at.err != nil {
			return st.at.err
		}
	}
	return &Unready{Reason: Ending, Message: "the stream has ended"}
}

// lacks says that a kind that is to be read is not in the tables yet.
func (st *stream) lacks(now map[string]table) bool {
	return slices.ContainsFunc(st.kinds, func(k string) bool { return now[k] == nil })
}

// errSlow drops a client that does not read.
var errSlow = refuse(http.StatusGone, metav1.StatusReasonExpired,
	"the client reads too slowly: what it has is too old to go on from")

// late says that a client must not go on: what it has not read takes memory, or the scheduler acts no more.
func (st *stream) late() error {
	last, _ := st.s.streams.current()
	if last != nil && (last.number-st.at.number > mostBehind || last.bytes-st.at.bytes > mostBacklog) {
		return errSlow
	}
	if unready := st.s.o.Scheduler.Ready(); unready != nil {
		return unready
	}
	return nil
}

// all writes every row, to a client that has nothing yet.
func (st *stream) all(now map[string]table) (err error) {
	for _, name := range st.kinds {
		t := now[name]
		t.visit(func(c change) bool {
			_, err = st.row(t, c)
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	st.begun = true
	return st.mark()
}

// changes writes what changed since the generation before.
func (st *stream) changes() error {
	any := false
	for _, name := range st.kinds {
		for _, c := range st.at.changes[name] {
			wrote, err := st.row(tables[name], c)
			if err != nil {
				return err
			}
			any = any || wrote
		}
	}
	if !any {
		return nil
	}
	return st.mark()
}

// row writes an event if the user may see the row.
func (st *stream) row(t table, c change) (wrote bool, err error) {
	if st.namespace != "" && c.at.Namespace != "" && c.at.Namespace != st.namespace || !t.seen(st.view, c.at) {
		return false, st.blind()
	}
	if slices.ContainsFunc(c.queues, func(queue string) bool { return !st.view.queue(queue) }) {
		return true, st.line(c.bare)
	}
	return true, st.line(c.line)
}

// blind is why the rows that a user may see are not known.
func (st *stream) blind() error {
	if st.view.unchecked > 0 {
		return badRequest(fmt.Sprintf("there are more than %d namespaces and queues, and the user may not see them all: "+
			"name one with namespace, and kinds=jobs or kinds=pods", mostChecks))
	}
	return st.view.err
}

// line writes one event. A client that does not take it in time has lost its stream.
func (st *stream) line(data []byte) error {
	if st.out.Available() <= len(data) {
		if err := st.due(); err != nil {
			return err
		}
	}
	_, err := st.out.Write(data)
	return err
}

// due gives the client time for what comes.
func (st *stream) due() error {
	if err := st.late(); err != nil {
		return err
	}
	if time.Since(st.checked) >= recheckEach {
		st.checked = time.Now()
		if err := st.recheck(st.request.Context()); err != nil {
			return err
		}
	}
	return st.deadline(time.Now().Add(readWithin))
}

// mark ends what is told of a generation; a client that has nothing yet is told nothing.
func (st *stream) mark() error {
	if !st.begun {
		return nil
	}
	data, err := line(Bookmark, "", st.at.Moment, nil)
	if err != nil {
		return err
	}
	if err := st.line(data); err != nil {
		return err
	}
	return st.flush()
}

func (st *stream) flush() error {
	if err := st.due(); err != nil {
		return err
	}
	if err := st.out.Flush(); err != nil {
		return err
	}
	if err := st.control.Flush(); err != nil {
		return err
	}
	return st.deadline(time.Time{}) // HTTP/2 ends a stream at its deadline, though nothing is written then
}

// deadline is by when the client has to take what is written; none for the zero time.
func (st *stream) deadline(at time.Time) error {
	err := st.control.SetWriteDeadline(at)
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// fail tells why the stream ends, if the client still reads.
func (st *stream) fail(err error) {
	data, encoding := json.Marshal(refusalOf(err).status())
	if encoding != nil {
		return
	}
	last, encoding := line(Failure, "", st.at.momentOrNone(), data)
	if encoding == nil && st.control.SetWriteDeadline(time.Now().Add(time.Second)) == nil {
		_, _ = st.out.Write(last) // the client may have gone
		_ = st.out.Flush()
		_ = st.control.Flush()
	}
}

// recheck ends the stream of a user that is not known any more or has other rights now.
func (st *stream) recheck(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	u, err := st.s.access.User(ctx, st.request)
	if err == nil {
		if u.Username != st.user.Username {
			return access.ErrUnknown
		}
		var changed bool
		st.view.user = u
		if changed, err = st.view.changed(ctx); changed {
			return refuse(http.StatusGone, metav1.StatusReasonExpired, "the rights of the user have changed: read again")
		}
	}
	switch {
	case err == nil:
		st.silent = 0
	case (errors.Is(err, access.ErrUnanswered) || errors.Is(err, access.ErrTooMany)) && st.silent < mostSilent:
		st.silent++ // wrong tokens of others at this address say nothing about this user
	default:
		return err
	}
	return nil
}
