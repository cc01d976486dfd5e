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
	still := false
	for way.Cycles = 1; way.Cycles <= mostCycles; way.Cycles++ {
		if s.over() {
			return way, false
		}
		if !still { // a second cycle that decides nothing costs next to nothing
			s.Runs, s.family = s.Runs-1, s.family-1
		}
		plan := s.c.Decide(s.now)
		step := Look(e, s.key, plan)
		if way.Evicts = append(way.Evicts, step.Evicts...); step.Starts {
			slices.Sort(way.Evicts)
			way.Changes = slices.Concat(s.given, changes)
			return way, true
		}
		if look != nil && !still {
			if id, there := e.Ledger().Jobs.Find(s.key); there && !step.GoesOn {
				look(e, id)
			}
		}
		if !step.GoesOn && way.Cycles > 1 {
			return way, false
		}
		still = !step.GoesOn // an engine is at rest after two cycles that decide nothing
		s.c.CarryOut(plan)
	}
	return way, false
}

// over says that no further cycle may run.
func (s *trials) over() bool {
	if s.out.Cut || s.Runs <= 0 || s.Stop != nil && s.Stop() {
		s.family, s.out.Cut = 0, true
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

// without leaves out each change of a way that is not needed beside those that are given and the others.
func (s *trials) without(way trace.Way) trace.Way {
	for i := len(s.given); i < len(way.Changes) && len(way.Changes) > len(s.given)+1; {
		rest := slices.Delete(slices.Clone(way.Changes), i, i+1)[len(s.given):]
		if w, does := s.try(rest, nil); does {
			way, i = w, len(s.given)
		} else {
			i++
		}
	}
	return way
}

// confirm tries again that each change of a way is the least, since the others have changed after it was found.
func (s *trials) confirm(way trace.Way) {
	given := s.given
	s.given = nil
	for i := range way.Changes {
		c := &way.Changes[i]
		for _, less := range stepLess(*c) {
			changes := slices.Clone(way.Changes)
			changes[i] = less
			if _, does := s.try(changes, nil); does || s.family <= 0 {
				c.Least = false
			}
		}
	}
	for i := range way.Changes { // what was cut short says nothing
		way.Changes[i].Least = way.Changes[i].Least && s.family > 0
	}
	s.given = given
}

// stepLess is a change with one step less, in each way in which it may be less, if it is said to be the least. That
// nothing of it is not enough is known.
func stepLess(c trace.Change) (out []trace.Change) {
	if !c.Least {
		return nil
	}
	less := c
	var enough bool
	switch c.Kind {
	case trace.ChangeGang:
		less.To++
		enough = less.To < c.From
	case trace.ChangeRequest:
		less.To += Step1(c.Text)
		enough = less.To < c.From
	case trace.ChangeWeight:
		less.To--
		enough = less.To > c.From
	case trace.ChangeNodes:
		less.Count--
		enough = less.Count > 0
	case trace.ChangeCapability, trace.ChangeDeserved, trace.ChangeQuota:
		less.Amounts = slices.Clone(c.Amounts)
		less.Amounts[0].To -= Step1(c.Amounts[0].Dim)
		enough = less.Amounts[0].To > less.Amounts[0].From
	case trace.ChangeRoom:
		less.Where = slices.Clone(c.Where)
		less.Where[0].Amount -= Step1(c.Where[0].Dim)
		enough = less.Where[0].Amount > 0
	case trace.ChangeEnd:
		for i := range c.Jobs {
			one := c
			if one.Jobs = slices.Delete(slices.Clone(c.Jobs), i, i+1); len(one.Jobs) > 0 {
				out = append(out, one)
			}
		}
		return out
	default:
		enough = false
	}
	if !enough {
		return nil
	}
	return []trace.Change{less}
}
