// Package fair is sharing as mathematics on numbers: how much of one dimension
// each queue deserves, and how far what it holds is from that.
//
// A queue is a row of numbers here (Demand, QueueDemand); the package knows no queue, job or
// cluster. A Filler divides a total by a water level in which a guarantee is a floor
// and not a head start (decision 1), exact to the unit. Explain shows the same
// division as the rounds that the proportion seed counts. Share is an exact fraction
// that can be compared. RealCapability is what a queue can ever hold while the
// guarantees of its siblings are kept; a Tree is that on every level of a tree of
// queues.
//
// What always holds: no float; no overflow, whatever the amounts; the same rows give
// the same answers; the order of rows decides only which row gets a unit that does not divide.
package fair
