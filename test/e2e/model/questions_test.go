package model

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"ashlar.sh/test/world/apimodel"
)

// Where things happen: one namespace is missing.
var namespaces = []string{"one", "two", "missing"}

const names = 4

// subject is an object that a question is about, there or not.
type subject struct {
	kind            *apimodel.Kind
	namespace, name string
}

func (s subject) path(sub ...string) string { return s.kind.Path(s.namespace, s.name, sub...) }
func (s subject) resource() string          { return s.kind.GroupResource().String() }
func (s subject) all() string               { return s.kind.Path(s.namespace, "") }

// everywhere says that only this test makes objects of the kind, in whatever namespace.
func (s subject) everywhere() bool {
	return s.kind.Namespaced && !slices.Contains([]string{"leases", "configmaps", "services", "events"}, s.kind.Resource)
}

// key is how a side remembers it.
func (s subject) key() string {
	meta := map[string]any{"name": s.name}
	if s.namespace != "" {
		meta["namespace"] = s.namespace
	}
	return nameOf(meta, s.resource())
}

func (s *script) begin() {
	for _, name := range namespaces[:2] {
		s.mustMake(question{resource: "namespaces", path: "/api/v1/namespaces", body: func(*side) any {
			return map[string]any{"metadata": map[string]any{"name": name,
				"labels": map[string]any{"kubernetes.io/metadata.name": name}},
				"spec": map[string]any{"finalizers": []any{"kubernetes"}}, "status": map[string]any{"phase": "Active"}}
		}})
	}
}

// drawn are the kinds that questions are about, pods most often.
var drawn = []struct{ group, resource string }{
	{"", "pods"}, {"", "pods"}, {"", "pods"}, {"", "pods"}, {"", "pods"}, {"", "nodes"}, {"coordination.k8s.io", "leases"},
	{"scheduling.volcano.sh", "podgroups"}, {"scheduling.volcano.sh", "podgroups"}, {"scheduling.volcano.sh", "queues"},
	{"policy", "poddisruptionbudgets"}, {"", "configmaps"}, {"", "persistentvolumes"},
	{"resource.k8s.io", "resourceclaims"}, {"resource.k8s.io", "resourceclaims"}, {"resource.k8s.io", "resourceslices"},
	{"resource.k8s.io", "deviceclasses"}, {"", "services"}, {"batch", "jobs"}, {"topology.volcano.sh", "hypernodes"},
	{"", "events"}, {"", "persistentvolumeclaims"},
	{"storage.k8s.io", "storageclasses"}, {"storage.k8s.io", "csinodes"}, {"shard.volcano.sh", "nodeshards"},
	{"nodeinfo.volcano.sh", "numatopologies"}, {"ashlar.sh", "bookings"},
}

func (s *script) subject() subject {
	d := drawn[s.random.IntN(len(drawn))]
	for s.differ[schema.GroupResource{Group: d.group, Resource: d.resource}.String()] {
		d = drawn[s.random.IntN(len(drawn))]
	}
	out := subject{kind: s.kinds.Kind(d.group, d.resource), name: fmt.Sprintf("thing-%d", s.random.IntN(names))}
	if out.kind.Namespaced {
		out.namespace = namespaces[s.random.IntN(2)]
		if s.maybe(40) {
			out.namespace = namespaces[2]
		}
	}
	return out
}

// maybe is true once in n times.
func (s *script) maybe(n int) bool { return s.random.IntN(n) == 0 }

func (s *script) step() {
	at := s.subject()
	switch n := s.random.IntN(110); {
	case n > 101:
		s.apply(at)
	case n < 22:
		s.create(at)
	case n > 99:
		s.generate(at)
	case n < 30:
		s.get(at)
	case n < 38:
		s.list(at)
	case n < 49:
		s.remove(at)
	case n < 50:
		s.removeAll(at)
	case n < 65:
		s.patch(at)
	case n < 75:
		s.update(at)
	case n < 82:
		s.bind(at)
	case n < 87:
		s.evict(at)
	default:
		s.status(at)
	}
}

func (s *script) create(at subject) {
	o := s.object(at)
	switch {
	case s.maybe(40):
		o["metadata"].(map[string]any)["name"] = ""
	case s.maybe(40) && at.kind.Namespaced:
		o["metadata"].(map[string]any)["namespace"] = "elsewhere"
	case s.maybe(40):
		o["metadata"].(map[string]any)["resourceVersion"] = "7"
	}
	s.ask(question{method: http.MethodPost, resource: at.resource(), path: at.all(),
		binary: s.maybe(4) && at.kind.Resource != "persistentvolumeclaims", body: func(*side) any { return o }})
}

