// Package pending is the index of the jobs that wait: why each of them does, and what would wake it.
//
// An answer about a job rests on some kinds of changes (Wake). It was found at some Versions, and while the
// versions of what it rests on are unchanged, it holds and need not be found again. That is a cache: what is
// decided, and the reason that is shown, are as if every job had been tried in every cycle.
//
// A job that was refused is parked: allocate does not try it before something changed that its refusal rests
// on. Parked jobs with equal signatures are checked together, so that a cycle in which nothing changes costs
// the number of signatures, not of jobs. Every change to a job wakes it. Answers are those of actions, which
// hold for as long as nothing changes at all.
package pending

import (
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// Index is what is remembered of the jobs of one ledger that wait. It is not safe for concurrent use.
type Index struct {
	l         *ledger.Ledger
	nodeIndex *class.Index
	set       *policy.Set

	jobs    []entry // by JobID
	parked  Groups[signature]
	awake   []ledger.JobID
	lists   [numLists][]ledger.JobID
	changed []ledger.JobID // since TakeChanged was last called

	order keptOrder

	cycle    uint64
	opened   uint64 // the StateEpoch when the cycle began
	times    uint64 // how often a time came at which plugins' answers change
	deferred uint64 // cycles in which work was put off
	plans    uint64 // how often a start was planned while none was
}

// entry is what the index keeps of a job, waiting or not.
type entry struct {
	wait    *waitRecord // nil for most: a job that never waited has none
	awake   bool        // it is on the list of jobs that are not parked
	changed bool        // it is on the list of jobs that changed
	in      [numLists]bool
}

// New returns an empty index.
func New(l *ledger.Ledger, nodes *class.Index, set *policy.Set) *Index {
	return &Index{l: l, nodeIndex: nodes, set: set}
}

// Open begins a cycle: what was noted in earlier cycles no longer counts, except refusals.
func (x *Index) Open() {
	x.cycle++
	x.opened = x.l.Changes.StateEpoch()
}

// TimePassed says that a time has come at which plugins' answers change.
func (x *Index) TimePassed() { x.times++ }

// StartPlanned says that a start was planned while none was before: some jobs that lack room may now take what is kept
// for it, since they end before. What they lack is no number of tasks any more.
func (x *Index) StartPlanned() {
	x.plans++
	x.times++
}

// Deferred says that work was put off in this cycle.
func (x *Index) Deferred() { x.deferred++ }

// The lists of active jobs for which something other than a place is to be decided.
const (
	awaitingAdmission = iota
	withBestEffort
	numLists
)

func belongs(list int, job *ledger.Job) bool {
	if list == awaitingAdmission {
		return job.AwaitsAdmission()
	}
	return job.BestEffort > 0 && job.Admitted()
}

// follow takes in the jobs that changed: they are woken, and added to the lists that they belong to.
func (x *Index) follow() {
	x.l.Changes.TakeTouched(func(j ledger.JobID) {
		x.parked.Remove(j)
		e := x.entry(j)
		if !e.changed {
			e.changed = true
			x.changed = append(x.changed, j)
		}
		if !x.l.Jobs.Wants(j) {
			return
		}
		x.wake(j)
		for list := range numLists {
			if !e.in[list] && belongs(list, x.l.Job(j)) {
				e.in[list] = true
				x.lists[list] = append(x.lists[list], j)
			}
		}
	})
}

// TakeChanged calls f for every job that changed since the last call, in no order that may decide anything.
func (x *Index) TakeChanged(f func(ledger.JobID)) {
	x.follow()
	for _, j := range x.changed {
		x.jobs[j].changed = false
		f(j)
	}
	x.changed = x.changed[:0]
}

func (x *Index) entry(j ledger.JobID) *entry {
	for int(j) >= len(x.jobs) {
		x.jobs = append(x.jobs, entry{})
	}
	return &x.jobs[j]
}

// wake puts a job on the list of those that are not parked.
func (x *Index) wake(j ledger.JobID) {
	if e := x.entry(j); !e.awake {
		e.awake = true
		x.awake = append(x.awake, j)
	}
}

// Unparked are the active jobs that are not parked and for which include returns true, by name. include may admit
// a job, or note why it is left out, and is called in the order of names.
func (x *Index) Unparked(include func(ledger.JobID) bool) []ledger.JobID {
	x.follow()
	x.orderKept()
	now := x.Now()
	x.wakeGroups(now)
	ledger.SortByName(x.l, x.awake) // which it is, but for those that were woken last
	var out []ledger.JobID
	known := map[signature]bool{}
	hopeless := func(k signature, now Versions) bool {
		is, found := known[k]
		if !found {
			is = x.hopeless(k, now)
			known[k] = is
		}
		return is
	}
	x.awake = slices.DeleteFunc(x.awake, func(j ledger.JobID) bool {
		switch {
		case !x.l.Jobs.Wants(j):
		case !x.isParked(j, hopeless):
			out = append(out, j)
			return false
		case x.l.Job(j).By[model.Pipelined] > 0:
			return false
		default:
			x.group(j, now)
		}
		x.jobs[j].awake = false
		return true
	})
	return slices.DeleteFunc(out, func(j ledger.JobID) bool { return !include(j) })
}

// AwaitingAdmission are the active jobs that wait for admission; order and include are as in Unparked.
func (x *Index) AwaitingAdmission(include func(ledger.JobID) bool) []ledger.JobID {
	return x.listed(awaitingAdmission, include)
}

// BestEffort are the active admitted jobs with members that ask for nothing; order and include are as in
// Unparked.
func (x *Index) BestEffort(include func(ledger.JobID) bool) []ledger.JobID {
	return x.listed(withBestEffort, include)
}

func (x *Index) listed(list int, include func(ledger.JobID) bool) []ledger.JobID {
	x.follow()
	x.lists[list] = slices.DeleteFunc(x.lists[list], func(j ledger.JobID) bool {
		e := &x.jobs[j]
		e.in[list] = x.l.Jobs.Wants(j) && belongs(list, x.l.Job(j))
		return !e.in[list]
	})
	return x.InOrder(slices.Clone(x.lists[list]), include)
}

// InOrder sorts jobs by name and returns those for which include returns true. It is called in that order.
func (x *Index) InOrder(jobs []ledger.JobID, include func(ledger.JobID) bool) []ledger.JobID {
	ledger.SortByName(x.l, jobs)
	return slices.DeleteFunc(jobs, func(j ledger.JobID) bool { return !include(j) })
}
