package model

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

func (s *script) get(at subject) {
	q := question{method: http.MethodGet, resource: at.resource(), path: at.path()}
	if s.maybe(6) {
		q.path = at.path("status")
	}
	s.heads(&q)
	s.ask(q)
}

func (s *script) list(at subject) {
	q := question{method: http.MethodGet, resource: at.resource(), path: at.all(), query: url.Values{}}
	if s.maybe(3) && at.everywhere() {
		q.path = at.kind.Path("", "")
	}
	if s.maybe(2) {
		q.query.Set("limit", fmt.Sprint(1+s.random.IntN(4)))
	}
	s.choose(at, q.query)
	s.heads(&q)
	if f := q.query.Get("fieldSelector"); strings.HasPrefix(f, "spec.nodeName") || strings.HasPrefix(f, "metadata.name") {
		q.query.Del("limit") // by its indexes the real server knows whether a next page would be empty
	}
	if key := at.key(); s.maybe(3) {
		n := s.random.IntN(1 << 20)
		match := []string{"", "NotOlderThan", "Exact"}[s.random.IntN(3)]
		q.fill = func(side *side, query url.Values) {
			if known := side.versions[key]; len(known) > 0 {
				query.Set("resourceVersion", known[n%len(known)])
				if match != "Exact" { // what is shown may be as old as that
					query.Set("resourceVersion", fmt.Sprint(side.newest))
				}
				if query.Set("resourceVersionMatch", match); match == "" {
					query.Del("resourceVersionMatch")
				}
			}
		}
		if match == "" && q.query.Get("limit") != "" {
			q.fill = nil // what that means depends on whether the real server's cache answers
		}
	}
	if s.maybe(10) {
		q.query.Del("limit")
		q.fill = func(side *side, query url.Values) {
			side.caughtUp(q.path)
			query.Set("resourceVersion", "0")
			if query.Del("resourceVersionMatch"); s.sent%2 == 0 {
				query.Set("resourceVersionMatch", "NotOlderThan")
			}
		}
	}
	s.ask(q)
}

// caughtUp waits until a server's cache of what a path lists shows all that was written: it answers lists and watches
// of no version, or of 0, from what it has by then.
func (s *side) caughtUp(path string) {
	s.send(request{method: http.MethodGet, path: path, query: url.Values{"resourceVersion": {fmt.Sprint(s.newest)},
		"resourceVersionMatch": {"NotOlderThan"}}})
}

// choose chooses some of the objects.
func (s *script) choose(at subject, query url.Values) {
	if s.maybe(4) {
		query.Set("labelSelector", []string{"colour=red", "colour!=red", "colour", "!colour",
			"colour in (red,blue)"}[s.random.IntN(5)])
	}
	if s.maybe(4) && at.kind.Resource == "pods" {
		query.Set("fieldSelector", []string{"spec.nodeName=", "spec.nodeName=thing-1",
			"status.phase!=Succeeded,status.phase!=Failed",
			"status.phase=Pending", "metadata.name=thing-0"}[s.random.IntN(5)])
	}
}
