// Package seedmap keeps docs/seed-map.md honest: the list of all that the seeds
// describe, with where each thing lives here and which test shows it.
//
// It has no code of its own, only a test. The test reads the tables of the map and
// checks that every file they name exists, that every Go name is declared in the file
// it is said to be in, that no cell is empty, that what is built names its place and
// what is not names the capability it belongs to, and that no section of a seed was
// left out.
//
// It cannot see whether a row is true: a test that is named as showing something has to
// be read. Nor does it know the seeds; only how many sections each has.
package seedmap
