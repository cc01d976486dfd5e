package execute

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// errNotLeading is the error of a write that was not sent, or not to its end, because this scheduler does
// not lead any more: the server cannot have carried it out.
var errNotLeading = errors.New("nothing is sent: this scheduler does not lead any more")

// whileLeading makes the clients of a configuration send nothing once leading returns false. A process may
// be stopped for longer than its lease after Options.Leading was asked: while client-go waits for its rate
// limit or repeats what the server had no time for, while a connection is made, or while a request waits
// for its turn on one. So a write is checked again below client-go, and whatever is sent is checked right
// before it goes out. What a stopped process had given to its kernel before is on its way: for that, the
// last part of a lease is not used (internal/loop).
func whileLeading(c *rest.Config, leading func() bool) {
	c.WrapTransport = transport.Wrappers(func(next http.RoundTripper) http.RoundTripper {
		return &leadingTransport{next, leading}
	}, c.WrapTransport) // below whatever wraps the transport already
	dial := c.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &leadingConn{conn, leading}, nil
	}
}

// leadingTransport refuses writes while this scheduler does not lead. Connections are not broken by that,
// and what was sent before can still be read.
type leadingTransport struct {
	next    http.RoundTripper
	leading func() bool
}

// RoundTrip implements http.RoundTripper.
func (t *leadingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && !t.leading() {
		if r.Body != nil {
			_ = r.Body.Close() // http.RoundTripper asks for it; what it held is not sent
		}
		return nil, errNotLeading
	}
	return t.next.RoundTrip(r)
}

// leadingConn sends nothing while this scheduler does not lead. Of a request that is sent in part, the
// server misses the end, so that it does not carry it out.
type leadingConn struct {
	net.Conn
	leading func() bool
}

// Write implements net.Conn.
func (c *leadingConn) Write(b []byte) (int, error) {
	if !c.leading() {
		return 0, errNotLeading
	}
	return c.Conn.Write(b)
}
