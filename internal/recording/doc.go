// Package recording is what a scheduler knew and decided, in files: a State is all that an engine decides on at one
// moment, so that any machine can decide on it again. A recording is a State and what was done with the engine since,
// Step by Step; a Player runs it on another engine, which has to decide the same. A Ring keeps the recording of a
// scheduler that runs in memory, a Disk in files.
//
// A file is read with suspicion: people edit, cut and mix up files. What is no file of a scheduler, or of a newer
// version, is refused with what is wrong and what to do; it never panics, and it is bounded in memory.
//
// The package decides nothing and speaks to no cluster.
package recording
