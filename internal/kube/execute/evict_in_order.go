package execute

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// Evictions of one statement make room together. If one of them is denied, all others were for nothing. So what failed
// once is asked for first, and the others are carried out only if it succeeds.

// inOrder takes from a plan the evictions that are for a pod and belong to a statement with a deletion that failed
// before. It returns the other items, and those evictions by statement.
func (e *evictions) inOrder(items []sched.Item) (rest []sched.Item, statements [][]sched.Item) {
	suspect := e.suspects(items)
	if len(suspect) == 0 {
		return items, nil
	}
	at := map[uint64]int{}
	for _, i := range items {
		if !forAPod(i) || !suspect[i.Statement] {
			rest = append(rest, i)
			continue
		}
		n, known := at[i.Statement]
		if !known {
			n, statements = len(statements), append(statements, nil)
			at[i.Statement] = n
		}
		statements[n] = append(statements[n], i)
	}
	return rest, statements
}

// forAPod says that an item is an eviction that makes room for a pod. What a plugin picks for other reasons leaves pod
// by pod.
func forAPod(i sched.Item) bool { return i.Kind == sched.EvictPod && i.Preemptor.Name != "" }

// suspects returns the statements of a plan with a deletion that failed before.
func (e *evictions) suspects(items []sched.Item) (of map[uint64]bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.denials) == 0 {
		return nil
	}
	for _, i := range items {
		if forAPod(i) && e.denials[i.UID] > 0 {
			if of == nil {
				of = map[uint64]bool{}
			}
			of[i.Statement] = true
		}
	}
	return of
}

// orderedEvictions are those of one statement that are carried out one after the other.
type orderedEvictions struct {
	first, rest []sched.Item
	pods        map[ledger.Key]bool // for which they are
	binds       []heldBinds         // of those pods and of what is bound with them, once all of first are accepted
}

// heldBinds are the bindings of one statement that wait for evictions.
type heldBinds struct {
	items []sched.Item
	own   *preparation // what comes after the statement waits for it, and fails with it
	begin func()       // has them carried out, without waiting
}

// together carries out the evictions of one statement: first, one after the other, those of pods of which the
// deletion failed before, the most often failed one first, and then all others at once.
func (e *evictions) together(items []sched.Item) {
	t := &orderedEvictions{pods: map[ledger.Key]bool{}}
	e.mu.Lock()
	for _, i := range items {
		t.pods[i.Preemptor] = true
		if e.denials[i.UID] > 0 {
			t.first = append(t.first, i)
		} else {
			t.rest = append(t.rest, i)
		}
	}
	slices.SortStableFunc(t.first, func(a, b sched.Item) int {
		return cmp.Compare(e.denials[b.UID], e.denials[a.UID])
	})
	e.ordered = append(e.ordered, t)
	e.mu.Unlock()
	e.next(t)
}

// next carries out the first of ordered evictions, and once that is accepted the next one. If it fails, all that come
// after it are answered with it, and so are bindings that wait for it.
func (e *evictions) next(t *orderedEvictions) {
	if len(t.first) == 0 {
		binds := e.end(t)
		for _, i := range t.rest {
			e.x.bring(i, nil, repeats{}, func(result) {})
		}
		for _, held := range binds {
			held.begin()
		}
		return
	}
	first := t.first[0]
	t.first = t.first[1:]
	e.putBehind(first, t)
	e.x.bring(first, nil, repeats{}, func(r result) {
		if r.outcome != sched.Failed {
			e.next(t)
		}
	})
}

// end forgets ordered evictions, and returns the bindings that waited for them.
func (e *evictions) end(t *orderedEvictions) []heldBinds {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drop(t)
	return t.binds
}

func (e *evictions) drop(t *orderedEvictions) {
	e.ordered = slices.DeleteFunc(e.ordered, func(o *orderedEvictions) bool { return o == t })
}

// await takes from a plan the bindings of pods for which evictions wait for others, with what is bound together
// with them: elsewhere there may be room for them already, but in their queue only once the victims leave.
func (e *evictions) await(items []sched.Item) (rest []sched.Item) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.ordered) == 0 {
		return items
	}
	waits := map[uint64]*orderedEvictions{}
	for _, i := range items {
		if t := e.before(i); t != nil {
			waits[i.Statement] = t
		}
	}
	held := map[uint64][]sched.Item{}
	for _, i := range items {
		if waits[i.Statement] != nil && i.Kind == sched.BindPod {
			held[i.Statement] = append(held[i.Statement], i)
			continue
		}
		rest = append(rest, i)
	}
	prepared := e.x.preparing.begin(held)
	for _, statement := range slices.Sorted(maps.Keys(held)) {
		binds, own, t := held[statement], prepared[statement], waits[statement]
		patience := volumePatience(e.x)
		t.binds = append(t.binds, heldBinds{binds, own, func() { e.bind(binds, patience, own) }})
	}
	return rest
}

