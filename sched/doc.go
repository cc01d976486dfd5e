// Package sched is the engine: facts and receipts go in, a plan and its trace come out.
//
// It is a state machine without I/O, clock, randomness, logging or goroutines. The same calls give the same
// plans, byte for byte. So the live scheduler, the simulator and every test run the same code.
//
//	Apply(facts…)      what is seen
//	Receive(receipts…) what became of the plan
//	Decide(now)        one cycle: the plan, and the earliest time at which the answer
//	                   may change without a new fact, once two cycles decided nothing
//
// Its state is facts, commitments and what is derived from them. Three laws hold after every step, as property
// tests (laws_test.go): a new engine with the same Facts and Commitments decides the same (export); the order
// of independent facts makes no difference (shuffle); a try that fails leaves no trace in the figures (undo).
package sched
