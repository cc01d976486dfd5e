package player

import (
	"bufio"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Types of events, as the read API's.
const (
	added    = "ADDED"
	modified = "MODIFIED"
	deleted  = "DELETED"
	bookmark = "BOOKMARK"
)

// event is a line of a stream. A bookmark ends what is told of a moment, and says where the player is.
type event struct {
	Type   string    `json:"type"`
	Kind   string    `json:"kind,omitempty"`
	Cycle  uint64    `json:"cycle"`
	At     time.Time `json:"at"`
	Object any       `json:"object,omitempty"`
	State  *State    `json:"state,omitempty"`
}

// watchable are the kinds that a stream may have.
var watchable = []string{"jobs", "nodes", "pods", "queues"}

const (
	markEach    = 5 * time.Second        // so that both sides see a connection that is gone
	sendEach    = 100 * time.Millisecond // at most
	writeWithin = 30 * time.Second
)

// watch streams every row and then what changes from one shown moment to the next, whichever of them is later.
func (p *Player) watch(w http.ResponseWriter, r *http.Request) {
	kinds := []string{"jobs", "queues"}
	if text := r.URL.Query().Get("kinds"); text != "" {
		kinds = strings.Split(text, ",")
	}
	for _, k := range kinds {
		if !slices.Contains(watchable, k) {
			refuse(w, http.StatusBadRequest, "kinds: expected some of "+strings.Join(watchable, ", ")+", with commas")
			return
		}
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	s := &stream{out: bufio.NewWriterSize(w, 64<<10), control: http.NewResponseController(w)}
	beat := time.NewTicker(markEach)
	defer beat.Stop()
	before := &frame{}
	for {
		f, state, changed := p.at()
		s.f = f
		s.differences(kinds, before)
		before = f
		if s.line(event{Type: bookmark, State: &state}); !s.flush() {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
			pause := time.NewTimer(sendEach)
			select {
			case <-r.Context().Done():
			case <-pause.C:
			}
			pause.Stop()
		case <-beat.C:
		}
	}
}

// stream writes to one client; after a failure it writes nothing.
type stream struct {
	out     *bufio.Writer
	control *http.ResponseController
	f       *frame
	err     error
}

func (s *stream) differences(kinds []string, before *frame) {
	if s.f == before {
		return
	}
	for _, k := range kinds {
		switch k {
		case "jobs":
			differences(s, "Job", before.jobs, s.f.jobs)
		case "queues":
			differences(s, "Queue", before.queues, s.f.queues)
		case "nodes":
			differences(s, "Node", before.nodes, s.f.nodes)
		case "pods":
			differences(s, "Pod", before.pods, s.f.pods)
		}
	}
}

// differences tells the rows that another moment has, has otherwise, or has not.
func differences[T any](s *stream, kind string, before, now rows[T]) {
	for i, key := range before.keys {
		if _, still := now.at[key]; !still {
			s.line(event{Type: deleted, Kind: kind, Object: before.list[i]})
		}
	}
	for i, key := range now.keys {
		at, had := before.at[key]
		switch {
		case !had:
			s.line(event{Type: added, Kind: kind, Object: now.list[i]})
		case before.list[at] != now.list[i]:
			s.line(event{Type: modified, Kind: kind, Object: now.list[i]})
		}
	}
}

func (s *stream) line(e event) {
	if s.err != nil {
		return
	}
	e.Cycle, e.At = s.f.cycle, s.f.at
	data, err := json.Marshal(e)
	if err != nil {
		s.err = err
		return
	}
	if s.out.Available() <= len(data) {
		_ = s.control.SetWriteDeadline(time.Now().Add(writeWithin)) // a recorder in a test has none
	}
	_, s.err = s.out.Write(append(data, '\n'))
}

func (s *stream) flush() bool {
	if s.err == nil {
		_ = s.control.SetWriteDeadline(time.Now().Add(writeWithin)) // a recorder in a test has none
		s.err = s.out.Flush()
	}
	if s.err == nil {
		s.err = s.control.Flush()
	}
	return s.err == nil
}
