package web

import (
	"net"
	"net/http"
	"sync"
)

// connections are those that a server has, so that a test can end them.
type connections struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

func (c *connections) note(conn net.Conn, s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[net.Conn]bool{}
	}
	if s == http.StateClosed || s == http.StateHijacked {
		delete(c.open, conn)
	} else {
		c.open[conn] = true
	}
}

// end breaks all of them.
func (c *connections) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		conn.Close()
	}
}
