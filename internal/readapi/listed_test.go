package readapi

import (
	"net/http"
	"strings"
	"testing"

	"ashlar.sh/internal/kube/access"
)

// The rows of `ashlar jobs` and `ashlar nodes`: to each user its own names, and those of others nowhere. What one user
// does not see another one does, although both are told of one copy.
func TestRowsAsTheCommandPrintsThem(t *testing.T) {
	users := people()
	users.give("operator", access.ListNodes().String(), access.ListPods("red").String())
	s := served(busyWorld(t), users)
	for range 2 {
		for _, c := range []struct {
			user, path string
			has, lacks []string
		}{
			{"admin", "/v1/list/jobs", []string{`"state":"Starts"`, `"places":[{"node":"n1","pods":3}]`, `"secret"`},
				[]string{`"hidden"`}},
			{"tenant", "/v1/list/jobs", []string{`"hidden":{"count":2,`, `"red"`}, []string{"blue", "secret"}},
			{"operator", "/v1/list/nodes", []string{`"taints":[]`, `"name":"runs-1"`, `"name":"*"`}, []string{"blue"}},
			{"admin", "/v1/list/nodes", []string{`"namespace":"blue"`, `"namespace":"red"`}, []string{`"*"`}},
			{"nobody", "/v1/list/nodes", []string{`"items":[]`, `"idle":{`}, []string{`"name"`}},
			{"admin", "/v1/list/jobs?namespace=red&waiting=true", []string{`"Never"`}, []string{`"runs"`}},
		} {
			code, got := get[map[string]any](t, s, c.user, c.path)
			text := strings.TrimSpace(plain(got))
			if code != http.StatusOK {
				t.Errorf("%s: %s: %d %s", c.user, c.path, code, text)
			}
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %s lacks %s: %s", c.user, c.path, want, text)
				}
			}
			for _, not := range c.lacks {
				if strings.Contains(text, not) {
					t.Errorf("%s: %s tells of %s: %s", c.user, c.path, not, text)
				}
			}
		}
	}
	if code, text := get[map[string]any](t, s, "tenant", "/v1/list/jobs?namespace=blue"); code != http.StatusForbidden {
		t.Errorf("a namespace of others: %d %v", code, text)
	}
}
