package model

import "math"

// Never is the last representable time: an event at a later time never happens.
const Never = math.MaxInt64

// After returns the time d nanoseconds after another; d may be negative. The result is limited to the range of
// int64 and never wraps.
func After(at, d int64) int64 {
	switch sum := at + d; {
	case d > 0 && sum < at:
		return Never
	case d < 0 && sum > at:
		return math.MinInt64
	default:
		return sum
	}
}

// Earlier returns the earlier of two times, where 0 means none.
func Earlier(a, b int64) int64 {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}

// Between returns the nanoseconds from one time to another, negative where the second is earlier.
func Between(from, to int64) int64 {
	switch d := to - from; {
	case to >= from && d < 0:
		return math.MaxInt64
	case to < from && d > 0:
		return math.MinInt64
	default:
		return d
	}
}

// Times are values that few pods have, most of them times: kept apart, they cost the other pods one word.
type Times struct {
	GoneBy   int64 // its deletionTimestamp: when its grace ends, in nanoseconds since the epoch; 0 unless Deleting
	Cooldown int64 // volcano.sh/cooldown-time in nanoseconds: how long from its start it asks not to be evicted
	// Lasts is how long the pod runs, in nanoseconds, by ashlar.sh/duration, as its author states. 0: not set;
	// a stated 0 is 1.
	Lasts int64
	// Limit is how long the pod may run, in nanoseconds, by spec.activeDeadlineSeconds: its kubelet ends it then. 0:
	// not set.
	Limit int64
	// JobLimit is spec.activeDeadlineSeconds of the Kubernetes Job that made the pod, in nanoseconds: its controller ends
	// it then, also while pods of it wait; 0: not set. It counts from JobSince, 0 for when the pod was made.
	JobLimit, JobSince int64
	// Ended is when the last container of a pod that has finished ended, in nanoseconds since the epoch; 0: not known.
	Ended int64
	// Charge is where the pod counts, by a record in its status; nil: there is none.
	Charge *Charge `json:"LetRun"`
}

// Charge is the queue and the job that a pod is charged to: it was let run there, and counts there until it ends. A
// scheduler writes it to the status of a pod when its PodGroup, or its own annotations, say otherwise by now
// (docs/design/0032).
type Charge struct {
	Queue   string
	Job     string // the name of its PodGroup; of an adopted job, that of the pods' top controller or of the pod
	Adopted bool
	Owner   string // of an adopted job: the controller's kind, "/" and its UID; "" without one
	Had     Had
}

// Had are the minimums that a pod's job, its role and its sub-group had, if that is known.
type Had struct {
	Known          bool
	Job, Role, Sub int32
}

// SamePlace says that two records name the same queue and job.
func (r Charge) SamePlace(o Charge) bool {
	r.Had, o.Had = Had{}, Had{}
	return r == o
}

// Charge returns where a pod was let run by the record in its status, nil without one.
func (p *Pod) Charge() *Charge {
	if p.Times == nil {
		return nil
	}
	return p.Times.Charge
}

// Rare returns a pod's Times, all zero where it has none.
func (p *Pod) Rare() Times {
	if p.Times == nil {
		return Times{}
	}
	return *p.Times
}

// SetRare sets the Times of a pod that was not passed on yet.
func (p *Pod) SetRare(t Times) {
	p.Times = nil
	if t != (Times{}) {
		p.Times = &t
	}
}