// identity fills in what a request says of the life and the version that it means: right, stale, wrong or nothing.
func (s *script) identity(at subject, oftenRight bool) func(side *side, meta map[string]any) {
	uid, version, nth := s.random.IntN(8), s.random.IntN(8), s.random.IntN(1<<20)
	if oftenRight && !s.maybe(10) {
		uid = max(uid, 2)
	}
	key := at.key()
	pick := func(of []string, how int) any {
		switch {
		case how == 0:
			return "00000000-0000-4000-8000-00000000ffff"
		case len(of) == 0 || how > 4:
			return nil
		case how == 1:
			return of[nth%len(of)]
		}
		return of[len(of)-1]
	}
	return func(side *side, meta map[string]any) {
		if id := pick(side.uids[key], uid); id != nil {
			meta["uid"] = id
		}
		if version == 0 {
			version = 1
		}
		if v := pick(side.versions[key], version); v != nil {
			meta["resourceVersion"] = v
		}
	}
}

func (s *script) remove(at subject) {
	fill := s.identity(at, false)
	options := map[string]any{}
	if s.maybe(3) {
		options["gracePeriodSeconds"] = []int{0, -1, 10_000, 20_000, 60_000}[s.random.IntN(5)] // far from what a run takes
	}
	if s.maybe(5) {
		options["propagationPolicy"] = s.one("Background", "Foreground", "Orphan")
	}
	conditional := s.maybe(2)
	s.ask(question{method: http.MethodDelete, resource: at.resource(), path: at.path(),
		body: func(side *side) any {
			if conditional {
				p := map[string]any{}
				fill(side, p)
				options["preconditions"] = p
			}
			return options
		}})
}

// removeAll deletes all of a kind in a namespace, or some of them.
func (s *script) removeAll(at subject) {
	q := question{method: http.MethodDelete, resource: at.resource(), path: at.all(), query: url.Values{}}
	s.choose(at, q.query)
	options := map[string]any{}
	if s.maybe(2) {
		options["gracePeriodSeconds"] = 0
	}
	if s.maybe(4) {
		options["propagationPolicy"] = s.one("Background", "Foreground", "Orphan")
	}
	q.body = func(*side) any { return options }
	s.ask(q)
}

func (s *script) patch(at subject) {
	if s.maybe(8) && at.kind.Resource != "jobs" { // one without labels gets those of its pods
		s.operations(at)
		return
	}
	fill, how := s.identity(at, true), "application/merge-patch+json"
	if s.maybe(2) {
		how = "application/strategic-merge-patch+json"
	}
	if s.maybe(60) {
		how = "application/merge-patch"
	}
	meta, body := map[string]any{}, map[string]any{}
	switch s.random.IntN(6) {
	case 0:
		meta["labels"] = map[string]any{"colour": []any{"red", "blue", nil}[s.random.IntN(3)]}
	case 1:
		meta["annotations"] = map[string]any{"note": fmt.Sprint(s.random.IntN(3))}
	case 2:
		meta["finalizers"] = []any{nil, []any{}, []any{"example.com/a"}}[s.random.IntN(3)]
	case 3:
		body["status"] = map[string]any{"phase": "Running"}
	default:
		s.spec(at, how, meta, body)
	}
	conditional := s.maybe(2)
	s.ask(question{method: http.MethodPatch, resource: at.resource(), path: at.path(), contentType: how,
		body: func(side *side) any {
			delete(meta, "uid")
			delete(meta, "resourceVersion")
			if conditional {
				fill(side, meta)
			}
			body["metadata"] = meta
			return body
		}})
}

// spec draws a change of a spec.
func (s *script) spec(at subject, how string, meta, body map[string]any) {
	switch at.kind.Resource {
	case "pods":
		switch {
		case s.maybe(4):
			body["spec"] = map[string]any{"schedulerName": "another"} // is refused
		case strings.Contains(how, "strategic"):
			body["spec"] = map[string]any{"schedulingGates": []any{map[string]any{"$patch": "delete", "name": "gate-0"}}}
		default:
			body["spec"] = map[string]any{"schedulingGates": []any{}}
		}
	case "nodes":
		body["spec"] = map[string]any{"unschedulable": s.maybe(2)}
	case "podgroups", "queues", "hypernodes", "nodeshards", "numatopologies", "bookings":
		body["spec"] = s.customSpec(at.kind.Resource)
		if s.maybe(2) && !at.kind.Status { // else the real server loses managedFields over odd ones, which is a change
			body["status"] = s.customStatus()
		}
	case "leases":
		body["spec"] = map[string]any{"holderIdentity": fmt.Sprint(s.random.IntN(3))}
	case "configmaps":
		body["data"] = map[string]any{"a": fmt.Sprint(s.random.IntN(3))}
	default:
		s.changeOf(at, meta, body)
	}
}

