package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"ashlar.sh/test/e2e/cluster"
	"ashlar.sh/test/world/apimodel"
)

// side is one of the two servers, and what it said so far. What it alone can know, UIDs and versions, is told apart by
// when it was first said of an object.
type side struct {
	name     string
	send     func(r request) (code int, body map[string]any)
	follow   func(t *testing.T, r request) following
	uids     map[string][]string // by path of the object
	versions map[string][]string
	newest   int64

	generated string // the name of the object that was made last, if it was the API server that named it

	forget    func(version int64) // all that was before it
	forgotten int64
}

// request is one as it is sent to a side.
type request struct {
	method, path, contentType, accept string
	query                             url.Values
	body                              []byte
}

func newSide(name string) *side {
	return &side{name: name, uids: map[string][]string{}, versions: map[string][]string{}}
}

// model is the model's side.
func model(s *apimodel.Server) *side {
	out := newSide("model")
	out.forget = s.Compact
	out.send = func(r request) (int, map[string]any) {
		answer := s.Do(&apimodel.Request{Client: "Go-http-client", Method: r.method, Path: r.path, Query: r.query,
			ContentType: r.contentType, Accept: r.accept, Body: r.body})
		raw, _ := json.Marshal(answer.Body) // plain data
		return answer.Code, read(raw)
	}
	out.follow = func(_ *testing.T, r request) following {
		answer := s.Do(&apimodel.Request{Client: "Go-http-client", Method: http.MethodGet, Path: r.path, Query: r.query,
			Accept: r.accept})
		return func(int) (events []map[string]any) {
			if answer.Watch == nil {
				raw, _ := json.Marshal(answer.Body) // plain data
				return []map[string]any{read(raw)}
			}
			defer answer.Watch.End()
			for {
				e, ok := answer.Watch.Next()
				if !ok {
					return events
				}
				events = append(events, map[string]any{"type": e.Type, "object": read(e.Object)})
			}
		}
	}
	return out
}

// real is the API server's side.
func real(t *testing.T, c *cluster.Cluster) *side {
	config := c.Config
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	do := func(ctx context.Context, r request) *http.Response {
		request, err := http.NewRequestWithContext(ctx, r.method, config.Host+r.path+"?"+r.query.Encode(),
			bytes.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", r.contentType)
		if r.accept != "" {
			request.Header.Set("Accept", r.accept)
		}
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	out := newSide("API server")
	out.forget = func(version int64) {
		if err := c.Compact(t.Context(), version); err != nil {
			t.Fatal(err)
		}
	}
	out.send = func(r request) (int, map[string]any) {
		answer := do(t.Context(), r)
		defer answer.Body.Close()
		raw, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, read(raw)
	}
	out.follow = func(t *testing.T, r request) following {
		ctx, cancel := context.WithCancel(t.Context())
		answer := do(ctx, r) //nolint:bodyclose // it is closed where it is read
		lines := make(chan map[string]any, 1000)
		go func() {
			defer close(lines)
			defer answer.Body.Close()
			all := bufio.NewScanner(answer.Body)
			all.Buffer(nil, 1<<20)
			for all.Scan() {
				select {
				case lines <- read(all.Bytes()):
				case <-ctx.Done():
					return
				}
			}
		}()
		return func(atLeast int) (events []map[string]any) {
			defer cancel()
			for {
				wait := quiet
				if len(events) < atLeast {
					wait = patience
				}
				select {
				case e, ok := <-lines:
					if !ok {
						return events
					}
					if !isPlainBookmark(e) {
						events = append(events, e)
					}
				case <-time.After(wait):
					return events
				}
			}
		}
	}
	return out
}

func read(raw []byte) map[string]any {
	out := map[string]any{}
	if err := json.Unmarshal(raw, &out); err != nil {
		return map[string]any{"text": string(raw)}
	}
	return out
}

// learn remembers the UIDs and versions that an answer shows.
func (s *side) learn(o map[string]any, resource string) {
	for _, item := range itemsOf(o) {
		s.learn(item, resource)
	}
	meta, _ := o["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	if name == "" {
		return
	}
	key := nameOf(meta, resource)
	note := func(in map[string][]string, value any) {
		if text, _ := value.(string); text != "" && !slices.Contains(in[key], text) {
			in[key] = append(in[key], text)
		}
	}
	note(s.uids, meta["uid"])
	note(s.versions, meta["resourceVersion"])
	if text, _ := meta["resourceVersion"].(string); text != "" {
		version, _ := strconv.ParseInt(text, 10, 64) // 0 is not newer
		s.newest = max(s.newest, version)
	}
}

func nameOf(meta map[string]any, resource string) string {
	return fmt.Sprintf("%s %v/%v", resource, meta["namespace"], meta["name"])
}

func itemsOf(o map[string]any) (out []map[string]any) {
	list, _ := o["items"].([]any)
	for _, x := range list {
		if item, ok := x.(map[string]any); ok {
			out = append(out, item)
		}
	}
	return out
}

// times are the fields that hold one.
var times = []string{"creationTimestamp", "deletionTimestamp", "lastTransitionTime", "lastProbeTime",
	"lastPhaseTransitionTime"}

// plain is an answer without what the two sides cannot have in common.
func (s *side) plain(o map[string]any, resource string) any {
	if kind, _ := o["kind"].(string); kind == "Status" && o["status"] != "Success" {
		meta, _ := o["metadata"].(map[string]any)
		details, _ := o["details"].(map[string]any)
		return fmt.Sprintf("%v %v, goes on: %v, retry after: %v", o["code"], o["reason"], meta["continue"] != nil,
			details["retryAfterSeconds"]) // messages are prose
	} else if kind == "Status" {
		return "Success"
	}
	if o["items"] != nil {
		items := []any{}
		for _, item := range itemsOf(o) {
			delete(item, "kind") // real lists of custom resources have it, others do not
			delete(item, "apiVersion")
			items = append(items, s.plain(item, resource))
		}
		meta, _ := o["metadata"].(map[string]any)
		return map[string]any{"items": items, "more": meta["continue"] != nil && meta["continue"] != "",
			"remaining": meta["remainingItemCount"]}
	}
	meta, _ := o["metadata"].(map[string]any)
	if meta != nil {
		meta["managedFields"] = owners(meta["managedFields"])
		delete(meta, "selfLink")
		key := nameOf(meta, resource)
		for field, known := range map[string][]string{"uid": s.uids[key], "resourceVersion": s.versions[key]} {
			if text, _ := meta[field].(string); text != "" {
				meta[field] = fmt.Sprintf("#%d", slices.Index(known, text))
			}
		}
		if name, _ := meta["name"].(string); meta["generateName"] != nil {
			meta["name"] = name[:max(0, len(name)-ownEnd)] + "*"
		}
	}
	return timeless(o)
}

// owners are the managers of an object's fields, in their order, but for when they came to be that.
func owners(list any) any {
	entries, _ := list.([]any)
	for _, x := range entries {
		if entry, is := x.(map[string]any); is {
			delete(entry, "time")
		}
	}
	slices.SortFunc(entries, func(a, b any) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) // those of one second may be in another order
	})
	return list
}

func timeless(x any) any {
	switch x := x.(type) {
	case map[string]any:
		for k, v := range x {
			if text, is := v.(string); is && slices.Contains(times, k) && strings.Contains(text, "T") {
				x[k] = "a time"
			} else {
				x[k] = timeless(v)
			}
		}
	case []any:
		for i := range x {
			x[i] = timeless(x[i])
		}
	}
	return x
}
