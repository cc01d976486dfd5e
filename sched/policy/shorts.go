package policy

import (
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Shorts lists the amounts of the dimensions that matter, cpu and memory first, then by name: what a
// reason shows. amounts need not set the name.
func Shorts(dims *resource.Dims, matters func(resource.Dim) bool, amounts func(resource.Dim) trace.Short) []trace.Short {
	var those []resource.Dim
	for d := range resource.Dim(dims.Len()) {
		if matters(d) {
			those = append(those, d)
		}
	}
	dims.SortByName(those)
	var out []trace.Short
	for _, d := range those {
		s := amounts(d)
		s.Dim = dims.Name(d)
		out = append(out, s)
	}
	return out
}
