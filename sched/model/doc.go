// Package model has the facts: what the engine is given about nodes, pods, pod groups, queues, priority
// classes and further objects, in a form that knows neither Kubernetes nor an engine.
//
// A Fact has a kind, a name, a UID, a version and a content; a fact without content says that the object is
// gone. A content is immutable once it is passed on: the engine keeps the pointer, and a later fact replaces
// it. Lists in a content are sorted by the code that made it, so that equal objects are equal values.
//
// Faults of an object are found when it is translated (internal/kube/translate for quantities and fields), and
// are part of it. An object with a fatal fault is set aside: it is kept, listed and explained, and takes part
// in nothing.
//
// Amounts are resource.List, by name; the engine interns the names. Times are nanoseconds since the epoch.
package model
