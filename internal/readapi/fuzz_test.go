package readapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Whatever a client sends, in its address, its headers and its body: it gets one of a few answers, each of them a JSON
// document, nothing panics, and a tenant reads no name of another tenant's.
func FuzzRequest(f *testing.F) {
	for _, target := range []string{"/v1/state", "/v1/jobs", "/v1/jobs?namespace=red&limit=1", "/v1/queues", "/v1/nodes",
		"/v1/pods?job=runs&namespace=red&node=n1", "/v1/watch?kinds=jobs,queues&namespace=red", "/v1/dump", "/v1/report",
		"/metrics", "/configz?format=file", "/v1/why/job/red/waits", "/v1/why/pod/red/waits-0", "/v1/why/queue/red",
		"/v1/why/node/n1", "/v1/why/job/blue/%73ecret", "/v1/why/job/red/a%2Fb%20(Job.batch)", "//v1/jobs", "/v1/jobs?a=%zz",
		"/v1/why/job/..%2fblue/x", "/v1/jobs?continue=AAAA"} {
		f.Add("GET", target, "tenant", "Accept: application/json", "")
	}
	f.Add("POST", "/v1/jobs", "admin", "Content-Length: 3", "{}\n")
	f.Add(Query, planPath, "tenant", "Content-Length: 90", "apiVersion: v1\nkind: Pod\nmetadata: {name: a, "+
		"namespace: red}\nspec: {schedulerName: volcano}\n\n\n\n")
	f.Add("GET", "/v1/jobs", "nobody", "Impersonate-User: admin", "")
	f.Fuzz(func(t *testing.T, method, target, user, header, body string) {
		raw := method + " " + target + " HTTP/1.1\r\nHost: x\r\nAuthorization: " + user + "\r\n" + header + "\r\n\r\n" + body
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
		if err != nil {
			t.Skip() // net/http answers it
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond) // a stream has no end
		defer cancel()
		r.RemoteAddr = "10.0.0.7:5"
		s := served(busyWorld(t), people())
		s.o.Panicked = func(what string) { t.Errorf("it panicked: %s", what) }
		w := httptest.NewRecorder()
		func() {
			defer func() {
				if cause := recover(); cause != nil {
					if err, ok := cause.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
						panic(cause)
					}
				}
			}()
			s.ServeHTTP(w, r.WithContext(ctx))
		}()
		answer := w.Body.String()
		if w.Code == http.StatusInternalServerError {
			t.Errorf("%d %s", w.Code, answer)
		}
		if w.Code >= 400 && method != http.MethodHead && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%d, and no document: %q", w.Code, answer)
		}
		named := strings.Contains(r.URL.Path, "secret") || strings.Contains(raw, "secret") // it is told what it said
		if r.Header.Get("Authorization") != "admin" && !named && strings.Contains(answer, "secret") {
			t.Errorf("%s %s tells %q of another tenant's job: %s", method, target, user, answer)
		}
	})
}
