package cold

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// server answers like an API server that a scheduler starts on: every watch begins with
// what there is, and nothing happens afterwards but what churn does.
type server struct {
	*httptest.Server
	world
	bound   chan struct{} // closed when a binding was posted
	once    sync.Once
	churn   *churn
	writes  atomic.Int64                         // to pods, but bindings
	patched atomic.Pointer[podPatched]           // nil: no test asks
	begins  map[string]func(http.ResponseWriter) // what a watch begins with
	lists   map[bool]list                        // of all pods; true: of their metadata
}

// world is how much there is.
type world struct{ nodes, pods, members int }

const (
	podsPath  = "/api/v1/pods"
	nodesPath = "/api/v1/nodes"
)

func newServer(b *testing.B, of world) *server {
	s := &server{world: of, bound: make(chan struct{}), churn: newChurn(b, of)}
	groups := 0
	if of.members > 1 {
		groups = of.pods / of.members
	}
	running, last := pod(of.members), waiting()
	heads := func(p *corev1.Pod) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: p.ObjectMeta}
	}
	s.lists = map[bool]list{false: {"v1", "PodList", item(b, running), item(b, last)},
		true: {"meta.k8s.io/v1", "PartialObjectMetadataList", item(b, heads(running)), item(b, heads(last))}}
	s.begins = map[string]func(http.ResponseWriter){
		nodesPath: typed(mark(b, &corev1.Node{}, "Node"), func() []objects {
			return []objects{{newTemplate(framed(b, watch.Added, node())), 0, of.nodes, 1, 1}}
		}),
		podsPath: typed(mark(b, &corev1.Pod{}, "Pod"), func() []objects {
			return []objects{{newTemplate(framed(b, watch.Added, pod(of.members))), 0, of.pods, of.nodes, of.members},
				{newTemplate(framed(b, watch.Added, waiting())), of.pods, 1, of.nodes, 1}}
		}),
		"/apis/scheduling.k8s.io/v1/priorityclasses": untyped("scheduling.k8s.io/v1", "PriorityClass", nil, 0),
		"/apis/" + volcano + "/podgroups":            untyped(volcano, "PodGroup", line(podGroup(of.members)), groups),
		"/apis/" + volcano + "/queues":               untyped(volcano, "Queue", line(queue), 1),
	}
	s.Server = httptest.NewServer(s)
	return s
}

// typed begins a watch in protobuf.
func typed(end []byte, of func() []objects) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf;stream=watch")
		for _, o := range of() {
			if !o.write(w) {
				return // the scheduler ended
			}
		}
		_, _ = w.Write(end)
	}
}

// untyped begins a watch in JSON, as CRDs have it.
func untyped(version, kind string, one []byte, count int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json;stream=watch")
		objects{newTemplate([]byte(string(one))), 0, count, 1, 1}.write(w)
		_, _ = w.Write(emptyList(version, kind))
	}
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin, query := s.begins[r.URL.Path], r.URL.Query()
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/binding"):
		s.once.Do(func() { close(s.bound) })
		s.churn.bind(r)
		answer(w, http.StatusCreated, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
			Status: metav1.StatusSuccess})
	case r.URL.Path == "/apis/"+volcano:
		answer(w, http.StatusOK, metav1.APIResourceList{GroupVersion: volcano,
			APIResources: []metav1.APIResource{{Name: "podgroups"}, {Name: "queues"}}})
	case strings.Contains(r.URL.Path, "/queues/"):
		answer(w, http.StatusOK, json.RawMessage(strings.ReplaceAll(queue, number, "0000000")))
	case r.URL.Path == podsPath && query.Get("watch") == "":
		from, _ := strconv.Atoi(query.Get("continue"))
		count, _ := strconv.Atoi(query.Get("limit"))
		s.lists[strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList")].page(w, s.world, from, count)
	case r.URL.Path != podsPath && strings.HasSuffix(r.URL.Path, "/pods"): // a namespace's: no other scheduler is there
		answer(w, http.StatusOK, corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}})
	case r.Method == http.MethodPatch && strings.HasPrefix(r.URL.Path, "/api/v1/namespaces/"):
		s.writes.Add(1)
		if p := s.patched.Load(); p != nil {
			p.tell(r)
		}
		answer(w, http.StatusOK, corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}})
	case begin == nil || query.Get("watch") == "":
		answer(w, http.StatusNotFound, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
			Status: metav1.StatusFailure,
			Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound})
	default:
		if query.Get("sendInitialEvents") == "true" {
			begin(w)
		}
		w.(http.Flusher).Flush()
		switch r.URL.Path {
		case podsPath:
			stream(w, r.Context(), s.churn.events)
		case nodesPath:
			stream(w, r.Context(), s.churn.ofNodes)
		}
		<-r.Context().Done()
	}
}

// list is that of all pods: its kind, and its items.
type list struct {
	version, kind string
	running, last []byte
}

// page answers a request for a page of it.
func (l list) page(w http.ResponseWriter, of world, from, count int) {
	to, next := from+count, strconv.Itoa(from+count)
	size := count * len(l.running)
	if count == 0 || to > of.pods {
		to, next = of.pods, ""
		size = (to-from)*len(l.running) + len(l.last)
	}
	w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
	if _, err := w.Write(pageHead(l.version, l.kind, next, size)); err != nil {
		return
	}
	all := objects{newTemplate([]byte(string(l.running))), from, to - from, of.nodes, of.members}
	if all.write(w) && next == "" {
		objects{newTemplate([]byte(string(l.last))), of.pods, 1, of.nodes, 1}.write(w)
	}
}

func answer(w http.ResponseWriter, code int, o any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(o) // a client that went away asks again
}

// String names a world as a benchmark.
func (o world) String() string {
	return fmt.Sprintf("nodes=%d/pods=%d/members=%d", o.nodes, o.pods, o.members)
}
