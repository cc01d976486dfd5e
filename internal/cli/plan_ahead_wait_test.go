//go:build !simulator

package cli

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"ashlar.sh/internal/readapi/client"
)

// answering is a scheduler that is reached without a network.
type answering func(*http.Request) (code int, text string)

// RoundTrip implements http.RoundTripper.
func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	code, text := a(r)
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: code, Status: fmt.Sprint(code), Body: io.NopCloser(strings.NewReader(text))}, nil
}

// A scheduler that looks ahead for others is waited for, 25 s at most: then it is looked for on the objects.
func TestLookingAheadIsWaitedFor(t *testing.T) {
	const plan = `{"apiVersion": "ashlar.sh/v1alpha1", "kind": "Plan", "jobs": [], "evictions": [], "notes": ["found"]}`
	const busy = `{"kind": "Status", "code": 503, "message": "no time", "details": {"causes": [{"reason": "Busy"}]}}`
	for name, c := range map[string]struct {
		answers func(r *http.Request, asked time.Duration) (int, string)
		after   time.Duration // it is known
		found   bool
	}{
		"at once": {func(*http.Request, time.Duration) (int, string) { return 200, plan }, 0, true},
		"after others": {func(_ *http.Request, asked time.Duration) (int, string) {
			if asked < 20*time.Second {
				return 503, busy
			}
			return 200, plan
		}, 20 * time.Second, true},
		"busy all the time": {func(*http.Request, time.Duration) (int, string) { return 503, busy }, 25 * time.Second, false},
		"never": {func(r *http.Request, _ time.Duration) (int, string) {
			<-r.Context().Done()
			return 0, ""
		}, 25 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				asks := answering(func(r *http.Request) (int, string) { return c.answers(r, time.Since(began)) })
				to, err := client.New(client.Options{Address: "https://localhost:8443", Certificate: "x", Wait: true,
					Person: &rest.Config{Host: "https://localhost:6443", WrapTransport: func(http.RoundTripper) http.RoundTripper {
						return asks
					}}})
				if err != nil {
					t.Fatal(err)
				}
				p := planner{questions{Process{Err: io.Discard, Now: time.Now}}}
				out := p.askedAhead(planning{until: time.Hour, search: time.Second},
					&scheduler{Client: to, ctx: t.Context(), s: &source{}}, nil)
				if found := out != nil && len(out.Notes) == 1; found != c.found {
					t.Errorf("found: %+v", out)
				}
				if took := time.Since(began); took != c.after {
					t.Errorf("it is known after %s, want %s", took, c.after)
				}
			})
		})
	}
}
