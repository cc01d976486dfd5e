package readapi

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/kube/access"
)

// Options say how to serve.
type Options struct {
	Address   string // host:port to listen on; "": nowhere, and requests come by ServeHTTP alone
	Files     Files
	Scheduler Scheduler
	// Schedulers are the schedulerNames of pods that are planned; none: volcano.
	Schedulers []string
	Access     Access
	// Metrics and Configuration are served at /metrics and /configz to users that may get these paths; nil: not.
	Metrics, Configuration http.Handler
	Panicked               crash.Handler
	Watchers               func(int) // is told how many clients read a stream; nil: not
}

// Bounds of what clients may send and hold.
const (
	mostConnections = 1024
	mostOfOne       = 256 // connections of one address
	mostAtOnce      = 100 // requests of one connection
	perSecond       = 50  // requests of one user, as access.Share counts them
	atOnce          = 200 // of them
	mostHeader      = 64 << 10
	mostURL         = 4 << 10
	writeWithin     = 30 * time.Second // an answer
	answerWithin    = 10 * time.Second // by the scheduler
)

// Server is the API. Make one with New, then call Serve.
type Server struct {
	o         Options
	access    Access
	copies    *copies
	streams   *streams
	users     *access.Limits
	slots     *answerSlots
	searching sync.Map // by access.Share: users for which changes are tried now
	dumping   chan struct{}
	planners  sync.Map // by access.Share: users for which jobs are planned now
	planning  chan struct{}
	recallers sync.Map      // by access.Share: users for which one is read
	recalling chan struct{} // has a place for one that goes through the recording
	cycles    cycles
	listener  net.Listener
	http      *http.Server
	first     *tls.Certificate
	// certificate is what is served now.
	certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)
	routes      map[string]handler
}

// handler answers requests for one path. Its parameters are those that a query may name.
type handler struct {
	parameters []string
	answer     func(*Server, http.ResponseWriter, *http.Request, *access.User) error
	long       bool // it may take longer than answerWithin
}

// New listens, and answers nothing yet. An error says that the address or the certificate cannot be used.
func New(o Options) (*Server, error) {
	if o.Address == "" {
		return newServer(o), nil
	}
	get, first, err := o.Files.certificates()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s for the read API: %w", o.Address, err)
	}
	s := newServer(o)
	s.first, s.certificate = first, get
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: get, ClientAuth: tls.RequestClientCert,
		NextProtos: []string{"h2", "http/1.1"}}
	s.listener = tls.NewListener(LimitEach(netutil.LimitListener(listener, mostConnections), mostOfOne), config)
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: mostHeader, TLSConfig: config, ErrorLog: quiet(),
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: mostAtOnce}}
	klog.InfoS("The read API listens", "address", listener.Addr(), "certificateSHA256", s.Fingerprint())
	return s, nil
}

func newServer(o Options) *Server {
	s := &Server{o: o, access: o.Access, copies: newCopies(o.Scheduler, time.Now),
		users: access.NewLimits(perSecond, atOnce), slots: newAnswerSlots(), dumping: make(chan struct{}, 1),
		recalling: make(chan struct{}, 1), planning: make(chan struct{}, plansAtOnce),
		cycles: cycles{slot: make(chan struct{}, 1)}}
	s.streams = newStreams(s.copies, &s.o)
	s.routes = map[string]handler{
		"/v1/state":  {answer: state},
		"/v1/jobs":   list(jobs),
		"/v1/queues": list(queues),
		"/v1/nodes":  list(nodes),
		"/v1/pods":   list(pods),

		"/v1/devices": list(devices),

		"/v1/list/jobs":    list(listedJobs),
		"/v1/list/nodes":   list(listedNodes),
		"/v1/list/devices": list(listedDevices),

		cyclesPath:    {parameters: []string{"after"}, answer: listCycles},
		evictionsPath: {answer: listEvictions},

		planPath: {parameters: []string{start, wouldRun}, answer: plan},

		"/v1/watch":     {parameters: []string{"kinds", "namespace"}, answer: watch, long: true},
		"/v1/dump":      {answer: dump, long: true},
		"/v1/recording": {answer: recorded, long: true},
		"/v1/report":    {answer: report, long: true},
		"/metrics":      {answer: behind(o.Metrics)},
		"/configz":      {parameters: []string{"format"}, answer: behind(o.Configuration)},
	}
	return s
}

// Fingerprint is that of the certificate that is served.
func (s *Server) Fingerprint() string { return Fingerprint(s.first.Certificate[0]) }

// Label is the same of the certificate that is served now, as the value of a label: one from files may be replaced. ""
// where they cannot be read: no client gets in either. There is none without Options.Address.
func (s *Server) Label() string {
	now, err := s.certificate(nil)
	if err != nil {
		return ""
	}
	return LabelOf(now.Certificate[0])
}

