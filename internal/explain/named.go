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
	if nearest := policy.Nearest(name, names); nearest != "" {
		text += fmt.Sprintf(" (did you mean %q?)", nearest)
	}
	return text
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
