package execute

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"ashlar.sh/sched"
)

// Evictions of one statement make room together. If one of them is denied, all others were for nothing. So what failed
// once is asked for first, and the others are carried out only if it succeeds.

// inTurn takes from a plan the evictions that are for a pod and belong to a statement with a deletion that failed
// before. It returns the other items, and those evictions by statement.
func (e *evictions) inTurn(items []sched.Item) (rest []sched.Item, turns [][]sched.Item) {
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
			n, turns = len(turns), append(turns, nil)
			at[i.Statement] = n
		}
		turns[n] = append(turns[n], i)
	}
	return rest, turns
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

// together carries out the evictions of one statement: first, one after the other, those of pods of which the
// deletion failed before, the most often failed one first, and then all others at once.
func (e *evictions) together(items []sched.Item) {
	var first, rest []sched.Item
	e.mu.Lock()
	for _, i := range items {
		if e.denials[i.UID] > 0 {
			first = append(first, i)
		} else {
			rest = append(rest, i)
		}
	}
	slices.SortStableFunc(first, func(a, b sched.Item) int {
		return cmp.Compare(e.denials[b.UID], e.denials[a.UID])
	})
	e.mu.Unlock()
	e.next(first, rest)
}

// next carries out the first eviction, and once that is accepted the next one. If it fails, all that come after
// it are answered with it.
func (e *evictions) next(first, rest []sched.Item) {
	if len(first) == 0 {
		for _, i := range rest {
			e.one(i, func(sched.Outcome) {})
		}
		return
	}
	e.putBehind(first[0], append(slices.Clone(first[1:]), rest...))
	e.one(first[0], func(o sched.Outcome) {
		if o != sched.Failed {
			e.next(first[1:], rest)
		}
	})
}

// one carries an eviction out. Then then is called with the outcome, in another goroutine.
func (e *evictions) one(item sched.Item, then func(sched.Outcome)) {
	e.x.fast.do(func() (time.Duration, bool) {
		r := result{outcome: sched.Failed}
		e.x.withoutPanic("evicting a pod", func() { r = e.x.requests.try(e.evict(e.x.pods(item.Pod.Namespace), item)) })
		if r.left.is() {
			e.x.requests.resolve(item, r.left, r.latency, r.refused, then)
			return r.latency, r.overloaded
		}
		e.x.answerAll(e.answers(item, r.outcome, r.refused), r.latency)
		then(r.outcome)
		return r.latency, r.overloaded
	})
}

// putBehind notes evictions that are only to follow another one.
func (e *evictions) putBehind(first sched.Item, others []sched.Item) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if at := e.states[first.ID]; at != nil {
		at.behind = others
	}
}

// answered counts how often in a row the deletion of a pod failed, and returns the evictions that were only to follow
// this one and fail with it.
func (e *evictions) answered(i sched.Item, outcome sched.Outcome) (denials int32, behind []sched.Item) {
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
	if at := e.states[i.ID]; at != nil {
		behind = at.behind
	}
	return e.denials[i.UID], behind
}

// answers are the receipts for an item, with those of evictions that were only to follow it.
func (e *evictions) answers(item sched.Item, outcome sched.Outcome, refused string) []sched.Receipt {
	list := receipt(item, outcome, refused)
	if item.Kind != sched.EvictPod || OfRelease(item) {
		return list
	}
	denials, behind := e.answered(item, outcome)
	list[0].Denials = denials
	return append(list, forgone(behind)...)
}

func forgone(items []sched.Item) (out []sched.Receipt) {
	for _, i := range items {
		out = append(out, receipt(i, sched.Forgone, "")...)
	}
	return out
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
	binding := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: i.Pod.Namespace, Name: i.Pod.Name, UID: types.UID(i.UID)},
		Target:     corev1.ObjectReference{Kind: "Node", Name: i.Node},
	}
	return request{
		what: "try to bind " + i.Pod.String() + " to " + i.Node,
		send: func(ctx context.Context) error {
			err := pods.Bind(ctx, binding, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
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
