package readapi

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener of connections in memory, so that a test's clock goes for them, too.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial makes a connection to it.
func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p <- theirs
	return ours, nil
}

// A stream of a cluster at rest goes on over HTTP/2, which ends a stream at its write deadline though nothing is
// written then: a deadline holds while something is written, and no longer.
func TestAStreamAtRestGoesOnOverHTTP2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		listener := make(pipes)
		server := &http.Server{Handler: served(busyWorld(t), people()), Protocols: &protocols}
		go func() { _ = server.Serve(listener) }() // it ends with the test
		transport := &http.Transport{DialContext: listener.dial, Protocols: &protocols}
		ctx, stop := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://x/v1/watch?kinds=jobs", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "admin")
		answer, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		if answer.ProtoMajor != 2 {
			t.Fatalf("the answer came over %s", answer.Proto)
		}
		defer func() {
			stop()
			answer.Body.Close()
			transport.CloseIdleConnections()
			close(listener)
			server.Close()
			synctest.Wait()
		}()
		began := time.Now()
		lines := bufio.NewScanner(answer.Body)
		for marks := 0; time.Since(began) < 5*time.Minute; {
			if !lines.Scan() {
				t.Fatalf("the stream ended after %v and %d bookmarks: %v", time.Since(began), marks, lines.Err())
			}
			if strings.Contains(lines.Text(), Bookmark) {
				marks++
			}
		}
	})
}
