package rbacfallback

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// again is after how long a right that was missing is asked for anew: it may have been granted.
const again = time.Minute

// mostUpdates bounds the tries of an update that others overtake. After that the conflict is
// the answer, as it can be of a patch.
const mostUpdates = 5

// Wrapper returns a function that wraps the transports of clients, which share what is known of
// missing rights. A request is changed only after the API server has forbidden it as it was.
func Wrapper() func(http.RoundTripper) http.RoundTripper {
	known := &missing{found: map[string]time.Time{}, now: time.Now}
	return func(next http.RoundTripper) http.RoundTripper { return &transport{next, known} }
}

// missing is when rights were last found to be missing, by verb and resource.
type missing struct {
	now   func() time.Time
	mu    sync.Mutex
	found map[string]time.Time
}

func (m *missing) lacks(right string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, found := m.found[right]
	return found && m.now().Sub(at) < again
}

func (m *missing) lack(right string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.found[right] = m.now()
}

type transport struct {
	next http.RoundTripper
	*missing
}

// RoundTrip sends a request, in another form where the right to it is missing.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	o, named := parse(r.URL.Path)
	if !named || r.Method != http.MethodPatch && r.Method != http.MethodGet || r.URL.Query().Get("watch") != "" {
		return t.next.RoundTrip(r)
	}
	right := r.Method + " " + o.resource
	body, err := content(r)
	if err != nil {
		return nil, err
	}
	if !t.lacks(right) {
		answer, err := t.next.RoundTrip(r)
		if err != nil || answer.StatusCode != http.StatusForbidden {
			return answer, err
		}
		instead, err := t.instead(r, o, body)
		if err != nil || instead.StatusCode == http.StatusForbidden {
			if err == nil {
				discard(instead)
			}
			return answer, nil // what was asked for is what is missing
		}
		discard(answer)
		t.lack(right)
		return instead, nil
	}
	return t.instead(r, o, body)
}

// instead sends what has the same effect as a request that is forbidden.
func (t *transport) instead(r *http.Request, o object, body []byte) (*http.Response, error) {
	if r.Method == http.MethodGet {
		return t.find(r, o)
	}
	return t.update(r, o, body)
}

// update reads an object, applies a patch to it and writes it whole.
func (t *transport) update(r *http.Request, o object, patch []byte) (*http.Response, error) {
	for n := 1; ; n++ {
		found, err := t.read(r, o)
		if err != nil || found.StatusCode != http.StatusOK {
			return found, err
		}
		before, err := drain(found)
		if err != nil {
			return nil, err
		}
		after, err := apply(r.Header.Get("Content-Type"), o.resource, before, patch)
		if errors.Is(err, errPatch) {
			return respond(found, http.StatusUnprocessableEntity, metav1.Status{
				TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
				Reason: metav1.StatusReasonInvalid, Code: http.StatusUnprocessableEntity, Message: err.Error()})
		}
		if err != nil {
			return nil, fmt.Errorf("patch %s by an update: %w", r.URL.Path, err)
		}
		put := r.Clone(r.Context())
		put.Method = http.MethodPut
		put.Header.Set("Content-Type", "application/json")
		fill(put, after)
		answer, err := t.next.RoundTrip(put)
		if err != nil || answer.StatusCode != http.StatusConflict || fixed(patch) || n == mostUpdates {
			return answer, err
		}
		discard(answer)
	}
}

// read gets an object as JSON, by its list where it must not be got.
func (t *transport) read(r *http.Request, o object) (*http.Response, error) {
	if !t.lacks("GET " + o.plain()) {
		get := bare(r, o.path)
		get.Header.Set("Accept", "application/json")
		answer, err := t.next.RoundTrip(get)
		if err != nil || answer.StatusCode != http.StatusForbidden {
			return answer, err
		}
		discard(answer)
		t.lack("GET " + o.plain())
	}
	return t.find(r, o)
}

// find is the object that a list by its name holds, as JSON, which every client takes;
// NotFound where it holds none.
func (t *transport) find(r *http.Request, o object) (*http.Response, error) {
	list := bare(r, o.path[:strings.LastIndexByte(o.path, '/')])
	list.URL.RawQuery = url.Values{"fieldSelector": {"metadata.name=" + o.name}}.Encode()
	list.Header.Set("Accept", "application/json")
	answer, err := t.next.RoundTrip(list)
	if err != nil || answer.StatusCode != http.StatusOK {
		return answer, err
	}
	data, err := drain(answer)
	if err != nil {
		return nil, err
	}
	var found struct {
		Kind, APIVersion string
		Items            []map[string]any
	}
	if err := decode(data, &found); err != nil {
		return nil, fmt.Errorf("read the list that holds %s: %w", o.path, err)
	}
	if len(found.Items) == 0 {
		return respond(answer, http.StatusNotFound, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound,
			Message: fmt.Sprintf("%s %q not found", o.plain(), o.name)})
	}
	item := found.Items[0]
	item["kind"], item["apiVersion"] = strings.TrimSuffix(found.Kind, "List"), found.APIVersion
	return respond(answer, http.StatusOK, item)
}

// bare is a GET of another path, with the same credentials.
func bare(r *http.Request, path string) *http.Request {
	out := r.Clone(r.Context())
	out.Method, out.Body, out.ContentLength, out.GetBody = http.MethodGet, nil, 0, nil
	out.Header.Del("Content-Type")
	u := *r.URL
	u.Path, u.RawPath, u.RawQuery = path, "", ""
	out.URL = &u
	return out
}

// content takes the body of a request out of it, and puts it back to be sent.
func content(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	data, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err == nil {
		fill(r, data)
	}
	return data, err
}

func fill(r *http.Request, data []byte) {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

func drain(answer *http.Response) ([]byte, error) {
	data, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	return data, err
}

func discard(answer *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20)) // so that the connection is used again
	_ = answer.Body.Close()
}

// respond puts other content into an answer.
func respond(answer *http.Response, code int, body any) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	out := *answer
	out.StatusCode, out.Status = code, fmt.Sprintf("%d %s", code, http.StatusText(code))
	out.Header = answer.Header.Clone()
	out.Header.Set("Content-Type", "application/json")
	out.Header.Del("Content-Length")
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	return &out, nil
}