// before are the evictions that a binding waits for; nil: none.
func (e *evictions) before(i sched.Item) (last *orderedEvictions) {
	for _, t := range e.ordered {
		if i.Kind == sched.BindPod && t.pods[i.Pod] {
			last = t
		}
	}
	return last
}

// hold has the bindings of a statement wait for evictions for its pods; false: there is none to wait for.
func (e *evictions) hold(binds heldBinds) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, i := range binds.items {
		if t := e.before(i); t != nil {
			t.binds = append(t.binds, binds)
			return true
		}
	}
	return false
}

// bind carries out the bindings of a statement that waited.
func (e *evictions) bind(items []sched.Item, patience time.Duration, own *preparation) {
	if len(own.after) > 0 || slices.ContainsFunc(items, e.x.needs) {
		e.x.options.Panicked.Go("binding pods with volumes and devices", func() { e.x.bindReady(items, patience, own) })
		return
	}
	for _, i := range items {
		e.x.bring(i, nil, repeatsOf(i, len(items)), func(result) {})
	}
	e.x.preparing.end(own, true)
}

// putBehind notes what is only to follow an eviction.
func (e *evictions) putBehind(first sched.Item, t *orderedEvictions) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if at := e.states[first.ID]; at != nil {
		at.behind = t
	}
}

// answered counts how often in a row the deletion of a pod failed, and returns the answers to what was only to follow
// this one and fails with it. They are given together: in a cycle between, victims would count as leaving still.
func (e *evictions) answered(i sched.Item, outcome sched.Outcome) (denials int32, behind []sched.Receipt) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if outcome != sched.Failed {
		delete(e.denials, i.UID)
		return 0, nil
	}
	if e.denials == nil || len(e.denials) > mostRetries {
		e.denials = map[string]int32{}
	}
	e.denials[i.UID]++
	if at := e.states[i.ID]; at != nil && at.behind != nil {
		e.drop(at.behind)
		for _, o := range append(slices.Clone(at.behind.first), at.behind.rest...) {
			behind = append(behind, receipt(o, sched.Forgone, "")...)
		}
		for _, held := range at.behind.binds {
			behind = append(behind, failures(held.items)...)
			e.x.preparing.end(held.own, false)
		}
	}
	return e.denials[i.UID], behind
}

// answers are the receipts for an item, with those of what was only to follow it.
func (e *evictions) answers(item sched.Item, outcome sched.Outcome, refused string) []sched.Receipt {
	list := receipt(item, outcome, refused)
	if item.Kind != sched.EvictPod || OfRelease(item) {
		return list
	}
	denials, behind := e.answered(item, outcome)
	list[0].Denials = denials
	return append(list, behind...)
}

// Try asks the API server whether it would bind a pod, without doing so (a dry run). The answer is a receipt of which
// OfTrial holds. A server that cannot try a binding is taken to carry it out.
func (c *Executor) Try(bind sched.Item) {
	bind.Action = onTrial
	c.fast.do(func() (time.Duration, bool) {
		r := result{outcome: sched.Failed}
		c.withoutPanic("trying a binding", func() { r = c.requests.try(wouldBind(c.pods(bind.Pod.Namespace), bind)) })
		c.answerAll(receipt(bind, r.outcome, r.refused), r.latency)
		return r.latency, r.overloaded
	})
}

// onTrial marks the binding of Try, which is of no plan: bindings of plans have no action.
const onTrial = "trial"

// OfTrial says that an item is the binding of Try.
func OfTrial(i sched.Item) bool { return i.Kind == sched.BindPod && i.Action == onTrial }

// wouldBind asks whether the server would bind a pod.
func wouldBind(pods typedcorev1.PodInterface, i sched.Item) request {
	return request{
		what: "try to bind " + i.Pod.String() + " to " + i.Node,
		send: func(ctx context.Context) error {
			err := pods.Bind(ctx, bindingOf(i), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "dry run") {
				return nil // a webhook that cannot be asked
			}
			return err
		},
		shown: shown(pods, i, func(p *corev1.Pod) (bool, sched.Outcome) {
			return p.Spec.NodeName != "" || p.DeletionTimestamp != nil || len(p.Spec.SchedulingGates) > 0, sched.Failed
		}),
	}
}
