// Package trace is what a cycle leaves behind: what was considered, chosen and
// refused, and why, as typed and bounded records. It holds no prose: sentences, log
// lines, events and metrics are made from it (internal/explain), and nothing is
// decided from it.
//
// A Reason says why something waits or was refused, with the amounts that made the
// difference. An Event is one step of a cycle, at the verbosity at which Volcano
// logs it (docs/seed-map.md has its log lines); a Recorder keeps the events up to a level and a number.
package trace
