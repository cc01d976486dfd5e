// Package actions is the list of the built-in actions.
//
// It is a plain list: nothing registers itself. A profile has an order of its own. Each action has a folder of its own
// and knows no other action and no plugin.
package actions

import (
	"ashlar.sh/sched/actions/allocate"
	"ashlar.sh/sched/actions/backfill"
	"ashlar.sh/sched/actions/enqueue"
	"ashlar.sh/sched/actions/gangpreempt"
	"ashlar.sh/sched/actions/gangreclaim"
	"ashlar.sh/sched/actions/preempt"
	"ashlar.sh/sched/actions/reclaim"
	"ashlar.sh/sched/actions/shuffle"
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/session"
)

// Definition ties an action's name to its constructor, which is called once, when an engine is made for a profile.
type Definition struct {
	Name      string
	Meaning   string             // what the action is for, in half a sentence
	Arguments []*policy.Argument // those that it takes, and no others
	New       func(a policy.Arguments, e *evict.Evictor) (session.Action, error)
}

// All lists the built-in actions, in a new slice each time.
func All() []Definition {
	return []Definition{
		define(enqueue.Name, "let jobs for which their queue has room leave Pending",
			func(policy.NoArguments, *evict.Evictor) session.Action { return enqueue.Action{} }),
		define(allocate.Name, "place the tasks of jobs, gangs as a whole",
			func(session.ErrorCache, *evict.Evictor) session.Action { return allocate.Action{} }),
		define(backfill.Name, "place tasks that request nothing",
			func(a session.BackfillArguments, _ *evict.Evictor) session.Action {
				return backfill.Action{Backfill: a.Settings()}
			}),
		define(preempt.Name, "make room inside a queue for jobs of higher priority",
			func(a preempt.Arguments, e *evict.Evictor) session.Action { return e.Action(preempt.Options(a)) }),
		define(reclaim.Name, "make room for queues below their deserved by taking from queues above theirs",
			func(_ session.ErrorCache, e *evict.Evictor) session.Action { return e.Action(reclaim.Options()) }),
		define(gangpreempt.Name, "preempt for whole gangs, domain by domain",
			func(a evict.GangArguments, e *evict.Evictor) session.Action { return e.Action(gangpreempt.Options(a)) }),
		define(gangreclaim.Name, "reclaim for whole gangs, domain by domain",
			func(a evict.GangArguments, e *evict.Evictor) session.Action { return e.Action(gangreclaim.Options(a)) }),
		define(shuffle.Name, "evict what the descheduling plugins pick",
			func(_ policy.NoArguments, e *evict.Evictor) session.Action { return shuffle.Action{Evictor: e} }),
	}
}

// define is the definition of an action with typed arguments.
func define[A any, PA policy.Struct[A]](name, meaning string, build func(A, *evict.Evictor) session.Action) Definition {
	list, _ := policy.Describe[A, PA]() // New says what is wrong with it
	return Definition{name, meaning, list, func(given policy.Arguments, e *evict.Evictor) (session.Action, error) {
		a, err := policy.Read[A, PA](policy.Choice{Arguments: given})
		if err != nil {
			return nil, &policy.BuildError{Of: "action", Name: name, Err: err}
		}
		return build(a, e), nil
	}}
}
