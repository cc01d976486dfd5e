// Package match says whether a node is what a spec asks for: by its labels, its name
// and its taints, in the words of Kubernetes; and whether a pod is among those that a
// label selector is about.
//
// The meaning of selectors, affinity terms and tolerations is here alone, for filters
// that require a term and for scores that prefer one. The package decides nothing,
// keeps nothing, and knows no ledger and no plugin; its functions depend on their
// arguments alone and allocate nothing.
//
// What the API server refuses (an unknown operator, a field other than metadata.name,
// a Gt that is no number) holds for no node.
package match
