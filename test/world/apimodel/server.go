package apimodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Server holds objects and answers requests, one at a time: it is not for concurrent use.
type Server struct {
	// Admit, if set, may refuse a write before it is stored: what it returns is the answer.
	Admit func(w Write) *metav1.Status
	// Wrote, if set, is told of every write once it is stored.
	Wrote func(w Write)
	// Watched, if set, is told that a watch has something to send.
	Watched func(w *Watch)
	// JSONOnly has it answer in JSON whatever else clients accept.
	JSONOnly bool

	now       func() time.Time
	kinds     map[schema.GroupVersionResource]*Kind
	ordered   []*Kind
	stores    map[*Kind]*store
	version   int64 // of the last write
	compacted int64 // versions before it cannot be read any more
	uids      int64
	owning    map[*Kind]owning // nil: which client owns which fields is not kept
	watches   []*Watch
}

// Request is one that a client sends.
type Request struct {
	Client      string // who sends it
	Method      string
	Path        string
	Query       url.Values
	ContentType string
	Accept      string
	Body        []byte
}

// Response is what a request is answered with: an object, or a watch that begins.
type Response struct {
	Code  int
	Body  any // an object as it is written in JSON, a typed one, raw JSON, or Protobuf
	Retry int // seconds of Retry-After; 0: it is not said
	Watch *Watch
}

// Encoded is the body as it is sent, and its content type.
func (r Response) Encoded() (body []byte, contentType string) {
	switch body := r.Body.(type) {
	case json.RawMessage:
		return body, runtime.ContentTypeJSON
	case Protobuf:
		return body, runtime.ContentTypeProtobuf
	}
	body, _ = json.Marshal(r.Body) // plain data
	return body, runtime.ContentTypeJSON
}

// WatchType is the content type of what its watch sends.
func (r Response) WatchType() string {
	if r.Watch.binary {
		return runtime.ContentTypeProtobuf + ";stream=watch"
	}
	return runtime.ContentTypeJSON
}

// Write is one change of one object. Before is nil for one that is made, After for one that is removed.
type Write struct {
	Client        string
	Request       *Request
	Kind          *Kind
	Before, After *Stored
}

// Key is the namespace, if any, and the name of the object.
func (w Write) Key() string {
	if w.After != nil {
		return w.After.key()
	}
	return w.Before.key()
}

// NewServer makes a server without objects but for the namespaces that every cluster has. now is its clock.
func NewServer(now func() time.Time) *Server {
	s := &Server{now: now, kinds: map[schema.GroupVersionResource]*Kind{}, stores: map[*Kind]*store{}, ordered: Kinds()}
	for _, k := range s.ordered {
		s.kinds[k.GroupVersionResource] = k
		s.stores[k] = newStore()
	}
	for _, name := range []string{"default", "kube-system"} {
		s.Do(&Request{Method: http.MethodPost, Path: "/api/v1/namespaces",
			Body: fmt.Appendf(nil, `{"metadata":{"name":%q},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}}`,
				name)})
	}
	return s
}

// Kind is the kind of a resource, nil if it is not served.
func (s *Server) Kind(group, resource string) *Kind {
	for _, k := range s.ordered {
		if k.Group == group && k.Resource == resource {
			return k
		}
	}
	return nil
}

// Version is that of the last write.
func (s *Server) Version() int64 { return s.version }

// Oldest is the oldest version that can be read.
func (s *Server) Oldest() int64 { return s.compacted }

// call is a request with what its path says.
type call struct {
	*Request
	s               *Server
	kind            *Kind
	namespace, name string
	sub             string
	dry             bool           // nothing is stored
	emptied         map[string]any // the parts of the metadata that are stored empty, and left out as they are read
}

// Do answers a request.
func (s *Server) Do(r *Request) Response {
	if r.Query == nil {
		r.Query = url.Values{}
	}
	if list, ok := s.discovery(r.Path); ok {
		return Response{Code: http.StatusOK, Body: list}
	}
	c, err := s.route(r)
	if err != nil {
		return failed(err)
	}
	out, err := c.do()
	if err != nil {
		return failed(err)
	}
	return out
}

