package world

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"ashlar.sh/internal/loop"
	"ashlar.sh/test/world/apimodel"
)

// defects are made anew for each world: some count.
func defects() map[string]func() Breaks {
	out := map[string]func() Breaks{}
	for what, f := range map[string]func(string, *apimodel.Event) bool{
		"reads twice the room of nodes":        replaces("Node", `"cpu":"8"`, `"cpu":"16"`),
		"does not see that nodes are cordoned": replaces("Node", `"unschedulable":true`, `"unschedulable":false`),
		"counts pods that leave as gone":       leavesAtOnce,
		"counts pods that ended as running":    replaces("Pod", `"phase":"Succeeded"`, `"phase":"Running"`),
		"does not see where pods run":          replaces("Pod", `"nodeName":"node-`, `"hostname":"node-`),
		"reads half of what pods ask for":      halfTheRequest,
		"takes gangs for larger than they are": atLeast(7),
		"does not see pods of others":          notIn(systemNamespace),
		"does not see nodes change":            misses("Node", "MODIFIED"),
		"takes the high priority for the low":  highIsLow,
		"does not see new PodGroups":           misses("PodGroup", "ADDED"),
		"does not hear that lists are over":    misses("Pod", "BOOKMARK"),
	} {
		out[what] = func() Breaks { return Breaks{event: f} }
	}
	for what, f := range map[string]func(http.RoundTripper, *http.Request) (*http.Response, error){
		"acts without the lease":                  pretendLease,
		"evicts without a word":                   evictSilently,
		"takes refused bindings for done":         takenForDone,
		"says nothing of PodGroups":               pretend(http.MethodPatch, "/podgroups/"),
		"says nothing of queues":                  pretend(http.MethodPatch, "/queues/"),
		"releases gangs that are whole":           releaseBound,
		"evicts what was bound a moment ago":      deleteBound,
		"binds all to one node":                   toOneNode,
		"changes what a PodGroup asks for":        alsoSpec,
		"takes bindings for refused that are not": refusedAfterAll,
	} {
		out[what] = func() Breaks { return Breaks{wrap: with(f)} }
	}
	out["does not see limits of queues"] = func() Breaks {
		return Breaks{event: replaces("Queue", `"capability":`, `"nothing":`),
			world: func(o *Options) { o.Nodes, o.Trouble.Panics = 2, 30*time.Second }, shows: " cores, and holds "}
	}
	out["does not see what queues are owed"] = func() Breaks {
		return Breaks{event: replaces("Queue", `"guarantee":`, `"nothing":`), world: func(o *Options) {
			o.Nodes, o.Lasts, o.Configuration, o.Usage = 2, 10*time.Minute, 1, false // by its weight it would deserve less
		}, shows: " is owed "}
	}
	out["does not see what budgets allow"] = func() Breaks {
		return Breaks{event: misses("PodDisruptionBudget", "ADDED", "MODIFIED"),
			world: func(o *Options) {
				o.Nodes, o.Configuration, o.Trouble = 2, 3, Trouble{} // else it could have seen an older budget
			}, shows: "whose budget allows no disruption"}
	}
	out["forgets what queues used"] = func() Breaks {
		return Breaks{wrap: with(forgetful), world: func(o *Options) { o.Usage = true }, shows: "is remembered"}
	}
	out["says nothing of pods that wait"] = func() Breaks {
		return Breaks{wrap: with(pretend(http.MethodPatch, "/pods/")), world: quietly, shows: " can never run, and says "}
	}
	out["says nothing of PodGroups that wait"] = func() Breaks {
		return Breaks{wrap: with(pretend(http.MethodPatch, "/podgroups/never")), world: quietly,
			shows: "can never run, and its PodGroup says"}
	}
	out["takes a binding for done"] = func() Breaks { return Breaks{wrap: with(everyNth(5, isBinding, pretendBound))} }
	out["bindings without a UID"] = func() Breaks { return Breaks{request: withoutUID} }
	out["deletions without a UID"] = func() Breaks { return Breaks{request: withoutPrecondition} }
	out["has no lease"] = func() Breaks { return Breaks{options: func(o *loop.Options) { o.Election = nil }} }
	out["has a lease of its own"] = func() Breaks {
		return Breaks{options: func(o *loop.Options) { o.Election.Name = strings.ReplaceAll(o.Election.Identity, ".", "-") }}
	}
	for _, more := range []func() map[string]func() Breaks{busy, harmful, misled, misread, stale, wide, wired, unclaimed,
		moved} {
		maps.Copy(out, more())
	}
	for what, b := range untrue() {
		out[what] = func() Breaks {
			one := b()
			world := one.world
			one.world = func(o *Options) {
				o.Reads, o.Asks = true, 2*time.Second
				if world != nil {
					world(o)
				}
			}
			return one
		}
	}
	out["has the name of the other one"] = func() Breaks {
		return Breaks{options: func(o *loop.Options) { o.Election.Identity = "scheduler" }}
	}
	return out
}

