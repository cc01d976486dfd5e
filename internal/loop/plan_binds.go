package loop

import (
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// planBinds is what a plan binds of gangs.
type planBinds struct {
	of    map[uint64]int32        // how many pods a statement binds
	ofJob map[ledger.JobID]int32  // and how many of a job all do
	first map[ledger.JobID]uint64 // the statement of a job, below its minimum, that is bound in order
}

func bindsOf(led *ledger.Ledger, items []sched.Item) planBinds {
	p := planBinds{map[uint64]int32{}, map[ledger.JobID]int32{}, map[ledger.JobID]uint64{}}
	for _, i := range items {
		if i.Kind != sched.BindPod {
			continue
		}
		p.of[i.Statement]++
		if id, ok := led.Tasks.Find(i.Pod); ok {
			p.ofJob[led.Task(id).Job]++
		}
	}
	return p
}

// after returns which statement one of a gang below its minimum has to wait for, 0 for none, and whether its pods are
// bound in order. last is the statement of an earlier plan that was bound in order, which may be under way.
func (p *planBinds) after(job *ledger.Job, id ledger.JobID, statement, last uint64) (after uint64, inOrder bool) {
	bound, counts := job.SurelyBound(), !ledger.HasPartMinimums(job)
	above := counts && bound+job.By[model.Binding]-p.ofJob[id] >= job.MinMember // with what is under way
	if !above && p.first[id] == 0 {
		p.first[id] = statement
	}
	switch {
	case counts && bound+p.of[statement] >= job.MinMember:
		return 0, true // it completes the gang by itself
	case above:
		return last, false
	case statement == p.first[id]:
		return last, true
	default:
		return p.first[id], false
	}
}
