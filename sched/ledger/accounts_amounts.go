package ledger

import "ashlar.sh/sched/resource"

// JobAmounts is what a job holds, asks for and keeps from others.
type JobAmounts struct {
	MinResources  resource.Vec
	HasMin        bool
	Allocated     resource.Sums // of members that hold room or are pipelined
	Request       resource.Sums // Allocated, and members that wait to be placed
	Total         resource.Sums // of members that have not finished
	unfinished    int32
	gatedNeed     resource.Sums
	doneNeed      resource.Sums // of members that succeeded
	elastic       resource.Vec  // this job's part in its queue's Elastic
	inqueue       resource.Vec  // … and Inqueue
	lent          resource.Vec  // … and Lent
	keptRoom      resource.Vec  // … and KeptRoom
	inqueueCounts bool
	above         bool  // it holds more than its minimum
	tenant        int32 // its tenant in its queue (Usage); 0: none is known
}

// JobArrival says when pods came to a job last.
type JobArrival struct {
	LastArrival int64 // with Recent: when pods came to it
	Recent      bool  // pods came to it within the scheduling period, and its surplus has had no turn since
	HeldBack    bool  // with Recent: its surplus waits for the end of the period
	Arrived     bool  // pods came to it since TakeArrivals
}

// QueueAmounts is what the jobs of a queue hold and ask for.
type QueueAmounts struct {
	Allocated resource.Sums
	Request   resource.Sums
	Inqueue   resource.Sums
	Elastic   resource.Sums
	Lent      resource.Sums // the part of Inqueue that is lent to jobs that start at once with it
	KeptRoom  resource.Sums // what is kept on nodes for its jobs' tasks, in addition to Allocated
}

// all are the sums of a queue, those first that a rotation of queues reads.
func (q *QueueAmounts) all() [6]*resource.Sums {
	return [...]*resource.Sums{&q.Allocated, &q.Request, &q.Elastic, &q.Inqueue, &q.KeptRoom, &q.Lent}
}
