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
func fingerprint(l *Ledger, books ...*recorder) string {
	var b strings.Builder
	line := func(name string, x any) { fmt.Fprintf(&b, "%s: %+v\n", name, x) }
	line("nodes", l.nodes)
	line("node free list", l.nodeFree)
	line("node names", l.nodeByName)
	line("columns", l.cols)
	line("total and nodes with releasing tasks", fmt.Sprint(l.total, l.goingNodes))
	line("classes", l.classes)
	line("class free list", l.classFree)
	for t := range l.tasks {
		line(fmt.Sprintf("task %d", t), l.tasks[t])
	}
	line("task free list", l.taskFree)
	for j := range l.jobs {
		line(fmt.Sprintf("job %d", j), withoutVersions(l.jobs[j]))
	}
	line("job free list", l.jobFree)
	for q := range l.queues {
		row := l.queues[q]
		row.Moved = 0 // a version: it may move on
		line(fmt.Sprintf("queue %d", q), row)
	}
	line("queue free list", l.queueFree)
	line("open operations", l.ops)
	line("moves to undo", l.undo)
	line("depth and keep", fmt.Sprint(l.depth, l.tx.keep))
	line("soft", l.nominated)
	active := slices.Clone(l.active)
	slices.Sort(active)
	line("active", active)
	for _, r := range books {
		line("seats", r.seats)
		line("findings", r.findings)
	}
	return b.String()
}

// withoutVersions is a job without what may move on and without zeros at the end of sums.
func withoutVersions(job Job) Job {
	job.Changed, job.dirty, job.stirred = 0, false, false
	job.activeAt = min(job.activeAt, 0)
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
