// Package traces reads what a real cluster was asked to run: two tables, one of nodes and
// one of jobs, as rows of CSV, compressed or not.
//
//	name,cpu_milli,memory_mib,gpu_count,gpu_model
//	job,queue,user,submit_s,duration_s,members,min_members,cpu_milli_per_member,
//	    memory_mib_per_member,gpu_per_member,priority,type[,gpu_model]
//
// It makes of them the items of a simulated world: a node of each row of the first, and of
// each row of the second a PodGroup with its pods, which run for the job's duration. It
// decides nothing and measures nothing; traces/summary does that.
//
// Invariants: all that is wrong is found, row by row, and said as "file:line: what"; a
// trace with a fault makes no items. Amounts are exact, to a thousandth of a GPU and a
// nanosecond. Rows are read one at a time, and pods that ask for the same share a Spec.
package traces
