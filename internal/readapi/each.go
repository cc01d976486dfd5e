package readapi

import (
	"net"
	"sync"
)

// LimitEach is a listener that holds at most n connections of one address at a time: what comes beyond that is closed
// at once. So one client that opens connections and says nothing takes neither memory without bound nor the place of
// others. This machine's own are not counted: all that come by `kubectl port-forward` have one address, and were let in
// before.
func LimitEach(l net.Listener, n int) net.Listener {
	return &limitEach{Listener: l, most: n, held: map[string]int{}}
}

type limitEach struct {
	net.Listener
	most int

	mu   sync.Mutex
	held map[string]int // by address
}

// Accept implements net.Listener.
func (l *limitEach) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := c.RemoteAddr().String()
		if host, _, err := net.SplitHostPort(from); err == nil {
			from = host
		}
		if ip := net.ParseIP(from); ip != nil && ip.IsLoopback() {
			return c, nil
		}
		if l.take(from) {
			return &limitedConn{Conn: c, over: func() { l.give(from) }}, nil
		}
		_ = c.Close() // nothing was read of it
	}
}

func (l *limitEach) take(from string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[from] >= l.most {
		return false
	}
	l.held[from]++
	return true
}

func (l *limitEach) give(from string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[from]--; l.held[from] == 0 {
		delete(l.held, from)
	}
}

type limitedConn struct {
	net.Conn
	once sync.Once
	over func()
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	defer c.once.Do(c.over)
	return c.Conn.Close()
}
