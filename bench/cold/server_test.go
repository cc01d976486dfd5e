package cold

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// server answers like an API server that a scheduler starts on: every watch begins with
// what there is, and nothing happens afterwards.
type server struct {
	*httptest.Server
	bound chan struct{} // closed when a binding was posted
	once  sync.Once
}

// stream writes what a watch begins with.
type stream func(w http.ResponseWriter)

func newServer(b *testing.B, nodes, pods, members int) *server {
	s := &server{bound: make(chan struct{})}
	groups := 0
	if members > 1 {
		groups = pods / members
	}
	typed, untyped := "application/vnd.kubernetes.protobuf;stream=watch", "application/json;stream=watch"
	waiting := pod(1)
	waiting.Spec.NodeName, waiting.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	streams := map[string]stream{
		"/api/v1/nodes": repeated(typed, framed(b, node()), framed(b, mark(&corev1.Node{})), nodes, 1, 1),
		"/api/v1/pods": func(w http.ResponseWriter) {
			repeated(typed, framed(b, pod(members)), nil, pods, nodes, members)(w)
			repeated(typed, framed(b, waiting), framed(b, mark(&corev1.Pod{})), 1, nodes, 1, pods)(w)
		},
		"/apis/scheduling.k8s.io/v1/priorityclasses": repeated(untyped, nil,
			emptyList("scheduling.k8s.io/v1", "PriorityClass"), 0, 1, 1),
		"/apis/scheduling.volcano.sh/v1beta1/podgroups": repeated(untyped, line(podGroup(members)),
			emptyList(volcano, "PodGroup"), groups, 1, 1),
		"/apis/scheduling.volcano.sh/v1beta1/queues": repeated(untyped, line(queue), emptyList(volcano, "Queue"), 1,
			1, 1),
		"/apis/topology.volcano.sh/v1alpha1/hypernodes":      nil,
		"/apis/scheduling.volcano.sh/v1beta1/namespaces/any": nil,
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := streams[r.URL.Path]
		switch {
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/binding"):
			s.once.Do(func() { close(s.bound) })
			answer(w, http.StatusCreated, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
				Status: metav1.StatusSuccess})
		case r.URL.Path == "/apis/"+volcano:
			answer(w, http.StatusOK, metav1.APIResourceList{GroupVersion: volcano,
				APIResources: []metav1.APIResource{{Name: "podgroups"}, {Name: "queues"}}})
		case strings.Contains(r.URL.Path, "/queues/"):
			answer(w, http.StatusOK, json.RawMessage(strings.ReplaceAll(queue, number, "000000")))
		case begin == nil || r.URL.Query().Get("watch") == "":
			answer(w, http.StatusNotFound, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
				Status: metav1.StatusFailure,
				Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound})
		default:
			if r.URL.Query().Get("sendInitialEvents") == "true" {
				begin(w)
			}
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}))
	return s
}

func answer(w http.ResponseWriter, code int, o any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(o) // a client that went away asks again
}

// What stands for an object's number, that of its node and that of its job in a template.
const (
	number = "XXXXXX"
	place  = "YYYYYY"
	job    = "ZZZZZZ"
)

// repeated streams count objects that differ in their numbers, from first on if it is
// given, and what ends them.
func repeated(contentType string, one, end []byte, count, nodes, members int, first ...int) stream {
	from := append(first, 0)[0]
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", contentType)
		object := bytes.Clone(one)
		numbers, places, jobs := all(one, number), all(one, place), all(one, job)
		for i := from; i < from+count; i++ {
			fill(object, numbers, i)
			fill(object, places, i%nodes)
			fill(object, jobs, i/members)
			if _, err := w.Write(object); err != nil {
				return // the scheduler ended
			}
		}
		_, _ = w.Write(end)
	}
}

// all are the places of a mark.
func all(in []byte, mark string) (at []int) {
	for from := 0; ; {
		i := bytes.Index(in[from:], []byte(mark))
		if i < 0 {
			return at
		}
		at = append(at, from+i)
		from += i + len(mark)
	}
}

func fill(object []byte, at []int, n int) {
	for _, i := range at {
		for x, d := n, 5; d >= 0; d, x = d-1, x/10 {
			object[i+d] = byte('0' + x%10)
		}
	}
}

// framed is an event as a watch in protobuf has it. A bookmark is told by its annotation.
func framed(b *testing.B, o runtime.Object) []byte {
	var raw bytes.Buffer
	if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(o, &raw); err != nil {
		b.Fatal(err)
	}
	kind := "ADDED"
	if strings.Contains(raw.String(), metav1.InitialEventsAnnotationKey) {
		kind = "BOOKMARK"
	}
	event := metav1.WatchEvent{Type: kind, Object: runtime.RawExtension{Raw: raw.Bytes()}}
	body, err := event.Marshal()
	if err != nil {
		b.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// line is an event as a watch in JSON has it.
func line(object string) []byte {
	return fmt.Appendf(nil, `{"type":"ADDED","object":%s}`+"\n", object)
}

func emptyList(version, kind string) []byte {
	return fmt.Appendf(nil, `{"type":"BOOKMARK","object":{"apiVersion":%q,"kind":%q,`+
		`"metadata":{"resourceVersion":"9000000","annotations":{%q:"true"}}}}`+"\n",
		version, kind, metav1.InitialEventsAnnotationKey)
}

func mark[T interface {
	runtime.Object
	metav1.Object
}](o T) T {
	o.SetResourceVersion("9000000")
	o.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	switch o := any(o).(type) {
	case *corev1.Node:
		o.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}
	case *corev1.Pod:
		o.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	}
	return o
}
