// Package apimodel is a model of the Kubernetes API server, in memory: what a scheduler and those around it can see of
// the real one. client-go talks to it through an http.Handler, as it talks to the real one.
//
// It has resource versions, optimistic conflicts, preconditions by UID and version, watches with bookmarks, lists in
// pages, compaction (410), graceful deletion, finalizers, status subresources, bindings, evictions with budgets, JSON
// merge patches and strategic merge patches. It does not validate beyond what its requests may meet, fills in no
// defaults of specs, keeps no managedFields, and answers in JSON only. It has no server-side apply, no watch cache that
// lags or knows that a next page would be empty, no garbage collection of dependents, and neither authentication nor
// quotas.
//
// Its rules are those of the real one as far as test/e2e/model compares them, by the same random requests to both. That
// leaves out compaction, bookmarks, and the kinds that those requests are not about.
//
// Invariants: equal requests in equal order give equal answers, resource versions and UIDs included; an object that was
// stored or handed out is never changed.
package apimodel
