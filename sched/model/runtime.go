package model

// TimeSource says where a figure about time comes from, the least certain first.
type TimeSource uint8

// The sources.
const (
	TimeUnknown   TimeSource = iota // nothing is said
	TimePredicted                   // what the last runs of the same user and template took
	TimeEstimated                   // the author's guess for a Volcano Job: spec.runningEstimate
	TimeDeclared                    // the author's guess: ashlar.sh/duration on the pod, or on its PodGroup
	TimeEnforced                    // the kubelet ends the pod: spec.activeDeadlineSeconds
)

var timeSourceNames = [...]string{"unknown", "predicted", "runningEstimate", "declared", "enforced"}

// String is the source as it is written in reports and configurations.
func (s TimeSource) String() string { return timeSourceNames[s] }

// RunTime is how long a pod runs, in nanoseconds from its start.
type RunTime struct {
	Limit    int64 // it has ended by then, whatever it does: activeDeadlineSeconds and its grace; 0: it may run for ever
	Expected int64 // the guess, within Limit; without a guess Limit; 0: not known
	Source   TimeSource
}

// RunTime returns how long a pod runs, as far as is known at a time (nanoseconds since the epoch). A guess that it has
// outlived is extended by itself as often as needed, but not beyond the limit. group is its PodGroup, nil without;
// predicted is what earlier runs tell, in nanoseconds, 0 for nothing: it counts where the author has said nothing.
func (p *Pod) RunTime(group *PodGroup, predicted, now int64) (out RunTime) {
	if rare := p.Times; rare != nil {
		out.Expected = rare.Lasts
		if rare.Limit > 0 {
			out.Limit = After(rare.Limit, p.Grace)
		}
	}
	if out.Source = TimeDeclared; out.Expected == 0 && group != nil {
		out.Expected, out.Source = group.Guess()
	}
	if out.Expected == 0 {
		out.Expected, out.Source = predicted, TimePredicted
	}
	if out.Expected == 0 {
		out.Source = TimeUnknown
	} else if !p.Phase.Finished() {
		if ran := Between(p.startedBy(now), now); ran >= out.Expected {
			out.Expected = extended(out.Expected, ran)
		}
	}
	if out.Limit > 0 && (out.Expected == 0 || out.Expected >= out.Limit) {
		out.Expected, out.Source = out.Limit, TimeEnforced
	}
	return out
}

// RunTimeHolds is until when RunTime stays what it is at a time: until the pod has outlived its guess.
func (p *Pod) RunTimeHolds(group *PodGroup, predicted, now int64) int64 {
	r := p.RunTime(group, predicted, now)
	if r.Expected == 0 || r.Source == TimeEnforced || p.Started == 0 && p.Phase != PodRunning {
		return Never
	}
	return After(p.Began(), r.Expected)
}

// extended is the first multiple of a guess that is longer than what a pod has run.
func extended(guess, ran int64) int64 {
	times := ran/guess + 1
	if times > Never/guess {
		return Never
	}
	return guess * times
}

// Ends returns when a pod has ended at the latest, and when it is expected to end, both in nanoseconds since the epoch
// and Never where that is not known. A pod that has not started is taken to start now. Of a pod that was asked to
// leave, both are the end of its grace, unless it lingers after that. group and predicted are as for RunTime.
func (p *Pod) Ends(group *PodGroup, predicted, now int64) (latest, expected int64, source TimeSource) {
	if p.Overdue(now) {
		return Never, Never, TimeUnknown
	}
	if by := p.goneBy(); by > 0 {
		return by, by, TimeEnforced
	}
	t, from := p.RunTime(group, predicted, now), p.startedBy(now)
	latest, expected = Never, Never
	if t.Limit > 0 {
		latest = After(from, t.Limit)
	}
	if t.Expected > 0 {
		expected = After(from, t.Expected)
	}
	return latest, expected, t.Source
}

// overdueAfter is how long after the end of its grace a pod may still be there before its room is counted on no more:
// as long as room that is freed is kept for a nomination. farAhead is how far ahead that end may be: as far as
// nominations wait for it.
const (
	overdueAfter = int64(60_000_000_000)
	farAhead     = int64(3_600_000_000_000)
)

// Lingers says that a pod that was asked to leave cannot be counted on to leave soon, at a time: it should have been
// gone a minute ago (a finalizer keeps it, or its node cannot end it), it has had an hour and a minute of a longer
// grace, or it was given more grace than its own, which ends more than an hour ahead. So it does not linger while a
// nomination lasts for which it was evicted alone. The answer holds until the time returned, Never where it does not
// change with time. Where nothing says when its grace ends, as in simulations, it does not linger.
func (p *Pod) Lingers(now int64) (lingers bool, until int64) {
	by := p.goneBy()
	if by <= 0 {
		return false, Never
	}
	given := After(by, -max(p.Grace, farAhead)-overdueAfter) // it was asked to leave later, if with its own grace
	waited := After(by, -max(p.Grace, farAhead)+farAhead+overdueAfter)
	soon := After(by, -farAhead)
	switch {
	case now < given:
		return true, given
	case now < waited && waited < soon:
		return false, waited
	case now < soon && waited < soon:
		return true, soon
	case !p.Overdue(now):
		return false, After(by, overdueAfter)
	default:
		return true, Never
	}
}

// Overdue says that a pod that was asked to leave should have been gone a minute ago, at a time.
func (p *Pod) Overdue(now int64) bool {
	by := p.goneBy()
	return by > 0 && now >= After(by, overdueAfter)
}

// goneBy is when the grace of a pod that was asked to leave ends, 0 for any other and where that is not known.
func (p *Pod) goneBy() int64 {
	if !p.Deleting || p.Times == nil {
		return 0
	}
	return p.Times.GoneBy
}

// startedBy is when a pod started, or now if it has not. A running pod from a file may not say when it started: then it
// is taken to have done so when it was created.
func (p *Pod) startedBy(now int64) int64 {
	if p.Started != 0 || p.Phase == PodRunning {
		return min(p.Began(), now)
	}
	return now
}
