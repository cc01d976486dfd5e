package execute_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// apiServer notes the requests that reach it whole. A test stops its client in a place of its choice: stop
// ends the client's lease, as if the process had been stopped there for longer than that.
type apiServer struct {
	*httptest.Server
	leading atomic.Bool
	over    func(r *http.Request) bool // of a whole request: answer that there is no time, with Retry-After 0

	mu    sync.Mutex
	whole []string // of method and path, since the lease ended
}

// sentLeading is a header of requests that were on their way when the server ended the lease with its answer to another
// one: an eviction sends its event and its condition at the same time.
const sentLeading = "Sent-Leading"

func (s *apiServer) stop() { s.leading.Store(false) }

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.ReadAll(r.Body); err != nil {
		return // a server does not carry out what it has not read to the end
	}
	if !s.leading.Load() && r.Header.Get(sentLeading) == "" {
		s.mu.Lock()
		s.whole = append(s.whole, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	if s.over != nil && s.over(r) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status: metav1.StatusFailure, Code: http.StatusTooManyRequests, Reason: metav1.StatusReasonTooManyRequests})
		return
	}
	_ = json.NewEncoder(w).Encode(corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "life"}})
}

// place is where a client is stopped.
type place struct {
	http1 bool
	// in has the client stopped there when its first request comes by.
	in func(s *apiServer, c *rest.Config)
}

// traced has the client stopped when a request gets as far as a trace says.
func traced(trace func(s *apiServer) *httptrace.ClientTrace) func(*apiServer, *rest.Config) {
	return func(s *apiServer, c *rest.Config) {
		c.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(r *http.Request) (*http.Response, error) {
				return next.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace(s))))
			})
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var (
	gotConnection = traced(func(s *apiServer) *httptrace.ClientTrace {
		return &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { s.stop() }}
	})
	wroteHead = traced(func(s *apiServer) *httptrace.ClientTrace {
		return &httptrace.ClientTrace{WroteHeaders: s.stop}
	})
)

// places are all in which a request may be held back after Options.Leading was asked.
var places = map[string]place{
	"above the transport, as in the rate limit": {in: func(s *apiServer, c *rest.Config) {
		c.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(r *http.Request) (*http.Response, error) {
				s.stop()
				return next.RoundTrip(r)
			})
		})
	}},
	"before client-go repeats what the server had no time for": {in: func(s *apiServer, c *rest.Config) {
		s.over = func(*http.Request) bool { return s.leading.CompareAndSwap(true, false) }
		c.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(r *http.Request) (*http.Response, error) {
				if s.leading.Load() {
					r.Header.Set(sentLeading, "yes")
				}
				return next.RoundTrip(r)
			})
		})
	}},
	"in making a connection": {in: func(s *apiServer, c *rest.Config) {
		c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			s.stop()
			return new(net.Dialer).DialContext(ctx, network, address)
		}
	}},
	"in the handshake of a connection": {in: func(s *apiServer, _ *rest.Config) {
		s.TLS.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
			s.stop()
			return nil, nil
		}
	}},
	"with a connection that stands": {in: gotConnection},
	"with an HTTP/1 connection":     {in: gotConnection, http1: true},
	"between head and body":         {in: wroteHead},
}

// leader runs an executor against a server, and a client that is stopped in a place.
func leader(t *testing.T, at place) (*apiServer, *execute.Executor) {
	t.Helper()
	s := &apiServer{}
	s.leading.Store(true)
	s.Server = httptest.NewUnstartedServer(s)
	s.EnableHTTP2 = !at.http1
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{}
	config := &rest.Config{TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	if at.in != nil {
		at.in(s, config)
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	config.Host = s.URL
	clients, err := execute.NewClients(config, s.leading.Load)
	if err != nil {
		t.Fatal(err)
	}
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "life",
		ResourceVersion: "7"}}
	return s, execute.New(t.Context(), execute.Options{Clients: clients, Leading: s.leading.Load, QuietBinds: true,
		PodGroup: func(string, string) *schedulingv1beta1.PodGroup { return group }})
}

// writes are the kinds of writes: a plan's items, and what is told.
var writes = map[string]func(c *execute.Executor){
	"bind":  func(c *execute.Executor) { c.Execute([]sched.Item{bindP}) },
	"evict": func(c *execute.Executor) { c.Execute([]sched.Item{item(sched.EvictPod, "")}) },
	"nominate": func(c *execute.Executor) {
		c.Execute([]sched.Item{item(sched.NominatePod, "n")})
	},
	"open a gate": func(c *execute.Executor) { c.Execute([]sched.Item{item(sched.OpenGate, "")}) },
	"phase": func(c *execute.Executor) {
		c.Execute([]sched.Item{{ID: 7, Kind: sched.SetPhase, Group: bindP.Pod, UID: "life", Phase: model.GroupInqueue}})
	},
	"condition": func(c *execute.Executor) {
		c.PodCondition(execute.Waiting{Pod: bindP.Pod, UID: "life", Version: "7", Reason: "Unschedulable", Urgent: true})
	},
	"event": func(c *execute.Executor) {
		c.Event(execute.Event{Kind: "Pod", Object: bindP.Pod, Reason: "Scheduled"})
	},
	"figures of queues": func(c *execute.Executor) { c.QueueAllocated("q", "life", nil) },
}

func item(kind sched.ItemKind, node string) sched.Item {
	return sched.Item{ID: 7, Kind: kind, Pod: ledger.Key{Namespace: "ns", Name: "p"}, UID: "life", Node: node}
}

// A process that was stopped for longer than its lease sends nothing when it goes on, wherever the request
// was; and as it knows that nothing was sent, it leaves nothing in doubt.
func TestNothingIsSentAfterTheLease(t *testing.T) {
	for where, at := range places {
		for what, write := range writes {
			t.Run(where+"/"+what, func(t *testing.T) {
				t.Parallel()
				s, c := leader(t, at)
				write(c)
				c.Wait(t.Context())
				c.WaitForStatuses(t.Context())
				if s.leading.Load() {
					t.Fatal("it was not stopped")
				}
				if strings.Contains("bind evict nominate open a gate phase", what) {
					<-c.Wake()
					if got := c.Receipts(); len(got) != 1 || got[0].Outcome != sched.Failed {
						t.Errorf("the receipts are %+v, want that it failed", got)
					}
				}
				if n := c.InFlight(); n != 0 {
					t.Errorf("%d items are in doubt, want none: nothing was sent", n)
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				for _, sent := range s.whole {
					if !strings.HasPrefix(sent, http.MethodGet) {
						t.Errorf("it sent %s after its lease", sent)
					}
				}
			})
		}
	}
}

// What the server had in whole before is in doubt as ever, though the connection breaks when another write on
// it is kept back.
func TestWhatWasSentBeforeTheLeaseEndedIsInDoubt(t *testing.T) {
	s, c := leader(t, place{})
	arrived, answer := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(answer) })
	s.over = func(r *http.Request) bool {
		close(arrived)
		<-answer
		return false
	}
	c.Execute([]sched.Item{bindP})
	<-arrived
	s.stop()
	s.CloseClientConnections()
	c.Wait(t.Context())
	if n := c.InFlight(); n != 1 {
		t.Errorf("%d items are in doubt, want the bind that the server had in whole", n)
	}
}
