package readapi

import (
	"fmt"
	"slices"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

// Of queues that a user may not get the amounts are told, since they decide about the user's own jobs, and no names. A
// job's own queue is named in it.

// hideQueues takes from a reason, which is the caller's own, the names of queues that the user may not see.
func (v *view) hideQueues(r *trace.Reason, own string) {
	explain.HideQueues(r, own, v.queue)
}

// aliases are the names by which queues are told that the user may not see: of those above the queue that is asked
// about *, *2 and so on, so that each level can be told from the next; of others *.
func (f *finding) aliases(v *view) (of func(string) string, above map[string]bool) {
	parents := map[string]string{}
	for i := range f.report.Queues {
		parents[f.report.Queues[i].Name] = f.report.Queues[i].Parent
	}
	names := map[string]string{f.name: f.name}
	above, hidden := map[string]bool{}, 0
	for name := parents[f.name]; name != "" && names[name] == ""; name = parents[name] {
		above[name] = true
		if names[name] = name; !v.queue(name) {
			if hidden++; hidden == 1 {
				names[name] = another
			} else {
				names[name] = fmt.Sprintf("%s%d", another, hidden)
			}
		}
	}
	return func(name string) string {
		if alias, known := names[name]; known || name == "" {
			return alias
		}
		if v.queue(name) {
			return name
		}
		return another
	}, above
}

// visible is the report without the jobs and the names of queues that the user may not see; left counts those jobs that
// are in the queue.
func (f *finding) visible(v *view) (out *sched.Report, left int) {
	out = &sched.Report{}
	for i := range f.report.Jobs {
		j := f.report.Jobs[i]
		switch {
		case j.Queue == f.name && !v.namespace(j.Namespace):
			left++
		case j.Queue == f.name:
			j.Reason = j.Reason.Clone() // all clients share the copy
			v.hideQueues(&j.Reason, f.name)
			out.Jobs = append(out.Jobs, j)
		}
	}
	alias, above := f.aliases(v)
	for _, first := range [...]bool{true, false} { // those above come before others that have the same alias
		for _, q := range f.report.Queues {
			if above[q.Name] == first {
				q.Name, q.Parent, q.ClosedBy = alias(q.Name), alias(q.Parent), alias(q.ClosedBy)
				out.Queues = append(out.Queues, q)
			}
		}
	}
	return out, left
}

// arithmetic is that of the queue, without names that the user may not see.
func (f *finding) arithmetic(v *view) sched.QueueWhy {
	w := f.queue
	alias, _ := f.aliases(v)
	v.hideQueues(&w.Gate, f.name)
	w.Sums = slices.Clone(w.Sums)
	for i := range w.Sums {
		w.Sums[i].Levels = slices.Clone(w.Sums[i].Levels)
		for j := range w.Sums[i].Levels {
			w.Sums[i].Levels[j].Queue = alias(w.Sums[i].Levels[j].Queue)
		}
	}
	w.Tenants = slices.Clone(w.Tenants)
	for i := range w.Tenants {
		if !v.namespace(w.Tenants[i].Tenant) {
			w.Tenants[i].Tenant = another
		}
	}
	return w
}
