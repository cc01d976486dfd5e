package joborder

import (
	"cmp"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// inLine is the order in which no job is passed over.
type inLine struct {
	*byFacts
	first map[ledger.QueueID]held // what was found when last asked; looked up, never gone through
}

// held is the job that holds its queue up, as was found when so many tries had been undone, in a state.
type held struct {
	by            ledger.JobID
	undone, state uint64
}

// Open forgets which job was first: facts have come since.
func (p *inLine) Open(*trace.Recorder) { clear(p.first) }

// PrePredicate refuses a task while a job of its queue that is before its own could start
// and has not. It is asked at the job's turn, so one that follows a job which has just
// been placed is let through in the same cycle.
func (p *inLine) PrePredicate(t ledger.TaskID) policy.Verdict {
	j := p.l.Task(t).Job
	if j == ledger.NoJob || p.l.Job(j).Queue == ledger.NoQueue {
		return policy.Verdict{}
	}
	first := p.head(p.l.Job(j).Queue, j)
	if p.inOrder(j, first) <= 0 {
		return policy.Verdict{}
	}
	return policy.Verdict{Code: trace.PrePredicateFailed,
		Text: "job " + p.l.Jobs.Called(first) + " of its queue comes first and does not fit (joborder.strict)"}
}

// head is the first job of a queue that could start and has not. The answer for
// the job that has the turn stands without a look: what is tried for it may yet be undone. What was found in a try that
// was undone since does not stand: there a job before it may have had its place.
func (p *inLine) head(q ledger.QueueID, turn ledger.JobID) ledger.JobID {
	now := held{undone: p.l.Statements.Undone(), state: p.l.Changes.StateEpoch()}
	was, asked := p.first[q]
	if asked && was.undone == now.undone && was.state == now.state && (was.by == turn || p.holdsUp(was.by)) {
		return was.by
	}
	first := turn
	for _, j := range p.l.Jobs.Active() { // order-free: the least by a total order is sought
		if p.l.Job(j).Queue == q && p.holdsUp(j) && p.inOrder(j, first) < 0 {
			first = j
		}
	}
	now.by = first
	p.first[q] = now
	return first
}

// holdsUp says that a job could start if there were room: it is admitted, has its minimum
// of pods, and not yet of places.
func (p *inLine) holdsUp(j ledger.JobID) bool {
	job := p.l.Job(j)
	for i := range job.Roles {
		if role := &job.Roles[i]; role.Valid() < role.Min {
			return false
		}
	}
	return job.Admitted() && job.Invalid == 0 && job.ReadyOrPipelined() < job.MinMember &&
		job.Valid()-job.Gated >= job.MinMember
}

// inOrder is the order with its ties settled by age and name.
func (p *inLine) inOrder(a, b ledger.JobID) int {
	if r := p.CompareJobs(a, b); r != 0 {
		return r
	}
	x, y := p.l.Job(a), p.l.Job(b)
	if x.Created != y.Created {
		return cmp.Compare(x.Created, y.Created)
	}
	return x.Key.Compare(y.Key)
}
