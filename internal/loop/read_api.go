package loop

import (
	"context"
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/kube/access"
	"ashlar.sh/internal/readapi"
)

// readServer is the read API of a run; nil: there is none.
type readServer struct {
	*readapi.Server
	listens   bool
	reviewer  *access.Reviewer
	namespace string
	panicked  crash.Handler
	estimates func(context.Context) // nil: none are made
	searches  func(context.Context)
	plans     func(context.Context)
}

// readAPI makes the read API; it answers nothing yet.
func (l *loop) readAPI(o ReadAPI) (*readServer, error) {
	if o.Address == "" && l.o.Simulated.Reads == nil {
		return nil, nil
	}
	config := rest.CopyConfig(l.o.Config)
	config.QPS = -1 // access has limits of its own
	config.Wrap(l.metrics.counted)
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	s := &readServer{reviewer: access.New(kube), namespace: o.Namespace, panicked: l.panicked,
		listens: o.Address != "", searches: l.background.searches.run, plans: l.background.plans.run}
	s.Server, err = readapi.New(readapi.Options{Address: o.Address,
		Files:     readapi.Files{Certificate: o.Certificate, Key: o.Key},
		Scheduler: l.background.questions, Schedulers: l.o.SchedulerNames, Access: s.reviewer, Panicked: l.panicked,
		Metrics:       promhttp.HandlerFor(l.metrics.registry, promhttp.HandlerOpts{}),
		Configuration: http.HandlerFunc(l.health.configz),
		Watchers:      func(n int) { l.metrics.ofCosts.watchers.Set(float64(n)) }})
	if err != nil {
		return nil, err
	}
	if l.o.Simulated.Reads != nil {
		l.o.Simulated.Reads(s.Server)
	}
	if o.Estimates > 0 {
		s.estimates = func(ctx context.Context) { l.background.estimates.run(ctx, o.Estimates) }
	}
	return s, nil
}

// serve answers until close.
func (s *readServer) serve(ctx context.Context) {
	if s == nil {
		return
	}
	s.panicked.Go("reading authorities", func() { s.reviewer.Run(ctx) })
	s.panicked.Go("serving the read API", s.Serve)
	s.panicked.Go("trying changes", func() { s.searches(ctx) })
	s.panicked.Go("planning", func() { s.plans(ctx) })
	if s.estimates != nil {
		s.panicked.Go("estimating starts", func() { s.estimates(ctx) })
	}
}

func (s *readServer) close() {
	if s != nil {
		s.Close()
	}
}

// labels are those of the Lease. A scheduler without a read API leaves those of the one before: a client that follows
// them finds no server, or one with another certificate.
func (s *readServer) labels() map[string]string {
	if s == nil || !s.listens {
		return nil
	}
	return map[string]string{readapi.LabelNamespace: s.namespace, readapi.LabelPort: strconv.Itoa(s.Port()),
		readapi.LabelCertificate: s.Label()}
}
