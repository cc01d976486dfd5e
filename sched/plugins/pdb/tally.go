package pdb

import "ashlar.sh/sched/model"

// tally is a budget with what is counted for it.
type tally struct {
	budget   *model.Budget
	expected int32 // pods that exist and have not finished
	healthy  int32 // of them, those that run, are ready, and are to stay
	going    int32 // healthy until they were evicted, which neither their facts nor the status shows yet
}

// desired is how many healthy pods have to stay. The status knows what the controllers of
// the pods want beyond those that exist.
func (t *tally) desired() int32 {
	b := t.budget
	var least int32
	switch {
	case b.MaxUnavailable != nil:
		least = max(0, t.expected-b.MaxUnavailable.Of(t.expected))
	case b.MinAvailable != nil:
		least = b.MinAvailable.Of(t.expected)
	default:
		least = t.healthy // a budget that says nothing allows nothing, as in Kubernetes
	}
	if b.Counted {
		least = max(least, b.Desired)
	}
	return least
}

// allowed is how many healthy pods may be disturbed now.
func (t *tally) allowed() int32 {
	n := t.healthy - t.desired()
	if t.budget.Counted {
		n = min(n, t.budget.Allowed-t.going)
	}
	return max(0, n)
}

// sparesUnhealthy says that a running pod that is not ready may go
// (unhealthyPodEvictionPolicy): always, or while the budget is met without it.
func (t *tally) sparesUnhealthy() bool {
	desired := t.desired()
	return t.budget.AlwaysEvictUnhealthy || t.healthy >= desired && desired > 0 || t.allowed() > 0
}
