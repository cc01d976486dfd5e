// Package summary turns the run of a trace into the figures that papers compare
// schedulers by: how long jobs waited and took, how full the cluster was, how much of its
// idle room was of no use.
//
// It watches cycles (Watch.See) and knows only what a plan contains: which pods were
// bound when and where, and which were evicted. The rest follows from the trace, since nodes
// obey and pods run for as long as they are told. It decides nothing and asks no clock;
// the caller supplies how long a run took by the clock.
//
//	delay       from a job's submission to the cycle that binds the last of its minimum
//	completion  from its submission to the end of its last member
//	makespan    from the first submission to the last end
//	allocated   what bound pods asked for, over time, as a share of what the nodes have
//	requested   what unfinished jobs asked for, running or not, as a share of the same
//	fragmented  see Fragmentation
//
// Invariants: times are whole nanoseconds and amounts whole units, means are rounded down,
// percentiles are nearest rank: the p-th of n values in order is value ceil(p·n/100), so
// each is the delay of a job that exists. Equal runs give equal figures to the byte.
package summary
