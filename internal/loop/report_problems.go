package loop

import (
	"cmp"
	"strings"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Bounds of reporting problems. Looking for problems takes at most a hundredth of the time, and of thousands of bad
// objects in a namespace only the first are reported. Problems about objects that do not exist have bounds of their
// own: a tenant can name a thousand queues that it may not make, and that must not hide the problems of existing
// queues.
const (
	reportProblemsEvery = 5 * time.Second
	// complaints of one kind and namespace that are remembered, of existing objects and of others
	mostOfOne    = 100
	mostReported = 10_000 // and of all
)

// reportedProblems has the problems that were reported. A problem is reported when it was found twice in a row: objects
// that belong together come one by one.
type reportedProblems struct {
	reported map[reportedProblem]bool // false: seen once
	at       time.Time                // of the last look
	took     time.Duration
	left     int // how many more there were than are remembered
}

// reportedProblem identifies a problem.
type reportedProblem struct{ object, gist string }

// reportProblems says what is wrong with objects, once: by an event on the object, where it
// exists, and in the log. A scheduler that starts anew says it again.
func (rp *reports) reportProblems(now time.Time) {
	c := &rp.problems
	if now.Sub(c.at) < max(reportProblemsEvery, 100*c.took) {
		return
	}
	began := time.Now()
	problems := rp.l.engine.Problems()
	rp.l.metrics.wrongWith(problems)
	left := c.take(problems, rp.exists, rp.reportProblemsOf)
	if left > 0 && c.left == 0 {
		klog.InfoS("More is wrong with objects than is said one by one", "problems", len(problems), "notSaid", left)
	}
	c.left, c.at, c.took = left, now, time.Since(began)
}

// take has each problem said that was there at the last look too and was not said, and
// forgets those that are no more. It returns how many are beyond what it remembers.
func (c *reportedProblems) take(problems []sched.Problem, exists func(object string) bool,
	say func(sched.Problem) bool) (left int) {
	type group struct {
		owner  string
		exists bool
	}
	still := make(map[reportedProblem]bool, min(len(problems), mostReported))
	of := map[group]int{}
	for _, p := range problems {
		g := group{owner(p.Object), exists(p.Object)}
		if of[g]++; of[g] > mostOfOne || len(still) >= mostReported {
			left++
			continue
		}
		key := reportedProblem{p.Object, cmp.Or(p.Gist, p.Message)}
		said, seen := c.reported[key]
		still[key] = said || seen && say(p)
	}
	c.reported = still
	return left
}

// owner is the kind and namespace of an object, the kind alone of what has none.
func owner(object string) string {
	return object[:max(0, strings.LastIndexByte(object, '/'))]
}

// exists reports whether the API server has the object, as far as the engine was told.
func (rp *reports) exists(object string) bool {
	_, ok := rp.l.engine.Ledger().UIDOf(refOf(object))
	return ok
}

// reportProblemsOf says one thing; false when too much waits to be said.
func (rp *reports) reportProblemsOf(p sched.Problem) bool {
	ref := refOf(p.Object)
	if uid, ok := rp.l.engine.Ledger().UIDOf(ref); ok {
		if !rp.l.executor.Event(execute.Event{Kind: string(ref.Kind),
			Object: ledger.Key{Namespace: ref.Namespace, Name: ref.Name},
			UID:    uid, Warning: true, Reason: "Problem", Message: p.Message}) {
			return false
		}
	}
	klog.InfoS("Something is wrong with an object", "object", p.Object, "problem", p.Message)
	return true
}

// refOf reads Kind/namespace/name or Kind/name. A problem of something else, as a plugin's
// argument, has a Ref that no object has.
func refOf(object string) model.Ref {
	kind, name, _ := strings.Cut(object, "/")
	r := model.Ref{Kind: model.Kind(kind), Name: name}
	if namespace, name, ok := strings.Cut(name, "/"); ok {
		r.Namespace, r.Name = namespace, name
	}
	return r
}
