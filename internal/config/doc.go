// Package config reads volcano-scheduler.conf: which actions run, in which
// order, which plugins have a say in which tier, and their flags and arguments.
//
// It is the grammar and nothing else. It knows the names that Volcano knows
// (the Catalog), not what the plugins do; it reads bytes, not ConfigMaps or
// files; what comes out is a plain structure that the engine's profile is made
// from. Everything it says carries the line a user can go to.
//
// Volcano ignores what it does not understand; here a misspelt key is an error
// with its line and, where one is near, the name that was probably meant
// (decision 27). Invariants: a Scheduler is returned only if nothing fatal was
// found, and every value in it has the type that the catalogue asks for; all
// Problems are reported, not only the first; a name that Volcano has and this
// version has not is accepted and said, never silently nothing (decision 28);
// no input panics, and the work is bounded by the size of the file.
package config
