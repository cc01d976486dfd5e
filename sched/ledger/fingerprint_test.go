package ledger

import (
	"fmt"
	"slices"
	"strings"

	"ashlar.sh/sched/resource"
)

// fingerprint writes everything a ledger holds, row by row and with the order of its
// lists, so that two of them differ when anything at all does. Left out are what may
// move on when a try fails: the journal, the versions, the list of touched jobs and
// the order of active ones.
func fingerprint(l *Ledger, states ...*recorder) string {
	var b strings.Builder
	line := func(name string, x any) { fmt.Fprintf(&b, "%s: %+v\n", name, x) }
	line("nodes", l.Nodes.rows)
	line("node free list", l.Nodes.free)
	line("node names", l.Nodes.byName)
	line("columns", l.Nodes.cols)
	line("total and nodes with releasing tasks", fmt.Sprint(l.Nodes.total, l.Nodes.leaving))
	line("classes", l.Classes.rows)
	line("class free list", l.Classes.free)
	for t := range l.Tasks.rows {
		line(fmt.Sprintf("task %d", t), l.Tasks.rows[t])
	}
	line("task free list", l.Tasks.free)
	for j := range l.Jobs.rows {
		line(fmt.Sprintf("job %d", j), withoutVersions(l.Jobs.rows[j]))
	}
	line("job free list", l.Jobs.free)
	for q := range l.Queues.rows {
		row := l.Queues.rows[q]
		row.Moved = 0 // a version: it may move on
		line(fmt.Sprintf("queue %d", q), row)
	}
	line("queue free list", l.Queues.free)
	line("open operations", l.Statements.ops)
	line("moves to undo", l.Statements.undo)
	line("depth and keep", fmt.Sprint(l.Statements.depth, l.Statements.tx.provisional))
	line("soft", l.Statements.provisional)
	active := slices.Clone(l.Jobs.active)
	slices.Sort(active)
	line("active", active)
	for _, r := range states {
		line("seats", r.places)
		line("findings", r.findings)
	}
	return b.String()
}

// withoutVersions is a job without what may move on and without zeros at the end of sums.
func withoutVersions(job Job) Job {
	job.Changed, job.marks.dirty, job.marks.touched = 0, false, false
	for _, s := range []*resource.Sums{&job.Allocated, &job.Request, &job.Total, &job.gatedNeed, &job.doneNeed} {
		for len(*s) > 0 && (*s)[len(*s)-1] == (resource.Sum{}) {
			*s = (*s)[:len(*s)-1]
		}
	}
	for _, v := range []*resource.Vec{&job.elastic, &job.inqueue} {
		for len(*v) > 0 && (*v)[len(*v)-1] == 0 {
			*v = (*v)[:len(*v)-1]
		}
	}
	return job
}

// differs shows the first line in which two texts differ.
func differs(was, is string) string {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("\nwas %s\nis  %s", a[i], b[i])
		}
	}
	return fmt.Sprintf("\nwas %d lines, is %d: %s%s", len(a), len(b),
		strings.Join(a[min(len(a), len(b)):], "\n"), strings.Join(b[min(len(a), len(b)):], "\n"))
}