// replaces is a scheduler that reads another text in objects of a kind.
func replaces(kind, old, new string) func(string, *apimodel.Event) bool {
	return func(of string, e *apimodel.Event) bool {
		if of == kind {
			e.Object = []byte(strings.ReplaceAll(string(e.Object), old, new))
		}
		return true
	}
}

// misses is a scheduler that does not hear some events of a kind.
func misses(kind string, events ...string) func(string, *apimodel.Event) bool {
	return func(of string, e *apimodel.Event) bool {
		for _, one := range events {
			if of == kind && e.Type == one {
				return false
			}
		}
		return true
	}
}

// notIn is a scheduler that sees no pod of a namespace.
func notIn(namespace string) func(string, *apimodel.Event) bool {
	return func(kind string, e *apimodel.Event) bool {
		return kind != "Pod" || !strings.Contains(string(e.Object), fmt.Sprintf(`"namespace":%q`, namespace))
	}
}

func leavesAtOnce(kind string, e *apimodel.Event) bool {
	if kind == "Pod" && strings.Contains(string(e.Object), `"deletionTimestamp"`) {
		e.Type = "DELETED"
	}
	return true
}

func halfTheRequest(kind string, e *apimodel.Event) bool {
	if kind == "Pod" {
		text := strings.ReplaceAll(string(e.Object), `"cpu":"4"`, `"cpu":"2"`)
		e.Object = []byte(strings.ReplaceAll(text, `"cpu":"3"`, `"cpu":"1"`))
	}
	return true
}

// highIsLow reads the value of the high priority as one below the low one's.
func highIsLow(kind string, e *apimodel.Event) bool {
	for of, field := range map[string]string{"Pod": `"priority":1000`, "PriorityClass": `"value":1000`} {
		if of == kind {
			e.Object = []byte(strings.ReplaceAll(string(e.Object), field, strings.TrimSuffix(field, "000")))
		}
	}
	return true
}

func atLeast(n int) func(string, *apimodel.Event) bool {
	return func(kind string, e *apimodel.Event) bool {
		if kind == "PodGroup" {
			for i := range 7 {
				e.Object = []byte(strings.ReplaceAll(string(e.Object), fmt.Sprintf(`"minMember":%d`, i),
					fmt.Sprintf(`"minMember":%d`, n)))
			}
		}
		return true
	}
}

// pretend takes for done what it does not send.
func pretend(method, path string) func(http.RoundTripper, *http.Request) (*http.Response, error) {
	return func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if r.Method != method || !strings.Contains(r.URL.Path, path) {
			return next.RoundTrip(r)
		}
		kind := `{"kind":"Pod","apiVersion":"v1"}`
		switch {
		case method == http.MethodDelete:
			kind = `{"kind":"Status","apiVersion":"v1","status":"Success"}`
		case path == "/podgroups/":
			kind = `{"kind":"PodGroup","apiVersion":"scheduling.volcano.sh/v1beta1"}`
		case path == "/queues/":
			kind = `{"kind":"Queue","apiVersion":"scheduling.volcano.sh/v1beta1"}`
		}
		return said(r, http.StatusOK, []byte(kind)), nil
	}
}

func takenForDone(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	answer, err := next.RoundTrip(r)
	if isBinding(r) && (err != nil || answer.StatusCode != http.StatusCreated) {
		return pretendBound(next, r)
	}
	return answer, err
}

// forgetful finds no memory of usage.
func forgetful(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/configmaps/") {
		return said(r, http.StatusNotFound, []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":404,`+
			`"reason":"NotFound","message":"no"}`)), nil
	}
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/configmaps") && r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		over := r.Clone(r.Context()) // it writes over what it did not read
		over.Method, over.URL.Path = http.MethodPut, r.URL.Path+"/volcano-usage-0"
		over.Body = io.NopCloser(bytes.NewReader(body))
		if answer, err := next.RoundTrip(over); err != nil || answer.StatusCode != http.StatusNotFound {
			return answer, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return next.RoundTrip(r)
}

