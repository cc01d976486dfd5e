package apimodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Event is what a watch sends.
type Event struct {
	Type   string
	Object []byte
	binary bool // it is protobuf, not JSON
}

// Frame is the event as it is sent.
func (e Event) Frame() []byte {
	if e.binary {
		return frameOf(e.Type, e.Object)
	}
	line := make([]byte, 0, len(e.Object)+len(e.Type)+24)
	line = append(append(append(line, `{"type":"`...), e.Type...), `","object":`...)
	return append(append(line, e.Object...), "}\n"...)
}

// Watch is one that runs. Its owner takes what it has to send with Next, and ends it.
type Watch struct {
	Client string

	s         *Server
	kind      *Kind
	match     func(*Stored) bool
	headsOnly bool
	binary    bool
	bookmarks bool
	pending   []Event
}

// Kind is what it watches.
func (w *Watch) Kind() *Kind { return w.kind }

// watch answers a watch.
func (c *call) watch() (Response, error) {
	match, err := c.selection()
	if err != nil {
		return Response{}, err
	}
	version, err := c.versionAsked()
	if err != nil {
		return Response{}, err
	}
	w := &Watch{Client: c.Client, s: c.s, kind: c.kind, match: match, headsOnly: strings.Contains(c.Accept,
		"as=PartialObjectMetadata"), binary: c.s.binary(c.kind, c.Request),
		bookmarks: isTrue(c.Query.Get("allowWatchBookmarks"))}
	streams := isTrue(c.Query.Get("sendInitialEvents"))
	notOlder := c.Query.Get("resourceVersionMatch") == string(metav1.ResourceVersionMatchNotOlderThan)
	if version == 0 && w.bookmarks && c.Query.Get("sendInitialEvents") == "" && !notOlder {
		streams, notOlder = true, true // the end of what was there before is told
	}
	switch {
	case streams != notOlder || c.Query.Get("sendInitialEvents") == "" && c.Query.Get("resourceVersionMatch") != "":
		return Response{}, c.invalid("", "sendInitialEvents", "needs resourceVersionMatch NotOlderThan, and only that")
	case streams || version == 0:
		for _, o := range c.s.List(c.kind) {
			if match(o) {
				w.add("ADDED", o)
			}
		}
		if streams && w.bookmarks {
			w.bookmark(map[string]any{metav1.InitialEventsAnnotationKey: "true"})
		}
	case version+1 < c.s.compacted: // it shows what is after it
		status, _ := failed(apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", version,
			c.s.compacted))).Body.(metav1.Status)
		gone := Event{Type: "ERROR", binary: w.binary}
		if w.binary {
			gone.Object = protobufOf(&status)
		} else {
			gone.Object, _ = json.Marshal(status) // plain data
		}
		w.pending = append(w.pending, gone) // nothing follows: the client ends it
		return Response{Code: http.StatusOK, Watch: w}, nil
	default:
		for _, done := range c.s.stores[c.kind].since(version) {
			w.see(done)
		}
	}
	c.s.watches = append(c.s.watches, w)
	return Response{Code: http.StatusOK, Watch: w}, nil
}

// see tells a watch of a change; what leaves its selection is gone for it, what enters it is new.
func (w *Watch) see(done change) {
	was := done.before != nil && w.match(done.before)
	is := done.after != nil && w.match(done.after)
	switch {
	case is && was:
		w.add("MODIFIED", done.after)
	case is:
		w.add("ADDED", done.after)
	case was && done.after == nil:
		w.add("DELETED", done.at)
	case was:
		gone := copied(done.before.Object)
		gone["metadata"].(map[string]any)["resourceVersion"] = strconv.FormatInt(done.version, 10)
		w.add("DELETED", stored(gone, done.version))
	}
}

func (w *Watch) add(kind string, o *Stored) {
	switch {
	case w.headsOnly:
		w.send(Event{Type: kind, Object: o.Heads()})
	case w.binary:
		w.send(Event{Type: kind, Object: o.Protobuf(w.kind), binary: true})
	default:
		w.send(Event{Type: kind, Object: o.JSON()})
	}
}

func (w *Watch) send(e Event) {
	w.pending = append(w.pending, e)
	if w.s.Watched != nil {
		w.s.Watched(w)
	}
}

// Bookmark has the watch tell the version that it has seen, if its client takes that.
func (w *Watch) Bookmark() {
	if w.bookmarks {
		w.bookmark(nil)
	}
}

func (w *Watch) bookmark(annotations map[string]any) {
	meta := map[string]any{"resourceVersion": strconv.FormatInt(w.s.version, 10)}
	if annotations != nil {
		meta["annotations"] = annotations
	}
	object := map[string]any{"kind": w.kind.Kind, "apiVersion": w.kind.apiVersion(), "metadata": meta}
	e := Event{Type: "BOOKMARK", binary: w.binary}
	if w.binary {
		e.Object = w.kind.protobuf(object)
	} else {
		e.Object, _ = json.Marshal(object) // plain data
	}
	w.send(e)
}

// Next takes the next event, false if there is none yet.
func (w *Watch) Next() (Event, bool) {
	if len(w.pending) == 0 {
		return Event{}, false
	}
	e := w.pending[0]
	w.pending = w.pending[1:]
	return e, true
}

// Pending is how many events wait to be taken.
func (w *Watch) Pending() int { return len(w.pending) }

// End ends a watch: it sees nothing any more.
func (w *Watch) End() {
	w.s.watches = slices.DeleteFunc(w.s.watches, func(o *Watch) bool { return o == w })
}

// Watches are those that run, in the order in which they began.
func (s *Server) Watches() []*Watch { return slices.Clone(s.watches) }
