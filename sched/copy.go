package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// Copy is an engine that decides what another one decides, on which changes are tried and taken back. It is made
// of facts and commitments, which takes about a second for 100 000 pods; after that a try costs what it changes.
// A Copy is not safe for concurrent use, but the engine that it was made of may go on meanwhile: facts are never
// changed.
type Copy struct {
	e       *Engine
	profile policy.Profile
	with    []Option

	facts    []model.Fact
	base     Commitments // as a new engine exports them
	noted    *checkpoint // base, to be looked up; nil until the copy is changed
	was      map[model.Ref]model.Fact
	changed  []model.Ref // the keys of was, in the order of the changes
	at       int64       // the time of all its cycles, as long as it was not made anew; 0: none ran
	moved    bool        // a cycle ran at another time
	remade   int
	remember []model.Fact // scratch
}

// Copy makes a copy of an engine between two cycles.
func (e *Engine) Copy() (*Copy, error) {
	return CopiesOf(e)()
}

// CopiesOf takes what copies of an engine are made of, between two cycles. What it returns makes one, in any goroutine.
func CopiesOf(e *Engine) func() (*Copy, error) {
	profile, facts, commitments, with := e.profile, e.Facts(), e.Commitments(), e.with
	return func() (*Copy, error) { return NewCopy(profile, facts, commitments, with...) }
}

// NewCopy makes a copy of the engine that has a profile, options, and these facts and commitments. A stopwatch
// among the options measures nothing of it. It returns the errors of New.
func NewCopy(p policy.Profile, facts []model.Fact, commitments Commitments, with ...Option) (*Copy, error) {
	c := &Copy{profile: p, with: append(slices.Clone(with), WithStopwatch(policy.NoStopwatch{})), facts: facts,
		base: commitments}
	if err := c.remake(); err != nil {
		return nil, err
	}
	return c, nil
}

// note notes what the copy had when it was made, before it is changed. An engine that is only run on needs none of it.
func (c *Copy) note() {
	if c.noted != nil {
		return
	}
	c.base = c.e.Commitments() // those that facts contradict were not taken over
	c.noted = checkpointOf(c.base)
	c.noted.used.Follow(c.e.l.Usage.TakeChanges())
}

// With makes copies of what this one was made of, with more facts, in any goroutine: as tries that need an engine of
// their own. This one may go on meanwhile.
func (c *Copy) With(more []model.Fact) func() (*Copy, error) {
	c.note()
	profile, facts, base, with := c.profile, c.facts, c.base, c.with
	return func() (*Copy, error) { // most are never made: all facts once more are several MiB
		return NewCopy(profile, slices.Concat(facts, more), base, with...)
	}
}

func (c *Copy) remake() error {
	e, err := New(c.profile, c.with...)
	if err != nil {
		return err
	}
	e.Apply(c.facts...)
	e.Restore(c.base)
	e.l.ExtendDims()
	e.l.Changes.TakeRecommitted() // lists them from now on
	if c.noted != nil {
		e.l.Usage.TakeChanges()
	}
	c.e, c.was, c.changed, c.at, c.moved = e, map[model.Ref]model.Fact{}, c.changed[:0], 0, false
	return nil
}

// Engine is the copy, for reading. Revert may put another one in its place. A caller that reverts nothing may run it
// on.
func (c *Copy) Engine() *Engine { return c.e }

// Decide runs one cycle, as Engine.Decide does. Tries should be made at one time: what ended with time does not come
// back, so the copy is made anew after a try at another time.
func (c *Copy) Decide(now int64) Plan {
	c.note()
	c.moved = c.moved || c.at != 0 && c.at != now
	c.at = now
	plan, _, _ := c.e.Decide(now)
	return plan
}

// PlaceHeldBack has the next cycle place the members above their gangs' minimums that are held back since more pods may
// come (session.Surplus), as if the period were over; false: none are held back.
func (c *Copy) PlaceHeldBack() bool {
	if c.e.session.Surplus.Until == 0 {
		return false
	}
	c.e.session.ForgetArrivals()
	return true
}

// Remade counts how often Revert had to make the copy anew.
func (c *Copy) Remade() int { return c.remade }

// Apply changes objects until Revert, in order: Object nil deletes one. The facts' versions are not read.
func (c *Copy) Apply(facts ...model.Fact) {
	c.note()
	for _, f := range facts {
		is, _ := c.e.l.Fact(f.Ref)
		if _, noted := c.was[f.Ref]; !noted {
			c.was[f.Ref] = is
			c.changed = append(c.changed, f.Ref)
		}
		if f.Version = is.Version; f.Object == nil {
			f.UID = is.UID
		}
		c.e.Apply(f)
	}
}

// CarryOut changes objects as if a plan were carried out and its victims were gone. What was bound stays a
// commitment.
func (c *Copy) CarryOut(p Plan) {
	c.remember = c.remember[:0]
	for _, i := range p.Items {
		ref := model.Ref{Kind: model.KindPod, Namespace: i.Pod.Namespace, Name: i.Pod.Name}
		if i.Kind == SetPhase {
			ref = model.Ref{Kind: model.KindPodGroup, Namespace: i.Group.Namespace, Name: i.Group.Name}
		}
		f, there := c.e.l.Fact(ref)
		if !there || f.UID != i.UID {
			continue
		}
		switch i.Kind {
		case EvictPod:
			f.Object = nil
		case OpenGate:
			p := *f.Object.(*model.Pod)
			p.Gated, p.QueueGate = false, model.QueueGateOpen
			f.Object = &p
		case SetPhase:
			g := *f.Object.(*model.PodGroup)
			g.Phase = i.Phase
			f.Object = &g
		default:
			continue
		}
		c.remember = append(c.remember, f)
	}
	c.Apply(c.remember...)
}

