package explain

import (
	"fmt"
	"strings"

	"ashlar.sh/sched/policy"
)

// NoSuch says that there is no object of a name, and which of the names that there are is the nearest. namespace is ""
// for a kind without one.
func NoSuch(kind, namespace, name string, names []string) string {
	text := fmt.Sprintf("there is no %s %q", kind, name)
	if namespace != "" {
		text += " in namespace " + namespace
	}
	return text + Suggest(name, names)
}

// Suggest is ` (did you mean "x"?)` with the nearest of the names that there are; "" where none is near.
func Suggest(name string, names []string) string {
	nearest := policy.Nearest(name, names)
	if nearest == "" {
		nearest = withParts(name, names)
	}
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", nearest)
}

// SeveralJobs says that a name means several jobs, and by which names they are told apart.
func SeveralJobs(namespace, name string, shown []string) string {
	quoted := make([]string, len(shown))
	for i, s := range shown {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%d jobs in namespace %s are called %s: ask for one of %s", len(shown), namespace, name,
		strings.Join(quoted, ", "))
}

// withParts is the shortest of the names, the first of equals, that has the parts of a name between its hyphens in
// their order: "tune-worker-0" for "tune-0". "" where none has. A part that other names merely begin with does not
// count.
func withParts(name string, names []string) (best string) {
	wanted := strings.Split(strings.ToLower(name), "-")
	for _, n := range names {
		left := wanted
		for part := range strings.SplitSeq(strings.ToLower(n), "-") {
			if len(left) > 0 && part == left[0] {
				left = left[1:]
			}
		}
		if len(left) == 0 && (best == "" || len(n) < len(best)) {
			best = n
		}
	}
	return best
}
