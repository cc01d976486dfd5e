package trace

import "ashlar.sh/sched/model"

// Start is when a waiting job starts, if nothing new comes: no job, no pod and no node, and nothing is changed by
// hand. It was found by running the engine forward on a copy. Times are nanoseconds since the epoch.
type Start struct {
	Made int64 // the time of the state that it was made from
	// Earliest is by guesses of how long pods run, Latest by their limits; 0: not known. Where guesses lead to a later
	// start than limits, as happens where another job gets the room then, it is the other way round.
	Earliest, Latest int64
	// Source is the least certain figure about time that Earliest rests on; TimeEnforced where it rests on none.
	Source model.TimeSource
	// Unknown is why one of both is not known; UnknownNone where both are.
	Unknown Unknown
	Jobs    []string // EndsUnknown: jobs of which pods have no known end, namespace/name, the first few
	More    int      // EndsUnknown: how many more jobs there are than Jobs
	Until   int64    // NotReached: it does not start before this time; Passed: when it was to start at the latest
	Reason  Reason   // DoesNotStart: why it still waits then
	// Deadline is when the controller of the job ends it, whether it has started or not; 0: not known to.
	Deadline int64
	// First is the latest start that was estimated first, 0 for none; Slip is by how much later Latest is now, in
	// nanoseconds, below 0 where it is earlier.
	First, Slip int64
}

// Late says that the job is ended before it starts, and whether that is so even by the earliest start.
func (s *Start) Late() (may, does bool) {
	if s.Deadline == 0 {
		return false, false
	}
	return max(s.Earliest, s.Latest) >= s.Deadline, s.Earliest >= s.Deadline || s.Earliest == 0 && s.Latest >= s.Deadline
}

// Is says that there is an estimate.
func (s *Start) Is() bool { return s.Earliest != 0 || s.Latest != 0 || s.Unknown != UnknownNone }

// Unknown is why a start is not known. It is part of the contract with users: codes are added, never renamed.
type Unknown string

// Why a start is not known.
const (
	UnknownNone Unknown = ""
	// Pods that it waits for have no limit, or no guess either: Start.Jobs
	EndsUnknown Unknown = "EndsUnknown"
	// It waits for something else than the end of pods: Start.Reason
	DoesNotStart Unknown = "DoesNotStart"
	// The run forward was ended before it starts, to bound its cost: Start.Until
	NotReached Unknown = "NotReached"
	// Its pods are not there yet, so it is not known what they ask for
	PodsNotMade Unknown = "PodsNotMade"
	// The time by which it was to start has passed: Start.Until
	Passed Unknown = "Passed"
	// It came, or was changed, after the estimate was made
	NotEstimated Unknown = "NotEstimated"
)

// At is the estimate as it is to be told at a time: what has passed is not known any more. Where guesses were wrong and
// the limits are still to come, it starts from now on.
func (s Start) At(now int64) Start {
	switch {
	case s.Latest != 0 && s.Latest < now:
		s.Unknown, s.Until = Passed, s.Latest
		s.Earliest, s.Latest, s.Slip = 0, 0, 0
	case s.Latest == 0 && s.Earliest < now:
		s.Earliest = 0
	case s.Earliest != 0 && s.Earliest < now:
		s.Earliest = now
	}
	return s
}
