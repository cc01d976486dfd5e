// Package web serves the page that shows a scheduler: its jobs and why they wait, its queues, its nodes, and how all of
// that changes. The page is in folder page, in TypeScript; dist is what `make page` builds of it. That is committed, so
// that Go alone builds and tests the rest. Package player answers the page's requests for a simulation; the read API
// answers the same requests for a live cluster.
//
// Server decides which browser sees the page: on this machine's loopback address the first one that brings the token
// that was printed.
//
// Invariants: the page asks no other server for anything, runs no script but its own, stores nothing, and shows names
// as text. Nothing that it can ask for writes to a cluster.
package web
