package client

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"
)

// forward connects to a port of a pod through the API server, without a local port that others on this machine could
// use. Each connection has a tunnel of its own: streams in one tunnel hold each other up.
func forward(ctx context.Context, person *rest.Config, kube kubernetes.Interface, t *target) (net.Conn, error) {
	url := kube.CoreV1().RESTClient().Post().Resource("pods").Namespace(t.namespace).Name(t.pod).
		SubResource("portforward").URL()
	tunnel, err := portforward.NewSPDYOverWebsocketDialerForStreaming(url, person)
	if err != nil {
		return nil, err
	}
	transport, upgrader, err := spdy.RoundTripperFor(person)
	if err != nil {
		return nil, err
	}
	older := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, url)
	dialer := portforward.NewFallbackDialerForStreaming(tunnel, older, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
	type dialed struct {
		conn httpstream.Connection
		err  error
	}
	done := make(chan dialed, 1)
	go func() { // the dialer heeds no context
		conn, _, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
		done <- dialed{conn, err}
	}()
	select {
	case d := <-done:
		if d.err != nil {
			return nil, refusedForward(t, d.err)
		}
		return streams(d.conn, t.port)
	case <-ctx.Done():
		go func() {
			if d := <-done; d.err == nil {
				_ = d.conn.Close() // it comes too late
			}
		}()
		return nil, fault(Unreached, "the port-forward to pod %s/%s: %v", t.namespace, t.pod, ctx.Err())
	}
}

// refusedForward tells rights that are missing from a pod that cannot be reached. The dialers lose the API server's
// code where they try a second way.
func refusedForward(t *target, err error) error {
	if strings.Contains(err.Error(), "forbidden") {
		return fault(Forbidden, "you may not create pods/portforward of pod %s/%s", t.namespace, t.pod)
	}
	return fault(Unreached, "the port-forward to pod %s/%s: %v", t.namespace, t.pod, err)
}

// streams opens the two streams that one connection consists of.
func streams(tunnel httpstream.Connection, port int) (net.Conn, error) {
	h := http.Header{}
	h.Set(corev1.StreamType, corev1.StreamTypeError)
	h.Set(corev1.PortHeader, strconv.Itoa(port))
	h.Set(corev1.PortForwardRequestIDHeader, "0")
	problems, err := tunnel.CreateStream(h)
	if err != nil {
		_ = tunnel.Close() // it is of no use
		return nil, broken("the port-forward: %v", err)
	}
	_ = problems.Close() // nothing is written to it
	h.Set(corev1.StreamType, corev1.StreamTypeData)
	data, err := tunnel.CreateStream(h)
	if err != nil {
		_ = tunnel.Close()
		return nil, broken("the port-forward: %v", err)
	}
	c := &conn{data: data, tunnel: tunnel, known: make(chan struct{})}
	go func() {
		defer close(c.known)
		text, err := io.ReadAll(io.LimitReader(problems, mostError))
		if err == nil && len(text) > 0 {
			c.problem = broken("the port-forward: %s", strings.TrimSpace(string(text)))
			_ = tunnel.Close() // a read that waits ends
		}
	}()
	return c, nil
}

// conn is a connection to a pod.
type conn struct {
	data    httpstream.Stream
	tunnel  httpstream.Connection
	known   chan struct{} // is closed when problem is known
	problem error
	once    sync.Once
}

// grace is how long the end of a stream waits for what the other one says of it.
const grace = 500 * time.Millisecond

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.data.Read(p)
	if err == nil || n > 0 {
		return n, err
	}
	select {
	case <-c.known:
		if c.problem != nil {
			return 0, c.problem
		}
	case <-time.After(grace):
	}
	return 0, err
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (int, error) { return c.data.Write(p) }

// Close implements net.Conn.
func (c *conn) Close() error {
	c.once.Do(func() {
		_ = c.data.Reset() // what was not sent is of no use
		_ = c.tunnel.Close()
	})
	return nil
}

// address is that of a port in a pod.
type address struct{}

func (address) Network() string { return "port-forward" }
func (address) String() string  { return "pod" }

// LocalAddr implements net.Conn.
func (c *conn) LocalAddr() net.Addr { return address{} }

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return address{} }

var errNoDeadline = fmt.Errorf("a port-forward: %w", os.ErrNoDeadline)

// SetDeadline implements net.Conn. There are no deadlines: what waits ends with Close.
func (c *conn) SetDeadline(time.Time) error { return errNoDeadline }

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(time.Time) error { return errNoDeadline }

// SetWriteDeadline implements net.Conn.
func (c *conn) SetWriteDeadline(time.Time) error { return errNoDeadline }
