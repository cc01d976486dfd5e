package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"ashlar.sh/internal/readapi"
	"ashlar.sh/test/portforward"
)

// cluster is an API server with Leases and pods. Ports of the pods are connected to servers of the test.
type cluster struct {
	*httptest.Server
	mu       sync.Mutex
	objects  map[string]runtime.Object // by path
	ports    map[string]string         // address by namespace/pod:port
	denied   string                    // paths that contain it are forbidden
	binds    map[string]bool           // whether a service account may bind pods; nil: the person may not ask
	forwards int
}

func newCluster(t *testing.T) *cluster {
	c := &cluster{objects: map[string]runtime.Object{}, ports: map[string]string{}}
	c.Server = httptest.NewTLSServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	c.mu.Lock()
	object, denied, binds := c.objects[r.URL.Path], c.denied, c.binds
	c.mu.Unlock()
	tell := func(code int, reason metav1.StatusReason) {
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status: metav1.StatusFailure, Code: int32(code), Reason: reason,
			Message: strings.ToLower(string(reason))})
	}
	var parts []string
	if rest, ok := strings.CutSuffix(r.URL.Path, "/portforward"); ok {
		parts = strings.Split(strings.TrimPrefix(rest, "/api/v1/namespaces/"), "/pods/")
	}
	switch {
	case denied != "" && strings.Contains(r.URL.Path, denied):
		tell(http.StatusForbidden, metav1.StatusReasonForbidden)
	case len(parts) == 2 && r.Method == http.MethodGet: // an older API server knows SPDY only
		tell(http.StatusBadRequest, metav1.StatusReasonBadRequest)
	case len(parts) == 2:
		c.mu.Lock()
		c.forwards++
		c.mu.Unlock()
		portforward.Serve(w, r, func(port string) (net.Conn, error) {
			c.mu.Lock()
			to := c.ports[parts[0]+"/"+parts[1]+":"+port]
			c.mu.Unlock()
			if to == "" {
				return nil, fmt.Errorf("connection refused on port %s", port)
			}
			return net.Dial("tcp", to)
		})
	case strings.HasSuffix(r.URL.Path, "/subjectaccessreviews") && binds == nil:
		tell(http.StatusForbidden, metav1.StatusReasonForbidden)
	case strings.HasSuffix(r.URL.Path, "/subjectaccessreviews"):
		var review authorizationv1.SubjectAccessReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			tell(http.StatusBadRequest, metav1.StatusReasonBadRequest)
			return
		}
		if a := review.Spec.ResourceAttributes; a.Verb == "create" && a.Resource == "pods" && a.Subresource == "binding" {
			review.Status.Allowed = binds[review.Spec.User]
		}
		_ = json.NewEncoder(w).Encode(review)
	case strings.HasSuffix(r.URL.Path, "/leases"):
		fmt.Fprint(w, `{"kind": "LeaseList", "apiVersion": "coordination.k8s.io/v1", "items": []}`)
	case object == nil:
		tell(http.StatusNotFound, metav1.StatusReasonNotFound)
	default:
		_ = json.NewEncoder(w).Encode(object)
	}
}

// put adds an object at its path.
func (c *cluster) put(path string, o runtime.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects[path] = o
}

// scheduler adds a pod that answers, and returns what it was asked.
func (c *cluster) scheduler(t *testing.T, namespace, pod string, answer http.HandlerFunc) *asked {
	a := &asked{answer: answer}
	a.Server = httptest.NewUnstartedServer(a)
	a.EnableHTTP2 = true
	a.StartTLS()
	t.Cleanup(a.Close)
	c.put("/api/v1/namespaces/"+namespace+"/pods/"+pod, &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: pod, Labels: map[string]string{"app": "ashlar"}},
		Spec:       corev1.PodSpec{ServiceAccountName: "ashlar"}, Status: corev1.PodStatus{Phase: corev1.PodRunning}})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ports[namespace+"/"+pod+":8443"] = a.Listener.Addr().String()
	return a
}

// lease writes the Lease of a scheduler as it writes it itself.
func (c *cluster) lease(namespace, name, holder, podsNamespace, certificate string) {
	c.put("/apis/coordination.k8s.io/v1/namespaces/"+namespace+"/leases/"+name, &coordinationv1.Lease{
		TypeMeta: metav1.TypeMeta{Kind: "Lease", APIVersion: "coordination.k8s.io/v1"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{
			readapi.LabelNamespace: podsNamespace, readapi.LabelPort: "8443", readapi.LabelCertificate: certificate}},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder}})
}

// asked is a scheduler's read API, and what it was asked.
type asked struct {
	*httptest.Server
	answer http.HandlerFunc
	mu     sync.Mutex
	tokens []string
	paths  []string
}

func (a *asked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.tokens, a.paths = append(a.tokens, r.Header.Get("Authorization")), append(a.paths, r.URL.String())
	a.mu.Unlock()
	a.answer(w, r)
}

func (a *asked) label() string { return readapi.LabelOf(a.Certificate().Raw) }

func (a *asked) times() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.paths)
}

