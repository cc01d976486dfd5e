package whatif

import (
	"slices"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// trials runs the engine with changes for one job, and keeps what made it run.
type trials struct {
	c   *sched.Copy
	now int64
	key ledger.JobKey
	Limits
	family int            // cycles that are left for one kind of changes
	given  []trace.Change // tried along with every candidate
	out    trace.WouldRun
}

// try runs the engine with changes and says in which cycle the job starts; false: it does not, or one of the changes
// cannot be made, or no runs are left. look is called after the first cycle in which it does not start, with the
// changes in place; nil: nothing is looked at.
func (s *trials) try(changes []trace.Change, look func(*sched.Engine, ledger.JobID)) (way trace.Way, starts bool) {
	defer s.c.Revert()
	e := s.c.Engine()
	for _, c := range slices.Concat(s.given, changes) {
		id, there := e.Ledger().Jobs.Find(s.key)
		if !there {
			return way, false
		}
		facts := Facts(e, id, c)
		if len(facts) == 0 {
			return way, false
		}
		s.c.Apply(facts...)
	}
	for way.Cycles = 1; way.Cycles <= mostCycles; way.Cycles++ {
		if s.over() {
			return way, false
		}
		s.Runs, s.family = s.Runs-1, s.family-1
		plan := s.c.Decide(s.now)
		step := Look(e, s.key, plan)
		if way.Evicts = append(way.Evicts, step.Evicts...); step.Starts {
			slices.Sort(way.Evicts)
			way.Changes = slices.Concat(s.given, changes)
			return way, true
		}
		if look != nil {
			if id, there := e.Ledger().Jobs.Find(s.key); there && !step.GoesOn {
				look(e, id)
			}
		}
		if !step.GoesOn {
			return way, false
		}
		s.c.CarryOut(plan)
	}
	return way, false
}

// over says that no further cycle may run.
func (s *trials) over() bool {
	if s.Runs <= 0 || s.Stop != nil && s.Stop() {
		s.Runs, s.family, s.out.Cut = 0, 0, true
	}
	return s.family <= 0
}

// found tells a way that was run.
func (s *trials) found(w trace.Way) {
	s.out.Ways = append(s.out.Ways, w)
	if s.Found != nil {
		s.Found(w)
	}
}

// least finds the smallest n for which a change makes the job run, from 1 to most, and says whether n-1 was seen not
// to do. 0 is known not to do. guess is tried first; false: not even most does.
func (s *trials) least(guess, most int64, change func(n int64) trace.Change) (way trace.Way, ok bool) {
	if most < 1 {
		return way, false
	}
	no, yes := int64(0), most+1
	run := func(n int64) bool {
		w, does := s.try([]trace.Change{change(n)}, nil)
		switch {
		case does:
			way, yes, ok = w, n, true
		case s.family > 0: // what was cut short says nothing
			no = n
		}
		return does
	}
	if guess = min(max(guess, 1), most); !run(guess) && (guess == most || !run(most)) {
		return way, false
	}
	if yes-1 > no && yes == guess { // the guess is right as a rule
		run(yes - 1)
	}
	for yes-no > 1 && s.family > 0 {
		run(no + (yes-no)/2)
	}
	way.Changes[len(way.Changes)-1].Least = yes-no == 1
	return way, true
}

// alone runs one change, and tells it where the job starts.
func (s *trials) alone(c trace.Change) bool {
	way, starts := s.try([]trace.Change{c}, nil)
	if starts {
		s.found(way)
	}
	return starts
}

// leastOf finds the least n for which the job starts, and tells it.
func (s *trials) leastOf(guess, most int64, change func(n int64) trace.Change) bool {
	way, starts := s.least(guess, most, change)
	if starts {
		s.found(way)
	}
	return starts
}

func (s *trials) job() (*ledger.Ledger, ledger.JobID, *ledger.Job) {
	l := s.c.Engine().Ledger()
	id, _ := l.Jobs.Find(s.key)
	return l, id, l.Job(id)
}
