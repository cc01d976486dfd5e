package config

import (
	"fmt"
	"slices"
)

// Problem is one thing that is wrong with a configuration, or that its author
// should know, and where.
type Problem struct {
	// File is the label given in Source.
	File string
	// Line counts from 1 in the file the user edits; 0 when no line is to blame.
	Line int
	// Message is one sentence in lower case without a full stop.
	Message string
	// Fatal tells that the configuration is refused because of this; otherwise
	// the Problem is a warning and the configuration is in force.
	Fatal bool
}

// String is "file:line: message", as compilers write it, so that editors and
// people find the place; a warning says that it is one.
func (p Problem) String() string {
	where := p.File
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	if p.Fatal {
		return where + ": " + p.Message
	}
	return where + ": warning: " + p.Message
}

// maxProblems bounds a report: a file that is wrong from end to end is not
// better understood after a hundred lines.
const maxProblems = 100

// inOrder sorts by line, keeps what belongs to one line in the order it was
// found, and cuts the report at maxProblems.
func inOrder(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	if len(problems) <= maxProblems {
		return problems
	}
	rest := problems[maxProblems:]
	return append(problems[:maxProblems:maxProblems], Problem{
		File: rest[0].File, Line: rest[0].Line, Fatal: anyFatal(rest),
		Message: fmt.Sprintf("and %d more problems from here on", len(rest)),
	})
}

func anyFatal(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Fatal })
}
