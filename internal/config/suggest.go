package config

import (
	"fmt"

	"ashlar.sh/sched/policy"
)

// didYouMean is ` (did you mean "x"?)` for the candidate nearest to name, or
// nothing when none is near.
func didYouMean(name string, candidates []string) string {
	if best := policy.Nearest(name, candidates); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	return ""
}

// quoted shows a name from the file without letting it break the message:
// escaped, and cut where it is very long.
func quoted(name string) string {
	if r := []rune(name); len(r) > 60 {
		name = string(r[:60]) + "…"
	}
	return fmt.Sprintf("%q", name)
}
