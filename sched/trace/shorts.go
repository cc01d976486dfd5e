package trace

import "ashlar.sh/sched/resource"

// ShortsOf lists the amounts of the dimensions that matter, cpu and memory first, then by name: what a reason
// shows. amounts need not set the name.
func ShortsOf(dims *resource.Dims, matters func(resource.Dim) bool, amounts func(resource.Dim) Short) []Short {
	var out []Short
	for _, d := range dims.Sorted(matters) {
		s := amounts(d)
		s.Dim = dims.Name(d)
		out = append(out, s)
	}
	return out
}
