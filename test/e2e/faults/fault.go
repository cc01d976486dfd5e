package faults

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// quiet drops what the server says of connections that tests break on purpose.
var quiet = log.New(io.Discard, "", 0)

// Fault is what becomes of a request that is met; pass hands it on to the server.
type Fault func(w http.ResponseWriter, r *http.Request, pass http.HandlerFunc)

// Injection is a fault at work.
type Injection struct {
	matches func(*http.Request) bool
	fault   Fault
	every   int64
	most    int64
	seen    atomic.Int64
	met     atomic.Int64
	proxy   *Proxy
}

// Inject has one in every requests that matches meet the fault, at most so many times (0: without
// end). The first that was injected and matches wins.
func (p *Proxy) Inject(matches func(*http.Request) bool, every, most int, fault Fault) *Injection {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := &Injection{matches: matches, fault: fault, every: int64(max(1, every)), most: int64(most), proxy: p}
	p.injections = append(p.injections, i)
	return i
}

// Met is how many requests the fault met so far.
func (i *Injection) Met() int { return int(i.met.Load()) }

// Remove ends the fault for requests to come.
func (i *Injection) Remove() {
	i.proxy.mu.Lock()
	defer i.proxy.mu.Unlock()
	kept := i.proxy.injections[:0:0]
	for _, other := range i.proxy.injections {
		if other != i {
			kept = append(kept, other)
		}
	}
	i.proxy.injections = kept
}

// meets is the fault that a request meets, nil without one.
func (p *Proxy) meets(r *http.Request) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range p.injections {
		if !i.matches(r) || i.most > 0 && i.met.Load() >= i.most {
			continue
		}
		if i.seen.Add(1)%i.every != 0 {
			continue
		}
		i.met.Add(1)
		return i.fault
	}
	return nil
}

// Watch matches watches.
func Watch(r *http.Request) bool {
	asked := r.URL.Query().Get("watch")
	return asked == "true" || asked == "1"
}

// Binding matches the requests that bind a pod.
func Binding(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/binding")
}

// Write matches all that changes something, leases left out: without its lease a scheduler ends,
// as it should.
func Write(r *http.Request) bool {
	return r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "/leases")
}

// GroupWrite matches writes to PodGroups.
func GroupWrite(r *http.Request) bool { return Write(r) && strings.Contains(r.URL.Path, "/podgroups") }

// Any matches everything but watches that run.
func Any(*http.Request) bool { return true }

// Refuse answers with a status and Kubernetes' reason for it, without asking the server. after is
// the Retry-After in seconds, 0 for none.
func Refuse(code int, reason metav1.StatusReason, after int) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.HandlerFunc) {
		w.Header().Set("Content-Type", "application/json")
		status := metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: "a fault that a test injected"}
		if after > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(after))
			status.Details = &metav1.StatusDetails{RetryAfterSeconds: int32(after)}
		}
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(status) // whoever has gone need not be told
	}
}

// Delay hands on after a while.
func Delay(d time.Duration) Fault {
	return func(w http.ResponseWriter, r *http.Request, pass http.HandlerFunc) {
		select {
		case <-time.After(d):
			pass(w, r)
		case <-r.Context().Done():
		}
	}
}

// Lose breaks the request off before the server has seen it.
func Lose(http.ResponseWriter, *http.Request, http.HandlerFunc) { panic(http.ErrAbortHandler) }

// LoseAnswer has the server do what it is asked, and breaks off without saying so.
func LoseAnswer(_ http.ResponseWriter, r *http.Request, pass http.HandlerFunc) {
	pass(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// Silence has the server do what it is asked, and then says nothing until the client gives up.
func Silence(_ http.ResponseWriter, r *http.Request, pass http.HandlerFunc) {
	pass(httptest.NewRecorder(), r)
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// gated is a watch's body that waits while its resource is held.
type gated struct {
	io.ReadCloser
	p       *Proxy
	request *http.Request
}

// Read is io.Reader's.
func (g *gated) Read(into []byte) (int, error) {
	n, err := g.ReadCloser.Read(into)
	for open := g.p.holds(g.request); open != nil; open = g.p.holds(g.request) {
		select {
		case <-open:
		case <-g.request.Context().Done():
			return n, err
		}
	}
	return n, err
}
