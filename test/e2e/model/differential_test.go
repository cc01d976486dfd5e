package model

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"ashlar.sh/deploy"
	"ashlar.sh/test/e2e/cluster"
	"ashlar.sh/test/world/apimodel"
)

// How many requests are sent, and from which seed they are drawn.
const (
	requestsVariable = "ASHLAR_MODEL_REQUESTS"
	seedVariable     = "ASHLAR_MODEL_SEED"
)

// The same random requests get the same answers from the model and from the real API server, and watches show the same.
func TestTheModelAnswersAsTheAPIServer(t *testing.T) { start(t, 3000).run() }

// start begins a script, which has so many requests unless a variable says otherwise.
func start(t *testing.T, requests uint64, flags ...string) *script {
	// By itself the API server forgets the history after ten minutes, which a long run takes.
	flags = append(flags, "--etcd-compaction-interval=0")
	c, err := cluster.Start(t.Context(), cluster.Options{Flags: map[string][]string{"kube-apiserver": flags}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := c.InstallCRDs(t.Context()); err != nil {
		t.Fatal(err)
	}
	klog.SetLogger(logr.Discard()) // what owns fields tells of each object that has values of wrong types
	count, seed := number(t, requestsVariable, requests), number(t, seedVariable, uint64(time.Now().UnixNano()))
	t.Logf("%s=%d %s=%d", requestsVariable, count, seedVariable, seed)
	server := apimodel.NewServer(time.Now)
	crds, err := deploy.CRDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range crds {
		if err := server.Define(crd); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.OwnFields(); err != nil {
		t.Fatal(err)
	}
	return &script{t: t, random: rand.New(rand.NewPCG(seed, 0)), sides: []*side{model(server), real(t, c)},
		kinds: server, count: int(count), did: map[string]int{}, differ: map[string]bool{}}
}

// round is how many requests are sent while some watches run.
const round = 500

func (s *script) run() {
	s.begin()
	s.emptied()
	for s.sent < s.count && s.goesOn() {
		end := func() {}
		if s.compacts == 0 {
			end = s.watches()
		}
		for last := min(s.count, s.sent+round); s.sent < last && s.goesOn(); {
			if s.compacts > 0 && s.maybe(s.compacts) {
				s.compact()
			}
			s.step()
		}
		if s.compacts > 0 { // one that runs may or may not have read what is forgotten
			end = s.watches()
		}
		end()
	}
	s.unready()
	s.emptiedAtLast()
	s.t.Logf("%d requests, %d watches with %d events: %v", s.sent, s.watched, s.events, s.did)
}

// goesOn says that the two agree about most kinds.
func (s *script) goesOn() bool { return len(s.differ) < len(drawn)/2 }

func number(t *testing.T, variable string, otherwise uint64) uint64 {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// script is what both sides are asked.
type script struct {
	t      *testing.T
	random *rand.Rand
	sides  []*side
	kinds  *apimodel.Server // the model
	count  int
	did    map[string]int // by status
	sent   int
	recent []string        // what was sent
	differ map[string]bool // kinds about which the two differ: no more is asked about them

	watched, events int
	compacts        int // once in so many requests the history is forgotten; 0: never
}

// question is a request as it is drawn: what one side alone can know is filled in for each.
type question struct {
	method, resource, path string
	contentType, accept    string
	query                  url.Values
	body                   func(s *side) any
	fill                   func(s *side, query url.Values)
	binary                 bool                 // the body is sent in protobuf
	named                  func(s *side) string // the path, where the sides have names of their own
	certain                bool                 // it is no dry run
}

var subresource = regexp.MustCompile(`/(binding|eviction|status)$`)

// ask sends a question to both sides, and compares the answers.
func (s *script) ask(q question) {
	s.sent++
	if q.method != http.MethodGet && s.maybe(12) && !q.certain {
		if q.query == nil {
			q.query = url.Values{}
		}
		q.query.Set("dryRun", "All")
	}
	var answers []any
	var lists []map[string]any
	for _, side := range s.sides {
		r := request{method: q.method, path: q.path, query: url.Values{}, contentType: q.contentType, accept: q.accept}
		for k, v := range q.query {
			r.query[k] = v
		}
		if q.fill != nil {
			q.fill(side, r.query)
		}
		if q.named != nil {
			r.path = q.named(side)
		}
		if q.body != nil {
			r.body, _ = json.Marshal(q.body(side)) // plain data
		}
		if r.contentType == "" {
			r.contentType = "application/json"
		}
		if q.binary {
			r.inProtobuf()
		}
		code, body := side.send(r)
		raw, _ := json.Marshal(body) // plain data
		lists = append(lists, read(raw))
		side.learn(body, q.resource)
		if meta, _ := body["metadata"].(map[string]any); q.method == http.MethodPost && code == http.StatusCreated &&
			meta["generateName"] != nil && q.query.Get("dryRun") == "" {
			side.generated, _ = meta["name"].(string)
		}
		answers = append(answers, map[string]any{"code": code, "body": side.plain(body, q.resource)})
		if side == s.sides[0] {
			s.did[fmt.Sprintf("%s %d", q.method, code)]++
			s.recent = append(s.recent, fmt.Sprintf("%s %s?%s %s -> %d", r.method, r.path, r.query.Encode(), r.body, code))
		}
	}
	if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
		object := subresource.ReplaceAllString(q.path, "")
		kind := " " + path.Dir(object) + "?"
		about := slices.DeleteFunc(s.recent, func(line string) bool {
			return !strings.Contains(line, object) && !strings.Contains(line, kind)
		})
		for _, line := range about[max(0, len(about)-24):] {
			s.t.Log(line)
		}
		s.t.Errorf("request %d, %s %s: the model (-) answers otherwise than the API server (+):\n%s", s.sent, q.method,
			q.path, diff)
		s.differ[q.resource] = true
		return
	}
	s.goOn(q, lists)
}

// goOn asks for the next page of a list, if there is one. Of a list that is forgotten it is what there is now.
func (s *script) goOn(q question, lists []map[string]any) {
	tokens := map[*side]string{}
	for i, side := range s.sides {
		meta, _ := lists[i]["metadata"].(map[string]any)
		tokens[side], _ = meta["continue"].(string)
	}
	if tokens[s.sides[0]] == "" {
		return
	}
	if lists[0]["kind"] == "Status" {
		s.did["went on past what is forgotten"]++
	}
	next := q
	next.fill = func(side *side, query url.Values) {
		query.Set("continue", tokens[side])
		query.Del("resourceVersion")
		query.Del("resourceVersionMatch")
	}
	switch {
	case s.compacts > 0 && s.maybe(3):
		s.compactAll()
	case s.random.IntN(3) == 0:
		s.step() // the list goes on as it was
	}
	s.ask(next)
}

// known asks what is not drawn: a case in which the two sides differed once. A patch is a merge patch.
func (s *script) known(method string, of subject, path string, body map[string]any) {
	q := question{method: method, resource: of.resource(), path: path, certain: true,
		body: func(*side) any { return body }}
	if method == http.MethodPatch {
		q.contentType = string(types.MergePatchType)
	}
	s.ask(q)
}

// knownApply asks for a server-side apply that is not drawn.
func (s *script) knownApply(of subject, body map[string]any) {
	s.ask(question{method: http.MethodPatch, resource: of.resource(), path: of.path(), certain: true,
		contentType: string(types.ApplyYAMLPatchType), query: url.Values{"fieldManager": {"b"}, "force": {"true"}},
		body: func(*side) any { return body }})
}

// mustMake asks for an object that must be made.
func (s *script) mustMake(q question) {
	q.method = http.MethodPost
	s.ask(q)
	if s.did["POST 201"] == 0 {
		s.t.Fatal("nothing was made")
	}
}
