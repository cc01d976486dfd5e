package observe_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/deploy"
	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched/model"
	"ashlar.sh/test/world/apimodel"
)

// server is the model API server behind HTTP, with watches that can be held back.
type server struct {
	t *testing.T

	mu     sync.Mutex
	api    *apimodel.Server
	held   bool
	more   chan struct{} // closed when a watch may have something to show
	before func(*apimodel.Request) *apimodel.Response
	asked  []*apimodel.Request
}

func newServer(t *testing.T) *server {
	s := &server{t: t, api: apimodel.NewServer(time.Now), more: make(chan struct{})}
	s.api.Watched = func(*apimodel.Watch) { s.stir() }
	crds, err := deploy.CRDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range crds {
		if err := s.api.Define(crd); err != nil {
			t.Fatal(err)
		}
	}
	s.do(http.MethodPost, "/apis/scheduling.volcano.sh/v1beta1/queues",
		`{"metadata":{"name":"default"},"spec":{"weight":1}}`)
	s.do(http.MethodPost, "/api/v1/namespaces", `{"metadata":{"name":"ns"}}`)
	return s
}

func (s *server) stir() {
	close(s.more)
	s.more = make(chan struct{})
}

// hold has watches show nothing, until it is called with false.
func (s *server) hold(held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = held
	s.stir()
}

// first has a function see each request before it is answered, with the server to itself. What it returns, if anything,
// is the answer.
func (s *server) first(do func(*apimodel.Request) *apimodel.Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.asked = do, nil
}

// requests are those that were sent since then and are like this.
func (s *server) requests(like func(*apimodel.Request) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.asked {
		if like(r) {
			n++
		}
	}
	return n
}

func (s *server) Answer(r *apimodel.Request, _ <-chan struct{}) (apimodel.Response, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	if s.before != nil {
		if answer := s.before(r); answer != nil {
			return *answer, true
		}
	}
	return s.api.Do(r), true
}

func (s *server) Next(w *apimodel.Watch, gone <-chan struct{}) (apimodel.Event, bool) {
	for {
		s.mu.Lock()
		more := s.more
		if !s.held {
			if e, ok := w.Next(); ok {
				s.mu.Unlock()
				return e, true
			}
		}
		s.mu.Unlock()
		select {
		case <-more:
		case <-gone:
			s.mu.Lock()
			w.End()
			s.mu.Unlock()
			return apimodel.Event{}, false
		}
	}
}

// do has the server itself do what a request asks for.
func (s *server) do(method, path, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now(method, path, body)
}

// now is do where the server is had already.
func (s *server) now(method, path, body string) {
	kind := "application/json"
	if method == http.MethodPatch {
		kind = "application/merge-patch+json"
	}
	if answer := s.api.Do(&apimodel.Request{Method: method, Path: path, Query: url.Values{}, ContentType: kind,
		Body: []byte(body)}); answer.Code >= http.StatusBadRequest {
		s.t.Fatalf("%s %s: %d %v", method, path, answer.Code, answer.Body)
	}
}

const podsPath = "/api/v1/namespaces/ns/pods"

// podNamed is a pod that waits.
func podNamed(name string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"schedulerName":"volcano","containers":[{"name":"c","image":"i",`+
		`"resources":{"requests":{"cpu":"1"}}}]}}`, name)
}

func (s *server) make(names ...string) {
	for _, n := range names {
		s.do(http.MethodPost, podsPath, podNamed(n))
	}
}

// kill deletes pods at once.
func (s *server) kill(names ...string) {
	for _, n := range names {
		s.do(http.MethodDelete, podsPath+"/"+n, `{"gracePeriodSeconds":0}`)
	}
}

// observe begins to watch the server, and returns when all it has was drained.
func (s *server) observe(reads ...model.Kind) *observe.Observer {
	http := httptest.NewServer(apimodel.Handler(s, "scheduler"))
	config := &rest.Config{Host: http.URL, QPS: -1}
	kube, err := kubernetes.NewForConfig(config)
	must(s.t, err)
	groups, err := versioned.NewForConfig(config)
	must(s.t, err)
	heads, err := metadata.NewForConfig(config)
	must(s.t, err)
	w, err := observe.New(observe.Options{Kube: kube, Volcano: groups, Metadata: heads, Adopt: true,
		Reads: func(k model.Kind) bool {
			for _, r := range reads {
				if r == k {
					return true
				}
			}
			return false
		}})
	must(s.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	s.t.Cleanup(func() {
		cancel()
		http.CloseClientConnections()
		w.Shutdown()
		http.Close()
	})
	w.Start(ctx)
	await(s.t, "everything to be listed", func() bool { missing, _ := w.Awaited(nil); return len(missing) == 0 })
	return w
}

// listsWhole says that a request lists whole pods; listsHeads, that it lists their metadata.
func listsWhole(r *apimodel.Request) bool {
	return listsPods(r) && !strings.Contains(r.Accept, "as=Partial")
}
func listsHeads(r *apimodel.Request) bool {
	return listsPods(r) && strings.Contains(r.Accept, "as=Partial")
}

func listsPods(r *apimodel.Request) bool {
	return r.Method == http.MethodGet && r.Path == "/api/v1/pods" && r.Query.Get("watch") == ""
}

func getsPod(r *apimodel.Request) bool {
	return r.Method == http.MethodGet && strings.HasPrefix(r.Path, podsPath+"/")
}