// route reads a path.
func (s *Server) route(r *Request) (*call, error) {
	parts := strings.Split(strings.Trim(r.Path, "/"), "/")
	var gv schema.GroupVersion
	switch {
	case len(parts) > 2 && parts[0] == "api":
		gv, parts = schema.GroupVersion{Version: parts[1]}, parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		gv, parts = schema.GroupVersion{Group: parts[1], Version: parts[2]}, parts[3:]
	default:
		return nil, noSuchPath()
	}
	c := &call{Request: r, s: s, dry: r.Method != http.MethodDelete && len(r.Query["dryRun"]) > 0}
	if parts[0] == "namespaces" && len(parts) > 2 && !(len(parts) == 3 && (parts[2] == "status" ||
		parts[2] == "finalize")) {
		c.namespace, parts = parts[1], parts[2:]
	}
	c.kind = s.kinds[gv.WithResource(parts[0])]
	if c.kind == nil || c.namespace != "" && !c.kind.Namespaced || len(parts) > 3 {
		return nil, noSuchPath()
	}
	if len(parts) > 1 {
		c.name = parts[1]
	}
	if len(parts) > 2 {
		c.sub = parts[2]
	}
	if c.name != "" && c.kind.Namespaced && c.namespace == "" {
		return nil, noSuchPath()
	}
	return c, nil
}

func noSuchPath() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound,
		Reason: metav1.StatusReasonNotFound, Message: "the server could not find the requested resource"}}
}

func (c *call) do() (Response, error) {
	switch c.sub {
	case "":
	case "status":
		if !c.kind.Status {
			return Response{}, noSuchPath()
		}
	case "binding", "eviction":
		if c.kind.Resource != "pods" || c.kind.Group != "" {
			return Response{}, noSuchPath()
		}
		return c.podSubresource()
	default:
		return Response{}, noSuchPath()
	}
	switch {
	case c.Method == http.MethodGet && c.name == "" && isTrue(c.Query.Get("watch")):
		return c.watch()
	case c.Method == http.MethodGet && c.name == "":
		return c.list()
	case c.Method == http.MethodGet:
		return c.get()
	case c.Method == http.MethodPost && c.name == "":
		return c.create()
	case c.Method == http.MethodPut && c.name != "":
		return c.update()
	case c.Method == http.MethodPatch && c.name != "":
		return c.patch()
	case c.Method == http.MethodDelete && c.name != "" && c.sub == "":
		return c.delete()
	case c.Method == http.MethodDelete && c.sub == "":
		return c.deleteAll()
	}
	return Response{}, apierrors.NewMethodNotSupported(c.resource(), strings.ToLower(c.Method))
}

func (c *call) resource() schema.GroupResource { return c.kind.GroupResource() }

// existing is the object that a request names.
func (c *call) existing() (*Stored, error) {
	if o := c.s.stores[c.kind].get(c.namespace, c.name); o != nil {
		return o, nil
	}
	return nil, apierrors.NewNotFound(c.resource(), c.name)
}

func (c *call) get() (Response, error) {
	o, err := c.existing()
	if err != nil {
		return Response{}, err
	}
	return Response{Code: http.StatusOK, Body: c.shown(o)}, nil
}

// shown is an object as the client asked for it: whole, in protobuf or JSON, or its metadata only.
func (c *call) shown(o *Stored) any {
	if c.s.binary(c.kind, c.Request) {
		return o.Protobuf(c.kind)
	}
	return c.text(o)
}

// text is an object as the client asked for it in JSON.
func (r *Request) text(o *Stored) json.RawMessage {
	if r.headsOnly() {
		return o.Heads()
	}
	return o.JSON()
}

// binary says that the client is answered in protobuf, where that is about whole objects. The model writes no lists in
// it, which those who ask for it take in JSON, too.
func (s *Server) binary(k *Kind, r *Request) bool {
	return !s.JSONOnly && !k.Custom && strings.HasPrefix(r.Accept, runtime.ContentTypeProtobuf) && !r.headsOnly()
}

// headsOnly says that metadata is all that the client wants.
func (r *Request) headsOnly() bool { return strings.Contains(r.Accept, "as=PartialObjectMetadata") }

func isTrue(s string) bool { return s == "true" || s == "1" }

// failed is the answer that tells of an error.
func failed(err error) Response {
	var status metav1.Status
	if s := apierrors.APIStatus(nil); errors.As(err, &s) {
		status = s.Status()
	} else {
		status = apierrors.NewInternalError(err).Status()
	}
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	out := Response{Code: int(status.Code), Body: status}
	if status.Details != nil {
		out.Retry = int(status.Details.RetryAfterSeconds)
	}
	return out
}
