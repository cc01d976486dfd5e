package world

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"time"
)

// stream is one direction of a connection in memory: it keeps what is written until that is read. To wait on it lets
// simulated time pass.
type stream struct {
	mu       sync.Mutex
	changed  *sync.Cond
	data     []byte
	closed   bool
	deadline time.Time
	timer    *time.Timer
}

func newStream() *stream {
	s := &stream{}
	s.changed = sync.NewCond(&s.mu)
	return s
}

func (s *stream) read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case len(s.data) > 0:
			n := copy(b, s.data)
			s.data = s.data[n:]
			return n, nil
		case s.closed:
			return 0, io.EOF
		case !s.deadline.IsZero() && !time.Now().Before(s.deadline):
			return 0, os.ErrDeadlineExceeded
		}
		s.changed.Wait()
	}
}

func (s *stream) write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, net.ErrClosed
	}
	s.data = append(s.data, b...)
	s.changed.Broadcast()
	return len(b), nil
}

func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.changed.Broadcast()
}

func (s *stream) until(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if s.deadline = t; !t.IsZero() && time.Until(t) > 0 {
		s.timer = time.AfterFunc(time.Until(t), s.changed.Broadcast)
	}
	s.changed.Broadcast()
}

// conn is one end of a connection.
type conn struct {
	in, out *stream
	closed  func() // nil: it need not be told
}

func pipe() (client, server *conn) {
	a, b := newStream(), newStream()
	return &conn{in: a, out: b}, &conn{in: b, out: a}
}

func (c *conn) Read(b []byte) (int, error)  { return c.in.read(b) }
func (c *conn) Write(b []byte) (int, error) { return c.out.write(b) }

func (c *conn) Close() error {
	c.in.until(time.Time{})
	c.in.close()
	c.out.close()
	if c.closed != nil {
		c.closed()
	}
	return nil
}

type address struct{}

func (address) Network() string { return "memory" }
func (address) String() string  { return "memory" }

func (c *conn) LocalAddr() net.Addr  { return address{} }
func (c *conn) RemoteAddr() net.Addr { return address{} }

func (c *conn) SetDeadline(t time.Time) error      { return c.SetReadDeadline(t) }
func (c *conn) SetReadDeadline(t time.Time) error  { c.in.until(t); return nil }
func (c *conn) SetWriteDeadline(_ time.Time) error { return nil } // writes never wait

var errRefused = errors.New("connection refused: the network is cut")

// listener accepts what is dialled.
type listener struct {
	mu     sync.Mutex
	queue  chan net.Conn
	conns  map[*conn]bool
	closed bool
	done   chan struct{}
}

func newListener() *listener {
	return &listener{queue: make(chan net.Conn, 64), conns: map[*conn]bool{}, done: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.queue:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		close(l.done)
	}
	return nil
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return address{} }

func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := pipe()
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, errRefused
	}
	l.conns[client] = true
	client.closed = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.conns, client)
	}
	l.mu.Unlock()
	select {
	case l.queue <- server:
		return client, nil
	case <-l.done:
		return nil, errRefused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// cut breaks all connections.
func (l *listener) cut() {
	l.mu.Lock()
	broken := slices.Collect(maps.Keys(l.conns))
	l.mu.Unlock()
	for _, c := range broken {
		_ = c.Close() // it has no error
	}
}
