package world

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"

	"ashlar.sh/test/world/apimodel"
)

// direct carries a client's requests to its gate without HTTP in between, which takes most of a world's processor time.
// Above it all is client-go's: its retries, limits, decoding and watches. Some worlds use HTTP over connections in
// memory instead (Options.HTTP), as client-go does outside of worlds.
type direct struct {
	gate   gate
	client string

	mu     sync.Mutex
	open   map[*chunks]bool
	closed bool
}

func newDirect(g gate, client string) *direct {
	return &direct{gate: g, client: client, open: map[*chunks]bool{}}
}

// RoundTrip implements http.RoundTripper.
func (d *direct) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(r.Body)
		_ = r.Body.Close() // it was read
		if err != nil {
			return nil, err
		}
	}
	d.mu.Lock()
	closed := d.closed
	d.mu.Unlock()
	if closed {
		return nil, errRefused
	}
	answer, ok := d.gate.Answer(&apimodel.Request{Client: d.client, Method: r.Method, Path: r.URL.Path,
		Query: r.URL.Query(), ContentType: r.Header.Get("Content-Type"), Accept: r.Header.Get("Accept"),
		Body: body}, r.Context().Done())
	switch {
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	case !ok:
		return nil, io.EOF // as of a connection that ends before its answer
	}
	out := &http.Response{StatusCode: answer.Code, Status: strconv.Itoa(answer.Code) + " " + http.StatusText(answer.Code),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, ContentLength: -1, Request: r}
	if answer.Retry > 0 {
		out.Header.Set("Retry-After", strconv.Itoa(answer.Retry))
	}
	if answer.Watch == nil {
		text, contentType := answer.Encoded()
		out.Header.Set("Content-Type", contentType)
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		return out, nil
	}
	out.Header.Set("Content-Type", answer.WatchType())
	out.Body = d.stream(answer.Watch, r)
	return out, nil
}

// stream is what a watch sends.
func (d *direct) stream(w *apimodel.Watch, r *http.Request) *chunks {
	c := &chunks{d: d, watch: w, gone: make(chan struct{})}
	d.mu.Lock()
	d.open[c] = true
	d.mu.Unlock()
	c.unhook = context.AfterFunc(r.Context(), c.end)
	return c
}

// cut ends all that is open: nothing comes any more, and nothing is sent.
func (d *direct) cut() {
	d.mu.Lock()
	d.closed = true
	var open []*chunks
	for c := range d.open {
		open = append(open, c)
	}
	d.mu.Unlock()
	for _, c := range open {
		c.end()
	}
}

// chunks is the body of a watch's answer: each event is read as one chunk.
type chunks struct {
	d      *direct
	watch  *apimodel.Watch
	rest   []byte
	once   sync.Once
	gone   chan struct{}
	unhook func() bool
}

// Read implements io.Reader.
func (c *chunks) Read(b []byte) (int, error) {
	if len(c.rest) == 0 {
		e, ok := c.d.gate.Next(c.watch, c.gone)
		if !ok {
			return 0, io.EOF
		}
		c.rest = e.Frame()
	}
	n := copy(b, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (c *chunks) Close() error {
	c.unhook()
	c.end()
	return nil
}

func (c *chunks) end() {
	c.once.Do(func() {
		close(c.gone)
		c.d.gate.left(c.watch)
		c.d.mu.Lock()
		delete(c.d.open, c)
		c.d.mu.Unlock()
	})
}
