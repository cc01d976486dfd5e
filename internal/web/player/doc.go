// Package player runs a simulated world for people to watch: at a multiple of its speed, paused, wound back. It
// answers the requests of the read API (see docs/read-api.md where that is served) about the moment that is shown, so
// that one page serves a simulation, a file and a live cluster.
//
// A Player owns the world. It keeps what was shown as frames, in bounded memory: when there are too many, every second
// one of the past is left out. Frames never change, and rows that are equal in two frames are one object.
//
// Invariants: nothing that is asked of a Player changes the world, except how fast and how far it runs; what-if runs
// on a copy; nothing is written anywhere.
package player
