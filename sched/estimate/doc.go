// Package estimate finds when waiting jobs start if nothing new comes: it runs the engine forward on a copy, from the
// end of one pod to the next, and notes when each job starts.
//
// Nothing is modelled a second time: the engine decides in each cycle, with planned starts, quotas and evictions, and
// its plans are carried out as a cluster does that obeys. What is assumed is how long pods run: in one run they end
// when they are expected to, in the other at their limits; together these are the range. A pod of which no end is
// known never ends, and a job that therefore does not start has no estimate but the names of those that it waits for.
//
// It decides nothing: the engine that a copy is made of never knows of it. The work is bounded by a number of cycles,
// not by time, so that equal input gives equal answers; a caller that has to answer in time stops it between two.
package estimate
