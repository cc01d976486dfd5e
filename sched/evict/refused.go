package evict

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
)

// actionOnJob names an action that found no victims for a job.
type actionOnJob struct {
	job    ledger.JobID
	action string
}

// jobSituation is the state in which it found none.
type jobSituation struct {
	key ledger.JobKey
	session.Situation
}

// rememberNoVictims notes that an action finds no victims for a job as things stand.
func (e *Evictor) rememberNoVictims(j ledger.JobID, action string) {
	if e.refused == nil {
		e.refused = map[actionOnJob]jobSituation{}
	}
	e.refused[actionOnJob{j, action}] = jobSituation{e.s.L.Job(j).Key, e.s.Situation()}
}

// hasNoVictims says that nothing has changed since rememberNoVictims: the action need not try the job again.
func (e *Evictor) hasNoVictims(j ledger.JobID, action string) bool {
	at, ok := e.refused[actionOnJob{j, action}]
	return ok && at == jobSituation{e.s.L.Job(j).Key, e.s.Situation()}
}
