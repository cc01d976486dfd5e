package readapi

import (
	"net"
	"testing"
)

// from is a listener of connections from addresses that a test names.
type from chan string

func (f from) Accept() (net.Conn, error) {
	at, open := <-f
	if !open {
		return nil, net.ErrClosed
	}
	here, there := net.Pipe()
	return &named{Conn: here, at: at, there: there}, nil
}
func (f from) Close() error   { return nil }
func (f from) Addr() net.Addr { return &net.TCPAddr{} }

type named struct {
	net.Conn
	at     string
	there  net.Conn
	closed bool
}

func (n *named) RemoteAddr() net.Addr {
	at, _ := net.ResolveTCPAddr("tcp", n.at) // a number
	return at
}

func (n *named) Close() error {
	n.closed = true
	return n.there.Close()
}

// One address holds two connections at most, however many it opens; others, and this machine itself, have theirs all
// the same; one that is closed, even twice, makes room for one.
func TestOneAddressHoldsSoManyConnections(t *testing.T) {
	come := make(from, 16)
	l := LimitEach(come, 2)
	for _, at := range []string{"10.0.0.1:1", "10.0.0.1:2", "10.0.0.1:3", "10.0.0.1:4", "10.0.0.2:1", "127.0.0.1:1",
		"127.0.0.1:2", "127.0.0.1:3"} {
		come <- at
	}
	accepted := func() net.Conn {
		t.Helper()
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := accepted()
	for _, want := range []string{"10.0.0.1:2", "10.0.0.2:1", "127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"} {
		if got := accepted().RemoteAddr().String(); got != want {
			t.Fatalf("%s is let in, want %s", got, want)
		}
	}
	for range 2 {
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
	come <- "10.0.0.1:5"
	come <- "10.0.0.1:6"
	close(come)
	if got := accepted().RemoteAddr().String(); got != "10.0.0.1:5" {
		t.Errorf("%s is let in, want 10.0.0.1:5", got)
	}
	if c, err := l.Accept(); err == nil {
		t.Errorf("%s is let in, a third one of its address", c.RemoteAddr())
	}
}
