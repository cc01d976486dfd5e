// Package client asks the read API of a live scheduler with a person's own credentials. It finds the scheduler that
// acts by its Lease, reaches its pod through the API server (a port-forward without a local port), and follows it when
// another one takes over.
//
// It is not the API itself, which is package readapi, and it decides nothing.
//
// Invariants: no credential is sent before the server has shown the certificate that the Lease names, or that the
// person named. What a tenant can write does not choose the server: no label and no name of a pod is followed, and
// only Leases in the scheduler's own namespace count. Only GET is sent.
package client
