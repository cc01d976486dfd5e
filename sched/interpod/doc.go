// Package interpod counts pods by the domains of a topology. Affinity between pods and topology spread
// constraints rest on these counts.
//
// A selector is the set of pods that a term is about: the pods of some namespaces that a label selector
// matches. labelledPods are the pods of one namespace with one set of labels: every selector matches all of
// them or none. A DomainCount counts, by domain of one topology key, either the pods that a selector matches,
// or the pods that hold a term about them (required anti-affinity, or a preference). Affinities updates the
// domain counts with every move of the ledger, inside tries and outside of them. A move of a pod costs one
// addition for each domain count that the pod is in, and nothing as long as no pod has a term about other
// pods.
//
// Rules are the terms of a class's pods and the terms of other pods about them, as domain counts. A pod's own
// spec does not name the terms of other pods: Affinities reports them to the ledger as the pod's MatchedTerms.
// So all pods of one class match the same terms.
//
// Pods without spread constraints are spread by default: a spreadGroup is the pods of one controller, or of no
// controller, that the same Services select (docs/design/0034).
//
// Affinities counts and decides nothing: the plugins decide what a count means.
package interpod
