package loop

import (
	"cmp"
	"strings"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/translate"
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
	still := make(map[reportedProblem]bool, min(len(problems), mostReported))
	for i, taken := range share(problems, exists) {
		p := problems[i]
		if !taken {
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

// share says which problems are within the bounds: of each owner the first mostOfOne. Where these are more than
// mostReported, each owner has its first before any has its second, and so on: no number of others hides an owner's.
func share(problems []sched.Problem, exists func(object string) bool) []bool {
	type group struct {
		owner  string
		exists bool
	}
	nth := make([]int, len(problems)) // of its owner
	of := map[group]int{}
	var owners [mostOfOne + 1]int // that have an nth
	for i, p := range problems {
		g := group{owner(p.Object), exists(p.Object)}
		nth[i] = min(of[g], mostOfOne)
		of[g]++
		owners[nth[i]]++
	}
	each, rest := 0, mostReported // every owner has so many, and the first owners one more while there is rest
	for ; each < mostOfOne && owners[each] <= rest; each++ {
		rest -= owners[each]
	}
	taken := make([]bool, len(problems))
	for i, n := range nth {
		taken[i] = n < each
		if n == each && n < mostOfOne && rest > 0 {
			taken[i] = true
			rest--
		}
	}
	return taken
}

// namespaced are the kinds with problems that have namespaces.
var namespaced = map[model.Kind]bool{model.KindPod: true, model.KindPodGroup: true, model.KindQuota: true,
	model.KindBudget: true, model.KindService: true, translate.KindPersistentVolumeClaim: true,
	translate.KindCSIStorageCapacity: true, translate.KindResourceClaim: true}

// owner is the kind and namespace of an object, the kind alone of what has none. The name of an object that does not
// exist may hold slashes.
func owner(object string) string {
	kind, rest, _ := strings.Cut(object, "/")
	if !namespaced[model.Kind(kind)] {
		return kind
	}
	namespace, _, _ := strings.Cut(rest, "/")
	return kind + "/" + namespace
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
