// Package model compares the model of the API server (test/world/apimodel) with the real one: both get the same random
// requests, and every answer and every watch has to be the same.
//
// Drawn are, of pods most often: gets, lists in pages and as of any version, with selectors, of metadata alone; creates
// in JSON and protobuf; updates, and patches of each kind, of objects and of statuses, with UIDs and versions that are
// right, stale, wrong or missing; server-side apply by two managers, with force and without, and who owns which
// fields, whatever request it is that changes them; deletions of one or all, with grace, propagation and
// preconditions; bindings; evictions beside budgets; any of these as a dry run; specs and statuses that the CRD of a
// custom resource refuses, drops or fills in; names that the server ends; watches that run beside all that, from any
// version or with what is there, whose objects come into a selection and leave it; histories that are forgotten.
//
// Not drawn: server-side apply of pods that are not there and of kinds that nobody applies here; objects that need
// defaults, of kinds other than custom resources; PriorityClasses, Jobs of Volcano, ReplicaSets and what else
// schedulers only read; when a bookmark comes by itself; what the server answers when it is overloaded.
package model
