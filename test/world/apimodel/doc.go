// Package apimodel is a model of the Kubernetes API server, in memory: what a scheduler and those around it can see of
// the real one. client-go talks to it through an http.Handler, as it talks to the real one.
//
// It has resource versions, optimistic conflicts, preconditions by UID and version, watches with bookmarks and initial
// events, lists in pages, compaction (410), graceful deletion, finalizers, deletion of many at once, status
// subresources, requests that are only tried (dry run), bindings, evictions with budgets, JSON patches, JSON merge
// patches and strategic merge patches, and custom resources that are pruned, filled in and checked as their CRD says
// (Define), by Kubernetes' own code. It does not validate other kinds beyond what its requests may meet, fills in no
// defaults of their specs, keeps no managedFields, and writes lists in JSON only. It has no server-side apply, no watch
// cache that lags, remembers what etcd forgot or knows that a next page would be empty, no garbage collection of
// dependents, and neither authentication nor quotas.
//
// Its rules are those of the real one as far as test/e2e/model compares them, by the same random requests to both. That
// leaves out bookmarks other than the end of what was there before, and the kinds that those requests are not about.
//
// Invariants: equal requests in equal order give equal answers, resource versions and UIDs included; an object that was
// stored or handed out is never changed.
package apimodel