// refusedAfterAll takes a binding that was carried out for one that is refused for good.
func refusedAfterAll(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	answer, err := next.RoundTrip(r)
	if isBinding(r) && err == nil && answer.StatusCode == http.StatusCreated {
		return said(r, http.StatusForbidden, []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,`+
			`"reason":"Forbidden","message":"no"}`)), nil
	}
	return answer, err
}

// uidsBegin is how all UIDs of the model begin.
const uidsBegin = "00000000-0000-4000-"

// uidIn is the first UID in a text, "" if there is none.
func uidIn(text string) string {
	if at := strings.Index(text, uidsBegin); at >= 0 && len(text) >= at+36 {
		return text[at : at+36]
	}
	return ""
}

// afterBinding sends something more about a pod that was bound, now and then.
func afterBinding(next http.RoundTripper, r *http.Request, more func(path, uid string)) (*http.Response, error) {
	if !isBinding(r) {
		return next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer, err := next.RoundTrip(r)
	if uid := uidIn(string(body)); err == nil && answer.StatusCode == http.StatusCreated && uid != "" && uid[35]%4 == 0 {
		more(strings.TrimSuffix(r.URL.Path, "/binding"), uid)
	}
	return answer, err
}

func sent(next http.RoundTripper, r *http.Request, method, path, kind, body string) {
	url := *r.URL
	url.Path = path
	more := r.Clone(r.Context())
	more.Method, more.URL, more.Body = method, &url, io.NopCloser(strings.NewReader(body))
	more.ContentLength = int64(len(body))
	more.Header.Set("Content-Type", kind)
	if answer, err := next.RoundTrip(more); err == nil {
		_ = answer.Body.Close() // nobody reads it
	}
}

func deleteBound(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	return afterBinding(next, r, func(path, uid string) {
		sent(next, r, http.MethodDelete, path, "application/json", fmt.Sprintf(`{"preconditions":{"uid":%q}}`, uid))
	})
}

func releaseBound(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	return afterBinding(next, r, func(path, uid string) { release(next, r, path, uid) })
}

// release deletes a pod as if its gang could not be completed.
func release(next http.RoundTripper, r *http.Request, path, uid string) {
	sent(next, r, http.MethodPatch, path+"/status", "application/strategic-merge-patch+json",
		fmt.Sprintf(`{"metadata":{"uid":%q},"status":{"conditions":[{"type":"DisruptionTarget","status":"True",`+
			`"message":"evicted by the release of its gang"}]}}`, uid))
	sent(next, r, http.MethodDelete, path, "application/json", fmt.Sprintf(`{"preconditions":{"uid":%q}}`, uid))
}

// releaseOthers releases a member of a gang once another one, which was made again, is bound again.
func releaseOthers() func(http.RoundTripper) http.RoundTripper {
	bound := map[string]string{} // UIDs of pods by their paths
	return with(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if !isBinding(r) {
			return next.RoundTrip(r)
		}
		text := ""
		answer, err := changed(next, r, func(body string) string {
			text = body
			return body
		})
		path, uid := strings.TrimSuffix(r.URL.Path, "/binding"), uidIn(text)
		if err != nil || answer.StatusCode != http.StatusCreated || uid == "" {
			return answer, err
		}
		was, again := bound[path]
		bound[path] = uid
		gang := path[:strings.LastIndexByte(path, '-')+1]
		for _, other := range slices.Sorted(maps.Keys(bound)) {
			if again && was != uid && other != path && strings.HasPrefix(other, gang) {
				release(next, r, other, bound[other])
				break
			}
		}
		return answer, nil
	})
}

// changed sends another body than the one it was given.
func changed(next http.RoundTripper, r *http.Request, change func(string) string) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	text := change(string(body))
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	return next.RoundTrip(r)
}

func toOneNode(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if !isBinding(r) {
		return next.RoundTrip(r)
	}
	return changed(next, r, func(body string) string {
		for i := range 10 {
			body = strings.ReplaceAll(body, nodeName(i), nodeName(0))
		}
		return body
	})
}

func alsoSpec(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPatch || !strings.Contains(r.URL.Path, "/podgroups/") {
		return next.RoundTrip(r)
	}
	return changed(next, r, func(body string) string { return `{"spec":{"minMember":1},` + body[1:] })
}