// Port is the one that the server listens on; there is none without Options.Address.
func (s *Server) Port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// Serve answers until Close.
func (s *Server) Serve() {
	if s.listener == nil {
		return
	}
	if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		klog.ErrorS(err, "The read API ended", "address", s.o.Address)
	}
}

// Close ends the streams, waits a second for other answers, and stops listening.
func (s *Server) Close() {
	s.streams.end()
	if s.listener == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close() // no client reads on
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	told := &started{ResponseWriter: w}
	var err error
	panicked := s.o.Panicked.Recover("answering "+clipped(r.URL.Path), func() { err = s.answer(told, r) })
	if panicked != nil {
		err = refuse(http.StatusInternalServerError, "InternalError", "a bug in ashlar: its log says more")
	}
	switch {
	case errors.Is(err, errCut):
		panic(http.ErrAbortHandler) // net/http ends the connection, and logs nothing
	case err != nil && !told.begun:
		writeError(w, err)
	}
}

// answer checks a request, the cheapest first, and answers it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) error {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeWithin)) // a recorder in a test has none
	if err := acceptable(r); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
	u, err := s.access.User(ctx, r)
	cancel()
	if err != nil {
		return err
	}
	if !s.users.Of(access.Share(u)).Allow() {
		return &refusal{code: http.StatusTooManyRequests, reason: "TooManyRequests",
			message: "too many requests of user " + access.Share(u), retry: 1}
	}
	h, ok := s.route(r)
	if !ok {
		return refuse(http.StatusNotFound, "NotFound", "there is no "+clipped(r.URL.Path)+
			"; there are "+strings.Join(s.paths(), ", "))
	}
	query := r.URL.Query()
	for name, values := range query {
		switch {
		case !slices.Contains(h.parameters, name) && len(h.parameters) == 0:
			return badRequest("unknown parameter " + clipped(name) + ": there are none")
		case !slices.Contains(h.parameters, name):
			return badRequest("unknown parameter " + clipped(name) + ": there are " + strings.Join(h.parameters, ", "))
		case len(values) > 1:
			return badRequest("parameter " + name + " is given more than once")
		}
	}
	if unready := s.o.Scheduler.Ready(); unready != nil {
		return unready
	}
	if h.long {
		return h.answer(s, w, r, u)
	}
	ctx, cancel = context.WithTimeout(r.Context(), answerWithin)
	defer cancel()
	return h.answer(s, w, r.WithContext(ctx), u)
}

// acceptable refuses what no client of ours sends.
func acceptable(r *http.Request) error {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead && (r.Method != Query || r.URL.Path != planPath):
		return refuse(http.StatusMethodNotAllowed, "MethodNotAllowed", "only GET: this API changes nothing")
	case len(r.RequestURI) > mostURL:
		return refuse(http.StatusRequestURITooLong, "RequestURITooLong", "the address is too long")
	case r.ContentLength != 0 && r.Method != Query:
		return badRequest("a request has no body")
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "Impersonate-") {
			return badRequest("impersonation is not supported: ask as yourself")
		}
	}
	if _, err := url.ParseQuery(r.URL.RawQuery); err != nil {
		return badRequest("the parameters cannot be read")
	}
	return nil
}

// route finds what answers a path.
func (s *Server) route(r *http.Request) (handler, bool) {
	if h, ok := s.routes[r.URL.Path]; ok {
		return h, true
	}
	if o, ok := subjectOf(r.URL.EscapedPath()); ok {
		h := handler{answer: o.why}
		if o.kind == "job" || o.kind == "pod" {
			h.parameters = []string{wouldRun}
		}
		return h, true
	}
	if n, ok := cycleOf(r.URL.Path); ok {
		return handler{answer: oneCycle(n)}, true
	}
	if o, ok := past(r.URL.EscapedPath()); ok {
		return handler{answer: o.history}, true
	}
	return handler{}, false
}

func (s *Server) paths() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(s.routes)), "/v1/why/job/NAMESPACE/NAME",
		"/v1/why/pod/NAMESPACE/NAME", "/v1/why/queue/NAME", "/v1/why/node/NAME", "/v1/history/job/NAMESPACE/NAME",
		"/v1/history/cycle/NUMBER")))
}

// write writes a document.
func (s *Server) write(w http.ResponseWriter, r *http.Request, document any) error {
	if unready := s.o.Scheduler.Ready(); unready != nil {
		return unready // it lost the lease meanwhile: the answer may not be true any more
	}
	data, err := json.Marshal(document)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return nil
	}
	_, _ = w.Write(append(data, '\n')) // the client may have gone
	return nil
}

// started knows whether anything was answered.
type started struct {
	http.ResponseWriter
	begun bool
}

// WriteHeader implements http.ResponseWriter.
func (s *started) WriteHeader(code int) {
	s.begun = true
	s.ResponseWriter.WriteHeader(code)
}

// Write implements io.Writer.
func (s *started) Write(p []byte) (int, error) {
	s.begun = true
	return s.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (s *started) Unwrap() http.ResponseWriter { return s.ResponseWriter }
