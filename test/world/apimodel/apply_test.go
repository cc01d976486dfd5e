package apimodel

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// A server-side apply makes what is not there, takes away what its manager applies no more, and changes what another
// one applied only by force.
func TestServerSideApply(t *testing.T) {
	s := NewServer(time.Now)
	if err := s.OwnFields(); err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		manager, force, data string
		code                 int
		holds                string
	}{
		{"a", "", "u: '1'", http.StatusCreated, "map[u:1]"},
		{"b", "", "v: '1'", http.StatusOK, "map[u:1 v:1]"},
		{"b", "", "u: '2'", http.StatusConflict, "map[u:1 v:1]"},
		{"b", "true", "u: '2'", http.StatusOK, "map[u:2]"},
		{"a", "", "w: '1'", http.StatusOK, "map[u:2 w:1]"},
		{"", "", "w: '1'", http.StatusUnprocessableEntity, "map[u:2 w:1]"},
	} {
		q := url.Values{"fieldManager": {step.manager}, "force": {step.force}}
		out := s.Do(&Request{Client: "test", Method: http.MethodPatch, Path: "/api/v1/namespaces/default/configmaps/c",
			Query: q, ContentType: "application/apply-patch+yaml",
			Body: fmt.Appendf(nil, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: default}\ndata: {%s}\n",
				step.data)})
		o := s.Get(s.Kind("", "configmaps"), "default", "c")
		if o == nil {
			t.Fatalf("step %d makes nothing: %v", i+1, out.Body)
		}
		held := fmt.Sprint(o.Object["data"])
		if out.Code != step.code || held != step.holds {
			t.Errorf("step %d: %d, and it holds %s, want %d and %s: %v", i+1, out.Code, held, step.code, step.holds, out.Body)
		}
	}
}
