// Package model holds the facts: what the engine is told about nodes, pods, pod
// groups, queues and priority classes, in a form that knows neither Kubernetes nor
// an engine.
//
// A Fact is a kind, a key, a uid, a version and a content; a fact without content
// says that the object is gone. Contents are immutable once handed over: the engine
// keeps the pointer, and a later fact replaces it. Lists inside a content are sorted
// by the door that made it, so that equal objects are equal values.
//
// What is wrong with an object is found at the door (internal/kube/translate for
// quantities and fields) and travels with it as Faults. A fatal fault sets the
// object aside: it is kept, listed and explained, and takes part in nothing.
//
// Amounts are resource.List, by name; the engine interns the names. Times are
// nanoseconds since the epoch.
package model
