package summary

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/whatif"
)

// Passed is how long jobs waited behind others that came later: of each job the time from the first start of a job of
// its queue that was submitted later, on a node that by its labels and taints takes the waiting job's pods, to its own
// start, or to the last cycle where it has not started.
type Passed struct {
	Jobs    int     `json:"jobs"` // that were passed
	Wait    Spread  `json:"wait"` // of those
	Longest Seconds `json:"longest"`
	Job     string  `json:"job,omitempty"` // that waited longest, the first by name
}

// passing is a job that started, as others see it.
type passing struct {
	submit, started time.Duration
	node            *model.Node // of one of its pods
}

// passed finds how long jobs waited behind others that came later.
func (w *Watch) passed() *Passed {
	nodes := map[int32]*model.Node{} // by job: where it started
	for i := range w.places {
		if p := w.pods[w.places[i].pod]; p.job >= 0 && nodes[p.job] == nil {
			nodes[p.job] = w.nodes[w.places[i].node]
		}
	}
	queues := map[string][]passing{}
	for i := range w.jobs {
		if j := &w.jobs[i]; j.started != never && nodes[int32(i)] != nil {
			queues[j.Queue] = append(queues[j.Queue], passing{j.Submit, j.started, nodes[int32(i)]})
		}
	}
	for _, q := range queues { // order-free: each is sorted by itself
		slices.SortFunc(q, func(a, b passing) int { return cmp.Compare(a.submit, b.submit) })
	}
	firsts := map[string][]time.Duration{}
	out := &Passed{}
	var waits []time.Duration
	for i := range w.jobs {
		j := &w.jobs[i]
		q := queues[j.Queue]
		kind := j.Queue + fmt.Sprint("\x00", j.Spec.Selector, j.Spec.Affinity, j.Spec.Tolerations)
		if firsts[kind] == nil {
			firsts[kind] = firstStarts(q, j.Spec)
		}
		later, _ := slices.BinarySearchFunc(q, j.Submit, func(p passing, at time.Duration) int {
			if p.submit <= at {
				return -1
			}
			return 1
		})
		until := min(j.started, w.last)
		first := firsts[kind][later]
		if first >= until {
			continue
		}
		waits = append(waits, until-first)
		if d := Seconds(until - first); d > out.Longest || d == out.Longest && j.Name < out.Job {
			out.Longest, out.Job = d, j.Name
		}
	}
	out.Jobs, out.Wait = len(waits), spread(waits)
	return out
}

// firstStarts is, for each index into jobs in the order of submission, when the first of them from there on started on
// a node that may take pods of a kind; never after the last.
func firstStarts(q []passing, spec *model.Spec) []time.Duration {
	out := make([]time.Duration, len(q)+1)
	out[len(q)] = never
	admits := map[*model.Node]bool{}
	for i := len(q) - 1; i >= 0; i-- {
		out[i] = out[i+1]
		if _, asked := admits[q[i].node]; !asked {
			admits[q[i].node] = whatif.Admits(spec, q[i].node)
		}
		if admits[q[i].node] {
			out[i] = min(out[i], q[i].started)
		}
	}
	return out
}
