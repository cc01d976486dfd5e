// Package faults is a proxy between a client and a real API server that does what networks and
// servers do on bad days: it drops watches, refuses, delays, resets connections, and loses the
// answer to a write that the server has carried out.
//
// It is no mock: what it does not spoil is answered by the server, over TLS and HTTP/2 as without
// it. It knows nothing of schedulers; which requests a fault meets is the test's to say.
//
// Invariants: a fault meets only requests it matches, at most as often as asked; each counts what
// it met, for a fault that never happened proves nothing; without faults the proxy changes nothing.
package faults

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// Proxy stands before an API server. Its methods may be called from any goroutine.
type Proxy struct {
	server  *httptest.Server
	target  *rest.Config
	forward http.Handler
	listen  *listener
	writes  sync.WaitGroup // that the API server has not answered

	mu         sync.Mutex
	injections []*Injection
	watches    map[int]context.CancelFunc
	nth        int
	held       map[string][]chan struct{} // by resource, one for each hold; closed when it is let go
}

// Start runs a proxy before the API server that config reaches, until Close.
func Start(config *rest.Config) (*Proxy, error) {
	to, err := url.Parse(config.Host)
	if err != nil {
		return nil, fmt.Errorf("the API server's address: %w", err)
	}
	tls, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, fmt.Errorf("how to trust the API server: %w", err)
	}
	p := &Proxy{target: rest.CopyConfig(config), watches: map[int]context.CancelFunc{}, held: map[string][]chan struct{}{}}
	p.forward = &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:      &http.Transport{TLSClientConfig: tls, ForceAttemptHTTP2: true},
		FlushInterval:  -1, // a watch's events at once
		ModifyResponse: p.gate,
		// A server that is not there is to its clients a connection that breaks.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	p.server = httptest.NewUnstartedServer(p)
	p.listen = &listener{Listener: p.server.Listener}
	p.server.Listener = p.listen
	p.server.EnableHTTP2 = true
	p.server.Config.ErrorLog = quiet
	p.server.StartTLS()
	return p, nil
}

// Config reaches the API server through the proxy, as the user of Start's config.
func (p *Proxy) Config() *rest.Config {
	c := rest.CopyConfig(p.target)
	c.Host = p.server.URL
	c.TLSClientConfig = rest.TLSClientConfig{CAData: authority(p.server.Certificate())}
	return c
}

func authority(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

// Close ends the proxy; whoever speaks through it sees its connections break. When it returns the API server has
// answered each write that the proxy gave it: what takes the place of a client that was killed finds all that it did.
func (p *Proxy) Close() {
	p.mu.Lock()
	for _, holds := range p.held {
		for _, open := range holds {
			close(open)
		}
	}
	clear(p.held)
	p.mu.Unlock()
	p.DropWatches()
	p.ResetConnections()
	p.server.CloseClientConnections()
	p.server.Close()
	p.writes.Wait()
}

// DropWatches breaks off every watch that runs, and returns how many there were.
func (p *Proxy) DropWatches() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.watches)
	for _, cancel := range p.watches {
		cancel()
	}
	return n
}

// HoldWatches keeps back what the server reports of a resource ("pods") until the returned function
// is called: clients act on what they knew. New watches of it are kept back as well; lists are not.
func (p *Proxy) HoldWatches(resource string) (letGo func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	open := make(chan struct{})
	p.held[resource] = append(p.held[resource], open)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if i := slices.Index(p.held[resource], open); i >= 0 {
			p.held[resource] = slices.Delete(p.held[resource], i, i+1)
			close(open)
		}
	}
}

// ResetConnections has every TCP connection to the proxy end with a reset, and returns how many
// there were.
func (p *Proxy) ResetConnections() int { return p.listen.reset() }

// ServeHTTP is the proxy's own; it is not for callers.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if fault := p.meets(r); fault != nil {
		fault(w, r, p.pass)
		return
	}
	p.pass(w, r)
}

// pass hands a request on to the server.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request) {
	if !Watch(r) {
		if r.Method != http.MethodGet {
			// The API server may carry it out though its client has gone, and Close waits for that.
			p.writes.Add(1)
			defer p.writes.Done()
			ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context())) // without any, the forward asks w
			defer cancel()
			r = r.WithContext(ctx)
		}
		p.forward.ServeHTTP(w, r)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	p.mu.Lock()
	p.nth++
	id := p.nth
	p.watches[id] = cancel
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watches, id)
	}()
	p.forward.ServeHTTP(w, r.WithContext(ctx))
}

// gate keeps a watch's bytes back while its resource is held.
func (p *Proxy) gate(response *http.Response) error {
	if Watch(response.Request) {
		response.Body = &gated{ReadCloser: response.Body, p: p, request: response.Request}
	}
	return nil
}

func (p *Proxy) holds(r *http.Request) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	for resource, holds := range p.held {
		if len(holds) > 0 && strings.HasSuffix(r.URL.Path, "/"+resource) {
			return holds[0]
		}
	}
	return nil
}

// listener remembers the connections it accepted.
type listener struct {
	net.Listener
	mu    sync.Mutex
	conns []*net.TCPConn
}

// Accept is net.Listener's.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		l.mu.Lock()
		l.conns = append(l.conns, tcp)
		l.mu.Unlock()
	}
	return c, err
}

func (l *listener) reset() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		if c.SetLinger(0) == nil && c.Close() == nil { // errs for those that have ended
			n++
		}
	}
	l.conns = nil
	return n
}
