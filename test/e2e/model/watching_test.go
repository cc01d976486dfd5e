package model

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// following is a watch that runs: it ends it, and tells what it showed, which is at least so much.
type following func(atLeast int) []map[string]any

// How long the real server gets to show what it has to show, and when no more is expected of it.
const (
	patience = 15 * time.Second
	quiet    = 400 * time.Millisecond
)

// isPlainBookmark says that an event is a bookmark that the real server sends when it likes: not the one that ends what
// was there before.
func isPlainBookmark(e map[string]any) bool {
	object, _ := e["object"].(map[string]any)
	meta, _ := object["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	return e["type"] == "BOOKMARK" && annotations[metav1.InitialEventsAnnotationKey] == nil
}

// watchesAtOnce is how many watches run while requests are sent.
const watchesAtOnce = 24

// watches begins some, from now or from versions that were seen on the way; to end them compares what they showed.
func (s *script) watches() (end func()) {
	type pair struct {
		q      question
		text   string
		follow [2]following
	}
	var all []*pair
	for range watchesAtOnce {
		if q, ok := s.watch(); ok {
			p := &pair{q: q}
			for i, side := range s.sides {
				r := request{method: http.MethodGet, path: q.path, accept: q.accept, query: url.Values{}}
				for k, v := range q.query {
					r.query[k] = v
				}
				if q.fill(side, r.query); i == 0 {
					p.text = fmt.Sprintf("%s?%s %s", r.path, r.query.Encode(), r.accept)
				}
				p.follow[i] = side.follow(s.t, r)
			}
			all = append(all, p)
		}
	}
	return func() {
		var wait sync.WaitGroup
		shown := make([][2][]map[string]any, len(all))
		for i, p := range all {
			shown[i][0] = p.follow[0](0)
			wait.Go(func() { shown[i][1] = p.follow[1](len(shown[i][0])) })
		}
		wait.Wait()
		for i, p := range all {
			if !s.differ[p.q.resource] { // else they hold other objects
				s.compareShown(p.q.resource, p.text, shown[i])
			}
		}
	}
}

func (s *script) compareShown(resource, text string, shown [2][]map[string]any) {
	s.watched++
	s.events += len(shown[0])
	var plain [2][]any
	for i, side := range s.sides {
		for _, e := range shown[i] {
			object, _ := e["object"].(map[string]any)
			if e["type"] == nil { // an answer that is no watch
				object = e
			}
			switch meta, _ := object["metadata"].(map[string]any); e["type"] {
			case "BOOKMARK":
				plain[i] = append(plain[i], "BOOKMARK", meta["annotations"])
			default:
				side.learn(object, resource)
				plain[i] = append(plain[i], fmt.Sprint(e["type"]), side.plain(object, resource))
			}
		}
	}
	if diff := cmp.Diff(plain[0], plain[1]); diff != "" {
		s.t.Errorf("request %d, watch %s: the model (-) shows otherwise than the API server (+):\n%s", s.sent, text, diff)
		s.differ[resource] = true
	}
}

// watch draws one, false if nothing is known yet that it could begin at.
func (s *script) watch() (question, bool) {
	at := s.subject()
	known := len(s.sides[0].versions[at.key()])
	if known == 0 {
		return question{}, false
	}
	q := question{resource: at.resource(), path: at.all(), query: url.Values{"watch": {"true"}}}
	if s.maybe(3) && at.everywhere() {
		q.path = at.kind.Path("", "")
	}
	s.choose(at, q.query)
	s.heads(&q)
	n, how := s.recently(known), s.random.IntN(8)
	if how > 4 && s.compacts == 0 && s.mayBeForgotten(at, n) {
		how = 4
	}
	if s.maybe(2) {
		q.query.Set("allowWatchBookmarks", "true")
	}
	q.fill = func(side *side, query url.Values) {
		switch how {
		case 0:
			query.Set("sendInitialEvents", "true")
			query.Set("resourceVersionMatch", "NotOlderThan")
			query.Set("resourceVersion", fmt.Sprint(side.newest))
		case 1:
			query.Set("sendInitialEvents", "true")
			query.Set("resourceVersionMatch", "NotOlderThan")
		case 2:
			side.caughtUp(q.path)
			query.Set("resourceVersion", "0")
		case 3: // from what is there, whenever that was
			side.caughtUp(q.path)
		case 4:
			query.Set("resourceVersion", fmt.Sprint(side.newest))
		default:
			query.Set("resourceVersion", side.versions[at.key()][n])
		}
	}
	return q, true
}

// recently draws one of so many, mostly one of the last: the real server's cache reaches back for a while only.
func (s *script) recently(known int) int {
	return max(0, known-1-s.random.IntN(min(known, 30)))
}

// cached is how many events of a kind the real server's cache holds at least.
const cached = 100

// mayBeForgotten says that the real server's cache may not reach back to a version of an object.
func (s *script) mayBeForgotten(at subject, n int) bool {
	server := s.sides[1]
	version, err := strconv.ParseInt(server.versions[at.key()][n], 10, 64)
	return err != nil || server.newest-version > cached
}

// heads may ask for no more than the metadata, as those do that look for owners.
func (s *script) heads(q *question) {
	if s.maybe(8) {
		list := "PartialObjectMetadata"
		if q.query != nil && q.query.Get("watch") == "" {
			list = "PartialObjectMetadataList"
		}
		q.accept = "application/json;as=" + list + ";g=meta.k8s.io;v=v1"
	}
}