func (s *script) update(at subject) {
	patched := []string{"persistentvolumes", "persistentvolumeclaims", "jobs", "storageclasses", "csinodes"}
	if slices.Contains(patched, at.kind.Resource) {
		s.patch(at) // what changes them in worlds patches them
		return
	}
	fill, o := s.identity(at, true), s.object(at)
	sub := []string{}
	if at.kind.Status && s.maybe(4) {
		if sub = append(sub, "status"); at.kind.Custom {
			delete(o, "spec") // over an odd one the real server loses managedFields, which is a change
		}
	}
	if s.maybe(40) {
		o["metadata"].(map[string]any)["name"] = "another"
	}
	s.ask(question{method: http.MethodPut, resource: at.resource(), path: at.path(sub...),
		body: func(side *side) any {
			meta := o["metadata"].(map[string]any)
			delete(meta, "uid")
			delete(meta, "resourceVersion")
			fill(side, meta)
			return o
		}})
}

func (s *script) bind(at subject) {
	if s.differ["pods"] {
		return
	}
	at.kind = s.kinds.Kind("", "pods")
	if at.namespace == "" {
		at.namespace = namespaces[0]
	}
	fill, node := s.identity(at, true), fmt.Sprintf("thing-%d", s.random.IntN(names))
	kind := "Node"
	if s.maybe(20) {
		kind, node = []string{"Pod", "Node"}[s.random.IntN(2)], ""
	}
	conditional := s.maybe(3)
	s.ask(question{method: http.MethodPost, resource: "pods", path: at.path("binding"),
		body: func(side *side) any {
			meta := map[string]any{"name": at.name, "namespace": at.namespace}
			if conditional {
				fill(side, meta)
			}
			return map[string]any{"apiVersion": "v1", "kind": "Binding", "metadata": meta, "target": map[string]any{"kind": kind,
				"name": node}}
		}})
}

func (s *script) evict(at subject) {
	if s.differ["pods"] {
		return
	}
	at.kind = s.kinds.Kind("", "pods")
	if at.namespace == "" {
		at.namespace = namespaces[0]
	}
	fill, conditional := s.identity(at, true), s.maybe(3)
	s.ask(question{method: http.MethodPost, resource: "pods", path: at.path("eviction"),
		body: func(side *side) any {
			out := map[string]any{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": map[string]any{"name": at.name,
				"namespace": at.namespace}}
			if conditional {
				p := map[string]any{}
				fill(side, p)
				out["deleteOptions"] = map[string]any{"preconditions": p}
			}
			return out
		}})
}

// status patches a status, as kubelets, controllers and schedulers do.
func (s *script) status(at subject) {
	fill, conditional := s.identity(at, true), s.maybe(2)
	body, how := map[string]any{}, "application/merge-patch+json"
	switch at.kind.Resource {
	case "pods":
		switch s.random.IntN(3) {
		case 0:
			body["status"] = map[string]any{"phase": []string{"Running", "Running", "Succeeded", "Failed"}[s.random.IntN(4)]}
		case 1:
			body["status"] = map[string]any{"nominatedNodeName": []any{nil, "thing-1"}[s.random.IntN(2)]}
		default:
			how = "application/strategic-merge-patch+json"
			body["status"] = map[string]any{"conditions": []any{map[string]any{"type": []string{"Ready",
				"DisruptionTarget"}[s.random.IntN(2)],
				"status": []string{"True",
					"False"}[s.random.IntN(2)], "reason": "Because", "lastTransitionTime": "2026-01-01T00:00:00Z"}}}
		}
	case "poddisruptionbudgets":
		body["status"] = map[string]any{"disruptionsAllowed": s.random.IntN(3), "observedGeneration": s.random.IntN(4),
			"currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}
	case "podgroups", "hypernodes", "nodeshards", "bookings":
		body["status"] = s.customStatus()
	case "queues":
		if s.maybe(2) {
			body["status"] = s.customStatus()
			break
		}
		body["status"] = map[string]any{"state": "Open", "allocated": map[string]any{"cpu": fmt.Sprint(s.random.IntN(3))}}
	default:
		if !s.statusOf(at, body) {
			body["metadata"] = map[string]any{"labels": map[string]any{"colour": "red"}}
		}
	}
	s.ask(question{method: http.MethodPatch, resource: at.resource(), path: at.path("status"), contentType: how,
		body: func(side *side) any {
			if conditional {
				meta := map[string]any{}
				fill(side, meta)
				body["metadata"] = meta
			}
			return body
		}})
}
