// Package cli is the commands of ashlar: what users type, what they are told, and the
// exit code.
//
//	0  done
//	1  the input or the configuration is bad, or the answer is "something is wrong"
//	2  the command was used wrongly
//
// Data goes to stdout, messages and progress to stderr; colour and progress only to a
// terminal, colour not with NO_COLOR. One verb a file. The package wires others and
// prints what they say: it decides nothing, formats no figure and knows no rule of
// scheduling.
//
// Invariants: no global state; everything a command reads or writes comes with the
// Process, so that a test runs it in-process; a report is printed whole or not at all.
package cli
