// Package translate turns objects of Kubernetes and of Volcano into the engine's facts.
//
// It is the door of the engine: what is wrong with one object is found here, once, and
// travels with it as Faults. A quantity that is negative or beyond what a node, a pod or
// a cluster can have sets aside an object that asks for it; a pod that runs all the same
// holds zero or the bound in its place. Of what a node offers such a quantity is taken as
// zero or as its bound, and the other quantities hold. None wraps. A field that the API
// server accepts, but that has no meaning, is replaced, and the Fault says by what
// (decision 34).
//
// It is not a cache and knows no client: functions of one object, without state but for
// Specs, which lets pods of one template share what placing them reads. References to
// other objects (a queue, a priority class, an owner's owner) stay names.
//
// Invariants: objects that mean the same give equal facts, whatever the order of the
// lists in them; nothing is written to the objects given; every amount in a fact lies
// between zero and its bound, so that sums over a cluster need no further care.
package translate
