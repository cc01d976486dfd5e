// Package access finds out which user sent a request and what that user may read. It asks the API server, which
// decides: TokenReview says to which user a bearer token belongs, SubjectAccessReview what a user may, and the
// certificate authority of clients that the API server publishes (ConfigMap
// kube-system/extension-apiserver-authentication) checks client certificates.
//
// It decides nothing by itself and keeps no rights of its own. It has no fallback: an API server that does not answer
// means an error, not a yes.
//
// Invariants: answers are remembered for Lifetime at most, and for a bounded number of users; tokens are kept only as
// their hashes; the number of questions to the API server is bounded in time, for all clients together, for
// each user, and, before a client is known, for each address.
package access
