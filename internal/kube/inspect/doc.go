// Package inspect reads a cluster once, as the person of a kubeconfig may: the kinds that the scheduler observes, and
// the configuration that it runs with.
//
// It only lists and gets. What refers is read before what it refers to (pods before PodGroups, PodGroups before
// queues, nodes last), so that nothing that was read names an object that came later. A kind that the API does not
// serve, or that may not be listed, is left out and named in Read.Missing with what it would have told: an answer costs
// that much, and is not refused for it.
//
// Invariants: no request changes anything; every list is paged; lists of one wave run side by side, waves one after the
// other; equal clusters give equal objects, sorted by kind, namespace and name.
package inspect