// Revert takes everything back that was applied and decided since the copy was made. It compares what is left with
// what was, and makes the copy anew where they differ.
func (c *Copy) Revert() {
	c.note()
	if !c.moved {
		c.takeBack()
	}
	if !c.moved && c.asItWas() {
		c.e.l.Changes.TakeRecommitted()
		clear(c.was)
		c.changed = c.changed[:0]
		return
	}
	c.remade++
	if err := c.remake(); err != nil {
		panic(err) // the same profile and options made the first one
	}
}

func (c *Copy) takeBack() {
	e := c.e
	e.l.ExtendDims()
	e.l.Statements.TakeBackProvisional()
	pods, jobs := c.touched()
	for _, k := range pods {
		if t, there := e.l.Tasks.Find(k); there && e.l.Task(t).Commitment.Kind != ledger.NoCommit {
			e.l.Drop(t)
		}
	}
	for _, k := range jobs {
		if j, there := e.l.Jobs.Find(k); there {
			if _, decided := e.l.Jobs.DecidedPhase(j); decided {
				e.l.Jobs.DropPhase(j)
			}
			e.l.WaitingJobs.Lend(j, ledger.LendsNone)
			e.l.WaitingJobs.SetWaitsFrom(j, 0)
			e.l.WaitingJobs.SetPodlessFrom(j, 0)
			e.l.WaitingJobs.EndLapse(j)
		}
	}
	e.l.Losses.Forget()
	for i := len(c.changed) - 1; i >= 0; i-- {
		f := c.was[c.changed[i]]
		f.Ref = c.changed[i]
		e.Apply(f)
		if j, there := e.l.Jobs.Find(ledger.JobKey{Namespace: f.Ref.Namespace, Name: f.Ref.Name}); there &&
			f.Ref.Kind == model.KindPodGroup {
			e.l.WaitingJobs.EndLapse(j) // it asks for no more than it did
		}
	}
	e.l.Losses.Forget() // pods that came back are no losses
	e.session.ForgetArrivals()
	e.decided, e.nextID, e.l.Rounds = c.base.Decided, c.base.NextID, ledger.Rounds{}
	rest := c.noted.rest
	for _, k := range pods {
		if commitment, committed := c.noted.tasks[k]; committed {
			rest.Tasks = append(rest.Tasks, commitment)
		}
	}
	for _, k := range jobs {
		if phase, decided := c.noted.phases[k]; decided {
			rest.Phases = append(rest.Phases, phase)
		}
		if w, waits := c.noted.waiting[k]; waits {
			rest.WaitingJobs = append(rest.WaitingJobs, w)
		}
	}
	rest.sort()
	e.Restore(rest)
	e.l.Usage.TakeBack(&c.noted.used)
	e.stmts = c.base.Statement - e.l.Statements.Count() // together they number the next statement
	e.l.ExtendDims()
}

// touched lists the pods and jobs with commitments that a try may have changed.
func (c *Copy) touched() (pods []ledger.Key, jobs []ledger.JobKey) {
	p, j := c.e.l.Changes.Recommitted()
	pods, jobs = slices.Clone(p), slices.Clone(j)
	for _, r := range c.changed {
		switch r.Kind {
		case model.KindPod:
			pods = append(pods, ledger.Key{Namespace: r.Namespace, Name: r.Name})
		case model.KindPodGroup:
			jobs = append(jobs, ledger.JobKey{Namespace: r.Namespace, Name: r.Name})
		}
	}
	slices.SortFunc(pods, ledger.Key.Compare)
	slices.SortFunc(jobs, ledger.JobKey.Compare)
	return slices.Compact(pods), slices.Compact(jobs)
}

// asItWas says that the copy has the commitments that it had when it was made; its facts were put back one by one.
func (c *Copy) asItWas() bool {
	pods, jobs := c.touched()
	for _, k := range pods {
		now := c.e.saved.taskNow(k).commitment
		was, committed := c.noted.tasks[k]
		if (now != nil) != committed || committed && *now != was {
			return false
		}
	}
	for _, k := range jobs {
		now := c.e.saved.jobNow(k)
		phase, decided := c.noted.phases[k]
		w, waits := c.noted.waiting[k]
		if (now.phase != nil) != decided || decided && *now.phase != phase ||
			(now.waiting != nil) != waits || waits && *now.waiting != w {
			return false
		}
	}
	now := Commitments{Decided: c.e.decided, NextID: c.e.nextID, PastEvictions: c.e.l.EvictionHistory.All(),
		PastEvictionsFrom: c.e.l.EvictionHistory.From(), KeptRoomCheckedAt: c.e.session.KeptRoomCheckedAt,
		KeptRoomChecks: c.e.session.KeptRoomChecks, PlansLookedAt: c.e.session.PlansLookedAt,
		Rounds: c.e.l.Rounds.All(), Charges: c.e.l.Charges.All(), Losses: c.e.l.Losses.All()}
	c.e.saved.exportArrivals(&now)
	return sameCommitments(now, c.noted.rest)
}

func sameCommitments(a, b Commitments) bool {
	return a.Decided == b.Decided && a.NextID == b.NextID && a.PastEvictionsFrom == b.PastEvictionsFrom &&
		a.KeptRoomCheckedAt == b.KeptRoomCheckedAt && a.KeptRoomChecks == b.KeptRoomChecks &&
		a.PlansLookedAt == b.PlansLookedAt &&
		a.Arrived == b.Arrived && a.LastArrival == b.LastArrival &&
		slices.Equal(a.PastEvictions, b.PastEvictions) &&
		slices.Equal(a.Arrivals, b.Arrivals) && slices.Equal(a.Rounds, b.Rounds) &&
		a.Charges.Equal(b.Charges) && slices.Equal(a.Losses, b.Losses)
}
