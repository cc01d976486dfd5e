package sched

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// bindsAfter finds, while the statements of one action become plan items, which statements under way a bind has to wait
// for. The volumes and devices of a gang's minimum may take minutes and fail; a member above the minimum that is bound
// meanwhile, in a statement of its own, would hold room and do no work.
type bindsAfter struct {
	l   *ledger.Ledger
	ops []ledger.Op // not looked at yet

	statement uint64 // of the last op, with its job and answer
	job       ledger.JobID
	after     []uint64

	above map[ledger.JobID][]uint64 // what statements above the minimum of a job wait for: all for the same
}

func bindsOf(l *ledger.Ledger) bindsAfter {
	return bindsAfter{l: l, ops: l.Statements.Uncommitted(), job: ledger.NoJob}
}

// of returns the Item.After of an op, which is not a commitment yet while those before it are.
func (b *bindsAfter) of(op ledger.Op) []uint64 {
	j := b.l.Task(op.Task).Job
	if op.Statement != b.statement || j != b.job {
		b.statement, b.job, b.after = op.Statement, j, nil
		job := b.l.Job(j)
		if job.By[model.Binding] > 0 && !job.Met((*ledger.Count).SurelyBound) && !b.suffices(job) {
			b.after = b.awaited(j)
		}
	}
	return b.after
}

// awaited are the statements that the next one of a job waits for.
func (b *bindsAfter) awaited(j ledger.JobID) []uint64 {
	if !b.l.Job(j).Met(boundOrBinding) {
		delete(b.above, j)
		return b.beingPrepared(j)
	}
	after, known := b.above[j]
	if !known {
		if b.above == nil {
			b.above = map[ledger.JobID][]uint64{}
		}
		after = b.beingPrepared(j)
		b.above[j] = after
	}
	return after
}

func boundOrBinding(c *ledger.Count) int32 { return c.SurelyBound() + c.By[model.Binding] }

// suffices reports whether a job has its minimum with the binds of this statement alone. Of one with minimums of roles
// or subgroups it says no, and the bind waits.
func (b *bindsAfter) suffices(job *ledger.Job) bool {
	if ledger.HasPartMinimums(job) {
		return false
	}
	own := int32(0)
	for ; len(b.ops) > 0 && b.ops[0].Statement <= b.statement; b.ops = b.ops[1:] {
		if op := b.ops[0]; op.Statement == b.statement && op.Kind == ledger.OpAllocate && b.l.Task(op.Task).Job == b.job {
			own++
		}
	}
	return job.SurelyBound()+own >= job.MinMember
}

// beingPrepared are the statements under way in which a member of a job gets a volume or a device, as far as the job
// has its minimum with them: what is above it keeps no other member waiting. Of a job with minimums of roles or
// subgroups they are all.
func (b *bindsAfter) beingPrepared(j ledger.JobID) (out []uint64) {
	var under []*ledger.Commitment
	for t := range b.l.Jobs.Members(j) {
		if c := b.l.Task(t).Commitment; c.Kind == ledger.CommitBind {
			under = append(under, c)
		}
	}
	slices.SortStableFunc(under, func(a, b *ledger.Commitment) int { return cmp.Compare(a.Statement, b.Statement) })
	job := b.l.Job(j)
	have := job.SurelyBound()
	for n, c := range under {
		if have >= job.MinMember && !ledger.HasPartMinimums(job) && n > 0 && c.Statement != under[n-1].Statement {
			break
		}
		if have++; c.Chosen != "" {
			out = append(out, c.Statement)
		}
	}
	return slices.Compact(out)
}
