package world

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"ashlar.sh/internal/loop"
	"ashlar.sh/internal/recording"
	"ashlar.sh/test/world/apimodel"
)

// Breaks is a defect that schedulers are given, in what they send or hear, or in how they are set up.
type Breaks struct {
	wrap    func(http.RoundTripper) http.RoundTripper // around what it sends
	request func(*apimodel.Request)                   // changes what it sent
	event   func(kind string, e *apimodel.Event) bool // changes what it hears of a kind; false: it does not
	options func(*loop.Options)
	reads   func(http.Handler) http.Handler // around the read API
	step    func(*recording.Step)           // changes what it recorded
	world   func(*Options)                  // makes the world one in which the defect can do harm soon
	shows   string                          // what the check says that has to find it; "": any may
	ends    time.Duration                   // the world ends then, if there is trouble still; 0: it does not
}

// silent drops what servers say of connections that are broken on purpose.
var silent = log.New(io.Discard, "", 0)

// disturbed is a short world with the trouble that brings defects to light, and without that which hides them.
func disturbed(seed uint64) Options {
	o := drawn(seed, 4*time.Minute)
	o.Schedulers, o.Settles = 2, 20*time.Minute
	o.Trouble.Cut, o.Trouble.LostAfter = time.Minute, max(0.03, o.Trouble.LostAfter)
	o.Trouble.Others, o.Trouble.Shrinks = 20*time.Second, 40*time.Second
	o.Trouble.WatchStalls, o.Trouble.Paused = 15*time.Second, 2*time.Minute
	o.Trouble.Reloads, o.Trouble.Panics, o.Trouble.Restored = 0, 0, 0
	return o
}

// sender is a round trip as a function.
type sender func(*http.Request) (*http.Response, error)

func (s sender) RoundTrip(r *http.Request) (*http.Response, error) { return s(r) }

// with has a defect between a scheduler and its connection.
func with(defect func(http.RoundTripper, *http.Request) (*http.Response,
	error)) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return sender(func(r *http.Request) (*http.Response, error) { return defect(next, r) })
	}
}

// everyNth is a defect that one in n requests meets.
func everyNth(n int, which func(*http.Request) bool, defect func(http.RoundTripper, *http.Request) (*http.Response,
	error)) func(
	http.RoundTripper, *http.Request) (*http.Response, error) {
	met := 0
	return func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if which(r) {
			if met++; met%n == 0 {
				return defect(next, r)
			}
		}
		return next.RoundTrip(r)
	}
}

func isBinding(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/binding") }

func said(r *http.Request, code int, body []byte) *http.Response {
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}
}

func pretendBound(_ http.RoundTripper, r *http.Request) (*http.Response, error) {
	return said(r, http.StatusCreated, []byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`)), nil
}

// pretendLease takes every renewal of the lease for a success.
func pretendLease(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPut || !strings.Contains(r.URL.Path, "/leases/") {
		return next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer, err := next.RoundTrip(r)
	if err == nil && answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	out := said(r, http.StatusOK, body)
	out.Header.Set("Content-Type", r.Header.Get("Content-Type"))
	return out, nil
}

// evictSilently loses what is said of an eviction.
func evictSilently(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/status") && r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if r.Body = io.NopCloser(bytes.NewReader(body)); strings.Contains(string(body), "DisruptionTarget") {
			return said(r, http.StatusOK, []byte(`{"kind":"Pod","apiVersion":"v1"}`)), nil
		}
	}
	return next.RoundTrip(r)
}

func withoutUID(r *apimodel.Request) {
	if !strings.HasSuffix(r.Path, "/binding") {
		return
	}
	o, _, err := scheme.Codecs.UniversalDeserializer().Decode(r.Body, nil, nil)
	if b, is := o.(*corev1.Binding); err == nil && is {
		b.UID = ""
		r.Body, _ = json.Marshal(b) // plain data
	}
}

func withoutPrecondition(r *apimodel.Request) {
	if r.Method == http.MethodDelete {
		r.Body = nil
	}
}