// version answers as a scheduler of a version.
func version(v string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"apiVersion": %q, "kind": "SchedulerState", "version": %q}`, readapi.APIVersion, v)
	}
}

// person is a client of somebody with a token.
func (c *cluster) person(t *testing.T, o Options) *Client {
	t.Helper()
	o.Wait = true
	o.Person = &rest.Config{Host: c.URL, BearerToken: "mine", TLSClientConfig: rest.TLSClientConfig{Insecure: true},
		ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
	out, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// state is what a client is told, within a time.
func state(t *testing.T, c *Client, within time.Duration) (readapi.State, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	var s readapi.State
	err := c.Get(ctx, "/v1/state", &s)
	return s, err
}

// The scheduler is found by its Lease, reached by a port-forward, known by its certificate, and asked with the person's
// token.
func TestTheSchedulerIsFound(t *testing.T) {
	c := newCluster(t)
	s := c.scheduler(t, "ashlar-system", "ashlar-7d", version("v1"))
	c.lease("ashlar-system", "volcano", "ashlar-7d_x", "ashlar-system", s.label())
	p := c.person(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range 3 {
		var got readapi.State
		if err := p.Get(ctx, "/v1/state", &got); err != nil || got.Version != "v1" {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	if s.tokens[0] != "Bearer mine" {
		t.Errorf("it was asked with %q", s.tokens[0])
	}
	if c.forwards != 1 {
		t.Errorf("%d port-forwards for three questions, want one", c.forwards)
	}
	if want := "pod ashlar-system/ashlar-7d (Lease ashlar-system/volcano)"; p.Found() != want {
		t.Errorf("it was %q, want %q", p.Found(), want)
	}
}

// What is not the scheduler is sent nothing.
func TestNothingIsSentToAnotherServer(t *testing.T) {
	for name, c := range map[string]struct {
		lure func(c *cluster, evil *asked)
		o    Options
		want FaultKind
	}{
		"a tenant's pod with the chart's labels": {lure: func(*cluster, *asked) {}, want: None},
		"a tenant's Lease in its own namespace": {lure: func(c *cluster, evil *asked) {
			c.lease("team-a", "volcano", "evil_x", "team-a", evil.label())
		}, want: None},
		"a pod with another certificate": {lure: func(c *cluster, _ *asked) {
			c.lease("ashlar-system", "volcano", "evil_x", "team-a", strings.Repeat("a", 52))
		}, want: Untrusted},
		"a scheduler whose Lease names no certificate": {lure: func(c *cluster, _ *asked) {
			c.lease("ashlar-system", "volcano", "evil_x", "team-a", "")
		}, want: Untrusted},
		"a namespace that somebody made, asked by an administrator": {lure: func(c *cluster, evil *asked) {
			c.lease("ashlar-system", "volcano", "evil_x", "team-a", evil.label())
			c.binds = map[string]bool{"system:serviceaccount:ashlar-system:ashlar": true}
		}, want: Untrusted},
		"a Lease that the person may not get": {lure: func(c *cluster, _ *asked) { c.denied = "/leases/" },
			want: Forbidden},
		"a port-forward that the person may not create": {lure: func(c *cluster, evil *asked) {
			c.lease("ashlar-system", "volcano", "evil_x", "team-a", evil.label())
			c.denied = "/portforward"
		}, want: Forbidden},
		"a Lease that nobody holds": {lure: func(c *cluster, evil *asked) {
			c.lease("ashlar-system", "volcano", "", "team-a", evil.label())
		}, want: Unreached},
		"a port on which nothing listens": {lure: func(c *cluster, evil *asked) {
			c.lease("ashlar-system", "volcano", "evil_x", "team-a", evil.label())
			c.ports = map[string]string{}
		}, want: Unreached},
	} {
		t.Run(name, func(t *testing.T) {
			api := newCluster(t)
			evil := api.scheduler(t, "team-a", "evil", version("v1"))
			c.lure(api, evil)
			_, err := state(t, api.person(t, c.o), 2*time.Second)
			if !Is(err, c.want) {
				t.Errorf("%v, want a fault %s", err, c.want)
			}
			if n := evil.times(); n > 0 {
				t.Errorf("it was asked %d times, with %q", n, evil.tokens)
			}
			t.Log(err)
		})
	}
}

// An administrator's check lets the scheduler through, and the person may say where the Lease is.
func TestTheSchedulersServiceAccount(t *testing.T) {
	c := newCluster(t)
	s := c.scheduler(t, "batch", "ashlar-0", version("v2"))
	c.lease("leases", "gpu", "ashlar-0", "batch", s.label())
	c.binds = map[string]bool{"system:serviceaccount:batch:ashlar": true}
	got, err := state(t, c.person(t, Options{Namespace: "leases", Lease: "gpu"}), 10*time.Second)
	if err != nil || got.Version != "v2" {
		t.Errorf("%+v, %v", got, err)
	}
}

// When another scheduler takes over, the next question goes there; a stream that was open ends.
func TestAnotherSchedulerTakesOver(t *testing.T) {
	c := newCluster(t)
	var mu sync.Mutex
	leads := true
	first := c.scheduler(t, "ashlar-system", "one", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if leads {
			version("one")(w, r)
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = json.NewEncoder(w).Encode(metav1.Status{Status: metav1.StatusFailure, Code: 503, Message: "stands by",
			Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: metav1.CauseType(readapi.NotLeader)}}}})
	})
	second := c.scheduler(t, "ashlar-system", "two", version("two"))
	c.lease("ashlar-system", "volcano", "one_x", "ashlar-system", first.label())
	p := c.person(t, Options{})
	if got, err := state(t, p, 10*time.Second); err != nil || got.Version != "one" {
		t.Fatalf("%+v, %v", got, err)
	}
	mu.Lock()
	leads = false
	mu.Unlock()
	c.lease("ashlar-system", "volcano", "two_y", "ashlar-system", second.label())
	if got, err := state(t, p, 10*time.Second); err != nil || got.Version != "two" {
		t.Errorf("after a take-over: %+v, %v", got, err)
	}
	// A process that goes without a word: its connections break.
	third := c.scheduler(t, "ashlar-system", "three", version("three"))
	c.lease("ashlar-system", "volcano", "three_z", "ashlar-system", third.label())
	second.CloseClientConnections()
	second.Close()
	if got, err := state(t, p, 10*time.Second); err != nil || got.Version != "three" {
		t.Errorf("after a crash: %+v, %v", got, err)
	}
}

// A scheduler of another version is told of in a sentence.
func TestAnotherVersion(t *testing.T) {
	c := newCluster(t)
	s := c.scheduler(t, "ashlar-system", "old", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/state":
			version("v0.3")(w, r)
		case "/v1/later":
			fmt.Fprint(w, `{"apiVersion": "ashlar.sh/v2"}`)
		case "/v1/jobs":
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(metav1.Status{Code: 400, Message: "unknown parameter places: there are limit"})
		case "/v1/why/job/a/b":
			w.WriteHeader(http.StatusNotFound)
			_ = json.NewEncoder(w).Encode(metav1.Status{Code: 404, Message: "there is no job b in namespace a"})
		default:
			w.WriteHeader(http.StatusNotFound)
			_ = json.NewEncoder(w).Encode(metav1.Status{Code: 404,
				Message: "there is no " + r.URL.Path + "; there are /v1/state"})
		}
	})
	c.lease("ashlar-system", "volcano", "old_x", "ashlar-system", s.label())
	p := c.person(t, Options{})
	for path, want := range map[string]string{
		"/v1/jobs?places=true": "the scheduler (version v0.3) is older than this command: it does not know what is asked " +
			"at /v1/jobs",
		"/v1/recording": "the scheduler (version v0.3) is older than this command: it does not know what is asked at " +
			"/v1/recording",
		"/v1/later": `the scheduler (version v0.3) answers in "ashlar.sh/v2", and this command reads ashlar.sh/v1alpha1`,
	} {
		var into struct{}
		if err := p.Get(t.Context(), path, &into); !Is(err, Skew) || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", path, err, want)
		}
	}
	var into struct{}
	if err := p.Get(t.Context(), "/v1/why/job/a/b", &into); err == nil || Is(err, Skew) {
		t.Errorf("a job that is not there: %v", err)
	}
}

// A stream of one browser that does not read does not hold up other questions.
func TestAStreamThatIsNotRead(t *testing.T) {
	c := newCluster(t)
	s := c.scheduler(t, "ashlar-system", "one", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/state" {
			version("v1")(w, r)
			return
		}
		line := []byte(strings.Repeat("x", 1<<16) + "\n")
		for r.Context().Err() == nil {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	})
	c.lease("ashlar-system", "volcano", "one_x", "ashlar-system", s.label())
	p := c.person(t, Options{})
	answer, err := p.Ask(t.Context(), "/v1/watch")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := bufio.NewReader(answer.Body).ReadByte(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if got, err := state(t, p, 10*time.Second); err != nil || got.Version != "v1" {
			t.Fatalf("%+v, %v", got, err)
		}
	}
}

// A read API that is named is asked without the API server, by its certificate.
func TestAReadAPIThatIsNamed(t *testing.T) {
	c := newCluster(t)
	s := c.scheduler(t, "x", "y", version("v1"))
	if got, err := state(t, c.person(t, Options{Address: s.URL, Certificate: s.label()}), 10*time.Second); err != nil ||
		got.Version != "v1" {
		t.Errorf("%+v, %v", got, err)
	}
	before := s.times()
	_, err := state(t, c.person(t, Options{Address: s.URL, Certificate: "AB:CD"}), 10*time.Second)
	if !Is(err, Untrusted) || s.times() != before {
		t.Errorf("another certificate: %v, asked %d times", err, s.times()-before)
	}
	for _, o := range []Options{{Address: s.URL}, {Address: "http://x", Certificate: "x"},
		{Address: "https://x/path", Certificate: "x"}} {
		o.Person = &rest.Config{Host: c.URL}
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	answer, err := c.person(t, Options{Address: s.URL, Certificate: s.label()}).RoundTrip(
		httptest.NewRequest(http.MethodPost, "/v1/state", nil))
	if err == nil {
		answer.Body.Close()
		t.Error("a POST is sent")
	}
}
