package loop

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/readapi"
)

// stuck is how long the loop may take for one round before it counts as dead.
const stuck = 2 * time.Minute

// health is how the loop is, for probes.
type health struct {
	mu      sync.Mutex
	last    time.Time
	ready   bool
	missing []string
	config  inEffect
}

func (h *health) beat() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = time.Now()
}

func (h *health) synced(ready bool, missing []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ready, h.missing = ready, missing
}

// live says that the loop goes round.
func (h *health) live(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.last.IsZero() && time.Since(h.last) > stuck {
		http.Error(w, fmt.Sprintf("the loop has not gone round since %s", h.last.UTC().Format(time.RFC3339)),
			http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// able says that the cluster is known; a scheduler that stands by is ready too.
func (h *health) able(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ready {
		http.Error(w, "the first list is awaited of: "+strings.Join(h.missing, ", "), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// awaits says what is missing for being able, "" when nothing is.
func (h *health) awaits() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ready || len(h.missing) == 0 {
		return ""
	}
	return "the first list is awaited of: " + strings.Join(h.missing, ", ")
}

// servers are what listens.
type servers []*http.Server

// Bounds of what clients of the plain ports may send and hold: no credentials are asked for there.
const (
	mostConnections = 64 // of one address
	mostPlainHeader = 16 << 10
	readWithin      = 10 * time.Second
	writeWithin     = 2 * time.Minute // a profile takes as long as it was asked to
	idleFor         = 30 * time.Second
)

// local lets in requests from this machine or, in a pod, from the pod itself, which is where `kubectl port-forward`
// arrives: the API server decides which users may do that. The read API has the same for its users.
func local(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil || !from.Addr().Unmap().IsLoopback() {
			http.Error(w, "this is answered to this machine alone: reach it by kubectl port-forward", http.StatusForbidden)
			return
		}
		next(w, r)
	}
}

// handlers are what is served without credentials, by address. Two addresses may be one.
func handlers(a Addresses, metrics *prometheus.Registry, h *health) map[string]*http.ServeMux {
	muxes := map[string]*http.ServeMux{}
	at := func(address string) *http.ServeMux {
		if muxes[address] == nil {
			muxes[address] = http.NewServeMux()
		}
		return muxes[address]
	}
	if a.Metrics != "" {
		at(a.Metrics).Handle("/metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
		at(a.Metrics).HandleFunc("/configz", local(h.configz))
		if a.Pprof {
			at(a.Metrics).HandleFunc("/debug/pprof/", local(pprof.Index))
			at(a.Metrics).HandleFunc("/debug/pprof/cmdline", local(pprof.Cmdline))
			at(a.Metrics).HandleFunc("/debug/pprof/profile", local(pprof.Profile))
			at(a.Metrics).HandleFunc("/debug/pprof/symbol", local(pprof.Symbol))
			at(a.Metrics).HandleFunc("/debug/pprof/trace", local(pprof.Trace))
			at(a.Metrics).HandleFunc("/debug/flags/v", local(logLevel))
		}
	}
	if a.Health != "" {
		at(a.Health).HandleFunc("/livez", h.live)
		at(a.Health).HandleFunc("/healthz", h.live)
		at(a.Health).HandleFunc("/readyz", h.able)
		if a.Health != a.Metrics {
			at(a.Health).HandleFunc("/configz", local(h.configz))
		}
	}
	return muxes
}

// serve listens where it is asked to.
func serve(a Addresses, metrics *prometheus.Registry, h *health) (servers, error) {
	var out servers
	for address, mux := range handlers(a, metrics, h) {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			out.close()
			return nil, fmt.Errorf("listen on %s: %w", address, err)
		}
		listener = readapi.LimitEach(listener, mostConnections)
		server := &http.Server{Handler: mux, ReadTimeout: readWithin, WriteTimeout: writeWithin, IdleTimeout: idleFor,
			MaxHeaderBytes: mostPlainHeader}
		out = append(out, server)
		if address == a.Health && a.TLS.Certificate != "" {
			if server.TLSConfig, err = a.TLS.config(); err != nil {
				_ = listener.Close() // no connection was accepted
				out.close()
				return nil, err
			}
			listener = tls.NewListener(listener, server.TLSConfig)
		}
		go func() {
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				klog.ErrorS(err, "Serving ended", "address", address)
			}
		}()
	}
	return out, nil
}

func (s servers) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, server := range s {
		if server.Shutdown(ctx) != nil {
			_ = server.Close() // no client reads on
		}
	}
}
