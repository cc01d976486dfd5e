package story

import (
	"cmp"
	"fmt"

	"ashlar.sh/sched/trace"
)

// behind is the job that holds another back, and what both want.
func behind(r trace.Reason) string {
	head := fmt.Sprintf("%s %s", r.Code, cmp.Or(r.Text, "of another namespace"))
	if len(r.Shorts) > 0 {
		s := r.Shorts[0]
		return head + fmt.Sprintf(", both in %s: %s %s with both, %s may be", r.Queue, called(s.Dim), written(s.Dim, s.Need),
			written(s.Dim, s.Have))
	}
	if len(r.Nodes) > 0 {
		return head + fmt.Sprintf(", both on %s (%d)", r.Nodes[0].Example, r.Nodes[0].Count)
	}
	return head
}
