// Package story is the language of the files in stories/: a scenario of a cluster that
// can be read aloud and is its own expected output.
//
// A story begins with a paragraph of # lines that says why it is told. Lines that act
// follow, each with a verb (node, queue, submit, finish ...). A line that asks (cycle,
// run, queues, jobs ...) is followed by ---- and by what was answered, up to a blank
// line. Running a story prints the same text with the answers filled in; a story holds
// when that changes nothing. docs/stories.md is the reference.
//
// It is no engine of its own: it makes facts, hands them to a sim.World and prints what
// the engine's plan and report say, as decisions, codes and amounts, never as prose that
// somebody may want to reword.
//
// Invariants: printing a story that was parsed gives it back to the letter, apart from
// answers; an answer is a function of the lines above it; the order of the lines between
// two cycles, and of the objects one line makes, means nothing, unless two lines are
// about one object.
package story
