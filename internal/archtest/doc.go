// Package archtest holds the rules of the project as a test: which package may import
// which, what the core may never do, how long a file may grow, what must be documented.
//
// It is a table of laws over the syntax trees of the repository (for a few laws, over the
// types as well); it needs no linter, no network and no cluster. Each law carries its
// reason, which is printed with every breach, and a small source that breaks it, so that
// a law that has stopped checking anything is noticed.
//
// It is not a style guide: what a reader has to judge stays out. It has no waivers either:
// a limit that proves wrong is changed here, for everyone, with a design note.
//
// A file that does not parse is one breach and is skipped by the other laws.
package archtest
