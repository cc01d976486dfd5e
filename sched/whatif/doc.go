// Package whatif finds what would make a waiting job run: the smallest single changes, and sets of a few, with
// which the engine itself starts the job. It also finds what would become of jobs that are submitted for a try.
//
// It proposes and the engine decides: whatever is said here was run, on a sched.Copy, with all other jobs in it.
// Candidates come from amounts and labels; how much of a change is needed is found by bisection over what the engine
// does. A change that the engine does not confirm is not told. What it does not find may exist all the same: that a
// job can never start is said by trace.Reason.Never alone, which is a proof.
//
// The work is bounded by a number of cycles, not by time, so that equal input gives equal answers.
package whatif
