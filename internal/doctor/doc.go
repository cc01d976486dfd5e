// Package doctor looks whether a scheduler can do its work in a cluster: what is installed, what it may do, what runs
// beside it, and what keeps pods waiting that no reason of a job tells.
//
// It asks the API server as the person of a kubeconfig, and only reads; SubjectAccessReviews are made, which are
// questions. Each look is a Check: ok, a warning, a failure, or not allowed to look. A look that cannot be made costs
// what it would have told, and no other.
//
// Invariants: nothing is written; every list is bounded or paged; each Check that is not ok says what to do.
package doctor
